"""Many scenarios, each simulated: all combinations of the values that some parameters are given.

    queues=2..20        every whole number from 2 to 20
    queues=2..20..6     2, 8, 14, 20
    rule=always,poorer  these values

Every scenario has walks of its own with the same plan, so a sweep gives the figures that simulating each
scenario by itself would give. A sweep that is cut keeps the scenarios that were simulated to the end, and no
others: half of the walks of one would make a mean that cannot be compared.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Simulation
from angarium.core.control import Cut, CutBy, cut_by_time, cut_of
from angarium.core.errors import ParameterError, UsageError, did_you_mean
from angarium.core.result import CheckVerdict, Parameters, Verdict, worst

MOST = 10_000
"""A sweep of more scenarios than this is refused: nobody could read its table."""
_RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?:\.\.(\d{1,18}))?")

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter and the values that it is given one after the other."""

    name: str
    values: Values


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What a sweep is asked."""

    subject: str
    settings: Parameters
    """What is the same in every scenario."""
    axes: tuple[Axis, ...]
    plan: Plan
    timeout: float | None = None

    @property
    def late(self) -> Cut:
        """Why a sweep is cut whose time is up."""
        return cut_by_time(self.timeout or 0)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The simulations of a grid of scenarios."""

    asked: SweepRequest
    parameters: Parameters
    """Those that are the same in every scenario, with the model's defaults."""
    engine: str
    threads: int
    simulations: Mapping[Values, Simulation]
    """By the values of the axes, in their order; those that were made to the end."""
    seconds: float
    cut: Cut | None = None

    @property
    def planned(self) -> int:
        return prod(len(axis.values) for axis in self.asked.axes)

    @property
    def worst(self) -> Verdict:
        """`violated` if any scenario met a violation."""
        return worst(each.worst for each in self.simulations.values())

    def verdicts(self) -> list[CheckVerdict]:
        """Of each guarantee the worst that any scenario met, with the story of the first that met it."""
        found: dict[str, CheckVerdict] = {}
        for each in (verdict for one in self.simulations.values() for verdict in one.verdicts):
            before = found.get(each.guarantee)
            if before is None or worst((each.verdict, before.verdict)) is not before.verdict:
                found[each.guarantee] = each
        return list(found.values())


# --- the grid -------------------------------------------------------------------------------


def read_axis(text: str) -> Axis:
    """A parameter and its values, from words such as queues=2..20."""
    name, equals, words = (part.strip() for part in text.partition("="))
    values = tuple(value for word in words.split(",") for value in _values(text, word.strip()))
    if not (equals and name and values):
        raise _impossible(text, "does not say which parameter gets which values")
    if len(set(values)) < len(values):
        raise _impossible(text, "has the same value twice")
    return Axis(name, values)


def _values(text: str, word: str) -> Iterator[str]:
    found = _RANGE.fullmatch(word)
    if not found:
        if not word or ".." in word:
            raise _impossible(text, f"has a part that is no value and no range: {word!r}")
        yield word
        return
    low, high, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if low > high or step == 0:
        raise _impossible(text, f"has a range without values: {word!r}")
    if (high - low) // step >= MOST:
        raise _too_many((high - low) // step + 1)
    yield from map(str, range(low, high + 1, step))


def _impossible(text: str, what: str) -> UsageError:
    return UsageError(
        "ANG013",
        f"--sweep {text!r} {what}",
        possible="possible: a range (2..20), a range with a step (2..20..2), values (always,poorer)",
        remedy="for example --sweep queues=2..20",
    )


def _too_many(scenarios: int) -> UsageError:
    return UsageError(
        "ANG013",
        f"the sweep has {scenarios:,} scenarios",
        possible=f"possible: at most {MOST:,}",
        remedy="give ranges a step, for example --sweep queues=2..20..2",
    )


def check_axes(axes: Sequence[Axis], settings: Parameters, decl: ModelDecl) -> None:
    """Refuse parameters that are not there, or are given twice, and grids that are too large."""
    known = [each.name for each in decl.parameters]
    names = [axis.name for axis in axes]
    for name in names:
        if name not in known:
            raise ParameterError(
                "ANG020",
                f"{decl.name} has no parameter {name!r} to sweep over",
                possible=did_you_mean(name, known),
                remedy="`angarium systems SUBJECT` lists them",
            )
        if name in settings or names.count(name) > 1:
            what = f"{name} is given more than once: {'--set and --sweep' if name in settings else '--sweep'}"
            remedy = "give each parameter once; several values are separated by commas"
            raise UsageError("ANG013", what, possible="each parameter once", remedy=remedy)
    if (scenarios := prod(len(axis.values) for axis in axes)) > MOST:
        raise _too_many(scenarios)


def points(asked: SweepRequest, decl: ModelDecl) -> dict[Values, TransitionSystem]:
    """The system of every scenario; the last parameter changes fastest."""
    check_axes(asked.axes, asked.settings, decl)
    names = [axis.name for axis in asked.axes]
    grid = product(*(axis.values for axis in asked.axes))
    return {
        values: build(decl, {**asked.settings, **dict(zip(names, values, strict=True))}) for values in grid
    }


def shared_parameters(asked: SweepRequest, systems: Mapping[Values, TransitionSystem]) -> Parameters:
    """The parameters that no axis changes, as the scenarios have them."""
    swept = {axis.name for axis in asked.axes}
    first = next(iter(systems.values()))
    return {name: value for name, value in first.parameters if name not in swept}


# --- simulating it --------------------------------------------------------------------------

Observer = Callable[[int, int, float], None]
"""Is told how many scenarios are done, of how many, and in how many seconds."""
Simulate = Callable[[TransitionSystem, float | None], Simulation]
"""Walks of one system, within so many seconds."""


def sweep(
    asked: SweepRequest,
    systems: Mapping[Values, TransitionSystem],
    simulate: Simulate,
    *,
    engine: str = "local",
    threads: int,
    observe: Observer | None = None,
) -> Sweep:
    """Simulate one scenario after the other on this machine."""
    begin = time.perf_counter()
    done: dict[Values, Simulation] = {}
    cut: Cut | None = None
    for values, system in systems.items():
        left = None if asked.timeout is None else asked.timeout - (time.perf_counter() - begin)
        late = left is not None and left <= 0
        found = asked.late if late else _one(simulate, system, left)
        if isinstance(found, Cut):
            cut = asked.late if found.by is CutBy.TIME else found
            break
        done[values] = found
        if observe:
            observe(len(done), len(systems), time.perf_counter() - begin)
    seconds = time.perf_counter() - begin
    return Sweep(asked, shared_parameters(asked, systems), engine, threads, done, seconds, cut)


def _one(simulate: Simulate, system: TransitionSystem, left: float | None) -> Simulation | Cut:
    """A scenario's simulation if it was made to the end, else why not."""
    try:
        found = simulate(system, left)
    except KeyboardInterrupt as problem:
        return cut_of(problem)
    return found.cut or found
