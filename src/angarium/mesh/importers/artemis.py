"""ActiveMQ Artemis: one broker.xml for each broker.

What hands messages on, and by which rules:

    cluster-connection   to the other members, addresses that begin so. Members learn of each other, so a
                         message goes to each directly; with `allow-direct-connections-only` it goes from
                         member to member, as far as each knows queues: at most max-hops away (1 if not
                         said, none if 0)
    federation           an upstream is pulled from, a downstream is told to pull; policies say which
                         addresses, and max-hops how often a message may be federated: once if not said,
                         always if -1
    amqp-connection      federation over AMQP: a local policy pulls, a remote one makes the other pull; here
                         max-hops that is not said, or 0, is no limit, but what came over a connection is not
                         sent back over it (since ARTEMIS-4658)
    bridge               from a queue to another broker, without any rule against loops
    divert               from one address to another within a broker

Brokers are called as they say, connectors lead to the acceptors of others by host and port. Every queue gets
each message of its address; queues of the same name and an anycast address within a cluster share messages,
which is not modelled, and remarked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from angarium.mesh.importers import artemis_clusters, artemis_federation, common
from angarium.mesh.importers.artemis_broker import (
    Artemis,
    Net,
    Queue,
    as_brokers,
    pattern,
    read_broker,
    subscribers,
)
from angarium.mesh.importers.artemis_discovery import leads_nowhere, other_end
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.importers.doors import DROPS_ONLY
from angarium.mesh.mesh import Link, Mesh, Remark, Rename

NAME = "artemis"


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a broker.xml of Artemis: by its outermost element, and what that is about."""
    first = _ELEMENT.search(_NOT_ELEMENTS.sub("", text)) if text.lstrip("\ufeff \t\r\n")[:1] == "<" else None
    told = "urn:activemq" in text or re.search(r"<(?:\w+:)?core[\s>]", text)
    return first is not None and first[1] in ("configuration", "core") and bool(told)


_NOT_ELEMENTS = re.compile(r"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ELEMENT = re.compile(r"<(?:[\w.\-]+:)?([\w.\-]+)")


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the brokers whose files are given."""
    net = Net(directory=hand.directory())
    brokers = [read_broker(files, net) for files in hand.alone(paths, "broker.xml")]
    artemis_clusters.join(net)
    for broker in brokers:
        artemis_federation.join(net, broker)
        for element in broker.core.all("bridges", "bridge"):
            _bridge(net, broker, element)
        for element in broker.core.all("diverts", "divert"):
            _divert(net, broker, element)
    wanting = [each for broker in brokers for each in subscribers(broker)]
    return Mesh(
        NAME,
        as_brokers(net),
        tuple(net.links),
        subscribers=tuple(wanting),
        remarks=tuple(dict.fromkeys(net.remarks)),
    )


def _bridge(net: Net, broker: Artemis, element: Element) -> None:
    name, queue = element.attributes.get("name", "bridge"), element.said("queue-name")
    target = other_end(net, broker, element)
    if target is None:
        leads_nowhere(net, broker, element, f"bridge {name}")
        return
    if queue not in broker.queues:
        what = f"no address has the queue {queue} of bridge {name}, which does not start without it"
        remedy = "It is taken to be one of its name: declare it."
        net.remarks.append(common.not_understood(what, element.place, remedy, DROPS_ONLY))
    to = element.said("forwarding-address")
    net.remarks += _filtered(element, f"bridge {name}")
    net.links.append(
        Link(
            name=net.named(f"bridge {broker.name} {name}"),
            source=broker.name,
            target=target,
            accepts=(pattern(broker.queues.get(queue, Queue(queue, element.place)).address, element.place),),
            rename=Rename(whole=to) if to else None,
            kind="bridge",
            shares=_shared(broker, queue),
            place=element.place,
        )
    )


def _shared(broker: Artemis, queue: str) -> str:
    """Bridges from one queue compete for its messages."""
    others = [each for each in broker.core.all("bridges", "bridge") if each.said("queue-name") == queue]
    return f"queue {queue}" if len(others) > 1 else ""


def _divert(net: Net, broker: Artemis, element: Element) -> None:
    name = element.attributes.get("name", "divert")
    source, to = element.said("address"), element.said("forwarding-address")
    if not source or not to:
        net.dangles(f"divert {name} lacks an address or a forwarding-address", element.place, "give it both")
        return
    net.remarks += _filtered(element, f"divert {name}")
    if element.said("exclusive").lower() == "true":
        net.remarks.append(
            common.not_understood(
                f"divert {name} is exclusive: here {source} still gets what is diverted", element.place
            )
        )
    net.links.append(
        Link(
            name=net.named(f"divert {broker.name} {name}"),
            source=broker.name,
            target=broker.name,
            accepts=(pattern(source, element.place),),
            rename=Rename(whole=to),
            counts=False,
            kind="divert",
            place=element.place,
        )
    )


def _filtered(element: Element, whose: str) -> Iterator[Remark]:
    kinds = {"filter": "a filter", "transformer-class-name": "a transformer", "transformer": "a transformer"}
    for name, what in kinds.items():
        if element.one(name):
            yield common.not_understood(f"{whose} has {what}, which is not looked at", element.place)
