"""Runs of the recovery protocol's code are runs of its model, and those of code with a mistake are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

import pytest

from angarium.mesh.protocol.interface import Interface
from angarium.mesh.protocol.link_state import Statement, following
from angarium.mesh.protocol.node import Node
from tests.mesh.protocol.meshes import SQUARE, TRIANGLE, colouring
from tests.systems.recovery_runs import Follower, Moment, Rehearsal, Scenario

SCENARIOS = {
    "triangle": Scenario(colouring(TRIANGLE), {"brokers": "3"}),
    "square": Scenario(colouring(SQUARE), {"brokers": "4"}),
}
SEEDS = range(5)


@cache
def follower(name: str) -> Follower:
    return Follower(SCENARIOS[name])


@cache
def runs(name: str) -> list[list[Moment]]:
    return [list(Rehearsal(SCENARIOS[name], seed).run()) for seed in SEEDS]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_run_of_the_code_is_one_of_the_model(name: str) -> None:
    assert [found for found in map(follower(name).departure, runs(name)) if found] == []


def test_the_runs_try_everything_that_the_model_can_do_without_losses_and_forgers() -> None:
    moments = [moment for name in SCENARIOS for run in runs(name) for moment in run]

    happened = Counter(event.action for moment in moments for event in moment.events)

    outside = {"lose_notice", "lose_ack", "forge", "time_passes"}
    assert happened.keys() == {action.name for action in follower("square").system.actions} - outside


def test_a_rehearsal_is_a_function_of_its_seed() -> None:
    again = list(Rehearsal(SCENARIOS["triangle"], SEEDS[0]).run())

    assert again == runs("triangle")[0]
    assert again != runs("triangle")[1]


# --- code with a mistake ------------------------------------------------------------------------------------


class TakesAnyAge(Node):
    def _learn(self, now: float, source: Interface, statements: Iterable[Statement]) -> None:
        for each in statements:
            if each.origin != self.name:
                self.database.statements.pop(each.origin, None)
        super()._learn(now, source, statements)


class Unites(Node):
    def _learn(self, now: float, source: Interface, statements: Iterable[Statement]) -> None:
        known = {each.origin: each.dead for each in self.database.statements.values()}
        united = [
            Statement(each.stamp, each.dead | known.get(each.origin, frozenset())) for each in statements
        ]
        super()._learn(now, source, united)


class ExchangesNothing(Node):
    def _everything(self, interface: Interface) -> list[Statement]:
        return [] if self.own.stamp.number else super()._everything(interface)


class HandsNothingOn(Node):
    def _flood(self, now: float, statements: list[Statement], besides: Interface | None = None) -> None:
        if besides is None:
            super()._flood(now, statements)


class HandsBack(Node):
    def _flood(self, now: float, statements: list[Statement], besides: Interface | None = None) -> None:
        super()._flood(now, statements)


class StatesTheOld(Node):
    def _state(self, now: float, stamp: object) -> None:
        dead = self.own.dead
        self.database.keep(Statement(following(self.own.stamp), dead))
        self._has_news = True
        self._flood(now, [self.own])


class NeverSwitches(Node):
    def _look(self, view: object) -> None:
        pass


class RepeatsItsNumber(Node):
    def _state(self, now: float, stamp: object) -> None:
        before = self.own.stamp
        super()._state(now, before)
        self.database.keep(Statement(before, self.own.dead))


@pytest.mark.parametrize(
    "mistake",
    [
        TakesAnyAge,
        Unites,
        ExchangesNothing,
        HandsNothingOn,
        HandsBack,
        StatesTheOld,
        NeverSwitches,
        RepeatsItsNumber,
    ],
)
def test_code_with_a_mistake_departs_from_the_model(mistake: Callable[..., Node]) -> None:
    found = (Rehearsal(SCENARIOS["triangle"], seed, mistake).run() for seed in range(20))

    assert next(filter(None, map(follower("triangle").departure, found)), None) is not None


def test_a_departure_tells_what_differs() -> None:
    told = follower("triangle").departure(Rehearsal(SCENARIOS["triangle"], 0, NeverSwitches).run())

    assert told is not None and "table of b" in told and "not [('" in told
