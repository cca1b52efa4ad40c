"""balance: assignments that stand and are uneven, and those that do not stand."""

from __future__ import annotations

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.histories import BEGIN, Row, audit_of, counts, found, profile, row

WITHIN = 1_000


def _given(run: str, at: float, who: str, generation: int, size: int, **fields: object) -> Row:
    told = {"op_name": "assign", "partitions": [str(n) for n in range(size)], "generation": generation}
    return row(run, at, "group", **told | {"consumer_group": "g", "client_id": who} | fields)


def _over(run: str, at: float = 5_000) -> Row:
    return row(run, at, "observe")


def _histories() -> list[Row]:
    return [
        _given("even", 0, "a", 1, 2), _given("even", 1, "b", 1, 3), _over("even"),
        _given("uneven", 0, "a", 1, 1), _given("uneven", 1, "b", 1, 3), _over("uneven"),
        _given("soon replaced", 0, "a", 1, 1), _given("soon replaced", 1, "b", 1, 3),
        _given("soon replaced", 1_001, "a", 2, 2), _given("soon replaced", 1_001, "b", 2, 2),
        _over("soon replaced"),
        _given("late replaced", 0, "a", 1, 1), _given("late replaced", 1, "b", 1, 3),
        _given("late replaced", 1_002, "a", 2, 2), _over("late replaced"),
        _given("nobody knows", 0, "a", 1, 1), _given("nobody knows", 1, "b", 1, 3),
        _over("nobody knows", 900),
        _given("put right", 0, "a", 1, 1), _given("put right", 1, "b", 1, 3),
        _given("put right", 2, "b", 1, 2), _over("put right"),
        _given("two groups", 0, "a", 1, 1), _given("two groups", 1, "b", 1, 3, consumer_group="h"),
        _over("two groups"),
    ]  # fmt: skip


def test_assignments_that_stand_must_be_even() -> None:
    known = audit_of(_histories(), Parameters(balance_within=WITHIN * MILLISECOND))
    columns = (
        "run_id",
        "kind",
        "subscriber",
        "first_recorder",
        "last_recorder",
        "found_at",
        "measure",
        "bound",
    )
    end = BEGIN + (1 + WITHIN) * MILLISECOND
    assert found(known, "balance", *columns) == {
        ("uneven", "uneven", "g", "a", "b", end, 2, 1),
        ("late replaced", "uneven", "g", "a", "b", end, 2, 1),
    }
    judged = counts(known, "balance")
    assert judged["soon replaced"] == (1, 1)
    assert judged["nobody knows"] == (0, 1)
    assert judged["two groups"] == (2, 0)


def test_without_assignments_nothing_is_known() -> None:
    assert "no assignments" in (lacks("balance", profile(), Parameters()) or "")
    assert lacks("balance", profile(assignments=1), Parameters()) is None
