"""What becomes of a message that routers send to some destinations: one copy for each.

Routers send by destination and leave the names of topics alone. They obey their tables, so that the rules by
which forwarding links keep messages from going round do not hold here: a message goes back over the link
that it came over if the table says so. What does hold is the filter of each link on the way, and the limit of
hops, of the mesh and of the link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, cycle, islice

from angarium.mesh.mesh import Broker, Link, Mesh
from angarium.mesh.outcome import Arrival, Drop, Loop, Spread, Way
from angarium.mesh.routing.tables import Tables
from angarium.mesh.routing.walk import LOOPS, Walk, walk
from angarium.mesh.topics.dialects import topic_of, written
from angarium.mesh.topics.topic import Topic

HOP_LIMIT = "hop limit"
LONGEST_WAY = 10_000
"""Of a copy that goes round until a limit stops it, not more links are told."""


def spread(
    mesh: Mesh, tables: Tables, origin: str, topic: Topic | str, destinations: Iterable[str]
) -> Spread:
    """What becomes of a topic that a broker publishes and some want. A dead broker publishes nothing."""
    brokers = tables.graph.broker
    if isinstance(topic, str):
        topic = topic_of(topic, brokers[origin].dialect)
    sent = _Sent(mesh, tables, origin, topic, brokers)
    if origin not in tables.failures.brokers:
        for destination in dict.fromkeys(destinations):
            sent.send(destination)
    return sent.spread()


@dataclass(slots=True)
class _Sent:
    """A message and what has become of its copies."""

    mesh: Mesh
    tables: Tables
    origin: str
    topic: Topic
    brokers: Mapping[str, Broker]
    arrivals: list[Arrival] = field(default_factory=list)
    loops: dict[Way, Loop] = field(default_factory=dict)
    drops: dict[Drop, None] = field(default_factory=dict)
    crossed: set[str] = field(default_factory=set)

    def send(self, destination: str) -> None:
        """Follow the copy for one destination."""
        found = walk(self.tables, self.origin, destination)
        passed, reason = self._passed(found)
        way = tuple(link.name for link in passed)
        self.crossed |= {
            link.name for link in found.links
        }  # with one that stopped it: without that, all is new
        if reason:
            self.drops[Drop(way, passed[-1].target if passed else self.origin, reason)] = None
        elif found.end == LOOPS:
            self._loop(way, found)
        else:
            self.arrivals.append(self._arrival(destination, passed, way))

    def _passed(self, found: Walk) -> tuple[tuple[Link, ...], str]:
        """The links that the copy crosses, and why it does not go on, if it does not."""
        length = len(found.links) - found.round if found.end == LOOPS else 0
        stops = (self._stop(link, hops, length, found.round) for hops, link in enumerate(found.links))
        stopped = min((stop for stop in stops if stop), default=None)
        if stopped is None:
            return found.links, found.reason
        hops, reason = stopped
        return tuple(_rounds(found, min(hops, LONGEST_WAY))), reason

    def _stop(self, link: Link, hops: int, length: int, begin: int) -> tuple[int, str] | None:
        """When a link does not take the copy: after how many hops, and why. `length` is that of a round."""
        limits = (self.mesh.routing.hop_limit, link.hop_limit)
        limit = min((each for each in limits if each is not None), default=None)
        if limit is not None and hops >= limit:
            return hops, HOP_LIMIT
        if not self.tables.graph.lets_through(link, self.topic):
            return hops, f"filter of {link.name}"
        if limit is not None and length and hops >= begin:
            return hops + -(-(limit - hops) // length) * length, HOP_LIMIT
        return None

    def _loop(self, way: Way, found: Walk) -> None:
        before, round_ = way[: found.round], way[found.round :]
        self.loops.setdefault(way, Loop(before, round_, self._name(found.brokers[-1])))

    def _arrival(self, destination: str, links: tuple[Link, ...], way: Way) -> Arrival:
        visited = [self.origin, *(link.target for link in links)]
        spent = sum(link.latency for link in links) + sum(self.brokers[each].latency for each in visited)
        return Arrival(destination, self._name(destination), 1, way, spent)

    def _name(self, broker: str) -> str:
        return written(self.topic, self.brokers[broker].dialect)

    def spread(self) -> Spread:
        return Spread(
            self.origin,
            self._name(self.origin),
            tuple(self.arrivals),
            tuple(self.loops.values()),
            tuple(self.drops),
            frozenset(self.crossed),
        )


def _rounds(found: Walk, count: int) -> Iterator[Link]:
    """The first links of a walk, of one that goes round again and again."""
    yield from islice(chain(found.links, cycle(found.links[found.round :])), count)
