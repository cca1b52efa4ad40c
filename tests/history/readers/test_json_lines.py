"""JSON lines: what is an event, and what is said of a line that is none."""

from __future__ import annotations

from pathlib import Path

from angarium.history import tabled, tables
from angarium.history.intake import reasons as why
from angarium.history.intake.quarantined import quarantined
from tests.history.readers.inputs import event, faults, line, plain, read, unknown, write

FAULTY: list[tuple[str | bytes, str, str | None, str | None]] = [
    ("hello", why.NOT_JSON, None, None),
    (line()[:40], why.CUT_LINE, None, None),
    (line()[:40] + line(), why.NOT_JSON, None, None),
    (f"[{line()}]", why.NO_OBJECT, None, None),
    ('"text"', why.NO_OBJECT, None, None),
    (line() + line(seq=2), why.SEVERAL, None, None),
    (line() + ", " + line(seq=2), why.SEVERAL, None, None),
    (line() + " tail", why.SEVERAL, None, None),
    (b"\xff\xfe{}", why.NOT_UTF8, None, None),
    (b"\xbf", why.NOT_UTF8, None, None),
    (line().replace("c1", "c\0"), why.NOT_JSON, None, None),
    ("\0\0\0", why.NOT_JSON, None, None),
    (line(seq="abc"), why.WRONG_TYPE, "seq", "abc"),
    (line(seq=1.5), why.WRONG_TYPE, "seq", "1.5"),
    (line(offset=2**63), why.WRONG_TYPE, "offset", str(2**63)),
    (line(attempt=2**31), why.WRONG_TYPE, "attempt", str(2**31)),
    (line(credit=float("nan")), why.WRONG_TYPE, "credit", '"NaN"'),
    (line(redelivered="perhaps"), why.WRONG_TYPE, "redelivered", "perhaps"),
    (line(seq="7", redelivered=3), why.WRONG_TYPE, "redelivered", "3"),
    (line(partitions={"a": 1}), why.WRONG_TYPE, "partitions", '{"a":1}'),
    (line(max_deliver="many"), why.WRONG_TYPE, "max_deliver", "many"),
    (line(recorder=None), why.MISSING, "recorder", None),
    (line(time_unix_nano=None), why.MISSING, "time_unix_nano", None),
    (line(op_type=None), why.MISSING, "op_type", None),
    (line(phase=None), why.MISSING, "phase", None),
    ("{}", why.MISSING, "recorder", None),
    (line(op_type="Send"), why.IMPOSSIBLE, "op_type", "Send"),
    (line(phase="done"), why.IMPOSSIBLE, "phase", "done"),
    (line(settle="nack"), why.IMPOSSIBLE, "settle", "nack"),
    (line(vantage="queue"), why.IMPOSSIBLE, "vantage", "queue"),
    (line(time_unix_nano=0), why.NO_TIME, "time_unix_nano", "0"),
    (line(time_unix_nano=2**62), why.NO_TIME, "time_unix_nano", str(2**62)),
    (line(seq=-1), why.NEGATIVE, "seq", "-1"),
    (line(destination=None), why.NO_DESTINATION, "destination", None),
]


def test_every_line_that_is_no_event_is_named_with_its_reason(tmp_path: Path) -> None:
    given = [text for text, *_ in FAULTY]
    path = write(tmp_path / "bad.jsonl", "", line(), *given, "  \t", line(seq=2))
    found = read(path)
    expected = [("bad.jsonl", number, *told) for number, (_, *told) in enumerate(FAULTY, 3)]
    assert faults(found) == expected
    assert len(plain(found)) == 2
    assert found.counts().read == len(FAULTY) + 2


def test_the_quarantine_keeps_its_contract_and_the_beginning_of_a_row(tmp_path: Path) -> None:
    path = write(tmp_path / "long.jsonl", line(phase="x" * 10_000), b"\xc3", line(run_id=None, phase=None))
    found = read(path, run_id="given")
    list(found.batches())
    table = tabled.quarantine((str(path), each) for each in quarantined(found, ()))
    assert table.schema == tabled.schema_of(tables.QUARANTINE)
    kept = {row["line"]: row for row in table.to_pylist()}
    assert [kept[number]["run_id"] for number in (1, 2, 3)] == ["r", None, None]
    assert kept[1]["raw"] == line(phase="x" * 10_000)[:4096] and kept[1]["value"] == "x" * 4096
    assert kept[2]["raw"] == "\ufffd" and kept[1]["file"] == str(path)


FINE: list[tuple[str, dict[str, object]]] = [
    (line(), event()),
    (
        line(seq="12", time_unix_nano="1794718954775540535", redelivered="true"),
        event(seq=12, redelivered=True),
    ),
    (line(partitions=[0, "t/1"], isr=[]), event(partitions=["0", "t/1"], isr=[])),
    (line(message_id=17, destination="}{"), event(message_id="17", destination="}{")),
    (
        line(max_ack_pending=64, max_deliver=5, ack_wait_s=2.5),
        event(credit=64, max_deliveries=5, ack_wait_ms=2500),
    ),
    (line(credit=3, max_ack_pending=64), event(credit=3)),
    (line(arguments={"x-single-active-consumer": True, "a": {"b": 1}}), event(single_active=True)),
    (line(arguments=[]), event()),
    (line(op_type="control", destination=None), event(op_type="control", destination=None)),
    (line(seq=None), event(seq=None)),
    (line(stats={"depth": [1, {"x": "}"}]}, batch=16), event()),
]


def test_events_are_read_as_they_are_meant(tmp_path: Path) -> None:
    given = [text.replace('"m1"', f'"m{number}"') for number, (text, _) in enumerate(FINE)]
    path = write(tmp_path / "good.jsonl", b"\xef\xbb\xbf" + given[0].encode(), *given[1:])
    found = read(path)
    assert faults(found) == []
    by_id = sorted(plain(found), key=lambda row: str(row["message_id"]))
    wanted = [
        each if each["message_id"] != "m1" else each | {"message_id": f"m{number}"}
        for number, (_, each) in enumerate(FINE)
    ]
    assert by_id == sorted(wanted, key=lambda row: str(row["message_id"]))
    assert unknown(found) == ("stats", "batch")


def test_lines_of_a_large_file_have_their_own_numbers(tmp_path: Path) -> None:
    numbers = [2, 150, 151, 399]
    lines = [line(seq=seq, phase="bad" if seq in numbers else "ok") for seq in range(1, 401)]
    write(tmp_path / "large.jsonl", *lines)
    for each in "abc":
        write(tmp_path / f"{each}.jsonl", line(), "oops")
    found = faults(read(tmp_path))
    small = [(f"{each}.jsonl", 2, why.NOT_JSON, None, None) for each in "abc"]
    assert found == small + [("large.jsonl", number, why.IMPOSSIBLE, "phase", "bad") for number in numbers]
