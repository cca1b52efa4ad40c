"""Federation of Artemis brokers: by upstreams and downstreams, and over AMQP connections.

The two count hops alike but mean different things by `max-hops`. A queue of the first kind takes what has not
been federated, or less often than max-hops: so 0, which is the default, is as good as 1, and only -1 is no
limit. Of the second kind, 0 and less are no limit, and 0 is the default there too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_broker import DIALECT, Artemis, Net, address, hops, pattern
from angarium.mesh.importers.artemis_discovery import leads_nowhere, other_end
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.mesh import DROPS, Link, Pattern, Remark
from angarium.mesh.topics.dialects import passing, topic_of

KIND = "federation"
HARMLESS = frozenset(("property", "user", "password"))
"""Elements of connections and of their federations that carry nothing."""
POLICIES = frozenset(
    "local-address-policy remote-address-policy local-queue-policy remote-queue-policy".split()
)


class _Ends(NamedTuple):
    """Where a link leads, and over which connection."""

    source: str
    target: str
    cable: str
    connection: str


def join(net: Net, broker: Artemis) -> None:
    """The links that a broker's file makes by federation, to it and from it."""
    for federation in broker.core.all("federations", "federation"):
        _federation(net, broker, federation)
    for kind in ("amqp-connection", "AMQPConnection"):
        for connection in broker.core.all("broker-connections", kind):
            _connection(net, broker, connection)


def _federation(net: Net, broker: Artemis, federation: Element) -> None:
    policies = {each.attributes.get("name", ""): each for each in federation.all("address-policy")}
    sets = {each.attributes.get("name", ""): each for each in federation.all("policy-set")}
    queues = {each.attributes.get("name", ""): each for each in federation.all("queue-policy")}
    for kind in ("upstream", "downstream"):
        for stream in federation.all(kind):
            name = stream.attributes.get("name", kind)
            other = other_end(net, broker, stream)
            if other is None:
                leads_nowhere(net, broker, stream, f"{kind} {name}")
                continue
            ends = (other, broker.name) if kind == "upstream" else (broker.name, other)
            cable = f"{kind} {broker.name} {name}"
            for ref in _references(stream, sets):
                _policy(net, policies, queues, ref, _Ends(*ends, cable, ""))


def _references(stream: Element, sets: Mapping[str, Element]) -> Iterator[Element]:
    """The policies of a stream, those of sets among them; a set within a set is not followed again."""
    for ref in stream.all("policy"):
        named = sets.get(ref.attributes.get("ref", ""))
        yield from named.all("policy") if named else (ref,)


def _policy(
    net: Net, policies: Mapping[str, Element], queues: Mapping[str, Element], ref: Element, ends: _Ends
) -> None:
    name = ref.attributes.get("ref", "")
    if name in policies:
        net.links.append(_link(net, policies[name], ends, _most_hops(net, policies[name])))
    elif name in queues:
        _queue_federation(net, queues[name])
    else:
        net.dangles(f"there is no policy {name}", ref.place, "add an address-policy of this name")


def _queue_federation(net: Net, policy: Element) -> None:
    net.remarks.append(
        common.not_understood(
            "federation of queues moves messages to where consumers are: not looked at", policy.place
        )
    )


def _connection(net: Net, broker: Artemis, connection: Element) -> None:
    name, uri = connection.attributes.get("name", "amqp"), connection.attributes.get("uri", "")
    other = net.at(*address(connection, uri), connection.place)
    net.knock(f"amqp-connection {name} of {broker.name}", other, connection, uri, "AMQP")
    if connection.attributes.get("auto-start", "").lower() == "false":
        what = f"amqp-connection {name} is not started with its broker, here it is"
        net.remarks.append(common.not_understood(what, connection.place, effects=frozenset((DROPS,))))
    cable = f"amqp {broker.name} {name}"
    for federation in connection.all("federation"):
        for policy in federation.all("local-address-policy"):
            ends = _Ends(other, broker.name, cable, cable)
            net.links.append(_link(net, policy, ends, _most_hops_over_amqp(policy)))
        for policy in federation.all("remote-address-policy"):
            ends = _Ends(broker.name, other, cable, cable)
            net.links.append(_link(net, policy, ends, _most_hops_over_amqp(policy)))
        for kind in ("local-queue-policy", "remote-queue-policy"):
            for policy in federation.all(kind):
                _queue_federation(net, policy)
        _not_modelled(net, federation, POLICIES, f"the federation of amqp-connection {name}")
    _not_modelled(net, connection, frozenset(("federation",)), f"amqp-connection {name}")


def _not_modelled(net: Net, parent: Element, known: Collection[str], whose: str) -> None:
    """Senders, receivers, mirrors, bridges, and whatever else versions to come put there."""
    for element in parent.children:
        if element.name not in known and element.name not in HARMLESS:
            what = f"{element.name} of {whose} is not looked at"
            net.remarks.append(common.not_understood(what, element.place))


def _most_hops(net: Net, policy: Element) -> int | None:
    said = hops(policy, 0)
    if said not in (0, 1):
        what = f"brokers read max-hops {said} from broker.xml: those that do not federate once (ARTEMIS-3262)"
        net.remarks.append(common.assumed(what, policy.place, "try it, or use federation over AMQP"))
    return None if said == -1 else max(said, 1)


def _most_hops_over_amqp(policy: Element) -> int | None:
    said = hops(policy, 0)
    return said if said > 0 else None


def _link(net: Net, policy: Element, ends: _Ends, most_hops: int | None) -> Link:
    name = policy.attributes.get("name", "policy")
    if policy.attributes.get("transformer-ref") or policy.one("transformer"):
        net.remarks.append(common.not_understood(f"the transformer of {name} is not looked at", policy.place))
    link = Link(
        name=net.named(f"{KIND} {ends.source} > {ends.target} {name}"),
        source=ends.source,
        target=ends.target,
        cable=ends.cable,
        accepts=_matches(policy, "include"),
        refuses=_matches(policy, "exclude"),
        hop_limit=most_hops,
        connection=ends.connection,
        kind=KIND,
        place=policy.place,
    )
    net.remarks += _only_diverted(net, policy, link)
    return link


def _only_diverted(net: Net, policy: Element, link: Link) -> Iterator[Remark]:
    """A divert is nobody who wants something, unless a policy says that it is."""
    said = policy.attributes.get("enable-divert-bindings", "").lower()
    if said == "true" or link.target not in net.brokers:
        return
    takes = passing(link)
    for divert in net.brokers[link.target].core.all("diverts", "divert"):
        source = divert.said("address")
        if {"*", "#"} & set(source) or takes(topic_of(source, DIALECT)):
            who = f"divert {divert.said('name')} of {link.target}"
            what = (
                f"{policy.said('name')} pulls nothing because of {who}, only what a queue of {source} wants"
            )
            remedy = 'Say enable-divert-bindings="true" if the divert is to be enough.'
            yield common.not_understood(what, policy.place, remedy, frozenset((DROPS,)))


def _matches(policy: Element, kind: str) -> tuple[Pattern, ...]:
    """Its patterns of addresses; one that matches nothing is left out."""
    found = [(each, each.attributes.get("address-match", "")) for each in policy.all(kind)]
    return tuple(pattern(text, each.place) for each, text in found if text)
