"""Messages from broker to broker, as the tables say: each arrives, goes round, or is dropped on its path.

Where routers send a message to several destinations there is one copy for each.

Routers send by destination and leave the names of topics alone. They obey their tables, so that the rules by
which forwarding links keep messages from going round do not hold here: a message goes back over the link
that it came over if the table says so. What does hold is the filter of each link on the path, and the limit
of hops, of the mesh and of the link.

Which messages arrive and which do not says which link or broker has failed.

The tables are those of the healthy mesh, kept: had they been calculated anew, no message would go near what
is dead, and nothing would fail. A path has *parts*: its brokers, and what links each of them to the next:
all parallel links together, since one is enough. Every message that arrives clears the parts of its path.
Every one that does not accuses them: one of them is dead. An explanation is a set of parts that has one of
every path that fails and none of any that works.

All explanations of the fewest parts are given, because they cannot be distinguished by what was seen. Where
one says that a broker is dead, the other reading is given too: that all its links are, those over which the
failing paths lead. It is larger, but it looks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, cycle, islice, pairwise

from angarium.core.errors import MeshError
from angarium.mesh.delivery.outcome import (
    HOP_LIMIT,
    Arrival,
    Drop,
    EndBy,
    Loop,
    Path,
    Reason,
    Spread,
    filter_of,
)
from angarium.mesh.mesh import Broker, Failures, Link, Mesh
from angarium.mesh.routing.graph import NONE
from angarium.mesh.routing.tables import Tables, tables
from angarium.mesh.topics.dialects import topic_of, written
from angarium.mesh.topics.topic import Topic

ARRIVES, LOOPS, DROPS = "arrives", "loops", "drops"


@dataclass(frozen=True, slots=True)
class Walk:
    """The path of a message to a destination, and how it ends; filters and limits of hops aside."""

    brokers: tuple[str, ...]
    """Those that it visits, the source first. One that goes round ends with the broker that it has seen."""
    links: tuple[Link, ...]
    """Between each of them and the next."""
    end: str
    reason: Reason | None = None
    """Why it is dropped: `no entry for DESTINATION`, `NAME is dead`, `no link to NAME`."""
    round: int = 0
    """If it goes round: how many links lead to where the round begins."""

    @property
    def arrives(self) -> bool:
        return self.end == ARRIVES


def walk(tables: Tables, source: str, destination: str) -> Walk:
    """Follow a message until it arrives, comes to a broker where it has been, or cannot go on."""
    graph = tables.graph
    at, to = graph.number(source), graph.number(destination)
    if source in tables.failures.brokers:
        return Walk((source,), (), DROPS, _death(source))
    seen, links = {at: 0}, list[Link]()
    while at != to:
        link = _link(tables, at, to)
        if isinstance(link, Reason):
            return Walk(_visited(source, links), tuple(links), DROPS, link)
        links.append(link)
        at = graph.position[link.target]
        if at in seen:
            return Walk(_visited(source, links), tuple(links), LOOPS, round=seen[at])
        seen[at] = len(links)
    return Walk(_visited(source, links), tuple(links), ARRIVES)


def _visited(source: str, links: list[Link]) -> tuple[str, ...]:
    return source, *(link.target for link in links)


def _link(tables: Tables, at: int, to: int) -> Link | Reason:
    """The link to the next broker, or why there is none."""
    graph, dead = tables.graph, tables.failures.brokers
    after = int(tables.next[at, to])
    if after == NONE:
        name = graph.names[to]
        return _death(name) if name in dead else Reason(EndBy.NO_ENTRY, f"no entry for {name}")
    if graph.names[after] in dead:
        return _death(graph.names[after])
    link = tables.link(at, after)
    return link or _no_link(tables, at, after)


def _no_link(tables: Tables, at: int, after: int) -> Reason:
    hop = tables.graph.hop_between.get((at, after))
    if hop is None:
        return Reason(EndBy.NO_LINK, f"no link to {tables.graph.names[after]}")
    return _death(*dict.fromkeys(link.fails_as for link in tables.graph.links[hop]))


def _death(*names: str) -> Reason:
    return Reason(EndBy.DEATH, f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} dead")


Pair = tuple[str, str]
Parts = frozenset[Failures]
"""Each is a broker, or all links from one broker to another."""
MOST_SETS = 1_000_000
"""Of accused parts that are tried."""


def locate(mesh: Mesh, failing: Iterable[Pair], working: Iterable[Pair] = ()) -> list[Failures]:
    """All smallest sets of dead links and brokers that explain what fails and what works, and other readings.

    Small ones first, in the order of the file. None if nothing fails or nothing explains it.
    """
    healthy = tables(mesh)
    cleared = frozenset[Failures]().union(*(_parts(healthy, pair) for pair in working))
    paths = [_parts(healthy, pair) for pair in dict.fromkeys(failing)]
    accused = [path - cleared for path in paths]
    if not accused or not all(accused):
        return []
    smallest = _smallest(accused)
    found = {_together(each) for each in smallest}
    readings = {_together(_by_links(mesh, each, paths)) for each in smallest}
    found |= {each for each in readings if not any(_within(less, each) for less in found)}
    possible = (each for each in found if not any(_within(part, each) for part in cleared))
    return sorted(possible, key=_order(mesh))


def narrowed(mesh: Mesh, failing: Pair, works: Callable[[Pair], bool]) -> list[Failures]:
    """Explanations after every hop on a failing path has been tried by itself; `works` says how each went."""
    path = _arriving(tables(mesh), failing).brokers
    tried = {pair: works(pair) for pair in pairwise(path)}
    bad = [failing, *(pair for pair, good in tried.items() if not good)]
    return locate(mesh, bad, [pair for pair, good in tried.items() if good])


def _arriving(healthy: Tables, pair: Pair) -> Walk:
    """The path of a pair. If it does not arrive in the healthy mesh, these are not the tables in use."""
    found = walk(healthy, *pair)
    if not found.arrives:
        raise MeshError(
            "ANG123",
            f"messages from {pair[0]} to {pair[1]} do not arrive even if nothing has failed",
            possible="pairs of brokers whose messages arrive in the healthy mesh",
            remedy="repair the tables first, or leave this pair out",
        )
    return found


def _parts(healthy: Tables, pair: Pair) -> Parts:
    """What must live for a message to get through."""
    found = _arriving(healthy, pair)
    links = {_links_beside(healthy, link) for link in found.links}
    return frozenset(links | {Failures(brokers=frozenset({name})) for name in found.brokers})


def _links_beside(healthy: Tables, link: Link) -> Failures:
    """What must fail so that no link leads where this one does."""
    position = healthy.graph.position
    hop = healthy.graph.hop_between[position[link.source], position[link.target]]
    return Failures(cables=frozenset(each.fails_as for each in healthy.graph.links[hop]))


def _smallest(accused: list[Parts]) -> set[Parts]:
    """All smallest sets that have a part of every accusation."""
    level: set[Parts] = {frozenset()}
    tried = 0
    while True:
        found = {some for some in level if all(each & some for each in accused)}
        if found:
            return found
        level = set(_larger(level, accused))
        tried += len(level)
        if tried > MOST_SETS:
            raise _too_many(len(accused))


def _larger(level: set[Parts], accused: list[Parts]) -> Iterator[Parts]:
    """Every set with one part more, of the first path that it does not explain."""
    for some in level:
        unexplained = next(each for each in accused if not each & some)
        yield from (some | {part} for part in unexplained)


def _by_links(mesh: Mesh, some: Parts, paths: Iterable[Parts]) -> Parts:
    """The same explanation with links for brokers: those at them over which a failing path leads."""
    brokers = _together(some).brokers
    beside = {link.fails_as for link in mesh.links if {link.source, link.target} & brokers}
    links = {part for path in paths for part in path if part.cables & beside}
    return frozenset({part for part in some if part.cables} | links)


def _together(some: Parts) -> Failures:
    none = frozenset[str]()
    return Failures(none.union(*(part.brokers for part in some)), none.union(*(part.cables for part in some)))


def _within(less: Failures, more: Failures) -> bool:
    return less.brokers <= more.brokers and less.cables <= more.cables


def _order(mesh: Mesh) -> Callable[[Failures], tuple[int, list[int]]]:
    """Small sets first; then links, then brokers, by their position in the file."""
    cables = {cable: number for number, cable in enumerate(mesh.cables)}
    brokers = {broker.name: len(cables) + number for number, broker in enumerate(mesh.brokers)}

    def order(failures: Failures) -> tuple[int, list[int]]:
        places = [cables[name] for name in failures.cables] + [brokers[name] for name in failures.brokers]
        return len(failures), sorted(places)

    return order


def _too_many(paths: int) -> MeshError:
    return MeshError(
        "ANG125",
        f"{paths:,} ways that fail have more than {MOST_SETS:,} sets of links and brokers to be blamed",
        possible="failures of a few links or brokers at a time",
        remedy="say which pairs of brokers still work: what is on their paths is cleared",
    )


LONGEST_PATH = 10_000
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
    loops: dict[Path, Loop] = field(default_factory=dict)
    drops: dict[Drop, None] = field(default_factory=dict)
    crossed: set[str] = field(default_factory=set)

    def send(self, destination: str) -> None:
        """Follow the copy for one destination."""
        found = walk(self.tables, self.origin, destination)
        passed, reason = self._passed(found)
        path = tuple(link.name for link in passed)
        self.crossed |= {
            link.name for link in found.links
        }  # with one that stopped it: without that, all is new
        if reason:
            self.drops[Drop(path, passed[-1].target if passed else self.origin, reason)] = None
        elif found.end == LOOPS:
            self._loop(path, found)
        else:
            self.arrivals.append(self._arrival(destination, passed, path))

    def _passed(self, found: Walk) -> tuple[tuple[Link, ...], Reason | None]:
        """The links that the copy crosses, and why it does not go on, if it does not."""
        length = len(found.links) - found.round if found.end == LOOPS else 0
        stops = (self._stop(link, hops, length, found.round) for hops, link in enumerate(found.links))
        stopped = min((stop for stop in stops if stop), default=None)
        if stopped is None:
            return found.links, found.reason
        hops, reason = stopped
        return tuple(_rounds(found, min(hops, LONGEST_PATH))), reason

    def _stop(self, link: Link, hops: int, length: int, begin: int) -> tuple[int, Reason] | None:
        """When a link does not take the copy: after how many hops, and why. `length` is that of a round."""
        limits = (self.mesh.routing.hop_limit, link.hop_limit)
        limit = min((each for each in limits if each is not None), default=None)
        if limit is not None and hops >= limit:
            return hops, HOP_LIMIT
        if not self.tables.graph.lets_through(link, self.topic):
            return hops, filter_of(link.name)
        if limit is not None and length and hops >= begin:
            return hops + -(-(limit - hops) // length) * length, HOP_LIMIT
        return None

    def _loop(self, path: Path, found: Walk) -> None:
        before, round_ = path[: found.round], path[found.round :]
        self.loops.setdefault(path, Loop(before, round_, self._name(found.brokers[-1])))

    def _arrival(self, destination: str, links: tuple[Link, ...], path: Path) -> Arrival:
        visited = [self.origin, *(link.target for link in links)]
        spent = sum(link.latency for link in links) + sum(self.brokers[each].latency for each in visited)
        return Arrival(destination, self._name(destination), 1, path, spent)

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
