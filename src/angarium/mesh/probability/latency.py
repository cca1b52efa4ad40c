"""How likely a message misses its bound, from how latencies vary and how often things fail.

A message is published at a random moment. It misses its bound if an end is dead and nobody takes its place
(`away`), if no path is left or the tables lead nowhere (`lost`), or if its path takes too long (`late`). What
is dead at that moment stays so while the message is under way: latencies are milliseconds, repairs are
hours. How brokers learn of failures is not part of this; `angarium mesh simulate` shows that.

Two ways to the answer:

    exact       every set of failures, from none to as many as there is room for, with its exact chance, and
                the sums of latencies by `sums`. What is left out (more failures) may go either way, and so
                may the rounding of the sums: the limits are certain.
    simulated   for each number of failures, sets of them and latencies are drawn. The limits hold with the
                confidence that is asked for, for each row of the answer by itself.

Brokers, cables and shared risks that say how often they fail are down independently of each other, each
with its own chance. How many are down is then distributed as Poisson's binomial: the coefficients of the
product of (1 - p) + p x over all of them. Failures are rare: one in ten thousand moments has two of them.
So moments are divided by the number of failures, each class with its exact weight, and in each class sets
are drawn as they are likely there. With odds o = p / (1 - p), a set of k is as likely as the product of its
odds; the sums of such products over all that come behind a place say which risk is the next one down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.core.errors import MeshError
from angarium.mesh.distributions import Failing
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh
from angarium.mesh.probability.limits import Probability, late
from angarium.mesh.probability.paths import ARRIVES, AWAY, LOST, Outcome, Paths, Question, paths_of

Floats = NDArray[np.float64]
Sets = NDArray[np.int64]
"""A row for each set: the numbers of its risks, ascending."""


@dataclass(frozen=True, slots=True)
class Risk:
    """Something that fails by itself."""

    name: str
    failures: Failures
    """What is dead when it is down."""
    down: float
    """The share of time in which it is."""


def risks_of(mesh: Mesh) -> tuple[Risk, ...]:
    """Everything that can fail, in the order of the file: brokers, cables, shared risks."""
    brokers = ((each.name, Failures(frozenset([each.name])), each.failing) for each in mesh.brokers)
    cables = ((name, Failures(cables=frozenset([name])), of) for name, of in _cables(mesh.links).items())
    shared = ((each.name, each.failures, each.failing) for each in mesh.shared_risks)
    listed = (*brokers, *cables, *shared)
    return tuple(Risk(name, dead, of.down) for name, dead, of in listed if of is not None and of.down > 0)


def _cables(links: Iterable[Link]) -> dict[str, Failing]:
    """How often each cable fails; links of one cable must not contradict each other."""
    found: dict[str, Failing] = {}
    for link in links:
        if link.failing is None or link.source == link.target:
            continue
        before = found.setdefault(link.fails_as, link.failing)
        if before != link.failing:
            raise MeshError(
                "ANG121",
                f"{link.name} says mtbf {link.failing.mtbf:g} h and mttr {link.failing.mttr:g} h, but another"
                f" link of the cable {link.fails_as} says {before.mtbf:g} h and {before.mttr:g} h",
                possible="links of one cable fail together, so they fail equally often",
                remedy="say the same for all links of the cable, or say it once",
                place=link.place,
            )
    return found


def dead_in(risks: Sequence[Risk], numbers: Iterable[int]) -> Failures:
    """What is dead when some risks are down."""
    down = [risks[number].failures for number in numbers]
    if not down:
        return NOTHING
    return Failures(
        frozenset().union(*(each.brokers for each in down)),
        frozenset().union(*(each.cables for each in down)),
    )


@dataclass(frozen=True)
class Strata:
    """How likely each number of failures is, and which of them they are."""

    down: tuple[float, ...]
    weights: tuple[float, ...]
    """The chance that just so many are down, from 0 to all."""
    behind: Floats
    """By number of failures and place: the sum of the products of odds of all sets of so many from there."""

    @property
    def healthy(self) -> float:
        return self.weights[0]

    def sets(self, size: int) -> int:
        """How many sets of so many there are."""
        return comb(len(self.down), size)

    def all_of(self, size: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """Every set of so many, with its chance."""
        nothing = prod(1 - chance for chance in self.down)
        odds = [chance / (1 - chance) for chance in self.down]
        for numbers in combinations(range(len(self.down)), size):
            yield numbers, nothing * prod(odds[number] for number in numbers)

    def beyond(self, size: int) -> float:
        """The chance that more than so many are down."""
        return sum(sorted(self.weights[size + 1 :]))

    def enough(self, rest: float) -> int:
        """The least number of failures beyond which the chance is no more than a rest."""
        return next(size for size in range(len(self.weights)) if self.beyond(size) <= rest)

    def drawn(self, size: int, count: int, random: np.random.Generator) -> Sets:
        """So many sets of a size, drawn as they are likely among those of the size."""
        chosen = np.empty((count, size), np.int64)
        place = np.zeros(count, np.int64)
        for column in range(size):
            left = self.behind[size - column]
            share = random.random(count) * left[place]
            # `left` falls from place to place: the next risk is the last where it is more than the share
            found = np.searchsorted(-left, -share, side="left") - 1
            chosen[:, column] = np.maximum(found, place)
            place = chosen[:, column] + 1
        return chosen


def strata_of(risks: Sequence[Risk]) -> Strata:
    """The numbers of failures of risks that are independent of each other."""
    down = tuple(risk.down for risk in risks)
    weights = np.zeros(len(down) + 1)
    weights[0] = 1.0
    for chance in down:
        weights[1:] = weights[1:] * (1 - chance) + weights[:-1] * chance
        weights[0] *= 1 - chance
    return Strata(down, tuple(weights.tolist()), _behind(down))


MOST_AT_ONCE = 16
"""Sets of more failures are not drawn: their sums of products are not kept."""


def _behind(down: Sequence[float]) -> Floats:
    count = len(down)
    behind = np.zeros((min(count, MOST_AT_ONCE) + 1, count + 1))
    behind[0] = 1.0
    for place in range(count - 1, -1, -1):
        odds = down[place] / (1 - down[place])
        behind[1:, place] = behind[1:, place + 1] + odds * behind[:-1, place + 1]
    return behind


MOST_SETS = 20_000
"""Sets of failures that are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The probabilities of one question."""

    question: Question
    away: Probability
    lost: Probability
    late: Probability
    missed: Probability
    """All of these together."""
    is_limit: bool
    """Whether `late` and `missed` are only upper limits, because the first of several copies counts."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """The answers for a mesh."""

    mesh: Mesh
    rows: tuple[Missing, ...]
    risks: int
    """How many things fail by themselves."""
    healthy: float
    """The chance that nothing is dead."""
    failures: int
    """Up to how many failures at a time were looked at."""
    rest: float
    """The chance that there are more."""
    sets: int
    """Different sets of failures that were looked at."""
    seconds: float
    engine: str
    runs: int | None = None
    """Of a simulation."""
    confidence: float | None = None
    seed: int | None = None
    cut: Cut | None = None


@dataclass(slots=True)
class _Limits:
    """A chance that is being added up."""

    low: float = 0.0
    high: float = 0.0

    def add(self, weight: float, low: float, high: float) -> None:
        self.low += weight * low
        self.high += weight * high

    def chance(self, rest: float) -> Probability:
        high = min(1.0, self.high + rest)
        return Probability((self.low + high) / 2, self.low, high)


_KINDS = (AWAY, LOST, "late", "missed")


class _Row:
    """The probabilities of a question, as far as they have been added up."""

    def __init__(self, question: Question) -> None:
        self.question, self.is_limit, self.weight = question, False, 0.0
        self.limits = {kind: _Limits() for kind in _KINDS}

    def add(self, weight: float, outcome: Outcome) -> None:
        """So likely, this becomes of it."""
        self.weight += weight
        if outcome.kind != ARRIVES:
            limits, kind = (1.0, 1.0), outcome.kind
        else:
            limits, kind = late(outcome.constant, outcome.parts, self.question.bound), "late"
            if outcome.is_limit:
                limits, self.is_limit = (0.0, limits[1]), self.is_limit or limits[1] > 0
        self.limits[kind].add(weight, *limits)
        self.limits["missed"].add(weight, *limits)

    def missing(self, rest: float) -> Missing:
        away, lost, too_late, missed = (self.limits[kind].chance(rest) for kind in _KINDS)
        if self.is_limit:
            too_late, missed = (replace(each, value=each.high) for each in (too_late, missed))
        return Missing(self.question, away, lost, too_late, missed, self.is_limit)


def exact(
    mesh: Mesh,
    *,
    topics: Sequence[str] = (),
    most_sets: int = MOST_SETS,
    control: Control | None = None,
) -> Latencies:
    """Limits between which the probabilities certainly are."""
    control = control or Control()
    paths, risks = paths_of(mesh, topics), risks_of(mesh)
    strata = strata_of(risks)
    adding = _Adding(paths, risks, strata, [_Row(each) for each in paths.questions])
    with control.stopping():
        for size in range(_sizes(strata, most_sets) + 1):
            if not adding.look_at(size, control):
                break
    return Latencies(
        mesh,
        adding.found(),
        risks=len(risks),
        healthy=strata.healthy,
        failures=adding.size,
        rest=adding.rest,
        sets=adding.sets,
        seconds=control.seconds,
        engine="exact",
        cut=control.cut,
    )


def _sizes(strata: Strata, most_sets: int) -> int:
    """Up to how many failures all sets together are not too many."""
    total, size = 1, 0
    while size < len(strata.down) and total + strata.sets(size + 1) <= most_sets:
        size += 1
        total += strata.sets(size)
    return size


@dataclass(slots=True)
class _Adding:
    """Sets of failures, one after the other."""

    paths: Paths
    risks: tuple[Risk, ...]
    strata: Strata
    rows: list[_Row]
    size: int = 0
    """All sets of up to so many failures have been looked at."""
    sets: int = 0
    seen: float = 0.0
    """The chance of all sets that were looked at."""
    rest: float = 1.0

    def look_at(self, size: int, control: Control) -> bool:
        """Look at all sets of a size; whether there was time for it."""
        for numbers, chance in self.strata.all_of(size):
            if self.sets and control.is_over():
                return False
            control.report(f"{self.sets:,} sets of failures, now {size} at a time")
            for place, outcome in self.paths.changed(dead_in(self.risks, numbers)).items():
                self.rows[place].add(chance, outcome)
            self.sets += 1
            self.seen += chance
            self.rest = max(0.0, 1 - self.seen)
        self.size, self.rest = size, self.strata.beyond(size)
        return True

    def found(self) -> tuple[Missing, ...]:
        """The probabilities of all rows: where failures made no difference, it is as if there were none."""
        for row, outcome in zip(self.rows, self.paths.healthy, strict=True):
            row.add(max(0.0, self.seen - row.weight), outcome)
        return tuple(row.missing(self.rest) for row in self.rows)
