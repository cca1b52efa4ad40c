"""ActiveMQ Classic: one activemq.xml for each broker, with the network connectors that it has.

A connector hands on what subscribers behind it want; a duplex one does so both ways over one connection, by
the same lists. What it lists decides as in `isPermissableDestination` (DemandForwardingBridgeSupport.java):
nothing that is excluded; what is included statically or dynamically; all, if nothing is included dynamically.

A message carries the path of the brokers that it has left. It does not go to one of them, and makes fewer
than messageTTL hops, if that is not -1 (NetworkBridgeFilter.java). What a subscriber wants is heard of
consumerTTL hops away. Where there are two ways to a subscriber, suppressDuplicateTopicSubscriptions closes
one of them, and which is not said: this is remarked, as is a consumerTTL that is too small for the messages.

All this is about topics. Consumers of a queue compete in the whole network, which is not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.activemq_broker import (
    DIALECT,
    LISTS,
    Classic,
    listed,
    read_broker,
    unknown_there,
    unlike_topics,
)
from angarium.mesh.importers.activemq_uri import Address, Leads, Way, leads
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.importers.doors import Knock, knocked, may_refuse
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, Broker, Link, Mesh, Pattern, Remark

NAME = "activemq"
KIND = "network"
LONGEST_PAUSE = 30_000
"""Milliseconds until a connection is tried again, at most (SimpleDiscoveryAgent.java, maxReconnectDelay)."""
WORDS = frozenset(
    """name uri duplex networkTTL messageTTL consumerTTL dynamicOnly conduitSubscriptions brokerName
    decreaseNetworkConsumerPriority suppressDuplicateTopicSubscriptions suppressDuplicateQueueSubscriptions
    conduitNetworkQueueSubscriptions bridgeTempDestinations dispatchAsync prefetchSize advisoryPrefetchSize
    advisoryAckPercentage consumerPriorityBase alwaysSyncSend useCompression userName password remoteUserName
    remotePassword clientIdToken gcDestinationViews gcSweepTime useBrokerNamesAsIdSeed syncDurableSubs id
    advisoryForFailedForward checkDuplicateMessagesOnDuplex objectName xmlns""".split()
)
_NOT_ELEMENTS = re.compile(r"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ELEMENT = re.compile(r"<(?:[\w.\-]+:)?([\w.\-]+)")
_BROKER = re.compile(r"<(?:[\w.\-]+:)?broker[\s>]")


def recognises(path: Path, text: str) -> bool:
    """Whether a text is an activemq.xml: a broker of its schema, alone or among beans."""
    bare = _NOT_ELEMENTS.sub("", text) if text.lstrip("\ufeff \t\r\n")[:1] == "<" else ""
    first = _ELEMENT.search(bare)
    told = "activemq.apache.org/schema/core" in bare or re.search(r"brokerName\s*=|<networkConnector", bare)
    return bool(first and first[1] in ("beans", "broker", "blueprint") and _BROKER.search(bare) and told)


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the brokers whose files are given."""
    brokers = [read_broker(files) for files in hand.alone(paths, "activemq.xml")]
    common.unique((each.name, each.path) for each in brokers)
    net = _Net(brokers, hand.directory())
    for broker in brokers:
        for connector in _connectors(net, broker):
            _connect(net, connector)
    net.remarks += [*_unheard(net), *_two_ways(net), *_taken_for_granted(net)]
    given = [Broker(each.name, DIALECT, place=each.element.place) for each in brokers]
    outside = [Broker(name, DIALECT, place=place) for name, place in net.outside.items()]
    told = (*(remark for each in brokers for remark in each.remarks), *net.remarks)
    return Mesh(NAME, (*given, *outside), tuple(net.links), remarks=tuple(dict.fromkeys(told)))


@dataclass(frozen=True, slots=True, eq=False)
class _Connector:
    """A network connector, and how far messages and what subscribers want go over it; None: any way."""

    broker: Classic
    element: Element
    name: str
    message_ttl: int | None
    consumer_ttl: int | None

    @property
    def whose(self) -> str:
        return f"networkConnector {self.name} of {self.broker.name}"

    def flag(self, word: str, default: bool = False) -> bool:
        return (self.element.said(word) or str(default)).lower() == "true"


