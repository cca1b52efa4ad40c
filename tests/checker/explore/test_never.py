"""Steps that never happened are named, by every way of finding them."""

from __future__ import annotations

import pytest

from angarium.app.report.record import result_record
from angarium.app.report.text import Background, render
from angarium.checker.explore import never
from angarium.checker.explore.engine import Engine
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.logic.check import check
from tests.models import system

BODY = """
votes = param(True)
quiet = param(0)
n = integer(0, 40)
m = integer(0, 40)
none = budget(quiet)
some = budget(1)
@action
def up(self) -> None:
    require(self.n < 40)
    self.n += 1
@action
def rare(self, i: Item) -> None:
    require(self.n == 40 and self.m == 0 and i == 2)
    self.m = 1
@action
def elect(self, i: Item) -> None:
    require(self.n + self.m > 50)
    self.n = 0
@action
def vote(self) -> None:
    require(self.votes)
    self.m = self.m
@action
def lost(self) -> None:
    spend(self.none)
@action
def cut(self) -> None:
    require(self.n > self.n + self.m)
    spend(self.some)
@invariant
def fine(self) -> bool:
    return self.n <= 40
"""
TIMED = "@ctl\ndef back(self) -> bool:\n    return EF(self.n == 40)\n"
ENGINES = pytest.mark.parametrize("engine", [NativeEngine(), ReferenceEngine()], ids=lambda each: each.name)


@ENGINES
@pytest.mark.parametrize("claims", ["", TIMED], ids=["states", "graph"])
@pytest.mark.parametrize("sample", [1, 24])
def test_steps_that_never_happened_are_named(
    engine: Engine, claims: str, sample: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(never, "SAMPLE", sample)

    report = check(system(BODY + claims, votes=False), engine=engine, subject="m")

    # `lost` has no budget: that it does not happen is what was asked for.
    assert report.never_happened == ("vote", "elect", "cut")
    assert "Never happened: vote, elect, cut." in render(report, Background())
    assert result_record(report)["never_happened"] == ["vote", "elect", "cut"]


@ENGINES
def test_nothing_is_said_where_everything_happened(engine: Engine) -> None:
    body = "n = integer(0, 3)\n@action\ndef up(self) -> None:\n    require(self.n < 3)\n    self.n += 1"

    report = check(system(body), engine=engine, subject="m")

    assert report.never_happened == ()
    assert "Never" not in render(report, Background())


def test_nothing_is_said_of_more_states_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(never, "MOST_STATES", 3)

    report = check(system(BODY), engine=NativeEngine(), subject="m")

    assert report.never_happened is None
    assert result_record(report)["never_happened"] is None


def test_nothing_is_said_of_what_may_come_behind_a_failure() -> None:
    body = "n = integer(0, 3)\n@action\ndef up(self) -> None:\n    self.n += 1"

    assert check(system(body), engine=NativeEngine(), subject="m").never_happened is None
