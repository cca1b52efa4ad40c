"""Which link or broker has failed, judged by which messages arrive and which do not.

The tables are those of the healthy mesh, kept: had they been calculated anew, no message would go near what
is dead, and nothing would fail. A way has *parts*: its brokers, and what links each of them to the next:
all parallel links together, since one is enough. Every message that arrives clears the parts of its way.
Every one that does not accuses them: one of them is dead. An explanation is a set of parts that has one of
every way that fails and none of any that works.

All explanations of the fewest parts are given, because they cannot be told apart by what was seen. Where one
says that a broker is dead, the other reading is given too: that all its links are, those over which the
failing ways lead. It is larger, but it looks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Failures, Link, Mesh
from angarium.mesh.routing.tables import Tables, tables
from angarium.mesh.routing.walk import Walk, walk

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
    ways = [_parts(healthy, pair) for pair in dict.fromkeys(failing)]
    accused = [way - cleared for way in ways]
    if not accused or not all(accused):
        return []
    smallest = _smallest(accused)
    found = {_together(each) for each in smallest}
    readings = {_together(_by_links(mesh, each, ways)) for each in smallest}
    found |= {each for each in readings if not any(_within(less, each) for less in found)}
    possible = (each for each in found if not any(_within(part, each) for part in cleared))
    return sorted(possible, key=_order(mesh))


def narrowed(mesh: Mesh, failing: Pair, works: Callable[[Pair], bool]) -> list[Failures]:
    """Explanations after every hop on a failing way has been tried by itself; `works` says how each went."""
    way = _arriving(tables(mesh), failing).brokers
    tried = {pair: works(pair) for pair in pairwise(way)}
    bad = [failing, *(pair for pair, good in tried.items() if not good)]
    return locate(mesh, bad, [pair for pair, good in tried.items() if good])


def _arriving(healthy: Tables, pair: Pair) -> Walk:
    """The way of a pair. If it does not arrive in the healthy mesh, these are not the tables in use."""
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
    """Every set with one part more, of the first way that it does not explain."""
    for some in level:
        unexplained = next(each for each in accused if not each & some)
        yield from (some | {part} for part in unexplained)


def _by_links(mesh: Mesh, some: Parts, ways: Iterable[Parts]) -> Parts:
    """The same explanation with links for brokers: those at them over which a failing way leads."""
    brokers = _together(some).brokers
    beside = {link.fails_as for link in mesh.links if {link.source, link.target} & brokers}
    links = {part for way in ways for part in way if part.cables & beside}
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


def _too_many(ways: int) -> MeshError:
    return MeshError(
        "ANG125",
        f"{ways:,} ways that fail have more than {MOST_SETS:,} sets of links and brokers to be blamed",
        possible="failures of a few links or brokers at a time",
        remedy="say which pairs of brokers still work: what is on their ways is cleared",
    )
