"""A contract as a test, for users' own test files.

    TestMyQueue = state_machine(specification, MyQueue).TestCase

The test drives the subject as `angarium conform` does, with as many sequences and steps as Hypothesis'
settings say. If the contract is broken, the test fails with the breach and the shortest sequence of calls
that was found. A subject that was never really put to the test, because it refuses everything, does not pass.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine

from angarium.contracts.module import Specification
from angarium.contracts.monitor.drive import Driven, drive
from angarium.contracts.monitor.machine import machine
from angarium.contracts.monitor.plan import Plan
from angarium.contracts.monitor.run import Log, MakeSubject
from angarium.contracts.monitor.stories import Broken
from angarium.contracts.monitor.wording import shown


def state_machine(specification: Specification, make_subject: MakeSubject) -> type[RuleBasedStateMachine]:
    """A Hypothesis state machine that drives what `make_subject()` gives."""
    driver: Any = machine(specification, make_subject, Log(), settings().stateful_step_count)

    class TestCase(driver.TestCase):  # type: ignore[misc]
        """Drives the subject, and fails with a short story."""

        def runTest(self) -> None:  # noqa: N802 (unittest's name)
            asked = self.settings
            chosen = 1 if asked.derandomize else random.getrandbits(32)
            plan = Plan(asked.max_examples, asked.stateful_step_count, chosen)
            _judge(drive(specification, make_subject, plan))

    driver.TestCase = TestCase
    kind: type[RuleBasedStateMachine] = driver
    return kind


def _judge(driven: Driven) -> None:
    if driven.broken:
        broken = driven.broken[0]
        broken.breach.add_note(_story(broken, driven.plan.seed))
        raise broken.breach
    if driven.cut:
        raise KeyboardInterrupt
    assert not driven.weak, f"nothing was put to the test: {', '.join(driven.weak)}"


def _story(broken: Broken, seed: int) -> str:
    head = f"The shortest sequence of calls that was found (seed {seed}):"
    calls = [told.call for told in broken.story]
    answers = [shown(call.answer) if call.raised is None else f"raises {call.raised!r}" for call in calls]
    lines = [
        f"  {at} {call} -> {answer}" for at, (call, answer) in enumerate(zip(calls, answers, strict=True), 1)
    ]
    return "\n".join([head, *lines])
