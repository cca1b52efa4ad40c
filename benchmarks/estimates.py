"""How good estimates are: recorded searches, cut where so much was known, and what was said of the rest.

There is a row for each band of how much was known, and one for each system. levels.jsonl has the sizes of all
levels of complete searches of the bundled systems and an example, up to 26 million states. A search is cut at
the first level that has a given part of all states; a smaller scenario counts as searched to the end if it
has at most half as many states as were known by then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import exp, log
from pathlib import Path
from statistics import median

from angarium.checker.explore.estimate import Range, Smaller, whole
from benchmarks.common.row import Row

RECORDED = Path(__file__).parent / "inputs" / "levels.jsonl"
PARTS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85)
LARGE, KNOWN, LEVELS, NEAR = 5_000, 1_000, 6, 6
"""Searches worth estimating, and what must be known: states and levels, and smaller scenarios how near."""
BANDS = ((0.0, 0.003), (0.003, 0.02), (0.02, 0.15), (0.15, 0.4), (0.4, 1.0))
PROMISE = 0.8
"""The part of all estimates with an upper bound that must have the truth between their bounds."""


@dataclass(frozen=True, slots=True)
class Size:
    every: int
    """One search of so many is cut."""


FULL, TINY = Size(every=1), Size(every=20)


def rows(size: Size) -> Iterator[Row]:
    some = list(trials(size.every))
    for low, high in BANDS:
        yield row(f"known {low:.1%} to {high:.1%}", [each for each in some if low <= each.part < high])
    for subject in sorted({each.search.subject for each in some}):
        yield row(subject, [each for each in some if each.search.subject == subject])
    right = inside([each for each in some if each.said.high is not None])
    what = "estimates with the truth between their bounds"
    yield Row(what, f"{right:.0%}", f"{PROMISE:.0%}", right >= PROMISE)


def row(title: str, some: Sequence[Trial]) -> Row:
    """How good some estimates are."""
    bounded = [each for each in some if each.said.high is not None]
    said = f"{len(bounded)} of {len(some)} bounded"
    if bounded:
        said += f", {inside(bounded):.0%} right, off {_off(bounded):.1f} x, {_width(bounded):.0f} wide"
    return Row(f"estimates: {title}", said)


@dataclass(frozen=True, slots=True)
class Search:
    """A recorded search."""

    subject: str
    symmetry: bool
    parameters: dict[str, str]
    levels: list[int]

    @property
    def states(self) -> int:
        return sum(self.levels)

    def below(self, other: Search) -> tuple[int, ...] | None:
        """By how much each parameter is lower than the other's, if they can be compared at all."""
        if (self.subject, self.symmetry) != (other.subject, other.symmetry) or self is other:
            return None
        steps = [_step(value, self.parameters[name]) for name, value in other.parameters.items()]
        place = tuple(step for step in steps if step is not None)
        return place if len(place) == len(steps) and min(place) >= 0 and sum(place) <= NEAR else None


def _step(value: str, lower: str) -> int | None:
    if value == lower:
        return 0
    return int(value) - int(lower) if value.isdigit() and lower.isdigit() else None


@dataclass(frozen=True, slots=True)
class Trial:
    """What was said of a search that was cut."""

    search: Search
    known: int
    said: Range

    @property
    def part(self) -> float:
        return self.known / self.search.states

    @property
    def is_inside(self) -> bool:
        return self.said.high is not None and self.said.low <= self.search.states <= self.said.high


@cache
def recorded() -> tuple[Search, ...]:
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return tuple(Search(**json.loads(line)) for line in lines)


def trials(every: int = 1) -> Iterator[Trial]:
    """Every large search, or one in so many, cut at every part."""
    for search in recorded()[::every]:
        if search.states >= LARGE:
            places = [(other, other.below(search)) for other in recorded()]
            others = [Smaller(place, other.levels) for other, place in places if place]
            yield from (_trial(search, count, others) for count in _cuts(search))


def _cuts(search: Search) -> list[int]:
    """After how many levels to cut."""
    known = list(accumulate(search.levels))
    counts = {next(n for n, states in enumerate(known, 1) if states >= part * known[-1]) for part in PARTS}
    return sorted(n for n in counts if n < len(known) and n >= LEVELS and known[n - 1] >= KNOWN)


def _trial(search: Search, count: int, others: Sequence[Smaller]) -> Trial:
    known = sum(search.levels[:count])
    smaller = [each for each in others if each.states <= known / 2]
    said, _ = whole(known, search.levels[:count], smaller)
    return Trial(search, known, said)


def inside(bounded: Sequence[Trial]) -> float:
    """How often the truth was between the bounds."""
    return sum(each.is_inside for each in bounded) / len(bounded)


def _off(bounded: Sequence[Trial]) -> float:
    """By which factor the likely number was wrong: the median."""
    return median(exp(abs(log((each.said.likely or 1) / each.search.states))) for each in bounded)


def _width(bounded: Sequence[Trial]) -> float:
    """How many times the lower bound the upper one was: the median."""
    return median((each.said.high or 1) / each.said.low for each in bounded)
