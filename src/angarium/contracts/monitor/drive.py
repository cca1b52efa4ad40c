"""Driving a subject with many sequences of calls: what was called, what was broken, and the stories of it.

Hypothesis makes the sequences. One that breaks a contract ends there, and the next begins, so that every
rule that can be broken is found, not only the first; then each is shown by a sequence that is as short as
can be found. Nothing is proved by that: what no sequence has broken stays unknown. But a subject that was
hardly put to the test has not passed, and a run that was cut says so.

Hypothesis gives up where the same calls lead to something else the next time. A subject may do that, if it
refuses at random, or may not, if it remembers what was in another; so we go on with other sequences, and say
so.

A contract can also be a test, for users' own test files:

    TestMyQueue = state_machine(specification, MyQueue).TestCase

It drives the subject with as many sequences and steps as Hypothesis' settings say. If the contract is
broken, the test fails with the violation and the shortest sequence of calls that was found. A subject that
was never really put to the test, because it refuses everything, does not pass.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from angarium.contracts.module import Specification
from angarium.contracts.monitor.monitor import condition
from angarium.contracts.monitor.real_values import shown
from angarium.contracts.monitor.rules import Rule, rules_of
from angarium.contracts.monitor.sequences import Log, MakeSubject, Plan
from angarium.contracts.monitor.shortest import Broken, Shortener, ShownCall, with_states
from angarium.contracts.monitor.signals import heeding_signals
from angarium.contracts.monitor.state_machine import machine
from angarium.core.control import Cut, CutBy, cut_of, time_limit
from angarium.core.result import Verdict

Observer: TypeAlias = Callable[[int, int], None]
"""Told how many sequences and calls were made."""
SHORTENING = 20.0
"""Seconds that may be spent on making stories shorter."""
_LEAST = 1.0
"""... even if no time is left."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of driving a subject."""

    specification: Specification
    plan: Plan
    log: Log
    broken: tuple[Broken, ...]
    """The shortest story first."""
    weak: tuple[str, ...]
    """Why the sequences say little, if they do."""
    cut: Cut | None
    """Why not all sequences were made."""
    hanging: tuple[ShownCall, ...]
    """The calls up to the one that had not answered when the run was cut, if it was cut there."""
    seconds: float

    @property
    def verdicts(self) -> list[tuple[Rule, Verdict, Broken | None]]:
        """Every rule: violated if it was broken, else unknown, because calls prove nothing."""
        found = {each.rule: each for each in self.broken}
        return [
            (rule, Verdict.VIOLATED if rule in found else Verdict.UNKNOWN, found.get(rule))
            for rule in rules_of(self.specification)
        ]

    def was_tested(self, rule: Rule) -> bool:
        """Whether all was done to break a rule that was to be done."""
        if self.cut or self.weak:
            return False
        return self.log.calls[rule.operation] > 0 or self.is_watched(rule.operation)

    def is_watched(self, name: str) -> bool:
        """Whether a name is that of a conjecture that can be judged on real values."""
        named = [each for each in self.specification.conjectures if each.name == name]
        return any(condition(each) for each in named)


def drive(
    specification: Specification,
    make_subject: MakeSubject,
    plan: Plan,
    *,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> Driven:
    """Drive fresh subjects with sequences of calls, and tell how contracts were broken."""
    begin, log = time.monotonic(), Log(goes_on=True)
    cut = _cut(log, timeout, lambda: _make_sequences(specification, make_subject, plan, log, observe))
    left = SHORTENING if timeout is None else min(SHORTENING, begin + timeout - time.monotonic())
    told = _broken_rules(
        Shortener(specification, make_subject), rules_of(specification), log, max(left, _LEAST)
    )
    broken = tuple(sorted(told, key=lambda each: len(each.story)))
    weak = () if broken else tuple(log.not_exercised(specification))
    hanging = with_states(specification, log.pending) if cut else ()
    return Driven(specification, plan, log, broken, weak, cut, hanging, time.monotonic() - begin)


def _make_sequences(
    specification: Specification,
    make_subject: MakeSubject,
    plan: Plan,
    log: Log,
    observe: Observer | None,
) -> None:
    def made() -> object:
        again()
        if observe:
            observe(log.sequences, log.calls.total())
        return make_subject()

    with heeding_signals() as again, _no_numbers_of_sources():
        for chosen in count(plan.seed):
            driver = seed(chosen)(machine(specification, made, log, plan.steps))
            try:
                run_state_machine_as_test(driver, settings=_settings(plan, plan.examples - log.sequences))
            except Flaky:
                log.unsteady = True
            if log.sequences >= plan.examples or not log.unsteady:
                return


@contextmanager
def _no_numbers_of_sources() -> Iterator[None]:
    """The seed alone decides the calls.

    Hypothesis likes to draw numbers that stand in source files which happen to be loaded, ours among them:
    with any change of a file, and any module more, the same seed would give other calls.
    """
    none, theirs = Constants(), providers._get_local_constants
    providers._get_local_constants = lambda: none
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = theirs
        providers.CONSTANTS_CACHE.cache.clear()


def _settings(plan: Plan, examples: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=plan.steps,
        phases=(Phase.generate,),
        deadline=None,
        database=None,
        derandomize=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


def _cut(log: Log, timeout: float | None, work: Callable[[], None]) -> Cut | None:
    """Do the work; if it did not come to its end, why."""
    try:
        with time_limit(timeout):
            work()
    except KeyboardInterrupt as end:
        cut = cut_of(end)
        the = "the " if cut.by is CutBy.TIME else ""
        waiting = f", while {log.pending[-1]} had not answered" if log.pending else ""
        return Cut(cut.by, f"{the}{cut}{waiting}")
    return None


def _broken_rules(shortener: Shortener, rules: list[Rule], log: Log, seconds: float) -> Iterator[Broken]:
    """Each broken rule by a story; the time is shared among those that wait."""
    found = [log.broken[rule] for rule in rules if rule in log.broken]
    end = time.monotonic() + seconds
    for waiting, (calls, violation) in zip(range(len(found), 0, -1), found, strict=True):
        yield shortener.shortest(calls, violation, max(0.0, end - time.monotonic()) / waiting)


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
        broken.violation.add_note(_story(broken, driven.plan.seed))
        raise broken.violation
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
