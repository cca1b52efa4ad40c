"""What a check will take, before it is made: a short search, and smaller scenarios searched whole.

A third of the time goes to the check itself, cut short. If it comes to its end there is nothing to estimate:
that is what it takes. Else the rest goes to smaller scenarios, which say more of the whole than its
beginning does (`explore.estimate`).

For them, numbers among the parameters are lowered: those that were set first, then how many there are of
something, then others. First one by a step, then two, and so on, until a scenario is small enough to be
searched in no time. From there one parameter at a time is changed by a step: where that changes nothing, the
parameter is left as it is from now on. Then comes whatever is nearest to the wanted scenario and is not too
large, by what the others say of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from angarium.checker.backend.layout import Layout
from angarium.checker.explore import estimate
from angarium.checker.explore.engine import Engine, Observer, Progress
from angarium.checker.explore.estimate import FEWEST, Begun, Place, Range, Smaller, carried_states
from angarium.checker.frontend.build import build
from angarium.checker.frontend.declared import Static
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir import types
from angarium.checker.ir.formula import Question
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import check
from angarium.core.control import INTERRUPTED, Limits
from angarium.core.errors import InputError
from angarium.core.records import FLAT, key
from angarium.core.result import CheckVerdict, Coverage, Parameters, Report, Result, Setting

MOST_AXES = 3
"""How many parameters are lowered."""
SHORT_PART, PART = 0.1, 0.25
"""Of the time that is left, how much one scenario may take: on the way down, and then."""
BEYOND = 2
"""How many steps lower than the first that was small enough others may be."""

Searched = Callable[[Parameters, float], Sequence[int] | None]
"""The levels of a scenario with other settings, if they are found in so many seconds."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter that can be lowered."""

    name: str
    value: int
    lowest: int

    @property
    def room(self) -> int:
        return self.value - self.lowest


def axes(decl: ModelDecl, settings: Parameters) -> list[Axis]:
    """The numbers that can be lowered, those that matter most first."""
    present = elaborate(decl, settings).parameters
    counts = {each.name for each in decl.parameters if each.word == "count"}
    names = sorted(present, key=lambda name: (name not in settings, name not in counts))
    numbers = [(name, present[name]) for name in names if isinstance(present[name].type, types.Int)]
    found = [Axis(name, value.value, value.type.low) for name, value in numbers]
    return [axis for axis in found if axis.room > 0][:MOST_AXES]


def lowered(decl: ModelDecl, settings: Parameters, place: Place) -> dict[str, Setting]:
    """The settings of a smaller scenario."""
    present = elaborate(decl, settings).parameters
    steps = zip(axes(decl, settings), place, strict=True)
    return {**settings, **{axis.name: _setting(present[axis.name], down) for axis, down in steps if down}}


def _setting(value: Static, down: int) -> Setting:
    return as_setting(Static(value.type, value.value - down))


@dataclass
class Climb:
    """Smaller scenarios, as they are found."""

    rooms: Sequence[int]
    """By how much each parameter can be lowered."""
    levels_at: Callable[[Place, float], Sequence[int] | None]
    deadline: float
    speed: float
    """States a second, by which is judged what is too large."""
    found: dict[Place, Smaller] = field(default_factory=dict)
    too_large: set[Place] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)
    """Parameters that change nothing."""

    def all(self) -> list[Smaller]:
        """Those that could be searched to the end in time."""
        base = next((place for place in self._down() if self._search(place, SHORT_PART)), None)
        if base is not None:
            base = self._leave_idle(base)
            while (place := self._nearest(base)) is not None:
                self._search(place, PART)
        return list(self.found.values())

    @property
    def _left(self) -> float:
        return self.deadline - time.monotonic()

    def _down(self) -> Iterator[Place]:
        """The first parameter a step lower, then the second as well, ...; then all of them, step by step."""
        first = (
            tuple(int(axis <= last) for axis in range(len(self.rooms))) for last in range(len(self.rooms))
        )
        yield from first
        for steps in range(2, max(self.rooms, default=0) + 1):
            yield tuple(min(steps, room) for room in self.rooms)

    def _search(self, place: Place, part: float) -> bool:
        """Search a scenario; whether it came to its end, with enough states to say anything."""
        levels = self.levels_at(place, self._left * part) if self._left > 0 else None
        if levels is None:
            self.too_large.add(place)
            return False
        self.found[place] = Smaller(place, levels)
        return sum(levels) >= FEWEST

    def _leave_idle(self, base: Place) -> Place:
        """Change each parameter by a step; those that change nothing are not lowered any more."""
        for axis, steps in enumerate(base):
            other = _with(base, axis, steps - 1 if steps else 1)
            if any(other):
                self._search(other, PART)
            if other in self.found and self.found[other].levels == self.found[base].levels:
                self.idle.add(axis)
                places = {_with(place, axis, 0): each.levels for place, each in self.found.items()}
                self.found = {place: Smaller(place, levels) for place, levels in places.items() if any(place)}
                base = _with(base, axis, 0)
        return base

    def _nearest(self, base: Place) -> Place | None:
        """The scenario nearest to the wanted one that is not too large, as far as can be told."""
        if self._left <= 0:
            return None
        lowest = [
            0 if axis in self.idle else min(steps + BEYOND, room)
            for axis, (steps, room) in enumerate(zip(base, self.rooms, strict=True))
        ]
        box = product(*(range(most, -1, -1) for most in lowest))
        places = sorted((place for place in box if any(place) and self._is_open(place)), key=sum)
        small = (place for place in places if self._fits(place))
        unknown = (place for place in reversed(places) if self._expected(place) is None)
        return next(small, None) or next(unknown, None)

    def _is_open(self, place: Place) -> bool:
        """Whether it was not searched, and is not larger than one that was too large."""
        return place not in self.found and not any(_is_below(large, place) for large in self.too_large)

    def _fits(self, place: Place) -> bool:
        """Whether there is time for it, by what is known of others."""
        if any(_is_below(place, other) for other in self.found):
            return True
        states = self._expected(place)
        return states is not None and states < self.speed * self._left * PART

    def _expected(self, place: Place) -> float | None:
        """How many states it has, by those below it."""
        return carried_states([_seen_from(place, each) for each in self._below(place)])

    def _below(self, place: Place) -> list[Smaller]:
        return [each for each in self.found.values() if _is_below(each.place, place)]


