"""Which queue an app releases: fewer releases, and the same guarantees, unless a rule is too greedy."""

from __future__ import annotations

import pytest

import angarium
from angarium.checker.walks.results import Simulation, Statistic
from angarium.core.result import Verdict
from tests.systems.changed import Changes, Settings, checked

SAC = "rabbitmq-sac"
NEXT_IN_LINE: Changes = (("or self.is_nearest(a, q))", "or self.ahead_of_poorer(a, q) == 0)"),)
"""Only a queue whose very next app is poorer is released."""
MODES = {"sequential": "sequential-safety", "random": "random-safety"}


def settings(mode: str) -> Settings:
    return (("queues", "3"), ("apps", "3"), ("mode", mode), ("rule", "nearest"))


@pytest.mark.parametrize("mode", MODES)
def test_a_rule_that_is_too_greedy_comes_to_rest_unbalanced(mode: str) -> None:
    verdicts = {each.guarantee: each.verdict for each in checked(SAC, NEXT_IN_LINE, settings(mode)).verdicts}
    assert verdicts[MODES[mode]] is Verdict.VIOLATED
    assert verdicts["eventually-balanced"] is Verdict.VIOLATED


def simulated(mode: str, schedule: str, rule: str) -> Simulation:
    parameters = {"queues": 6, "apps": 6, "mode": mode, "rule": rule}
    return angarium.simulate(SAC, parameters=parameters, schedule=schedule, runs=1500)


def releases(one: Simulation) -> Statistic:
    return next(each for each in one.statistics if each.observation == "releases-to-balance")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("schedule", ["by-action", "uniform"])
def test_the_nearest_has_the_fewest_releases(mode: str, schedule: str) -> None:
    always, poorer, nearest = (
        releases(simulated(mode, schedule, rule)) for rule in ("always", "poorer", "nearest")
    )
    assert nearest.high < min(always.low, poorer.low)


@pytest.mark.parametrize("rule", ["always", "poorer", "nearest"])
def test_in_random_mode_all_lines_are_alike_and_there_is_a_least(rule: str) -> None:
    """Six apps: 0 + 1 + ... + 5 releases at least, and some walk needs no more."""
    assert releases(simulated("random", "by-action", rule)).minimum == 15


def test_in_random_mode_somebody_poorer_waits_wherever_too_much_is() -> None:
    always, poorer = (simulated("random", "uniform", rule) for rule in ("always", "poorer"))
    assert always.statistics == poorer.statistics
