"""How likely a message misses its bound, from how latencies vary and how often things fail.

A message is published at a random moment. It misses its bound if an end is dead and nobody takes its place
(`away`), if no way is left or the tables lead nowhere (`lost`), or if its way takes too long (`late`). What
is dead at that moment stays so while the message is under way: latencies are milliseconds, repairs are
hours. How brokers learn of failures is not part of this; `angarium mesh simulate` shows that.

Two ways to the answer:

    exact       every set of failures, from none to as many as there is room for, with its exact chance, and
                the sums of latencies by `sums`. What is left out (more failures) may go either way, and so
                may the rounding of the sums: the limits are certain.
    simulated   for each number of failures, sets of them and latencies are drawn. The limits hold with the
                confidence that is asked for, for each row of the answer by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from angarium.core.control import reason
from angarium.mesh.chances.intervals import Chance
from angarium.mesh.chances.risks import Risk, Strata, dead_in, risks_of, strata_of
from angarium.mesh.chances.sums import late
from angarium.mesh.chances.ways import ARRIVES, AWAY, LOST, Outcome, Question, Ways, ways_of
from angarium.mesh.mesh import Mesh

MOST_SETS = 20_000
"""Sets of failures that are looked at one by one."""

Observer = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Missing:
    """The chances of one question."""

    question: Question
    away: Chance
    lost: Chance
    late: Chance
    missed: Chance
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
    cut: str | None = None


@dataclass(slots=True)
class _Limits:
    """A chance that is being added up."""

    low: float = 0.0
    high: float = 0.0

    def add(self, weight: float, low: float, high: float) -> None:
        self.low += weight * low
        self.high += weight * high

    def chance(self, rest: float) -> Chance:
        high = min(1.0, self.high + rest)
        return Chance((self.low + high) / 2, self.low, high)


_KINDS = (AWAY, LOST, "late", "missed")


class _Row:
    """The chances of a question, as far as they have been added up."""

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
    observe: Observer | None = None,
    timeout: float | None = None,
) -> Latencies:
    """Limits between which the chances certainly are."""
    begin = time.monotonic()
    ways, risks = ways_of(mesh, topics), risks_of(mesh)
    strata = strata_of(risks)
    adding = _Adding(ways, risks, strata, [_Row(each) for each in ways.questions])
    wanted, cut = _sizes(strata, most_sets), None
    try:
        for size in range(wanted + 1):
            if not adding.look_at(size, observe, None if timeout is None else begin + timeout):
                cut = f"time limit of {timeout:g} s"
                break
    except KeyboardInterrupt as problem:
        cut = reason(problem)
    return Latencies(
        mesh,
        adding.found(),
        risks=len(risks),
        healthy=strata.healthy,
        failures=adding.size,
        rest=adding.rest,
        sets=adding.sets,
        seconds=time.monotonic() - begin,
        engine="exact",
        cut=cut,
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

    ways: Ways
    risks: tuple[Risk, ...]
    strata: Strata
    rows: list[_Row]
    size: int = 0
    """All sets of up to so many failures have been looked at."""
    sets: int = 0
    seen: float = 0.0
    """The chance of all sets that were looked at."""
    rest: float = 1.0

    def look_at(self, size: int, observe: Observer | None, deadline: float | None) -> bool:
        """Look at all sets of a size; whether there was time for it."""
        for numbers, chance in self.strata.all_of(size):
            if deadline is not None and self.sets and time.monotonic() > deadline:
                return False
            if observe:
                observe(f"{self.sets:,} sets of failures, now {size} at a time")
            for place, outcome in self.ways.changed(dead_in(self.risks, numbers)).items():
                self.rows[place].add(chance, outcome)
            self.sets += 1
            self.seen += chance
            self.rest = max(0.0, 1 - self.seen)
        self.size, self.rest = size, self.strata.beyond(size)
        return True

    def found(self) -> tuple[Missing, ...]:
        """The chances of all rows: where failures made no difference, it is as if there were none."""
        for row, outcome in zip(self.rows, self.ways.healthy, strict=True):
            row.add(max(0.0, self.seen - row.weight), outcome)
        return tuple(row.missing(self.rest) for row in self.rows)
