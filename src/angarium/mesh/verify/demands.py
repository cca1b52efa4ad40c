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

from angarium.mesh.mesh import Link, Mesh, Pattern, Publisher
from angarium.mesh.outcome import Spread
from angarium.mesh.topics.classes import Universe
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

_PLAIN = frozenset({IDENTITY})


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
    """The renamings under which what arrives is what is wanted."""
    demands: tuple[Demand, ...] = field(default=(), compare=False)


_Fate = tuple[str, str, int, frozenset[Transform]]
"""What the demands of a need have in common: its first four fields."""


def relaxed(mesh: Mesh) -> Mesh:
    """The mesh without hop limits and without rules against loops: what its filters alone would carry."""
    return replace(mesh, links=tuple(_relaxed(link) for link in mesh.links))


def _relaxed(link: Link) -> Link:
    return replace(link, hop_limit=None, avoids_visited=False, connection="", not_after=frozenset())


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
    names, arriving = _names(carried), _arriving(carried)
    classes, asked = universe.classes, lru_cache(maxsize=None)(partial(_wanted, universe))
    for subscriber in mesh.subscribers:
        here = names.get(subscriber.broker, _PLAIN)
        for number, wanted in asked(subscriber.topics, here):
            kin = classes[number].alike
            for publisher in publishers.get(number, ()):
                there = arriving.get((publisher.broker, kin, subscriber.broker))
                good = _PLAIN if there == _PLAIN == wanted.keys() else _good(there, wanted, probed)
                if good:
                    topic = wanted[
                        IDENTITY if IDENTITY in good else min(good, key=lambda name: len(name.add))
                    ]
                    demand = Demand(publisher.name, subscriber.name, number, topic, subscriber.latency_bound)
                    yield (publisher.broker, subscriber.broker, kin, good), demand


def _by_class(publishers: Iterable[Publisher], universe: Universe) -> dict[int, list[Publisher]]:
    found: dict[int, list[Publisher]] = {}
    for publisher in publishers:
        for number in universe.published(publisher.name):
            found.setdefault(number, []).append(publisher)
    return found


def _names(carried: Carried) -> dict[str, frozenset[Transform]]:
    """Every renaming with which something can arrive at a broker."""
    found: dict[str, set[Transform]] = {}
    for spread in carried.values():
        for arrival in spread.arrivals:
            found.setdefault(arrival.broker, set()).add(arrival.renamed)
    return {broker: frozenset(names) for broker, names in found.items()}


def _wanted(
    universe: Universe, patterns: tuple[Pattern, ...], names: frozenset[Transform]
) -> tuple[tuple[int, dict[Transform, Topic]], ...]:
    """Each class of which patterns want something, under which renamings, with a topic of it."""
    found: dict[int, dict[Transform, Topic]] = {}
    for name in _PLAIN | names:
        for number, topic in universe.overlapped(patterns, name).items():
            found.setdefault(number, {})[name] = topic
    return tuple(found.items())


def _arriving(carried: Carried) -> dict[tuple[str, int, str], frozenset[Transform]]:
    """The renamings with which something arrives, by publishing broker, kin of topics and broker."""
    found: dict[tuple[str, int, str], set[Transform]] = {}
    for (origin, kin), spread in carried.items():
        for arrival in spread.arrivals:
            found.setdefault((origin, kin, arrival.broker), set()).add(arrival.renamed)
    return {key: frozenset(names) for key, names in found.items()}


def _good(
    arriving: frozenset[Transform] | None, wanted: Mapping[Transform, Topic], probed: bool
) -> frozenset[Transform]:
    """The renamings that satisfy a demand; none if there is no demand."""
    good = (arriving or frozenset()) & wanted.keys()
    if not good and not probed and IDENTITY in wanted:
        return _PLAIN  # it is published and wanted under one name, and never arrives so
    return frozenset(good)