@dataclass(slots=True)
class _Net:
    """What is gathered while files are joined."""

    brokers: Sequence[Classic]
    directory: common.Directory
    links: list[Link] = field(default_factory=list)
    made_by: list[_Connector] = field(default_factory=list)
    """The connector of each link."""
    outside: dict[str, Place] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)

    def __post_init__(self) -> None:
        for each in self.brokers:
            hosts = [door.host for door in each.doors if not common.HERE.fullmatch(door.host)]
            names = [common.name_of(each.path), *hosts]
            self.directory.add(each.name, names, [door.port for door in each.doors])

    def named(self, name: str) -> str:
        """The name, told apart from links of the same name."""
        self.names[name] = self.names.get(name, 0) + 1
        return f"{name} #{self.names[name]}" if self.names[name] > 1 else name

    def at(self, connector: _Connector, address: Address) -> str:
        host, port, secure = address
        meant, place = self.directory.meant(host, port), connector.element.place
        if meant:
            if meant.part:
                self.remarks.append(common.taken_for(host, meant.broker, place))
            doors, knock = (
                {each.name: each.doors for each in self.brokers},
                Knock(connector.whose, host, port, secure),
            )
            self.remarks += knocked(doors, meant.broker, knock, place, self.directory)
            there = next(each.element for each in self.brokers if each.name == meant.broker)
            if why := unknown_there(there, connector.element.said("userName")):
                self.remarks.append(may_refuse(meant.broker, connector.whose, why, place))
            return meant.broker
        name = self.directory.outside(host, port)
        if self.outside.setdefault(name, place) is place:
            self.remarks.append(self.directory.unknown(name, place, f"{host}:{port}"))
        return name


def _connectors(net: _Net, broker: Classic) -> Iterator[_Connector]:
    seen: set[str] = set()
    for element in (each for group in broker.element.all("networkConnectors") for each in group.children):
        name = element.said("name") or "NC"
        if element.name != "networkConnector":
            net.remarks.append(common.not_understood(f"{element.name} of {broker.name}", element.place))
            continue
        if name in seen:
            what = f"{broker.name} has several networkConnectors of the name {name}: they may refuse to start"
            remedy = "Give each a name of its own."
            net.remarks.append(common.not_understood(what, element.place, remedy, frozenset((DROPS,))))
        seen.add(name)
        both = _number(element, "networkTTL", 1)
        message, consumer = _number(element, "messageTTL", both), _number(element, "consumerTTL", both)
        connector = _Connector(broker, element, name, _limit(message), _limit(consumer))
        net.remarks += _strange(connector, both)
        yield connector


def _number(element: Element, word: str, default: int) -> int:
    text = element.said(word)
    if text and not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise MeshError(
            "ANG121",
            f"{text!r} is no {word}",
            possible="a number of hops; -1: any",
            remedy=f"correct {word}",
            place=element.place,
        )
    return int(text or default)


def _limit(ttl: int) -> int | None:
    return None if ttl < 0 else ttl


def _connect(net: _Net, connector: _Connector) -> None:
    """The links of a connector: one way, or both, to each broker that it leads to."""
    found = leads(connector.element.said("uri"))
    place, own = connector.element.place, connector.broker.name
    if not found.ways and not found.group:
        what = f"{connector.whose} leads to {connector.element.said('uri') or 'nowhere'}"
        net.remarks.append(common.not_understood(what, place))
        return
    for way in found.ways or _members(net, connector, found):
        names = [net.at(connector, each) for each in way.addresses]
        targets = list(dict.fromkeys(names))
        if own in targets:
            net.remarks.append(common.note(f"{connector.whose} leads to {own} itself", place))
        _link_up(net, connector, [each for each in targets if each != own])
        if len(targets) > 1 and not way.in_order:
            remedy = "Say masterslave:(…), or ?randomize=false&maxReconnectAttempts=0 behind failover:(…)."
            what = f"{connector.whose} may be connected to any of {', '.join(targets)}"
            net.remarks.append(common.not_understood(what, place, remedy))


def _members(net: _Net, connector: _Connector, found: Leads) -> Iterator[Way]:
    """The given brokers that announce themselves in the group."""
    others = [each for each in net.brokers if found.group in each.groups and each is not connector.broker]
    what = f"multicast group {found.group} of {connector.whose} may have brokers whose files were not given"
    if others:
        what = f"nobody but those whose files were given is in the multicast group {found.group}"
        net.remarks.append(common.assumed(what, connector.element.place))
    else:
        net.remarks.append(common.unread(what, connector.element.place, "give the files of all brokers"))
    for each in others:
        _link_up(net, connector, [each.name])
    yield from ()


def _link_up(net: _Net, connector: _Connector, targets: Sequence[str]) -> None:
    accepts, refuses = _lists(connector)
    if accepts is None or connector.message_ttl == 0:
        return
    own = connector.broker.name
    group = f"{own} {connector.name}" if len(targets) > 1 else ""
    for rank, target in enumerate(targets):
        cable = net.named(f"{own} {connector.name} to {target}")
        both = ((own, target), (target, own)) if connector.flag("duplex") else ((own, target),)
        for source, end in both:
            net.made_by.append(connector)
            net.links.append(
                Link(
                    name=net.named(f"{KIND} {source} > {end} {connector.name}"),
                    source=source,
                    target=end,
                    cable=cable,
                    accepts=accepts,
                    refuses=refuses,
                    hop_limit=connector.message_ttl,
                    avoids_visited=True,
                    kind=KIND,
                    buffering="lost",
                    failover=group,
                    rank=rank,
                    takes_over=float(rank * LONGEST_PAUSE),
                    place=connector.element.place,
                )
            )


