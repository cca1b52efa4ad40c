"""The gate: what comes late, what comes again, and when that is forgotten."""

from __future__ import annotations

import time
from typing import Any

from angarium.history.intake.batch import Batch, batch_of
from angarium.history.live.gate import AHEAD, Gate

Row = dict[str, Any]


def rows(*times: int, **fields: object) -> Batch:
    return batch_of([{"run_id": "r", "recorder": "a", "time_unix_nano": each, **fields} for each in times])


def marked(gate: Gate, batch: Batch) -> tuple[list[bool], list[bool]]:
    late, again = gate.marks(batch)
    return late.tolist(), again.tolist()


def test_what_comes_twice_is_marked_in_a_batch_and_from_one_to_the_next() -> None:
    gate = Gate(lateness=10)
    assert marked(gate, rows(5, 7, 5)) == ([False] * 3, [False, False, True])
    assert marked(gate, rows(7, 8)) == ([False] * 2, [True, False])


def test_columns_that_are_not_there_are_columns_without_values() -> None:
    gate = Gate(lateness=10)
    gate.marks(rows(5))
    assert marked(gate, rows(5, seq=None, settle=None)) == ([False], [True])
    assert marked(gate, rows(5, seq=1)) == ([False], [False])


def test_what_the_watermark_has_passed_is_late_and_forgotten() -> None:
    gate = Gate(lateness=10)
    gate.marks(rows(95, 100))
    assert gate.passed() == 90 and len(gate.digests) == 2
    assert marked(gate, rows(89, 90)) == ([True, False], [False, False])
    gate.marks(rows(120))
    assert gate.passed() == 110 and len(gate.digests) == 1


def test_a_clock_that_is_far_ahead_does_not_move_the_watermark() -> None:
    gate = Gate(lateness=10)
    gate.marks(rows(100, time.time_ns() + 2 * AHEAD))
    assert gate.passed() == 90


def test_a_batch_without_events_says_nothing() -> None:
    assert marked(Gate(lateness=10), Batch(0, 0, {}, {}, {})) == ([], [])
