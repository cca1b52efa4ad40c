"""What every broker knows: who is joined with whom, and what each broker says of its own neighbours.

The *chart* is known before anything happens. The protocol watches *pairs*: two brokers with at least one link
between them, whichever way it leads. A pair is what heartbeats can see. Several cables between the same two
brokers are one pair: as long as one of them carries heartbeats the pair lives, and when none does all of them
are taken for dead, also for other pairs that share them.

The *link state* is what brokers say. A broker speaks only of its own interfaces, and a later statement
replaces its earlier ones. So whatever one end has noticed can be taken back by it, and a recovery is learnt
like a failure. (Were colours flooded, and united with what the receiver knows, nobody could ever unlearn a
failure.)

A statement bears a *life* and a *number*. The life is the time at which its broker started, in milliseconds:
a later life beats an earlier one, so a broker that restarts is not taken for old although it counts from 0
again. The number grows by one with every statement of a life. After the last number comes the first one of
the next life, a millisecond later: nobody says so much in a millisecond, so the next start is later still.

So of any two stamps one is later, and of two statements with the same stamp, of which one must be forged, the
one with the larger content counts. That matters as much as that numbers never run out. On a circle of
numbers (RFC 1982) three forged ones can each be later than the next, and of two that lie half a circle apart
neither replaces the other: brokers that hold them can never agree, and the broker in whose name they were
forged may never hear of it. With one order for all, what is latest reaches everybody, that broker included,
and it answers with a later one. Only what nothing could be later than must not be believed: a life `FAR`
ahead of the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import chain

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Failures, Mesh

Pair = tuple[str, str]
"""Two brokers that are joined, the one that comes first in the file first."""
Pairs = frozenset[Pair]


@dataclass(frozen=True)
class Chart:
    """The brokers in the order of their file, and the cables of each pair."""

    brokers: tuple[str, ...]
    cables: Mapping[Pair, frozenset[str]]

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.brokers)}

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """Of each broker, in the order of the file."""
        found: dict[str, list[str]] = {name: [] for name in self.brokers}
        for one, other in self.cables:
            found[one].append(other)
            found[other].append(one)
        return {name: tuple(sorted(others, key=self.number.__getitem__)) for name, others in found.items()}

    @cached_property
    def _pairs_of_cable(self) -> Mapping[str, tuple[Pair, ...]]:
        found: dict[str, list[Pair]] = {}
        for pair, cables in self.cables.items():
            for cable in cables:
                found.setdefault(cable, []).append(pair)
        return {cable: tuple(pairs) for cable, pairs in found.items()}

    def pair(self, one: str, other: str) -> Pair:
        """Two brokers in the order in which a pair names them."""
        return (one, other) if self.number[one] < self.number[other] else (other, one)

    def killed(self, failures: Failures) -> Pairs:
        """The pairs that failures leave without a living cable, or without one of the two."""
        touched = chain.from_iterable(self._pairs_of_cable.get(cable, ()) for cable in failures.cables)
        cut = {pair for pair in touched if self.cables[pair] <= failures.cables}
        left = {self.pair(name, other) for name in failures.brokers for other in self.neighbours[name]}
        return frozenset(cut | left)

    def cables_of(self, pairs: Iterable[Pair]) -> Failures:
        """The failures that kill these pairs."""
        return Failures(cables=frozenset().union(*(self.cables[pair] for pair in pairs)))

    def reached(self, start: str, dead: Pairs) -> frozenset[str]:
        """The brokers of the component of a broker, itself among them."""
        found, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            living = [each for each in self.neighbours[here] if self.pair(here, each) not in dead]
            waiting += [each for each in living if each not in found]
            found.update(living)
        return frozenset(found)

    def check(self, broker: str) -> str:
        """The broker; MeshError if there is none of this name."""
        if broker not in self.number:
            raise MeshError(
                "ANG123",
                f"no broker is called {broker!r}",
                possible=did_you_mean(broker, self.brokers),
                remedy="name a broker of the mesh",
            )
        return broker


def chart_of(mesh: Mesh) -> Chart:
    """The chart of a mesh."""
    brokers = tuple(broker.name for broker in mesh.brokers)
    empty = Chart(brokers, {})
    cables: dict[Pair, set[str]] = {}
    for link in mesh.links:
        if link.source != link.target:
            cables.setdefault(empty.pair(link.source, link.target), set()).add(link.fails_as)
    return Chart(brokers, {pair: frozenset(names) for pair, names in cables.items()})


NUMBERS = 1 << 16
"""Of statements in a life."""
LAST_LIFE = (1 << 64) - 1
FAR = 100 * 36525 * 24 * 36_000
"""In milliseconds, a hundred years: no clock is so wrong, not even one that begins at 1970 when it starts."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which statement of a broker."""

    origin: str
    life: int
    number: int


@dataclass(frozen=True, slots=True)
class Statement:
    """What a broker says: which of its neighbours are dead to it."""

    stamp: Stamp
    dead: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        return self.stamp.origin

    @property
    def rank(self) -> tuple[int, int, list[str]]:
        """Of two statements of a broker the one of the higher rank counts."""
        return self.stamp.life, self.stamp.number, sorted(self.dead)


def later(one: Stamp, other: Stamp) -> bool:
    """Whether a stamp is later than another one of the same broker."""
    return (one.life, one.number) > (other.life, other.number)


def following(stamp: Stamp) -> Stamp:
    """The next stamp."""
    if stamp.number + 1 < NUMBERS:
        return Stamp(stamp.origin, stamp.life, stamp.number + 1)
    return Stamp(stamp.origin, stamp.life + 1, 0)


@dataclass(slots=True)
class Database:
    """The latest statement of every broker that has been heard of; of the others, all is believed well."""

    chart: Chart
    statements: dict[str, Statement] = field(default_factory=dict)
    _fingerprint: int | None = None

    def take(self, statement: Statement) -> bool:
        """Keep a statement if it counts more than what is known of its broker; whether it did."""
        known = self.statements.get(statement.origin)
        if known is not None and statement.rank <= known.rank:
            return False
        self.keep(statement)
        return True

    def keep(self, statement: Statement) -> None:
        """From now on this is what its broker says."""
        self.statements[statement.origin] = statement
        self._fingerprint = None

    @property
    def fingerprint(self) -> int:
        """The same for two brokers that hold the same statements, and for hardly any others."""
        if self._fingerprint is None:
            known = sorted((origin, each.rank) for origin, each in self.statements.items())
            self._fingerprint = int.from_bytes(blake2b(repr(known).encode(), digest_size=8).digest())
        return self._fingerprint

    @property
    def dead(self) -> Pairs:
        """The pairs that are dead: one end saying so is enough, since messages must go both ways."""
        return frozenset(self._pairs(self.statements.values()))

    def _pairs(self, statements: Iterable[Statement]) -> Iterable[tuple[str, str]]:
        return (self.chart.pair(each.origin, other) for each in statements for other in each.dead)
