"""Who wants what: every publisher, subscriber and class of topics that belong together.

A subscriber wants what matches its patterns, under the name by which it is published or by which some chain
of links would bring it. Demands that links cannot tell apart (same broker to publish, same broker to deliver,
same filters passed) share one fate and are one `Need`: ten thousand topics between two brokers cost what one
does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import NamedTuple

from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import Link, Mesh, Pattern, Publisher
from angarium.mesh.topics.classes import Universe
from angarium.mesh.topics.matching import matcher
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

_PLAIN = frozenset({IDENTITY})
_NONE: frozenset[Transform] = frozenset()


class Demand(NamedTuple):
    """A topic that a publisher publishes and a subscriber wants."""

    publisher: str
    subscriber: str
    number: int
    """The class of topics."""
    topic: Topic
    """One of the class that is wanted, as it is published."""
    bound: float | None = None
    """Milliseconds within which it must arrive."""


@dataclass(frozen=True, slots=True)
class Need:
    """Demands with one fate: what is published at `origin` must arrive at `at`, under a wanted name."""

    origin: str
    at: str
    kin: int
    """The class of topics, as far as links tell topics apart."""
    names: frozenset[Transform] = _PLAIN
    """The renamings behind which what arrives is what is wanted."""
    shares: str = ""
    """With whom at its broker the subscriber competes."""
    demands: tuple[Demand, ...] = field(default=(), compare=False)


_Fate = tuple[str, str, int, frozenset[Transform], str]
"""What the demands of a need have in common: its first five fields."""


def relaxed(mesh: Mesh) -> Mesh:
    """The mesh without hop limits, histories, split horizons and standby: what its filters would carry."""
    return replace(mesh, links=tuple(_relaxed(link) for link in mesh.links))


def _relaxed(link: Link) -> Link:
    return replace(link, hop_limit=None, avoids_visited=False, not_after=frozenset(), failover="")


Carried = Mapping[tuple[str, int], Spread]
"""What the filters alone would carry, by publishing broker and kin of topics."""


def needs(mesh: Mesh, universe: Universe, carried: Carried, probed: bool) -> tuple[Need, ...]:
    """What must arrive; for probes, only what the filters would carry there."""
    found: dict[_Fate, list[Demand]] = {}
    for shared, demand in _demands(mesh, universe, carried, probed):
        found.setdefault(shared, []).append(demand)
    return tuple(Need(*shared, tuple(demands)) for shared, demands in found.items())


def _demands(
    mesh: Mesh, universe: Universe, carried: Carried, probed: bool
) -> Iterator[tuple[_Fate, Demand]]:
    publishers = _by_class(mesh.publishers, universe)
    renamings, arriving = _Renamings.of(carried), _arriving(carried)
    classes, asked = universe.classes, lru_cache(maxsize=None)(partial(_wanted, universe, renamings))
    for subscriber in mesh.subscribers:
        for number, topic, good in asked(subscriber.topics):
            kin = classes[number].alike
            for publisher in publishers.get(number, ()):
                there = arriving.get((publisher.broker, kin, subscriber.broker), _NONE)
                if not good.isdisjoint(there) or (IDENTITY in good and not probed):
                    demand = Demand(publisher.name, subscriber.name, number, topic, subscriber.latency_bound)
                    yield (publisher.broker, subscriber.broker, kin, good, subscriber.shares), demand


def _by_class(publishers: Iterable[Publisher], universe: Universe) -> dict[int, list[Publisher]]:
    found: dict[int, list[Publisher]] = {}
    for publisher in publishers:
        for number in universe.published(publisher.name):
            found.setdefault(number, []).append(publisher)
    return found


@dataclass(frozen=True, slots=True)
class _Renamings:
    """How topics may be renamed on their ways, and that few kins are renamed in the same way.

    In a cluster with a thousand shovels there are a thousand renamings, and each is of one exchange.
    """

    by_kin: Mapping[int, frozenset[Transform]]
    by_scope: Mapping[str | None, tuple[Transform, ...]]
    """By the scope into which they bring a topic; None: it keeps its own."""

    @classmethod
    def of(cls, carried: Carried) -> _Renamings:
        by_kin: dict[int, set[Transform]] = {}
        for (_, kin), spread in carried.items():
            by_kin.setdefault(kin, set()).update(each.renamed for each in spread.arrivals)
        by_scope: dict[str | None, list[Transform]] = {}
        for name in _PLAIN.union(*by_kin.values()):
            by_scope.setdefault(name.add[0] if name.add else None, []).append(name)
        return cls(
            {kin: frozenset(names) for kin, names in by_kin.items()},
            {scope: tuple(names) for scope, names in by_scope.items()},
        )

    @property
    def are_none(self) -> bool:
        return self.by_scope == {None: (IDENTITY,)}

    def into(self, scopes: Iterable[str]) -> Iterator[Transform]:
        for scope in (None, *scopes):
            yield from self.by_scope.get(scope, ())


def _wanted(
    universe: Universe, renamings: _Renamings, patterns: tuple[Pattern, ...]
) -> tuple[tuple[int, Topic, frozenset[Transform]], ...]:
    """Each class of which patterns want something, with a topic, and the renamings that they want it by."""
    if renamings.are_none:
        return tuple((number, topic, _PLAIN) for number, topic in universe.overlapped(patterns).items())
    wants, scopes = matcher(patterns, exact=True), {pattern.scope for pattern in patterns}
    possible = {each for each in renamings.into(scopes) if not (each.add and each.whole) or wants(each.add)}
    of_kin = lru_cache(maxsize=None)(lambda kin: _PLAIN | (renamings.by_kin.get(kin, _NONE) & possible))
    found: dict[tuple[int, frozenset[Transform]], Topic] = {}
    for name in sorted(possible, key=lambda each: (each != IDENTITY, each.add, each.strip)):
        for number, topic in universe.overlapped(patterns, name).items():
            names = of_kin(universe.classes[number].alike)
            if name in names:
                new = ((each, each(topic)) for each in names)
                good = frozenset(each for each, renamed in new if renamed is not None and wants(renamed))
                found.setdefault((number, good), topic)
    return tuple((number, topic, good) for (number, good), topic in found.items())


def _arriving(carried: Carried) -> dict[tuple[str, int, str], frozenset[Transform]]:
    """The renamings with which something arrives, by publishing broker, kin of topics and broker."""
    found: dict[tuple[str, int, str], set[Transform]] = {}
    for (origin, kin), spread in carried.items():
        for arrival in spread.arrivals:
            found.setdefault((origin, kin, arrival.broker), set()).add(arrival.renamed)
    return {key: frozenset(names) for key, names in found.items()}
