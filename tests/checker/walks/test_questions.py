"""What cannot be asked is refused before the first walk, with what could be."""

from __future__ import annotations

import pytest

from angarium.checker.walks.plan import Plan
from angarium.checker.walks.questions import check, observation_named
from angarium.core.errors import LimitError, UsageError
from angarium.systems.registry import load

SAC = load("rabbitmq-sac")
SILENT = load("examples/at_least_once.py")
"""A model without observations."""


def test_a_usual_plan_is_carried_out() -> None:
    check(SAC, Plan())
    check(SILENT, Plan(schedule="uniform"))


def test_rates_must_be_given_by_the_model() -> None:
    with pytest.raises(UsageError, match="gives no rates") as caught:
        check(SAC, Plan(schedule="rates"))
    assert "@rate" in caught.value.remedy
    check(load("examples/retry_storm.py"), Plan(schedule="rates"))


def test_a_schedule_must_be_known() -> None:
    with pytest.raises(UsageError, match="no schedule named 'unifrom'") as caught:
        check(SAC, Plan(schedule="unifrom"))
    assert "did you mean uniform?" in caught.value.possible


@pytest.mark.parametrize("plan", [Plan(runs=0), Plan(steps=-1), Plan(steps=2**64 - 1), Plan(steps=2**64)])
def test_there_is_at_least_one_walk_of_one_step_and_an_end_to_it(plan: Plan) -> None:
    with pytest.raises(UsageError, match="cannot be"):
        check(SAC, plan)


def test_figures_that_do_not_fit_into_memory_are_refused_with_the_arithmetic() -> None:
    with pytest.raises(LimitError) as caught:
        check(SAC, Plan(runs=10**12))
    assert caught.value.code == "ANG054"
    assert "126 bytes a walk (6 figures) are 117,347 GiB" in caught.value.what
    assert "at most" in caught.value.possible


def test_an_observation_by_name_or_else_the_first() -> None:
    assert observation_named(SAC, None) == "releases-to-balance"
    assert observation_named(SAC, "steps-to-balance") == "steps-to-balance"
    assert observation_named(SILENT, None) == ""
    with pytest.raises(UsageError, match="no observation named 'step-to-balance'") as caught:
        observation_named(SAC, "step-to-balance")
    assert "did you mean steps-to-balance?" in caught.value.possible
