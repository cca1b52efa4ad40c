"""The cluster connections of Artemis brokers.

A member that reaches one other learns of all, and makes a connection to each of its own. A queue is known
over one way only, so each member gets a message once, however large max-hops is; with 0, none is known at
all. Only with `allow-direct-connections-only` do members know nobody but those whom they list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_broker import Artemis, Net, hops, pattern
from angarium.mesh.importers.artemis_discovery import discovered, leads_nowhere
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.mesh import CARRIES, Link, Pattern

KIND = "cluster"
FORWARDING = ("", "ON_DEMAND", "STRICT")


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
    for member in members:
        if _forwards(net, member):
            for target in _targets(member, members):
                net.links.append(_link(net, member, target))


def _member(net: Net, broker: Artemis, element: Element) -> Member:
    static = element.one("static-connectors")
    refs = list(static.all("connector-ref")) if static else []
    listed = [net.by_connector(broker, ref) for ref in refs]
    known = [name for name in listed if name and name != broker.name]
    known += discovered(net, broker, element)
    only = bool(static and static.attributes.get("allow-direct-connections-only", "").lower() == "true")
    if not known:
        leads_nowhere(net, broker, element, f"the cluster-connection of {broker.name}")
    return Member(broker, element, tuple(dict.fromkeys(known)), only)


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
    net.remarks.append(
        common.note(
            f"queues of one name in the cluster of {member.broker.name} share messages of anycast addresses; "
            "here each gets all",
            member.element.place,
        )
    )
    return True


def _link(net: Net, member: Member, target: str) -> Link:
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
        hop_limit=hops(element, 1) if member.direct_only else None,
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
    bare = each.text.removesuffix(".#")
    if bare != "#" and each.place:
        net.remarks.append(
            common.not_understood(
                f"{bare} is the beginning of addresses; of these, {bare} and those below it are looked at, "
                f"and not such as {bare}x",
                each.place,
                effects=frozenset((CARRIES,)),
            )
        )
