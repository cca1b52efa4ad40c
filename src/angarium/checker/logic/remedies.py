"""Which assumption would have kept a guarantee: the same scenario with one parameter changed, checked again.

What can be changed: a switch, to its other side; a choice, to each of the others; a number that was set, by
little or back to its default. How many queues or consumers there are is no assumption, and stays. Parameters
that were set are tried first: they are what somebody asks about. Nothing is guessed: a remedy is told only if
the guarantee holds with it, by a complete search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from angarium.checker.explore.engine import Engine, Observer
from angarium.checker.frontend.build import build
from angarium.checker.frontend.declared import Static
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir import types
from angarium.checker.ir.formula import Question
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import check
from angarium.core.control import INTERRUPTED, Limits, TimeIsUp, time_limit
from angarium.core.errors import InputError
from angarium.core.result import Parameters, Report, Verdict

SECONDS = 5.0
"""How long to look for remedies; while others have the processors does not count."""
GROWTH = 20
"""A changed scenario may have this many times the states before its search is cut."""
FEWEST = 100_000
NEAREST = 2
"""How many numbers next to one that was set are tried before its default."""
Change = Parameters


@dataclass(frozen=True, slots=True)
class Scenarios:
    """A model, and how its scenarios are checked."""

    decl: ModelDecl
    settings: Parameters
    engine: Engine
    threads: int
    questions: Sequence[Question] = ()
    observe: Observer | None = None
    max_bytes: int | None = None

    def changed(self, change: Change, names: Collection[str], limits: Limits) -> Report | None:
        """What becomes of some guarantees with a change; None if they are not claimed then."""
        try:
            system = build(self.decl, {**self.settings, **change}, self.questions)
            only = [name for name in names if name in system.claims]
            return self._checked(system, only, limits) if only else None
        except InputError:
            return None  # a combination of parameters that the model refuses is no remedy

    def _checked(self, system: TransitionSystem, only: Collection[str], limits: Limits) -> Report:
        return check(
            system,
            engine=self.engine,
            subject=self.decl.name,
            limits=replace(limits, max_bytes=self.max_bytes),
            threads=self.threads,
            only=only,
            observe=self.observe,
        )


def with_remedies(report: Report, scenarios: Scenarios, seconds: float = SECONDS) -> Report:
    """The report, with what would have kept each violated guarantee, as far as it is found in time."""
    broken = {v.guarantee for v in report.verdicts if v.verdict is Verdict.VIOLATED} - {STAYS_IN_RANGE}
    kept: dict[str, list[Change]] = {name: [] for name in broken}
    elapsed = _stopwatch()
    for change in changes(scenarios.decl, scenarios.settings) if broken else ():
        left = seconds - elapsed()
        limits = Limits(max(FEWEST, report.coverage.states * GROWTH), timeout=left)
        found = _in_time(partial(scenarios.changed, change, broken, limits), left) if left > 0 else None
        for verdict in found.verdicts if found else ():
            if verdict.guarantee in broken and verdict.verdict is Verdict.HOLDS:
                _remember(kept[verdict.guarantee], change)
        if left <= 0 or (found and found.coverage.cut == INTERRUPTED):
            break
    verdicts = [replace(v, remedies=tuple(kept.get(v.guarantee, ()))) for v in report.verdicts]
    return replace(report, verdicts=verdicts)


def _in_time(look: Callable[[], Report | None], seconds: float) -> Report | None:
    """What is found, unless a changed scenario takes too long to be compiled."""
    try:
        with time_limit(seconds, grace=SECONDS):
            return look()
    except TimeIsUp:
        return None


def _stopwatch() -> Callable[[], float]:
    """How long this process has worked since: on a busy machine as much is tried as on a quiet one."""
    begin, worked = time.monotonic(), time.process_time()
    return lambda: min(time.monotonic() - begin, time.process_time() - worked)


def _remember(kept: list[Change], change: Change) -> None:
    """Of the values of one parameter that keep a guarantee, the nearest is enough."""
    if not any(each.keys() == change.keys() for each in kept):
        kept.append(change)


def changes(decl: ModelDecl, settings: Parameters) -> Iterator[Change]:
    """Scenarios next to one, each by the parameter that differs."""
    usual = elaborate(decl, {}).parameters
    present = elaborate(decl, settings).parameters
    assumptions = [parameter.name for parameter in decl.parameters if parameter.word != "count"]
    for name in sorted(assumptions, key=lambda name: _rank(present[name], usual[name])):
        for value in _others(present[name], usual[name]):
            yield {name: as_setting(value)}


def _rank(present: Static, usual: Static) -> tuple[bool, bool]:
    """What was set comes first, and of that numbers: with less of a fault there are fewer states."""
    return present == usual, not isinstance(present.type, types.Int)


def _others(present: Static, usual: Static) -> Iterator[Static]:
    if isinstance(present.type, types.Bool | types.Enumeration):
        numbers = range(present.type.low, present.type.high + 1)
        yield from (Static(present.type, number) for number in numbers if number != present.value)
    elif present != usual:
        step = 1 if usual.value > present.value else -1
        between = range(present.value + step, usual.value + step, step)
        tried = dict.fromkeys([*between[:NEAREST], usual.value])
        yield from (Static(present.type, number) for number in tried)
