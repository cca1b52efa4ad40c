"""Qpid Dispatch Router and skupper-router: link-state routing with costs, one file for each router.

A connector of the role `inter-router` and the listener that it leads to make one connection, used both ways.
It costs what the more expensive of its two ends says, 1 if neither says anything. Interior routers send over
the cheapest way. An edge router hangs on one interior router, whichever its active connector leads to, and
nothing goes through it. Its connectors are one failover, in their order.

How many get a message is up to the distribution of its address: each subscriber with `multicast`, one of them
with `closest` and `balanced`, which is what addresses have that no file lists. A mesh knows only the first:
for the others it answers who could get the message, and where two could, that is remarked.

Addresses have parts with `/` or `.` between; here all are written with `.`. Services of Skupper
(`tcpListener`, `tcpConnector` and their like for HTTP) are publishers and subscribers of their addresses, and
so are links to containers (`autoLink`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.importers import common
from angarium.mesh.importers.dispatch_known import comes_in, strange
from angarium.mesh.importers.dispatch_syntax import Entity, outline, read_entities
from angarium.mesh.mesh import (
    DROPS,
    SHORTEST,
    Broker,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Remark,
    Routing,
    Subscriber,
)
from angarium.mesh.topics.dialects import matcher, topic_of

NAME = "dispatch"
DIALECT = "amqp"
INTERIOR, EDGE, STANDALONE = "interior", "edge", "standalone"
INTER_ROUTER = "inter-router"
ANY_HOST = frozenset(("", "0.0.0.0", "::", "[::]"))
PORTS = {"amqp": 5672, "amqps": 5671, "": 5672}

SENDING = frozenset(("tcpListener", "httpListener", "http2Listener"))
RECEIVING = frozenset(("tcpConnector", "httpConnector", "http2Connector"))
UNCHANGED = frozenset(
    """router container listener connector address log sslProfile policy vhost vhostUserGroupSettings console
    site management authServicePlugin listenerAddress autoLink""".split()
)
"""Kinds that are read, or that do not decide where messages go."""

_TELLING = re.compile(
    r"^\s*(?:router|listener|connector)\s*\{|\[\s*\"(?:router|(?:tcp)?(?:[lL]istener|[cC]onnector))\"\s*,\s*\{",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Router:
    """One router, as its file says."""

    name: str
    path: Path
    mode: str
    entity: Entity
    entities: tuple[Entity, ...]

    def of(self, kind: str, role: str) -> list[Entity]:
        return [each for each in self.entities if each.kind == kind and (each["role"] or "normal") == role]


@dataclass(slots=True)
class _Net:
    """What is gathered while files are joined."""

    directories: dict[str, common.Directory]
    """By the role of the listeners in them."""
    anywhere: common.Directory
    routers: dict[str, Router] = field(default_factory=dict)
    outside: dict[str, Entity] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    joined: set[frozenset[str]] = field(default_factory=set)
    remarks: list[Remark] = field(default_factory=list)


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a router's: it has blocks or a list of entities, and one that every router has."""
    if not _TELLING.search(text):
        return False
    entities = outline(path, text)
    if entities is None:
        return path.suffix in (".conf", ".json")
    return sum(each.kind not in UNCHANGED | SENDING | RECEIVING for each in entities) * 2 < len(entities)


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the routers whose files are given."""
    net = _Net({INTER_ROUTER: hand.directory(), EDGE: hand.directory()}, hand.directory())
    for files in hand.grouped(paths):
        _add(net, _router(files))
    for router in net.routers.values():
        _connect(net, router)
        net.remarks += _strange(router)
    net.remarks += _hellos(net)
    subscribers = tuple(_subscribers(net))
    net.remarks += _sharing(net, subscribers)
    brokers = [Broker(each.name, DIALECT, place=each.entity.place) for each in net.routers.values()]
    brokers += [Broker(name, DIALECT, place=entity.place) for name, entity in net.outside.items()]
    return Mesh(
        NAME,
        tuple(brokers),
        tuple(net.links),
        tuple(_publishers(net)),
        subscribers,
        Routing(SHORTEST),
        tuple(dict.fromkeys(net.remarks)),
    )


def _router(files: common.Files) -> Router:
    path, entities = files.paths[0], [each for path in files.paths for each in read_entities(path)]
    own = next((each for each in entities if each.kind == "router"), None)
    if own is None:
        raise MeshError(
            "ANG121",
            f"{path} has no router",
            possible="router { mode: interior, id: A }, one attribute in each line",
            remedy="give the file of a router",
        )
    mode = own["mode"] or STANDALONE
    if mode not in (INTERIOR, EDGE, STANDALONE):
        raise MeshError(
            "ANG121",
            f"{mode!r} is no mode of a router",
            possible=f"{INTERIOR}, {EDGE} or {STANDALONE}",
            remedy="choose one of them",
            place=own.place,
        )
    return Router(files.called(own["id"]), path, mode, own, tuple(entities))


def _add(net: _Net, router: Router) -> None:
    if router.name in net.routers:
        common.unique([(router.name, net.routers[router.name].path), (router.name, router.path)])
    net.routers[router.name] = router
    listeners = {role: router.of("listener", role) for role in net.directories}
    hosts = [each["host"] for each in router.entities if each.kind == "listener"]
    names = [common.name_of(router.path), *(host for host in hosts if host not in ANY_HOST)]
    net.anywhere.add(router.name, names)
    for role, found in listeners.items():
        if found:
            net.directories[role].add(router.name, names, [_port(each) for each in found])


def _port(entity: Entity) -> int:
    text = entity["port"] or entity["addr"]
    if text in PORTS:
        return PORTS[text]
    return _number(entity, "port", text, 65_535)


def _cost(entity: Entity | None) -> int:
    return _number(entity, "cost", entity["cost"], 2**31 - 1) if entity and entity["cost"] else 1


def _number(entity: Entity, name: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most):
        raise MeshError(
            "ANG121",
            f"{text!r} is no {name}",
            possible=f"a number from 1 to {most}",
            remedy=f"correct the {name} of this {entity.kind}",
            place=entity.place,
        )
    return int(text)


def _connect(net: _Net, router: Router) -> None:
    """The connections that a router makes to others."""
    routers, edges = router.of("connector", INTER_ROUTER), router.of("connector", EDGE)
    for connector in routers if router.mode != INTERIOR else ():
        net.remarks.append(
            common.dangling(
                f"{router.name} is of the mode {router.mode}, which makes no connections of this role",
                connector.place,
                "set the mode interior, or remove the connector",
            )
        )
    for connector in routers if router.mode == INTERIOR else ():
        _join(net, router, connector, INTER_ROUTER)
    failover = f"edge {router.name}" if len(edges) > 1 else ""
    for rank, connector in enumerate(edges):
        _join(net, router, connector, EDGE, failover, rank)


def _join(net: _Net, router: Router, connector: Entity, role: str, failover: str = "", rank: int = 0) -> None:
    host, port = connector["host"] or "127.0.0.1", _port(connector)
    other = net.directories[role].find(host, port)
    if other == router.name:
        other = None
    if other is None:
        known = net.anywhere.find(host, port)
        if known and known != router.name:
            net.remarks.append(
                common.dangling(
                    f"{host}:{port} is router {known}, which has no listener of the role {role}",
                    connector.place,
                    "add one there, or correct the address",
                )
            )
            return
        other = _outside(net, router, host, port, connector)
    there = net.routers.get(other)
    if there:
        listeners = [(_port(each), each) for each in there.of("listener", role)]
        who = f"a connector of {router.name}"
        profiles = [each for each in router.entities if each.kind == "sslProfile"]
        net.remarks += comes_in(who, other, listeners, (port, connector), profiles, net.directories[role])
    listener = _listener(there, role, port)
    cost = max(_cost(connector), _cost(listener)) if role == INTER_ROUTER else 1
    _both_ways(net, router.name, other, cost, connector, failover, rank)


def _outside(net: _Net, router: Router, host: str, port: int, connector: Entity) -> str:
    name = net.anywhere.outside(host, port)
    if name not in net.outside:
        net.outside[name] = connector
        net.remarks.append(net.anywhere.unknown(name, connector.place, f"{host}:{port}", router.name))
    return name


def _listener(router: Router | None, role: str, port: int) -> Entity | None:
    listeners = router.of("listener", role) if router else []
    return next((each for each in listeners if _port(each) == port), listeners[0] if listeners else None)


def _both_ways(
    net: _Net, one: str, other: str, cost: int, connector: Entity, failover: str, rank: int
) -> None:
    cable = f"{one} - {other}"
    if frozenset((one, other)) in net.joined:
        net.remarks.append(
            common.note(
                f"{one} and {other} are connected twice: the first connection counts", connector.place
            )
        )
        return
    net.joined.add(frozenset((one, other)))
    for near, far in ((one, other), (other, one)):
        link = Link(f"{near} > {far}", near, far, cable, cost, kind=NAME, buffering="lost")
        net.links.append(replace(link, failover=failover, rank=rank, place=connector.place))


def _strange(router: Router) -> Iterator[Remark]:
    """What decides who gets a message in a way that a mesh does not know."""
    for entity in router.entities:
        distribution = entity["distribution"]
        address = entity["prefix"] or entity["pattern"]
        if entity.kind == "address" and distribution not in ("multicast", "unavailable"):
            yield common.note(
                f"{address} is {distribution or 'balanced'}: one subscriber gets each message, here all who "
                "could are told",
                entity.place,
            )
        elif entity.kind == "address" and distribution == "unavailable":
            what = f"{address} is unavailable, which is not looked at"
            yield common.not_understood(what, entity.place, effects=frozenset((DROPS,)))
        elif entity.kind not in UNCHANGED | SENDING | RECEIVING:
            yield common.not_understood(f"{entity.kind} is not looked at", entity.place)
    if router.entity["defaultDistribution"] == "unavailable":
        what = f"at {router.name}, addresses that no address lists are unavailable, which is not looked at"
        yield common.not_understood(what, router.entity.place, effects=frozenset((DROPS,)))
    yield from strange(router.name, router.entities)


def _sharing(net: _Net, subscribers: Sequence[Subscriber]) -> Iterator[Remark]:
    """Several subscribers of an address that gives each message to one of them only."""
    found: dict[str, list[Subscriber]] = {}
    for each in subscribers:
        found.setdefault(each.topics[0].text, []).append(each)
    for topic, those in found.items():
        if len(those) > 1 and not _is_multicast(net, topic):
            names = f"{those[0].name} and {those[1].name}" + (" and others" if len(those) > 2 else "")
            yield common.not_understood(
                f"{names} share {topic}: each message goes to one of them, here each gets all",
                those[0].place,
                f"if all are to get it, give the address {topic} the distribution multicast",
                frozenset((DROPS,)),
            )


def _is_multicast(net: _Net, topic: str) -> bool:
    """Whether some router says so of the address, by the longest beginning of it or by a pattern."""
    listed = [
        (each["prefix"] or each["pattern"], each["distribution"])
        for router in net.routers.values()
        for each in router.entities
        if each.kind == "address"
    ]
    fitting = [(len(said), how) for said, how in listed if _fits(said.replace("/", "."), topic)]
    usual = {router.entity["defaultDistribution"] for router in net.routers.values()}
    return max(fitting)[1] == "multicast" if fitting else usual == {"multicast"}


def _fits(said: str, topic: str) -> bool:
    wanted = Pattern(said if re.search(r"[*#]", said) else f"{said}.#", DIALECT)
    return bool(said) and matcher((wanted,))(topic_of(topic, DIALECT))


def _hellos(net: _Net) -> Iterator[Remark]:
    """How long a dead neighbour goes unnoticed."""
    for router in net.routers.values():
        age = router.entity["helloMaxAgeSeconds"] or router.entity["helloMaxAge"]
        every = router.entity["helloIntervalSeconds"] or router.entity["helloInterval"]
        if age or every:
            yield common.note(
                f"{router.name} says hello every {every or 1} s and takes a neighbour for lost after "
                f"{age or 3} s: until then messages go the old way",
                router.entity.place,
            )


def _publishers(net: _Net) -> Iterator[Publisher]:
    for router, entity, name, topics in _clients(net, SENDING, "in"):
        yield Publisher(name, router, topics, entity.place)


def _subscribers(net: _Net) -> Iterator[Subscriber]:
    for router, entity, name, topics in _clients(net, RECEIVING, "out"):
        yield Subscriber(name, router, topics, place=entity.place)


def _clients(
    net: _Net, kinds: frozenset[str], direction: str
) -> Iterator[tuple[str, Entity, str, tuple[Pattern, ...]]]:
    seen: dict[str, int] = {}
    for router in net.routers.values():
        for entity in router.entities:
            address = entity["address"] or entity["addr"]
            links = entity.kind == "autoLink" and (entity["direction"] or entity["dir"]) == direction
            if address and (links or entity.kind in kinds):
                name = f"{router.name} {entity['name'] or entity.kind + ' ' + address}"
                seen[name] = seen.get(name, 0) + 1
                told_apart = f"{name} #{seen[name]}" if seen[name] > 1 else name
                topic = Pattern(address.replace("/", "."), DIALECT, place=entity.place)
                yield router.name, entity, told_apart, (topic,)
