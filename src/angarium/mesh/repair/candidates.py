"""Changes that may mend what is broken, the most helpful first.

Each kind of trouble suggests its own changes: a message that goes round or arrives twice wants a link less or
a lower hop limit; one that is dropped wants another table entry, a higher hop limit, or a link more. A new
link can help only if it leads from where the message still comes to where the subscriber can still be reached
from: links that help more of the findings are tried first.

What an operator can write into his brokers' own files, instead of taking a link away.

Each is a change of the rules of links that stand in the model, so it is verified as any other is, with the
words of the file that it is written in and the place where. What a file cannot say is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations

from angarium.mesh.change import (
    AddLink,
    Change,
    RemoveLink,
    Rules,
    SetEntry,
    SetHopLimit,
    SetRules,
    SetWayLimit,
)
from angarium.mesh.mesh import FORWARD, TABLES, Failures, Link, Mesh, Pattern, Rename
from angarium.mesh.routing.graph import neighbours, reached
from angarium.mesh.verify.findings import Finding

HOPS_BY = {
    "rabbitmq": ("max-hops", "upstream", "federation"),
    "artemis": ("max-hops", "address-policy", "federation"),
    "hivemq": ("hop-count-limit", "bridge", "bridge"),
}
"""What limits the hops of messages, where that is set, and the kind of its links. The `max-hops` of Artemis's
clusters is none of these."""
MOST_PLACES = 4
_RECONNECTS = 1000.0
"""Milliseconds until NATS tries the next server of a remote (`reconnect_interval`)."""


def settings(mesh: Mesh, finding: Finding) -> Iterator[SetRules]:
    """Settings that may help, in the language of the brokers; none for a mesh file."""
    concerned = _concerned(mesh, finding)
    if mesh.form in HOPS_BY:
        yield from _hops(mesh, {*finding.round, *finding.way})
    if finding.guarantee in ("loop-free", "no-duplicates"):
        if mesh.form == "mosquitto":
            yield from _private(mesh, concerned)
            yield from _directions(concerned)
        elif mesh.form == "nats":
            yield from _one_remote(mesh)
        elif mesh.form == "mirrormaker":
            yield from _default_policy(mesh)
            yield from _fewer_topics(concerned)


def _concerned(mesh: Mesh, finding: Finding) -> list[Link]:
    """The links of a round; of what arrives twice, or not at all, any."""
    return [link for link in mesh.links if not finding.round or link.name in finding.round]


def _rules(links: Iterable[Link], **fields: object) -> tuple[Rules, ...]:
    return tuple((link.name, tuple(fields.items())) for link in links)


def _at(link: Link) -> str:
    return str(link.place) if link.place else link.name


def _some(links: Sequence[Link]) -> str:
    more = f" and {len(links) - MOST_PLACES:,} more" if len(links) > MOST_PLACES else ""
    return ", ".join(map(_at, links[:MOST_PLACES])) + more


def _grouped(links: Iterable[Link]) -> list[list[Link]]:
    """Links by the entry of a file that they come of."""
    groups: dict[str, list[Link]] = {}
    for link in links:
        groups.setdefault(_at(link), []).append(link)
    return list(groups.values())


# --- RabbitMQ and Artemis: hops -----------------------------------------------------------------------


def _hops(mesh: Mesh, way: Set[str]) -> Iterator[SetRules]:
    """Another limit in all entries, or in one on the way."""
    setting, entry, kind = HOPS_BY[mesh.form]
    limited = [link for link in mesh.links if link.kind == kind and link.hop_limit is not None]
    entries = _grouped(limited)
    own = _grouped(link for link in limited if link.name in way)
    for limit in range(1, len(mesh.brokers)):
        if len(entries) > 1:
            words = f"set {setting} = {limit} in every {entry}: {_some([links[0] for links in entries])}"
            yield SetRules(words, _rules(limited, hop_limit=limit))
        for links in own:
            yield SetRules(
                f"set {setting} = {limit} in the {entry} {_at(links[0])}", _rules(links, hop_limit=limit)
            )


# --- Mosquitto: what comes back over a bridge, and topics -----------------------------------------------


def _private(mesh: Mesh, concerned: Sequence[Link]) -> Iterator[SetRules]:
    """A bridge whose other end does not know it for one gets back what it has sent."""
    public = [link for link in concerned if link.cable and not link.connection]
    for cable in dict.fromkeys(link.cable for link in public):
        its = [link for link in mesh.links if link.cable == cable]
        rules = _rules(its, connection=cable, kind="bridge", not_after=frozenset())
        words = (
            f"write try_private true in the connection of {_at(its[0])}: if the other end is Mosquitto, too"
        )
        yield SetRules(words, rules)


def _directions(links: Sequence[Link]) -> Iterator[SetRules]:
    """A topic line that goes one way only, or is left out."""
    for its in _grouped(link for link in links if link.cable):
        ways = {way: [link for link in its if _goes(link) == way] for way in ("out", "in")}
        for gone, kept in (("in", "out"), ("out", "in")):
            if ways[gone] and ways[kept]:
                yield SetRules(
                    f"write {kept} instead of both in the topic line {_at(its[0])}", _rules(ways[gone])
                )


def _goes(link: Link) -> str:
    """`out` or `in`, as the topic line says."""
    return link.name.removeprefix(link.cable).split()[0]


# --- NATS: remotes -------------------------------------------------------------------------------------


def _one_remote(mesh: Mesh) -> Iterator[SetRules]:
    """Several remotes of a server to servers of one cluster each bring a copy; several urls of one do not."""
    routes = {frozenset((link.source, link.target)) for link in mesh.links if link.kind == "route"}
    remotes = _grouped(link for link in mesh.links if link.cable.startswith("leaf ") and not link.failover)
    for one, other in combinations(remotes, 2):
        ends, others = ({end for link in each for end in (link.source, link.target)} for each in (one, other))
        both = ends & others
        if len(both) == 1 and ends ^ others in routes:
            name = f"urls of {_at(one[0])}"
            later = _rules(other, failover=name, rank=1, takes_over=_RECONNECTS)
            words = f"write the urls of the remote {_at(other[0])} into that of {_at(one[0])}: one with both"
            yield SetRules(words, (*_rules(one, failover=name), *later))


# --- MirrorMaker: names and topics ---------------------------------------------------------------------


def _default_policy(mesh: Mesh) -> Iterator[SetRules]:
    """Names that tell where a topic comes from, so that no flow takes it back."""
    from angarium.mesh.importers.mirrormaker_flows import cycle_of

    same = [link for link in mesh.links if link.kind == "mirror" and link.rename is None]
    rules: list[Rules] = []
    for link in same:
        back = Pattern(cycle_of(link.target, ".") or "", "mirrormaker")
        fields = {"rename": Rename(add=f"{link.source}."), "refuses": (*link.refuses, back)}
        rules += _rules([link], **fields)
    if same:
        words = (
            "write DefaultReplicationPolicy instead of IdentityReplicationPolicy for the flows"
            f" {_some(same)}; copies are then called {same[0].source}.TOPIC, and consumers have to ask"
            " for that"
        )
        yield SetRules(words, tuple(rules))


def _fewer_topics(links: Sequence[Link]) -> Iterator[SetRules]:
    """A flow with one topic less."""
    for link in links:
        for pattern in link.accepts if len(link.accepts) > 1 else ():
            left = tuple(each for each in link.accepts if each != pattern)
            words = f"take {pattern.text} out of the topics of {link.name} at {_at(link)}"
            yield SetRules(words, _rules([link], accepts=left))


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
