"""What a check will take, before it is made: a short search, and smaller scenarios searched whole.

A third of the time goes to the check itself, cut short. If it comes to its end there is nothing to
estimate: that is what it takes. Else the rest goes to smaller scenarios, which say more of the whole than
its beginning does (`explore.estimate`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from angarium.checker.backend.layout import Layout
from angarium.checker.explore import cost, estimate
from angarium.checker.explore.cost import Begun
from angarium.checker.explore.engine import Engine, Limits, Observer, Progress
from angarium.checker.explore.estimate import Place, Range, Smaller
from angarium.checker.frontend.build import build
from angarium.checker.ir.formula import Question
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import check
from angarium.checker.logic.smaller import Climb, axes, lowered
from angarium.core.control import INTERRUPTED
from angarium.core.errors import InputError
from angarium.core.result import Coverage, Parameters, Report

SECONDS = 15.0
"""How long an estimate may take, unless it is said."""
SHORT = 1 / 3
"""The part of that time for the check itself."""

Trying = Callable[[Parameters], None]
"""Is told the settings of each smaller scenario."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A check, and how it is to be made."""

    decl: ModelDecl
    settings: Parameters
    subject: str
    engine: Engine
    limits: Limits = Limits()
    threads: int = 1
    symmetry: bool = False
    only: Collection[str] | None = None
    questions: Sequence[Question] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a check will take."""

    begun: Report
    """The check, cut short: what it was asked, and what it covered."""
    exact: bool
    """Whether it came to its end, so that nothing is estimated."""
    states: Range
    transitions: Range
    depth: int | None
    """Levels in all, if there are grounds to say."""
    bytes: Range
    seconds: Range
    words: int
    """Of 64 bits, that a state has."""
    over_time: int
    """How many guarantees over time are to be judged, for which every step is kept."""
    grounds: Sequence[str]
    """On which kinds of evidence it rests: carried, stretched, followed."""
    smaller: Sequence[Parameters]
    """The settings of the smaller scenarios that were searched to the end."""
    growth: float
    """How many times as large as the one before the latest finished level was."""


@dataclass
class _Recorder:
    """Passes on how far a search is, and remembers it."""

    pass_on: Observer | None = None
    levels: Sequence[int] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        if progress.levels:
            self.levels = [*progress.levels, *[progress.expanding] * (progress.expanding > 0)]
        if self.pass_on is not None:
            self.pass_on(progress)


def quote(asked: Asked, *, observe: Observer | None = None, trying: Trying | None = None) -> Estimate:
    """Begin a check, and say what the whole of it takes."""
    seconds = asked.limits.timeout or SECONDS
    deadline = time.monotonic() + seconds
    system = build(asked.decl, asked.settings, asked.questions)
    recorder = _Recorder(observe)
    begun = check(
        system,
        engine=asked.engine,
        subject=asked.subject,
        limits=replace(asked.limits, timeout=seconds * SHORT),
        threads=asked.threads,
        symmetry=asked.symmetry,
        only=asked.only,
        observe=recorder,
        stories=False,
    )
    if _is_whole(begun.coverage):
        return _exact(begun, system)
    search = _Smaller(asked, trying)
    smaller = [] if begun.coverage.cut == INTERRUPTED else search.all(begun.coverage, deadline)
    return _estimated(begun, system, asked, recorder.levels, smaller)


def _is_whole(coverage: Coverage) -> bool:
    """Whether a check came to its end: every state was found, or every guarantee decided."""
    return coverage.complete or coverage.cut is None


# --- smaller scenarios ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Smaller:
    """How smaller scenarios are searched: as the check is, without asking anything of their states."""

    asked: Asked
    trying: Trying | None

    def all(self, begun: Coverage, deadline: float) -> list[Smaller]:
        rooms = [axis.room for axis in axes(self.asked.decl, self.asked.settings)]
        speed = begun.states / max(begun.seconds, 1e-9)
        climb = Climb(rooms, self.levels_at, deadline, speed)
        try:
            return climb.all()
        except KeyboardInterrupt:
            return list(climb.found.values())

    def levels_at(self, place: Place, seconds: float) -> Sequence[int] | None:
        """The levels of one of them, if it is a scenario at all and there is time."""
        settings = lowered(self.asked.decl, self.asked.settings, place)
        if self.trying is not None:
            self.trying(settings)
        try:
            system = build(self.asked.decl, settings)
        except InputError:
            return None  # the model refuses this combination of parameters
        recorder = _Recorder()
        outcome = self.asked.engine.search(
            replace(system, guarantees=(), temporal=()),
            limits=Limits(max_bytes=self.asked.limits.max_bytes, timeout=seconds),
            threads=self.asked.threads,
            symmetry=self.asked.symmetry,
            observe=recorder,
        )
        if outcome.coverage.cut == INTERRUPTED:
            raise KeyboardInterrupt  # an engine ends its search in good order; this ends them all
        return recorder.levels if outcome.coverage.complete else None


# --- what it comes to -----------------------------------------------------------------------------


def _begun(report: Report, system: TransitionSystem) -> Begun:
    asked = {each.guarantee for each in report.verdicts}
    found = report.coverage
    return Begun(
        states=found.states,
        transitions=found.transitions,
        frontier=found.frontier,
        bytes=found.bytes,
        seconds=found.seconds,
        words=Layout(system.variables).words,
        over_time=sum(each.name in asked for each in system.temporal),
        shared=report.threads > 1,
        local=report.engine == "local",
    )


def _exact(report: Report, system: TransitionSystem) -> Estimate:
    """The check came to its end: all is known, but how long it takes to judge what there was no time for."""
    found, begun = report.coverage, _begun(report, system)
    unjudged = cost.time(begun, _only(found.states)) if found.cut else None
    return Estimate(
        report,
        exact=True,
        states=_only(found.states),
        transitions=_only(found.transitions),
        depth=found.depth,
        bytes=_only(found.bytes),
        seconds=unjudged or _only(1 + int(found.seconds)),
        words=begun.words,
        over_time=begun.over_time,
        grounds=(),
        smaller=(),
        growth=1.0,
    )


def _only(number: int) -> Range:
    return Range(number, number, number)


def _estimated(
    report: Report,
    system: TransitionSystem,
    asked: Asked,
    levels: Sequence[int],
    smaller: Sequence[Smaller],
) -> Estimate:
    begun = _begun(report, system)
    states, grounds = estimate.whole(begun.states, levels, smaller)
    return Estimate(
        report,
        exact=False,
        states=states,
        transitions=cost.transitions(begun, states),
        depth=estimate.depth(levels, smaller),
        bytes=cost.memory(begun, states),
        seconds=cost.time(begun, states),
        words=begun.words,
        over_time=begun.over_time,
        grounds=grounds,
        smaller=[lowered(asked.decl, asked.settings, each.place) for each in smaller],
        growth=levels[-1] / levels[-2] if len(levels) > 1 else 1.0,
    )