def _with(place: Place, axis: int, steps: int) -> Place:
    return (*place[:axis], steps, *place[axis + 1 :])


def _is_below(one: Place, other: Place) -> bool:
    """Whether one scenario is as small as the other, or smaller, in every parameter."""
    return all(mine >= its for mine, its in zip(one, other, strict=True))


def _seen_from(place: Place, each: Smaller) -> Smaller:
    """A smaller scenario, as if a place were the wanted one."""
    return Smaller(tuple(low - high for low, high in zip(each.place, place, strict=True)), each.levels)


SECONDS = 15.0
"""How long an estimate may take, unless it is said."""
SHORT = 1 / 3
"""The part of that time for the check itself."""

Trying = Callable[[Parameters], None]
"""Is told the settings of each smaller scenario."""


@dataclass(frozen=True, slots=True)
class EstimateRequest:
    """A check, and how it is to be made."""

    decl: ModelDecl
    settings: Parameters
    subject: str
    engine: Engine
    limits: Limits = Limits()
    quick: Engine | None = None
    """The engine for smaller scenarios, if another one is quicker to begin."""
    threads: int = 1
    symmetry: bool = False
    only: Collection[str] | None = None
    questions: Sequence[Question] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a check will take."""

    exact: bool
    """Whether it came to its end, so that nothing is estimated."""
    states: Range
    transitions: Range
    depth: int | None
    """Levels in all, if there are grounds to say."""
    bytes: Range
    seconds: Range
    words: int = field(metadata=key("words_per_state"))
    """Of 64 bits, that a state has."""
    over_time: int = field(metadata=key("guarantees_over_time"))
    """How many guarantees over time are to be judged, for which every step is kept."""
    grounds: Sequence[str]
    """On which kinds of evidence it rests: carried, stretched, followed."""
    smaller: Sequence[Parameters]
    """The settings of the smaller scenarios that were searched to the end."""
    growth: float
    """How many times as large as the one before the latest finished level was."""
    room: int = 0
    """Bytes that a search may take, as far as whoever asks knows the machine that is to make it."""


@dataclass(frozen=True, kw_only=True)
class EstimateResult(Result[CheckVerdict]):
    """A check that was only begun: what of it was covered, and what the whole will take; no verdicts."""

    kind: str = "check"
    extent: Coverage = field(metadata=FLAT)
    model_hash: str
    threads: int
    symmetry: bool = False
    estimate: Estimate


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


def estimate_check(
    asked: EstimateRequest, *, observe: Observer | None = None, trying: Trying | None = None
) -> EstimateResult:
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
        return _result(begun, _exact(begun, system))
    search = _Smaller(asked, trying)
    smaller = [] if begun.coverage.cut == INTERRUPTED else search.all(begun.coverage, deadline)
    return _result(begun, _estimated(begun, system, asked, recorder.levels, smaller))


def _is_whole(coverage: Coverage) -> bool:
    """Whether a check came to its end: every state was found, or every guarantee decided."""
    return coverage.complete or coverage.cut is None


# --- smaller scenarios ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Smaller:
    """How smaller scenarios are searched: as the check is, without asking anything of their states."""

    asked: EstimateRequest
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
        outcome = (self.asked.quick or self.asked.engine).search(
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


def _result(begun: Report, found: Estimate) -> EstimateResult:
    """What was asked of the check and what it covered, without what it has judged."""
    return EstimateResult(
        subject=begun.subject,
        parameters=begun.parameters,
        engine=begun.engine,
        extent=begun.coverage,
        model_hash=begun.model_hash,
        threads=begun.threads,
        symmetry=begun.symmetry,
        estimate=found,
    )


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
        engine=report.engine,
    )


def _exact(report: Report, system: TransitionSystem) -> Estimate:
    """The check came to its end: all is known, but how long it takes to judge what there was no time for."""
    found, begun = report.coverage, _begun(report, system)
    unjudged = estimate.time(begun, _only(found.states)) if found.cut else None
    return Estimate(
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
    asked: EstimateRequest,
    levels: Sequence[int],
    smaller: Sequence[Smaller],
) -> Estimate:
    begun = _begun(report, system)
    states, grounds = estimate.whole(begun.states, levels, smaller)
    return Estimate(
        exact=False,
        states=states,
        transitions=estimate.transitions(begun, states),
        depth=estimate.depth(levels, smaller),
        bytes=estimate.memory(begun, states),
        seconds=estimate.time(begun, states),
        words=begun.words,
        over_time=begun.over_time,
        grounds=grounds,
        smaller=[lowered(asked.decl, asked.settings, each.place) for each in smaller],
        growth=levels[-1] / levels[-2] if len(levels) > 1 else 1.0,
    )
