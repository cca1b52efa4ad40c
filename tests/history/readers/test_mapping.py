"""Mapping files: other names, values and units; and what is said of a wrong one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from angarium.core.errors import HistoryError, UsageError
from angarium.history.intake import reasons as why
from angarium.history.intake.mapping import Mapping, load
from tests.history.readers.inputs import EVENT, Row, faults, plain, read, write

TOML = """
time = "iso"
[columns]
message_id = "msg.id"
time_unix_nano = "when"
op_type = "what"
consumer_group = "group.name"
[values.op_type]
published = "send"
got = "receive"
[constants]
recorder = "app"
phase = "ok"
replicas = 3
deduplicated = false
"""
SEEN: Row = {"recorder": "app", "phase": "ok", "replicas": 3, "deduplicated": False, "destination": "q"}
TIME = EVENT["time_unix_nano"]
WHEN = "2026-11-15T05:02:34.775540535Z"


def test_any_shape_becomes_events(tmp_path: Path) -> None:
    """The same mapping for JSON, CSV and Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    mapping = load(write(tmp_path / "mapping.toml", TOML))
    data = tmp_path / "data"
    good = {"msg": {"id": "m1"}, "when": WHEN, "what": "published", "destination": "q", "group.name": "g"}
    lines = [good, good | {"what": "lost"}, good | {"when": "12"}, good | {"phase": "info"}, {"a": 1}]
    write(data / "a.jsonl", *map(json.dumps, lines), "oops", json.dumps(good) * 2)
    write(
        data / "b.csv",
        "when,what,msg.id,destination,offset",
        f"{WHEN},got,m2,q,7",
        ",got,m3,q,",
        "x,got,m4,q,y",
    )
    table = {
        "when": pa.array([TIME], pa.timestamp("ns")),
        "what": pa.array(["got"]),
        "msg": pa.array([{"id": "m5", "size": 3}]),
        "destination": pa.array(["q"]),
        "waited": pa.array([1], pa.duration("s")),
    }
    parquet.write_table(pa.table(table), data / "c.parquet")
    found = read(data, mapping=mapping)
    sent = SEEN | {
        "time_unix_nano": TIME,
        "run_id": "a",
        "op_type": "send",
        "message_id": "m1",
        "consumer_group": "g",
    }
    got = SEEN | {
        "time_unix_nano": TIME,
        "run_id": "b",
        "op_type": "receive",
        "message_id": "m2",
        "offset": 7,
    }
    assert sorted(plain(found), key=lambda row: (row["run_id"], row["phase"])) == [
        sent | {"phase": "info"},
        sent,
        got,
        SEEN | {"time_unix_nano": TIME, "run_id": "c", "op_type": "receive", "message_id": "m5"},
    ]
    assert faults(found) == [
        ("a.jsonl", 2, why.IMPOSSIBLE, "op_type", "lost"),
        ("a.jsonl", 3, why.WRONG_TYPE, "time_unix_nano", "12 as iso"),
        ("a.jsonl", 5, why.MISSING, "time_unix_nano", None),
        ("a.jsonl", 6, why.NOT_JSON, None, None),
        ("a.jsonl", 7, why.SEVERAL, None, None),
        ("b.csv", 3, why.MISSING, "time_unix_nano", None),
        ("b.csv", 4, why.WRONG_TYPE, "time_unix_nano", "x as iso"),
    ]


@pytest.mark.parametrize(
    ("unit", "texts"),
    [
        ("s", ["1794718954.775540535"]),
        ("ms", ["1794718954775.540535"]),
        ("us", ["1794718954775540.535"]),
        ("ns", ["1794718954775540535"]),
        ("iso", [WHEN, "2026-11-15 05:02:34.775540535", "2026-11-15T06:02:34.775540535+01:00"]),
    ],
)
def test_times_are_exact_to_the_nanosecond(tmp_path: Path, unit: str, texts: list[str]) -> None:
    path = write(tmp_path / "t.csv", "recorder,phase,op_type,at", *(f"c,ok,flow,{text}" for text in texts))
    found = read(path, mapping=Mapping({"time_unix_nano": "at"}, time=unit))
    assert [row["time_unix_nano"] for row in plain(found)] == [TIME] * len(texts)
    assert datetime.fromtimestamp(TIME // 10**9, UTC).isoformat() == "2026-11-15T05:02:34+00:00"


@pytest.mark.parametrize(
    ("text", "what", "possible"),
    [
        ("[column]", "there is no 'column' in a mapping", "did you mean columns?"),
        (
            '[columns]\nmesage_id = "x"',
            "columns.mesage_id: the schema has no field",
            "did you mean message_id?",
        ),
        ("[columns]\nmessage_id = []", "columns.message_id is []", "a text"),
        ("[columns]\nmessage_id = 'a\"b'", "columns.message_id is 'a\"b'", "without quotes"),
        ('[values.phases]\na = "b"', "values.phases: the schema has no field", "did you mean phase?"),
        ("[values]\nphase = 3", "values.phase is 3", "a table"),
        ('constants = "x"', "constants is 'x'", "a table"),
        ('time = "minutes"', "time is 'minutes'", "iso"),
        ("time =", "it cannot be read", "TOML"),
    ],
)
def test_a_wrong_mapping_is_refused_with_what_is_possible(
    tmp_path: Path, text: str, what: str, possible: str
) -> None:
    with pytest.raises(HistoryError) as error:
        load(write(tmp_path / "mapping.toml", text))
    assert error.value.code == "ANG132" and what in error.value.what
    assert possible in error.value.possible and error.value.remedy


def test_a_mapping_may_be_json_and_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "mapping.json", '{"columns": {"seq": "n"}, "time": "ms"}')
    assert load(path) == Mapping({"seq": "n"}, time="ms")
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(HistoryError, match="the file is"):
        load(write(tmp_path / "list.json", "[]"))
