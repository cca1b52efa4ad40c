"""Text files read in the process: the same events, and the same reasons, as Spark gives."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from angarium.history.intake import reasons as why
from angarium.history.intake.files import Files
from angarium.history.intake.formats import looked
from angarium.history.intake.mapping import Mapping
from tests.history.readers.inputs import event, line, write
from tests.history.readers.test_json_lines import FAULTY, FINE

Row = dict[str, Any]


def read(*paths: Path, mapping: Mapping | None = None, run_id: str | None = None) -> Files:
    return Files(looked(paths, None, mapped=mapping is not None), mapping, run_id)


def events(files: Files) -> list[Row]:
    """The rows that are events."""
    return [
        batch.row(place)
        for batch in files.batches()
        for place in range(batch.count)
        if batch.events is None or batch.events[place]
    ]


def refused(files: Files) -> list[tuple[str, str | None, str | None]]:
    """Why rows are in quarantine, in the order of their lines as far as they have some."""
    list(files.batches())
    found = [each for batch in files.refused.values() for each in batch]
    return [(each.reason, each.field, each.value) for each in found]


@pytest.mark.parametrize("number", range(len(FAULTY)))
def test_every_line_that_is_no_event_is_named_with_its_reason(number: int, tmp_path: Path) -> None:
    text, *told = FAULTY[number]
    found = read(write(tmp_path / "bad.jsonl", "", line(), text, "  \t", line(seq=2)))
    assert len(events(found)) == 2
    assert refused(found) == [tuple(told)]
    assert found.counts().read == 3 and found.counts().reasons == {told[0]: 1}


@pytest.mark.parametrize("number", range(len(FINE)))
def test_events_are_read_as_they_are_meant(number: int, tmp_path: Path) -> None:
    text, expected = FINE[number]
    found = read(write(tmp_path / "good.jsonl", b"\xef\xbb\xbf" + text.encode()))
    assert events(found) == [expected] and refused(found) == []


def test_rows_that_name_no_run_belong_to_that_of_their_file(tmp_path: Path) -> None:
    path = write(tmp_path / "shop.client-000001.jsonl", line(run_id=None), line(seq=2))
    assert [row["run_id"] for row in events(read(path))] == ["shop", "r"]
    assert [row["run_id"] for row in events(read(path, run_id="given"))] == ["given", "r"]


def test_what_is_in_quarantine_counts_for_its_run_or_for_those_of_its_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line(), line(phase="bad"), "oops", line(run_id=None, phase="bad"))
    lacking = read(path).lacking()
    assert lacking.rows == {"r": 1} and lacking.strays == {"r": 2} and lacking.anywhere == 0


CSV = "run_id,recorder,seq,time_unix_nano,op_type,phase,message_id,destination,partitions"


def test_csv_is_read_by_its_header(tmp_path: Path) -> None:
    rows = ["r,c1,1,5,send,ok,m1,q,", "r,c1,,6,group,ok,,q,0;1", CSV, "r,c1,x,7,send,ok,m2,q,", "r,c1"]
    found = read(write(tmp_path / "a.csv", CSV, *rows))
    assert events(found) == [
        event(time_unix_nano=5),
        event(time_unix_nano=6, seq=None, op_type="group", message_id=None, partitions=["0", "1"]),
    ]
    assert refused(found) == [(why.WRONG_TYPE, "seq", "x"), (why.WIDTH, None, None)]


def test_a_last_line_of_csv_without_an_end_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{CSV}\nr,c1,1,5,send,ok,m1,q,\nr,c1,2,6,send,ok,m12,q,")
    found = read(path)
    assert len(events(found)) == 1 and refused(found) == [(why.CUT_LINE, None, None)]


def test_what_is_before_the_cut_of_a_compressed_file_is_read_but_for_a_part_of_a_line(tmp_path: Path) -> None:
    many = [f"r,c1,{seq},{5 + seq},send,ok,m{seq * 7919},q," for seq in range(3000)]
    whole = gzip.compress("\n".join([CSV, *many]).encode())
    (path := tmp_path / "a.csv.gz").write_bytes(whole[: len(whole) // 2])
    found = read(path)
    names = [row["message_id"] for row in events(found)]
    assert 500 < len(names) < 2500 and names == [f"m{seq * 7919}" for seq in range(len(names))]
    assert found.counts().reasons == {why.CUT_FILE: 1}


def test_values_may_be_long(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", CSV, f"r,c1,1,5,send,ok,{'m' * 200_000},q,")
    assert [len(row["message_id"]) for row in events(read(path))] == [200_000]


@pytest.mark.parametrize("when", ["1e999999999", "1e999990", "9" * 4000, "Infinity", "-inf", "sNaN"])
def test_a_time_with_more_digits_than_any_has_is_none(when: str, tmp_path: Path) -> None:
    mapping = Mapping(columns={"time_unix_nano": "when"}, time="s")
    header = CSV.replace("time_unix_nano", "when")
    path = write(tmp_path / "a.csv", header, f"r,c1,1,{when},send,ok,m,q,", "r,c1,2,5,send,ok,m,q,")
    found = read(path, mapping=mapping)
    assert len(events(found)) == 1 and refused(found)[0][:2] == (why.WRONG_TYPE, "time_unix_nano")


def test_a_mapping_says_which_column_is_which(tmp_path: Path) -> None:
    mapping = Mapping(
        columns={"time_unix_nano": "at.when", "op_type": "what", "message_id": "msg.id", "recorder": "who"},
        constants={"phase": "ok", "destination": "q"},
        values={"op_type": {"published": "send"}},
        time="ms",
    )
    path = write(tmp_path / "a.jsonl", '{"at":{"when":1.5},"what":"published","msg.id":"m","who":"c"}')
    assert events(read(path, mapping=mapping)) == [
        {
            "run_id": "a", "recorder": "c", "time_unix_nano": 1_500_000, "op_type": "send", "phase": "ok",
            "message_id": "m", "destination": "q",
        }
    ]  # fmt: skip


def test_iso_times_keep_all_their_digits(tmp_path: Path) -> None:
    mapping = Mapping(time="iso")
    path = write(tmp_path / "a.jsonl", line(time_unix_nano="2026-11-15T05:02:34.757052261Z"))
    assert [row["time_unix_nano"] for row in events(read(path, mapping=mapping))] == [1794718954757052261]


def test_many_lines_are_numbered_through_their_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("angarium.history.intake.text.ROWS", 7)
    path = write(tmp_path / "a.jsonl", *(line(seq=seq) for seq in range(1, 31)))
    found = read(path)
    firsts = [batch.first for batch in found.batches()]
    assert firsts == list(range(0, 30, 7))
    assert np.concatenate([batch.numbers["seq"] for batch in found.batches()]).tolist() == list(range(1, 31))
    assert {row: event["seq"] for row, event in found.fetch([3, 29, 8]).items()} == {3: 4, 8: 9, 29: 30}
