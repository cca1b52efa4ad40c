"""Nobody owes a fault: where nothing else can happen, a run may stand still."""

from __future__ import annotations

import pytest

import angarium
from angarium.checker.explore.engine import Engine
from angarium.checker.explore.graph import Graph, Wish
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.logic.check import check
from angarium.checker.logic.fairness import with_rests
from tests.models import source, system

BODY = """
left = budget(2)
up: bool = True
n = integer(0, 2)
@action
def work(self) -> None:
    require(self.up and self.n < 2)
    self.n += 1
@action
def crash(self) -> None:
    spend(self.left)
    self.up = False
@eventually
def dies(self) -> bool:
    return not self.up
@eventually
def works(self) -> bool:
    return self.n == 2 or not self.up
@eventually(fairness=weak("action", crash))
def dies_if_owed(self) -> bool:
    return not self.up
@ctl
def may_stay(self) -> bool:
    return EG(self.up)
@ltl
def no_pause_before_a_crash(self) -> bool:
    return always(implies(self.n == 2 and self.up and next_(self.up), always(self.up)))
"""
EXPECTED = {
    "stays-in-range": "holds",
    "dies": "violated",
    "works": "holds",
    "dies-if-owed": "holds",
    "may-stay": "holds",
    "no-pause-before-a-crash": "holds",
}


@pytest.mark.parametrize("engine", [NativeEngine(), ReferenceEngine()], ids=lambda each: each.name)
def test_a_fault_may_happen_and_need_not(engine: Engine) -> None:
    report = check(system(BODY), engine=engine, subject="m")

    assert {each.guarantee: each.verdict.value for each in report.verdicts} == EXPECTED


def graph() -> Graph:
    found = ReferenceEngine().search(system(BODY), graph=Wish()).graph
    assert found is not None
    return found


def test_one_more_state_for_each_that_only_a_fault_can_leave() -> None:
    plain = graph()
    rested = with_rests(plain)
    rests = range(plain.states, rested.states)

    only_faults = [n for n in range(plain.states) if set(labels(plain, n)) == {1}]
    assert len(rests) == len(only_faults) > 0
    assert [row(rested, n)[-1] for n in only_faults] == list(rests)
    assert [row(rested, n) for n in rests] == [[n] for n in rests]
    assert rested.cells(list(rests)) == plain.cells(only_faults)
    assert [row(rested, n)[: len(row(plain, n))] for n in range(plain.states)] == [
        row(plain, n) for n in range(plain.states)
    ]


def row(of: Graph, state: int) -> list[int]:
    start, end = of.rows[state : state + 2].astype(int).tolist()
    return [int(target) for target in of.targets[start:end]]


def labels(of: Graph, state: int) -> list[int]:
    start, end = of.rows[state : state + 2].astype(int).tolist()
    return [int(label) for label in of.labels[start:end]]


def test_what_is_owed_is_no_reason_to_stand_still() -> None:
    assert with_rests(graph(), {"crash"}).states == graph().states


def test_the_story_can_be_replayed(tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.py"  # type: ignore[operator]
    file.write_text(source(BODY))
    story = angarium.check(str(file), only=["dies"]).verdicts[-1].story
    assert story is not None

    again = angarium.replay(story.address)

    assert story.cycle == len(story.steps) == 2
    assert again.steps == story.steps
    assert "dies is false along this run" in again.summary
