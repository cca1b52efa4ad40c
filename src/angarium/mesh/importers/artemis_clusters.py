"""The cluster connections of Artemis brokers.

A member that reaches one other learns of all, and makes a connection to each of its own. A queue is known
over one way only, so each member gets a message once, however large max-hops is; with 0, none is known at
all.

Only with `allow-direct-connections-only` do members know nobody but those whom they list. Then `max-hops` is
how far away the queues are that a member knows of, and no budget of a message: what is told of a queue is
that it is so many hops away, and a member listens to what is told of those less than its max-hops away
(ClusterConnectionBridge.java, the filter of setupNotificationConsumer). So a message goes over k links if the
members on its way know of queues k, k - 1, ... 1 hops ahead: in a chain they may have max-hops 2, 1 and 0. In
a mesh a link carries what has made fewer than so many hops, which comes to the same where all chains are
as in such a mesh; where they are not, or where there are two ways to a member, that is remarked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_broker import Artemis, Net, hops, pattern
from angarium.mesh.importers.artemis_discovery import discovered, leads_nowhere
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, REROUTES, Link, Pattern, Remark

KIND = "cluster"
FORWARDING = ("", "ON_DEMAND", "STRICT")
MOST_WAYS = 100_000
FARTHEST = 100
"""Links in a row that are looked at, and ways between members: beyond, chains are not understood."""


@dataclass(frozen=True, slots=True)
class Member:
    """A broker with one cluster connection."""

    broker: Artemis
    element: Element
    known: tuple[str, ...]
    """The brokers that it lists, or finds by discovery."""
    direct_only: bool

    @property
    def name(self) -> str:
        return self.element.attributes.get("name", KIND)


def join(net: Net) -> None:
    """The links of all cluster connections."""
    members = [
        _member(net, broker, element)
        for broker in net.brokers.values()
        for element in broker.core.all("cluster-connections", "cluster-connection")
    ]
    listed = {name for member in members for name in member.known}
    for member in members:
        if not member.known and member.broker.name not in listed:
            whose = f"the cluster-connection of {member.broker.name}"
            leads_nowhere(net, member.broker, member.element, whose)
    sending = [member for member in members if _forwards(net, member)]
    chains = Chains([each for each in sending if each.direct_only])
    net.remarks += chains.remarks()
    for member in sending:
        for target in _targets(member, members):
            net.links.append(_link(net, member, target, chains.longest))
    net.remarks += [*_shared(members), *_mixed(sending), *_strangers(members)]


def _member(net: Net, broker: Artemis, element: Element) -> Member:
    static = element.one("static-connectors")
    refs = list(static.all("connector-ref")) if static else []
    listed = [net.by_connector(broker, ref) for ref in refs]
    known = [name for name in listed if name and name != broker.name]
    known += discovered(net, broker, element)
    only = bool(static and static.attributes.get("allow-direct-connections-only", "").lower() == "true")
    return Member(broker, element, tuple(dict.fromkeys(known)), only)


def _strangers(members: Sequence[Member]) -> Iterator[Remark]:
    """Members that log in otherwise than the first: security refuses them (ClusterController.java)."""
    for first, other in ((members[0], each) for each in members[1:]):
        secure = any(each.broker.core.said("security-enabled").lower() != "false" for each in (first, other))
        for word in ("cluster-user", "cluster-password") if secure else ():
            said = [each.broker.core.said(word) for each in (first, other)]
            masked = any(text.startswith(("ENC(", "*", "<", "$")) for text in said)
            if said[0] != said[1] and not (word == "cluster-password" and (masked or not all(said))):
                what = f"{first.broker.name} and {other.broker.name} do not say the same {word}"
                remedy = "They may refuse each other: say the same in all members."
                yield common.not_understood(what, other.element.place, remedy, frozenset((DROPS,)))


def _targets(member: Member, members: Sequence[Member]) -> list[str]:
    """Whom a member sends to: those it lists, and unless told otherwise all who hang together with it."""
    if member.direct_only:
        return list(member.known)
    neighbours: dict[str, set[str]] = {}
    for each in members:
        for other in each.known:
            neighbours.setdefault(each.broker.name, set()).add(other)
            neighbours.setdefault(other, set()).add(each.broker.name)
    reached, ahead = {member.broker.name}, [member.broker.name]
    while ahead:
        new = neighbours.get(ahead.pop(), set()) - reached
        reached |= new
        ahead += sorted(new)
    return sorted(reached - {member.broker.name})


def _forwards(net: Net, member: Member) -> bool:
    """Whether messages cross at all; how they are shared among equal queues is remarked."""
    balancing = member.element.said("message-load-balancing").upper()
    far = hops(member.element, 1)
    if balancing not in FORWARDING or far < 1:
        why = f"max-hops is {far}" if far < 1 else f"load balancing is {balancing}"
        net.remarks.append(
            common.note(f"{member.broker.name} hands on nothing in its cluster: {why}", member.element.place)
        )
        return False
    return True


def _mixed(sending: Sequence[Member]) -> Iterator[Remark]:
    """Members that know of all others, beside some that know only those whom they list."""
    strict = [each for each in sending if each.direct_only]
    for member in sending if strict and len(strict) < len(sending) else ():
        if not member.direct_only:
            what = (
                f"{member.broker.name} has no allow-direct-connections-only, and {strict[0].broker.name} has"
            )
            what = f"{what}: over which way messages come, and how often, is not known"
            yield common.not_understood(what, member.element.place, "Say the same in all members.")


def _shared(members: Sequence[Member]) -> Iterator[Remark]:
    """Anycast queues of one name at several members: which of them gets a message is not modelled."""
    places: dict[str, dict[str, Place]] = {}
    for member in members:
        for name, queue in member.broker.queues.items():
            if queue.is_shared and name not in ("DLQ", "ExpiryQueue"):
                places.setdefault(name, {})[member.broker.name] = queue.place
    for name, found in places.items():
        if len(found) > 1:
            yield common.not_understood(
                f"{' and '.join(found)} have the anycast queue {name}: each message goes to one of them, "
                "here each gets all",
                next(iter(found.values())),
                effects=frozenset((DROPS, REROUTES)),
            )


class Chains:
    """Members that know only those whom they list, and how far each of them sends."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = {each.broker.name: each for each in members}
        self._farthest = min(FARTHEST, max((hops(each.element, 1) for each in members), default=1))
        ways = (way for name in self._members for way in self._from((name,)))
        self._ways = list(islice(ways, MOST_WAYS))
        self._known = [way for way in self._ways if self._is_known(way)]
        self.longest = max((len(way) - 1 for way in self._known), default=1)

    def remarks(self) -> Iterator[Remark]:
        """Where links with one limit would not carry what these members do."""
        ends = Counter((way[0], way[-1]) for way in self._ways if len(way) - 1 <= self.longest)
        several = next((pair for pair, count in ends.items() if count > 1), None)
        if several:
            yield self._unlike(
                several[0],
                f"there are several ways from {several[0]} to {several[1]}: the one over which a queue was "
                "heard of first is taken, here all are",
                frozenset((COPIES, DROPS)),
            )
        if len(self._ways) == MOST_WAYS:
            yield self._unlike(self._ways[0][0], "there are too many ways through this cluster", EFFECTS)
        known = set(self._known)
        for way in self._ways:
            if len(way) - 1 <= self.longest and way not in known:
                yield self._unlike(
                    way[0],
                    f"{' > '.join(way)} is farther than max-hops lets some of them know, here it is not",
                    frozenset((DROPS,)),
                )

    def _from(self, way: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """All ways that go on from one, and never twice to the same."""
        member = self._members.get(way[-1])
        for name in member.known if member and len(way) <= self._farthest else ():
            if name not in way:
                yield (*way, name)
                yield from self._from((*way, name))

    def _is_known(self, way: tuple[str, ...]) -> bool:
        """Whether each on the way knows of queues as far away as its end is."""
        return all(
            hops(self._members[name].element, 1) >= ahead
            for name, ahead in zip(way[:-1], range(len(way) - 1, 0, -1), strict=True)
        )

    def _unlike(self, name: str, what: str, effects: frozenset[str]) -> Remark:
        return common.not_understood(what, self._members[name].element.place, effects=effects)


def _link(net: Net, member: Member, target: str, longest: int) -> Link:
    element, source = member.element, member.broker.name
    accepts, refuses = _addresses(element)
    for each in (*accepts, *refuses):
        _note_prefix(net, each)
    return Link(
        name=net.named(f"{KIND} {source} > {target}"),
        source=source,
        target=target,
        cable=f"{KIND} " + " - ".join(sorted((source, target))),
        accepts=accepts,
        refuses=refuses,
        hop_limit=longest if member.direct_only else None,
        avoids_visited=member.direct_only,
        kind=KIND,
        not_after=frozenset(() if member.direct_only else (KIND,)),
        place=element.place,
    )


def _addresses(element: Element) -> tuple[tuple[Pattern, ...], tuple[Pattern, ...]]:
    """`a,!a.b`: addresses that begin with one and not with the other."""
    words = [word.strip() for word in element.said("address").split(",") if word.strip()]
    place = element.place
    accepts = tuple(pattern(_below(word), place) for word in words if not word.startswith("!"))
    refuses = tuple(pattern(_below(word[1:]), place) for word in words if word.startswith("!"))
    return accepts, refuses


def _below(prefix: str) -> str:
    bare = prefix.removesuffix("#").rstrip(".")
    return f"{bare}.#" if bare else "#"


def _note_prefix(net: Net, each: Pattern) -> None:
    """An address in a cluster connection is the beginning of others, also within a word."""
    bare = each.text.removesuffix(".#")
    if bare == "#" or not each.place:
        return
    others = sorted(name for name in net.addresses() if name.startswith(bare) and not _is_below(name, bare))
    if others:
        what = f"{bare} is the beginning of {', '.join(others)}, too: here only of those below it"
        net.remarks.append(common.not_understood(what, each.place, effects=frozenset((CARRIES, DROPS))))
    else:
        what = f"no address is called such as {bare}x, of which {bare} is the beginning, too"
        net.remarks.append(common.assumed(what, each.place))


def _is_below(name: str, bare: str) -> bool:
    return name == bare or name.startswith(f"{bare}.")
