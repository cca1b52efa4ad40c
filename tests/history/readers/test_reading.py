"""Folders of histories: which files are read, what happens to damaged ones, and that nothing is lost."""

from __future__ import annotations

import bz2
import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.core import files
from angarium.core.errors import HistoryError, UsageError
from angarium.history.intake import reasons as why
from angarium.history.intake.formats import require_events
from angarium.history.intake.reasons import name_of_run
from tests.history.readers.inputs import EVENT, event, faults, line, plain, read, unknown, write
from tests.needs import HISTORIES as RECORDED
from tests.needs import needs

"""Real histories; not everywhere."""


def packed(path: Path, *lines: str) -> bytes:
    text = "".join(f"{each}\n" for each in lines).encode()
    data = bz2.compress(text) if path.suffix == ".bz2" else gzip.compress(text)
    path.write_bytes(data)
    return data


def test_a_folder_is_read_with_all_that_is_in_it(tmp_path: Path) -> None:
    """Rotated files are one run, hidden ones are not read, and damaged ones up to their damage."""
    many = [line(run_id=None, seq=seq, message_id=f"{seq * 7919}") for seq in range(1, 3001)]
    packed(tmp_path / "run-000001.jsonl.gz", *many[:2])
    packed(tmp_path / "run-000002.jsonl.gz", *many[2:4])
    packed(tmp_path / "run.broker.jsonl.bz2", *many[:3])
    two = packed(tmp_path / "two.jsonl.gz", *many[:1])
    (tmp_path / "two.jsonl.gz").write_bytes(two + two)
    whole = packed(tmp_path / "cut.jsonl.gz", *many)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    whole = packed(tmp_path / "cut.jsonl.bz2", *many)
    (tmp_path / "cut.jsonl.bz2").write_bytes(whole[:-20])
    write(tmp_path / "plain.jsonl.gz", line())
    (tmp_path / "empty.jsonl.gz").write_bytes(b"")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "EMPTY").write_bytes(b"")
    (tmp_path / "other.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 40)
    whole = packed(tmp_path / "swapped.jsonl.gz", *many)
    (tmp_path / "swapped.jsonl.gz").write_bytes(whole[:-8] + whole[-4:] + whole[-8:-4])
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(line().encode()))
    write(tmp_path / "a+b [1]%20" / "ü {2}*.jsonl", line(run_id=None))
    write(tmp_path / "deep" / "er" / "events" / "part-00000-x-c000.json", line(run_id=None))
    write(tmp_path / "deep" / "er" / "events" / "_SUCCESS")
    write(tmp_path / "_temporary" / "x.jsonl", "oops")
    write(tmp_path / ".hidden.jsonl", "oops")
    write(tmp_path / "12:00.jsonl", line())
    write(tmp_path / "README.md", "# Histories", "", "of brokers")
    write(tmp_path / "truth.json", "{", '  "lost": 0', "}")
    write(tmp_path / "notes", line(run_id=None))
    found = read(tmp_path, tmp_path / "notes")
    lines = Counter(row["run_id"] for row in plain(found))
    cut = lines.pop("cut")
    assert lines == {"run": 7, "two": 2, "ü {2}*": 1, "events": 1, "notes": 1, "r": 1}
    half = next(value for name, *_, value in faults(found) if name == "cut.jsonl.gz")
    assert half == f"after line {cut}" and 1000 < cut < 2000
    swapped = next(value for name, *_, value in faults(found) if name == "swapped.jsonl.gz")
    assert str(swapped).startswith("CRC check failed")
    assert faults(found) == [
        ("cut.jsonl.bz2", None, why.CUT_FILE, None, "after line 0"),
        ("cut.jsonl.gz", None, why.CUT_FILE, None, half),
        ("empty.jsonl", None, why.EMPTY_FILE, None, None),
        ("empty.jsonl.gz", None, why.CUT_FILE, None, "after line 0"),
        ("other.jsonl.zst", None, why.NO_FORMAT, None, None),
        ("packed.jsonl", None, why.BROKEN_FILE, None, "what is in it is .gz, and its name does not say so"),
        ("plain.jsonl.gz", None, why.BROKEN_FILE, None, "Not a gzipped file (b'{\"')"),
        ("swapped.jsonl.gz", None, why.BROKEN_FILE, None, swapped),
        ("truth.json", None, why.NO_FORMAT, None, None),
    ]
    ignored = [each.file.path for each in found.found if not each.kind and not each.fault]
    assert ignored == [tmp_path / "EMPTY", tmp_path / "README.md"]


