"""CSV: headers, separators, and values that do not fit."""

from __future__ import annotations

from pathlib import Path

from angarium.history.intake import csv
from angarium.history.intake import reasons as why
from tests.history.readers.inputs import EVENT, faults, plain, read, unknown, write

TIME = EVENT["time_unix_nano"]
HEADER = "recorder,seq,time_unix_nano,op_type,phase,message_id,destination"


def test_files_with_different_headers_are_read_together(tmp_path: Path) -> None:
    write(
        tmp_path / "one.csv",
        b"\xef\xbb\xbf" + HEADER.encode() + b",redelivered,partitions,colour",
        f'c1,1,{TIME},receive,ok,"a,""b""",q,true,0;t/1,red',
        f"c1,2,{TIME},flow,invoke,,,,,",
        "",
        f"c1,3,{TIME},flow,ok,,,maybe,,",
        f"c1,4,{TIME},flow,ok",
        f"c1,x,{TIME},flow,ok,,,,,",
        f"c1,,{TIME},flow,ok,,,,,,,,",
        b"c1,6,\xff,flow,ok,,,,,",
    )
    write(tmp_path / "two.csv", "phase;op_type; time_unix_nano ;recorder", f"ok;flow;{TIME};c2", ";flow;1;c2")
    write(tmp_path / "three.tsv", "phase\top_type\ttime_unix_nano\trecorder\t", f"ok\tflow\t{TIME}\tc3\t")
    write(tmp_path / "four.csv", "when,what", "1,2", "3,4")
    write(tmp_path / "five.csv", "phase,phase,recorder", "ok,ok,c1")
    found = read(tmp_path)
    flow = {"time_unix_nano": TIME, "op_type": "flow", "phase": "ok"}
    assert sorted(plain(found), key=lambda row: (row["recorder"], row.get("seq", 0))) == [
        EVENT | {"run_id": "one", "op_type": "receive", "message_id": 'a,"b"'}
        | {"redelivered": True, "partitions": ["0", "t/1"]},
        flow | {"run_id": "one", "recorder": "c1", "seq": 2, "phase": "invoke"},
        flow | {"run_id": "two", "recorder": "c2"},
        flow | {"run_id": "three", "recorder": "c3"},
    ]  # fmt: skip
    assert faults(found) == [
        ("five.csv", None, why.BAD_HEADER, None, "phase,phase,recorder"),
        ("four.csv", None, why.BAD_HEADER, None, "when,what"),
        ("one.csv", 5, why.WRONG_TYPE, "redelivered", "maybe"),
        ("one.csv", 6, why.WIDTH, None, None),
        ("one.csv", 7, why.WRONG_TYPE, "seq", "x"),
        ("one.csv", 8, why.WIDTH, None, None),
        ("one.csv", 9, why.NOT_UTF8, None, None),
        ("two.csv", 3, why.MISSING, "phase", None),
    ]
    assert unknown(found) == ("colour", "")


def test_a_line_with_too_many_values_does_not_end_the_job(tmp_path: Path) -> None:
    path = write(tmp_path / "wide.csv", HEADER, f"c1,1,{TIME},flow,ok,,", "x," * 30_000, '"' + "y" * 300_000)
    found = read(path)
    assert len(plain(found)) == 1
    assert [(number, reason) for _, number, reason, *_ in faults(found)] == [(3, why.WIDTH), (4, why.WIDTH)]


def test_a_table_is_recognised_by_its_header() -> None:
    assert csv.recognises([HEADER, "c1,1"]) and csv.recognises(["recorder;phase"])
    assert not csv.recognises([]) and not csv.recognises(["hello, phase"])
