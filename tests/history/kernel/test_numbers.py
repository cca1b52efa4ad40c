"""The numbers of recorders: rows that are there twice, gaps, and clocks that were set back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from angarium.history.intake import reasons as why
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import Audited
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from tests.history.readers.inputs import faults, line, read, write

Row = dict[str, Any]


def seen(recorder: str, seq: int | None, at: int, run: str = "r") -> Row:
    named = {"run_id": run, "recorder": recorder, "op_type": "observe", "phase": "ok", "time_unix_nano": at}
    return named if seq is None else named | {"seq": seq}


def audited(rows: list[Row]) -> Audited:
    return audit(Kept([batch_of(rows)]), Parameters())


def gaps(found: Audited) -> list[tuple[str | None, int | None]]:
    return [(each.last_recorder, each.last_seq) for each in found.violations]


def steady(recorder: str, first: int = 1, count: int = 100) -> list[Row]:
    return [seen(recorder, first + place, 1_000 + place // 2) for place in range(count)]


def test_a_good_history_is_as_it_should_be_in_whatever_order_it_is_read() -> None:
    rows = [*steady("a"), *steady("b", first=37), seen("last", 2**62, 5), seen("none", None, 1)]
    random.Random(0).shuffle(rows)
    found = audited(rows)
    assert not found.violations and not found.jumps and not found.repeats and not found.times


@pytest.mark.parametrize("place", [3, 15, 16, 17, 50])
def test_every_kind_of_fault_is_seen_wherever_it_is(place: int) -> None:
    """One number missing, one row twice, and a clock that goes back by one."""
    holed = [row for row in steady("holed") if row["seq"] != place]
    twice = [*steady("twice"), steady("twice")[place - 1]]
    turned = [
        row | {"time_unix_nano": row["time_unix_nano"] - 10 * (row["seq"] == place)}
        for row in steady("turned")
    ]
    rows = [*holed, *twice, *turned]
    found = audited(rows)
    assert gaps(found) == [("holed", place + 1)]
    assert [rows[row]["recorder"] for row in found.repeats] == ["twice"]
    assert {(each.recorder, each.seq) for each in found.jumps} == {("turned", place)}


def test_time_that_goes_back_stands_still_until_it_has_caught_up() -> None:
    times = [10, 20, 5, 6, 20, 30, 29]
    turned = [seen("a", seq, at) for seq, at in enumerate(times, 1)]
    fine = [seen("b", 1, 100), seen("b", 2, 100), seen("a", 1, 50, run="s"), seen("d", None, 1)]
    found = audited([*turned, *fine])
    assert [(each.recorder, each.seq, each.back_by) for each in found.jumps] == [("a", 3, 15), ("a", 7, 1)]
    mended = [found.times.get(row, at) for row, at in enumerate(times)]
    assert mended == [10, 20, 20, 20, 20, 30, 30]


def test_a_row_that_is_there_twice_is_an_event_once(tmp_path: Path) -> None:
    """The same number with another content is another event: a recorder that starts again counts from 1."""
    lines = [line(seq=seq) for seq in range(1, 131)]
    write(
        tmp_path / "a.jsonl", *lines, line(seq=7, message_id="other"), line(seq=7, run_id="s"), line(seq=None)
    )
    write(tmp_path / "b.jsonl", lines[6], lines[129], line(seq=7, offset=3), line(seq=None), "oops", lines[6])
    files = read(tmp_path)
    repeats = audit(files, Parameters()).repeats
    assert faults(files, repeats) == [
        ("b.jsonl", 1, why.REPEATS, "seq", "7"),
        ("b.jsonl", 2, why.REPEATS, "seq", "130"),
        ("b.jsonl", 5, why.NOT_JSON, None, None),
        ("b.jsonl", 6, why.REPEATS, "seq", "7"),
    ]
    assert (files.counts(len(repeats)).read, files.counts(len(repeats)).accepted) == (139, 135)
