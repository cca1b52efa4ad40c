"""Which steps are faults: every one that may use up a budget, wherever its code stands."""

from __future__ import annotations

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.checker.logic.check import check
from angarium.core.result import Verdict
from tests.models import system

STATE = """
faults = budget(1)
done: bool = False
def use(self) -> None:
    spend(self.faults)
def finish(self) -> None:
    self.use()
    self.done = True
@eventually
def is_done(self) -> bool:
    return self.done
"""
STEPS = {
    "itself": "@action\ndef act(self) -> None:\n    spend(self.faults)\n    self.done = True",
    "by a function": "@action\ndef act(self) -> None:\n    self.use()\n    self.done = True",
    "by a function of a function": "@action\ndef act(self) -> None:\n    self.finish()",
    "in a branch": "@action\ndef act(self) -> None:\n    if not self.done:\n        self.finish()",
    "in a process": "async def p(self) -> None:\n    await until(not self.done)\n    self.finish()",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_step_that_may_use_up_a_budget_is_a_fault_that_nobody_owes(step: str) -> None:
    compiled = system(STATE + step)

    assert [action.fault for action in compiled.actions] == [True]
    report = check(compiled, engine=NativeEngine(), subject="m")
    assert {each.guarantee: each.verdict for each in report.verdicts}["is-done"] == Verdict.VIOLATED


def test_step_that_would_spend_only_with_other_parameters_is_no_fault() -> None:
    body = "risky = param(False)\n" + STATE
    step = "@action\ndef act(self) -> None:\n    if self.risky:\n        self.use()\n    self.done = True"

    assert [action.fault for action in system(body + step).actions] == [False]
    assert [action.fault for action in system(body + step, risky=True).actions] == [True]
