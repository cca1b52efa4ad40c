"""complete-log: gaps of numbers, within 64 of them and across, and what is no gap."""

from __future__ import annotations

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.histories import Row, audit_of, counts, found, profile, row


def _numbers(run: str, *numbers: int | None, recorder: str = "a") -> list[Row]:
    return [row(run, at, "observe", recorder=recorder, seq=number) for at, number in enumerate(numbers)]


def test_gaps_are_found_wherever_they_are() -> None:
    whole = [*range(1, 300)]
    rows = [
        *_numbers("without a gap", *whole),
        *_numbers("out of order", *reversed(whole)),
        *_numbers("begins late", *range(100, 200)),
        *_numbers("one of a word is missing", *(n for n in whole if n != 70)),
        *_numbers("the last of a word is missing", *(n for n in whole if n != 127)),
        *_numbers("whole words are missing", 1, 2, 1_000, 1_001),
        *_numbers("two gaps, and full words between", *(n for n in whole if n not in (5, 6, 250))),
        *_numbers("as many rows as numbers", 1, 2, 2, 4),
        *_numbers("a number twice", 1, 2, 2, 3),
        *_numbers("two recorders", 1, 2, recorder="a"),
        *_numbers("two recorders", 4, 5, recorder="b"),
        *_numbers("no numbers", None, None),
        *_numbers("both sides", 1, 3, 7),
        *(each | {"vantage": "broker"} for each in _numbers("both sides", 2, 4)),
    ]
    known = audit_of(rows)
    assert found(known, "complete-log", "run_id", "first_seq", "last_seq", "measure", "found_at", "kind") == {
        ("one of a word is missing", 69, 71, 1, rows[69]["time_unix_nano"], "gap"),
        ("the last of a word is missing", 126, 128, 1, rows[126]["time_unix_nano"], "gap"),
        ("whole words are missing", 2, 1_000, 997, rows[2]["time_unix_nano"], "gap"),
        ("two gaps, and full words between", 4, 7, 2, rows[4]["time_unix_nano"], "gap"),
        ("two gaps, and full words between", 249, 251, 1, rows[247]["time_unix_nano"], "gap"),
        ("as many rows as numbers", 2, 4, 1, rows[3]["time_unix_nano"], "gap"),
        ("both sides", 4, 7, 2, rows[2]["time_unix_nano"], "gap"),
        ("both sides@broker", 4, 7, 2, rows[2]["time_unix_nano"], "gap"),
    }
    judged = counts(known, "complete-log")
    assert judged["two recorders"] == (4, 0)
    assert judged["no numbers"] == (0, 2)


def test_without_numbers_nothing_is_known() -> None:
    assert lacks("complete-log", profile(), Parameters()) == "no event has a seq"
    assert lacks("complete-log", profile(numbered=1), Parameters()) is None