def _lists(connector: _Connector) -> tuple[tuple[Pattern, ...] | None, tuple[Pattern, ...]]:
    """The topics that cross, or None if only others do; and those that do not."""
    dynamic, static, excluded = (listed(connector.element, kind) for kind in LISTS)
    if dynamic.is_empty:
        return (), excluded.topics
    return (*dynamic.topics, *static.topics) or None, excluded.topics


def _strange(connector: _Connector, both: int) -> Iterator[Remark]:
    """What a connector says that is not modelled."""
    element, whose = connector.element, connector.whose
    yield from unlike_topics(element, whose)
    for word in [*element.attributes, *(each.name for each in element.children)]:
        if word not in WORDS and word not in LISTS:
            yield common.not_understood(f"{word} of {whose}", element.place)
    if not connector.flag("conduitSubscriptions", True):
        what = (
            f"{whose} has no conduitSubscriptions: each subscriber of a topic may get what is for the others"
        )
        yield common.not_understood(what, element.place, effects=frozenset((COPIES,)))
    if connector.flag("duplex") and not listed(element, LISTS[2]).is_empty:
        what = f"{whose} excludes destinations on this side; whether it does so on the way back is not known"
        yield common.not_understood(what, element.place, effects=frozenset((CARRIES, COPIES, DROPS)))
    said = [word for word in ("messageTTL", "consumerTTL") if element.said(word)]
    if element.said("networkTTL") and any(_number(element, word, both) != both for word in said):
        what = f"{whose} has a networkTTL and another {' and '.join(said)}: their order decides"
        yield common.not_understood(what, element.place, "Leave out networkTTL.", frozenset((CARRIES, DROPS)))
    if connector.message_ttl == 0:
        yield common.note(f"{whose} hands on nothing: messages may make no hop", element.place)


def _unheard(net: _Net) -> Iterator[Remark]:
    """Connectors that do not hear of subscribers as far away as messages go."""
    farthest = [each.message_ttl for each in net.made_by]
    longest = None if None in farthest else max((ttl for ttl in farthest if ttl is not None), default=0)
    for link, connector in zip(net.links, net.made_by, strict=True):
        goes_on = any(each.source == link.target and each.target != link.source for each in net.links)
        heard = connector.consumer_ttl
        if goes_on and heard is not None and longest != 1 and (longest is None or heard < longest):
            what = (
                f"{connector.whose} hears of subscribers {heard} hops away (consumerTTL), and messages go "
                "farther: whether they do depends on the subscribers in between"
            )
            yield common.not_understood(what, connector.element.place, effects=frozenset((DROPS,)))


def _two_ways(net: _Net) -> Iterator[Remark]:
    """One remark if there are two ways from one broker to another: one of them may be closed."""
    onward: dict[str, list[Link]] = {}
    for link in net.links:
        if not link.rank:
            onward.setdefault(link.source, []).append(link)
    for start in onward:
        reached = {start}
        ahead: list[tuple[str, ...]] = [(start,)]
        while ahead:
            way = ahead.pop()
            for link in onward.get(way[-1], ()):
                far = link.hop_limit is None or len(way) <= link.hop_limit
                if far and link.target not in way and link.target in reached:
                    yield _closed(start, link)
                    return
                if far and link.target not in way:
                    reached.add(link.target)
                    ahead.append((*way, link.target))


def _closed(start: str, link: Link) -> Remark:
    what = (
        f"there are two ways from {start} to {link.target}: suppressDuplicateTopicSubscriptions may close one"
    )
    remedy = "With networkTTL 1, and one connector between any two brokers, there is one way."
    return common.not_understood(
        f"{what}, here both are open", link.place, remedy, frozenset((COPIES, DROPS))
    )


def _taken_for_granted(net: _Net) -> Iterator[Remark]:
    for connector in dict.fromkeys(net.made_by):
        place = connector.element.place
        what = "messages are for topics, none below VirtualTopic; subscribers are connected, and not durable"
        yield common.assumed(what, place, "Queues are not looked at: their consumers compete.")
        if not listed(connector.element, LISTS[0]).is_empty:
            what = "subscribers' wildcards are within what connectors include: others are not heard of"
            yield common.assumed(what, place)
        if connector.element.said("userName"):
            yield common.assumed("brokers know the users and the passwords of networkConnectors", place)
