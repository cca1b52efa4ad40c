"""Changes that may mend what is broken, the most helpful first.

Each kind of trouble suggests its own changes: a message that goes round or arrives twice wants a link less or
a lower hop limit; one that is dropped wants another table entry, a higher hop limit, or a link more. A new
link can help only if it leads from where the message still comes to where the subscriber can still be reached
from: links that help more of the findings are tried first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from angarium.mesh.change import AddLink, Change, RemoveLink, SetEntry, SetHopLimit, SetRules, SetWayLimit
from angarium.mesh.mesh import FORWARD, TABLES, Failures, Link, Mesh
from angarium.mesh.reach import neighbours, reached
from angarium.mesh.repair.settings import HOPS_BY, settings
from angarium.mesh.verify.findings import Finding

GENTLE = (SetRules, SetHopLimit, SetWayLimit, SetEntry, AddLink, RemoveLink)
"""Kinds of changes, those first that operators make more lightly."""


def candidates(mesh: Mesh, findings: Sequence[Finding]) -> list[Change]:
    """Changes worth trying, those first that help most of the findings."""
    helped: Counter[Change] = Counter()
    for finding in findings:
        for suggest in SUGGESTIONS.get(finding.guarantee, ()):
            helped.update(set(suggest(mesh, finding)))
    return sorted(helped, key=lambda change: _order(change, helped[change]))


def _order(change: Change, helped: int) -> tuple[bool, int, int, str]:
    """What an operator writes into a file of his comes before what takes a link from him."""
    return not isinstance(change, SetRules), -helped, GENTLE.index(type(change)), str(change)


def _hop_limits(mesh: Mesh, finding: Finding) -> Iterator[Change]:
    """Another limit for all links that have one, or for one of these on the way; some brokers know none."""
    limited = [link.name for link in mesh.links if link.hop_limit is not None]
    if mesh.routing.kind != FORWARD or not limited or mesh.form in HOPS_BY:
        return
    on_way = {*finding.round, *finding.way} & set(limited)
    for limit in range(1, len(mesh.brokers)):
        yield SetHopLimit(None, limit)
        for cable in _cables(mesh, on_way):
            yield SetHopLimit(cable, limit)


def _fewer_links(mesh: Mesh, finding: Finding) -> Iterator[Change]:
    """The mesh without a link on the way, or on any way to a subscriber that gets too much."""
    ways = finding.round or tuple(link.name for link in mesh.links)
    yield from (RemoveLink(cable) for cable in _cables(mesh, ways))


def _entries(mesh: Mesh, finding: Finding) -> Iterator[Change]:
    """Another next broker for one of those on the way."""
    if mesh.routing.kind != TABLES or finding.need is None:
        return
    links = {link.name: link for link in mesh.links}
    on_way = {finding.need.origin} | {links[name].target for name in (*finding.way, *finding.round)}
    for link in mesh.links:
        if (
            link.source in on_way
            and mesh.routing.tables.get(link.source, {}).get(finding.need.at) != link.target
        ):
            yield SetEntry(link.source, finding.need.at, link.target)


def _more_links(mesh: Mesh, finding: Finding) -> Iterator[Change]:
    """A link from where the message still comes to where the subscriber can still be reached from."""
    if mesh.routing.kind == TABLES or finding.need is None:
        return
    living = _living(mesh, finding.failures)
    near = reached(neighbours((link.source, link.target) for link in living), finding.need.origin)
    far = reached(neighbours((link.target, link.source) for link in living), finding.need.at)
    like = next((link.fails_as for link in mesh.links if link.source != link.target), None)
    both_ways = len([link for link in mesh.links if link.fails_as == like]) > 1
    order = [broker.name for broker in mesh.brokers]
    linked = {(link.source, link.target) for link in mesh.links}
    for a in near:
        for b in far:
            if a != b and (a, b) not in linked and not {a, b} & finding.failures.brokers:
                source, target = sorted((a, b), key=order.index) if both_ways else (a, b)
                yield AddLink(source, target, both_ways, like)


def _way_limit(mesh: Mesh, finding: Finding) -> Iterator[Change]:
    """Another limit for routed messages."""
    if mesh.routing.kind != FORWARD and mesh.routing.hop_limit is not None:
        yield from (SetWayLimit(limit) for limit in range(1, len(mesh.brokers)))


SUGGESTIONS: Mapping[str, tuple[Callable[[Mesh, Finding], Iterable[Change]], ...]] = {
    "reachability": (settings, _entries, _hop_limits, _way_limit, _more_links),
    "no-black-hole": (settings, _entries, _hop_limits, _way_limit, _more_links),
    "hop-limit": (settings, _hop_limits, _way_limit),
    "loop-free": (settings, _entries, _fewer_links, _hop_limits),
    "no-duplicates": (settings, _fewer_links, _hop_limits),
    "latency": (_more_links, _entries),
}
"""Which changes each guarantee suggests when it is broken."""


def _cables(mesh: Mesh, way: Iterable[str]) -> list[str]:
    wanted = set(way)
    return list(dict.fromkeys(link.fails_as for link in mesh.links if link.name in wanted))


def _living(mesh: Mesh, failures: Failures) -> list[Link]:
    return [
        link
        for link in mesh.links
        if link.fails_as not in failures.cables and not {link.source, link.target} & failures.brokers
    ]