@pytest.mark.parametrize(
    ("path", "run"),
    [
        ("nats-r3.jsonl.gz", "nats-r3"),
        ("nats-r3.broker.jsonl.gz", "nats-r3"),
        ("nats-r3.broker-000012.jsonl", "nats-r3"),
        ("prod.eu-1.csv", "prod.eu-1"),
        ("events.parquet/part-00000-abc.c000.snappy.parquet", "events"),
        ("2026-11-15", "2026-11-15"),
    ],
)
def test_a_run_has_the_name_of_its_files(path: str, run: str) -> None:
    assert name_of_run(Path("/x") / path) == run


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="there is no file") as missing:
        read(tmp_path / "nothing")
    assert missing.value.code == "ANG010"
    with pytest.raises(HistoryError, match="there is no file of events") as empty:
        read(tmp_path)
    assert empty.value.code == "ANG130" and "json-lines" in empty.value.possible and empty.value.remedy
    with pytest.raises(UsageError, match="no format jsonlines") as format_:
        read(tmp_path, kind="jsonlines")
    assert "did you mean json-lines?" in format_.value.possible
    secret = write(tmp_path / "secret.jsonl", line())
    monkeypatch.setattr(files, "opened", _refused)
    with pytest.raises(HistoryError, match=r"secret.jsonl cannot be read: Permission denied") as refused:
        read(secret)
    assert refused.value.code == "ANG131" and refused.value.possible and refused.value.remedy


def _refused(path: Path) -> None:
    raise PermissionError(13, os.strerror(13), str(path))


def test_files_without_an_event_are_an_error_that_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", "hello", "world")
    with pytest.raises(
        HistoryError, match=r"of 2 rows none is an event: the line is not JSON \(2\)"
    ) as error:
        require_events([path], read(path).counts())
    assert error.value.code == "ANG130"
    blank = write(tmp_path / "blank.jsonl", "", "")
    with pytest.raises(HistoryError, match="all files are empty"):
        require_events([blank], read(blank).counts())
    fine = write(tmp_path / "fine.jsonl", line())
    require_events([fine], read(fine).counts())


def test_a_format_that_is_given_is_believed(tmp_path: Path) -> None:
    path = write(
        tmp_path / "events.dat",
        "recorder,phase,op_type,time_unix_nano",
        f"c,ok,flow,{EVENT['time_unix_nano']}",
    )
    assert [row["run_id"] for row in plain(read(path, kind="csv", run_id="mine"))] == ["mine"]
    assert read(path, kind="json-lines").counts().reasons == {why.NOT_JSON: 2}


words = st.sampled_from(
    ["seq", "phase", "ok", "op_type", "send", "{", "}", "[", '"', ":", ",", "1", "\\", "é", "\0", " "]
)
values = st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=5))
garbage = st.one_of(
    st.binary(max_size=30),
    st.lists(words, max_size=12).map(lambda parts: "".join(parts).encode()),
    st.dictionaries(st.sampled_from(sorted(EVENT)), values, max_size=3).map(
        lambda changes: json.dumps(event(**changes)).encode()
    ),
)


@pytest.mark.thorough
@pytest.mark.slow
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.sampled_from(["a.jsonl", "b.jsonl.gz", "c.csv"]), garbage), min_size=60, max_size=200
    )
)
def test_what_is_read_is_accepted_or_in_quarantine(tmp_path: Path, lines: list[tuple[str, bytes]]) -> None:
    """Nothing is lost and nothing is doubled, whatever is in the files."""
    texts = {"a.jsonl": [line()], "b.jsonl.gz": [line()], "c.csv": ["recorder,seq,phase"]}
    contents = {name: [text.encode() for text in first] for name, first in texts.items()}
    for name, text in lines:
        contents[name].append(text)
    for name, each in contents.items():
        data = b"\n".join(each) + b"\n"
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = read(tmp_path)
    counted = found.counts()
    written = [text for name, each in contents.items() for text in _lines(each, name)]
    assert counted.read == counted.accepted + counted.quarantined == len(written)
    assert counted.quarantined == len(faults(found))
    assert counted.quarantined == sum(counted.reasons.values())


def _lines(texts: list[bytes], name: str) -> list[bytes]:
    """What Spark calls a line: a return ends one, too; what is blank, or is the header, is none."""
    parts = [part for text in texts for part in text.replace(b"\r", b"\n").split(b"\n")]
    stripped = [part.strip(b" \t\x0b\x0c") for part in parts]
    return [part for part in stripped if part and not (name == "c.csv" and part == texts[0])]


@pytest.mark.thorough
@pytest.mark.slow
@needs("histories")
def test_recorded_histories_are_read_whole() -> None:
    names = ("rmq-classic", "nats-r3", "nsq-rdy")
    found = read(*(RECORDED / f"{name}.jsonl.gz" for name in names))
    read_ = found.counts()
    assert (read_.read, read_.quarantined) == (40_238 + 51_534 + 40_355, 0)
    names_ = ("run_id", "single_active", "credit", "max_deliveries", "ack_wait_ms")
    said = [
        {name: row[name] for name in names_ if name in row}
        for row in plain(found)
        if row.get("single_active") or "max_deliveries" in row
    ]
    nats = {"run_id": "nats-r3", "credit": 64, "max_deliveries": 5, "ack_wait_ms": 2000}
    queues = [{"run_id": "rmq-classic", "single_active": True}] * 4
    assert sorted(said, key=lambda row: str(row["run_id"])) == [nats, *queues]
    assert {"batch", "pid"} < set(unknown(found))
