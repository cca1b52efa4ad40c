"""One Artemis broker as its broker.xml says: its name, where it listens, and whom it can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_known import strange
from angarium.mesh.importers.artemis_xml import Element, read_xml
from angarium.mesh.importers.doors import Door, Knock, refused
from angarium.mesh.mesh import CARRIES, DROPS, Broker, Link, Pattern, Remark, Subscriber

DIALECT = "amqp"
DEFAULT_PORT = 61616
MOST_HOPS = 2**31 - 1
ANY_HOST = frozenset(("", "0.0.0.0", "::", "[::]"))

NEEDED = ("send", "consume", "createAddress", "createDurableQueue", "createNonDurableQueue")
"""What one must be permitted to do so that messages get through."""
READ = frozenset(
    """include name connectors acceptors cluster-connections federations broker-connections bridges diverts
    addresses wildcard-addresses discovery-groups broadcast-groups""".split()
)
_URI = re.compile(r"\s*(?:\w[\w+.\-]*)://(?:\()?(?:[^,()/?;#]*@)?([^,)/?;#]*)")
"""The host and the port of an address, never a user or a password before them."""


class Queue(NamedTuple):
    """A queue that a file makes."""

    address: str
    place: Place
    is_shared: bool = False
    """Whether its address is anycast: queues of one name in a cluster share its messages."""


@dataclass(frozen=True, slots=True)
class Artemis:
    """One broker."""

    name: str
    path: Path
    core: Element
    connectors: dict[str, tuple[str, int]]
    queues: dict[str, Queue]

    def doors(self, protocol: str) -> list[Door]:
        """Its acceptors, as who speaks a protocol finds them."""
        return [_door(each, protocol) for each in self.core.all("acceptors", "acceptor")]


@dataclass(slots=True)
class Net:
    """What is gathered while files are joined."""

    brokers: dict[str, Artemis] = field(default_factory=dict)
    outside: dict[str, Place] = field(default_factory=dict)
    directory: common.Directory = field(default_factory=common.Directory)
    links: list[Link] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)

    def add(self, broker: Artemis, ports: Sequence[int], hosts: Sequence[str]) -> None:
        self.brokers[broker.name] = broker
        names = [common.name_of(broker.path), *(host for host in hosts if host not in ANY_HOST)]
        self.directory.add(broker.name, names, ports)

    def addresses(self) -> set[str]:
        """All that files declare."""
        declared = (
            each for broker in self.brokers.values() for each in broker.core.all("addresses", "address")
        )
        return {each.attributes.get("name", "") for each in declared}

    def dangles(self, what: str, place: Place, remedy: str = "") -> None:
        self.remarks.append(common.dangling(what, place, remedy))

    def named(self, name: str) -> str:
        """The name, told apart from links of the same name."""
        self.names[name] = self.names.get(name, 0) + 1
        return f"{name} #{self.names[name]}" if self.names[name] > 1 else name

    def at(self, host: str, port: int, place: Place) -> str:
        """The broker at an address: one of its own if no file of it was given."""
        found = self.directory.find(host, port)
        if found:
            return found
        name = self.directory.outside(host, port)
        if name not in self.outside and name not in self.brokers:
            self.outside[name] = place
            self.remarks.append(self.directory.unknown(name, place, f"{host}:{port}"))
        return name

    def by_connectors(self, broker: Artemis, refs: Sequence[Element]) -> str | None:
        """The broker that the first of some connectors leads to; the others are taken when it fails."""
        found = [self.by_connector(broker, ref) for ref in refs]
        others = list(dict.fromkeys(each for each in found if each))
        if len(others) > 1:
            self.remarks.append(
                common.not_understood(
                    f"taken to be connected to {others[0]}; if that fails, to {' or '.join(others[1:])}, "
                    "which is not looked at",
                    refs[0].place,
                    effects=frozenset((CARRIES,)),
                )
            )
        return others[0] if others else None

    def by_connector(self, broker: Artemis, ref: Element) -> str | None:
        address = broker.connectors.get(ref.text)
        if address is None:
            self.dangles(f"{broker.name} has no connector {ref.text}", ref.place, "add it to the connectors")
            return None
        there = self.at(*address, ref.place)
        connectors = broker.core.all("connectors", "connector")
        said = next(each for each in connectors if each.attributes.get("name", "") == ref.text)
        self.knock(f"connector {ref.text} of {broker.name}", there, said, said.text)
        return there

    def knock(self, who: str, there: str, element: Element, uri: str, protocol: str = "CORE") -> None:
        """Remark why a broker may not let in who connects to it by an address, if it may not."""
        if there in self.brokers:
            host, port = address(element, uri)
            knock = Knock(who, host, port, "sslenabled=true" in uri.lower())
            doors = self.brokers[there].doors(protocol)
            self.remarks += refused(doors, there, [knock], element.place, self.directory)


def read_broker(files: common.Files, net: Net) -> Artemis:
    """Takes a file into the net. A name such as 0.0.0.0, which many files have, tells no broker apart."""
    path = files.paths[0]
    root = read_xml(path)
    core = root if root.name == "core" else root.one("core")
    if core is None:
        raise MeshError(
            "ANG121",
            f"{path} has no core",
            possible="<configuration><core>…</core></configuration>",
            remedy="give the broker.xml of a broker",
            place=root.place,
        )
    connectors = {
        each.attributes.get("name", ""): address(each) for each in core.all("connectors", "connector")
    }
    acceptors = [address(each) for each in core.all("acceptors", "acceptor")]
    said = core.said("name")
    name = files.called("" if common.HERE.fullmatch(said) else said)
    broker = Artemis(name, path, core, connectors, dict(_queues(core)))
    if broker.name in net.brokers:
        common.unique([(broker.name, net.brokers[broker.name].path), (broker.name, path)])
    net.add(broker, [port for _, port in acceptors], [host for host, _ in acceptors])
    net.remarks += _strange(broker)
    return broker


def address(element: Element, text: str | None = None) -> tuple[str, int]:
    """Host and port of `tcp://host:port?…`; of several hosts the first."""
    found = _URI.match(element.text if text is None else text)
    host, colon, port = found[1].strip().rpartition(":") if found else ("", "", "")
    if not colon or port.endswith("]"):
        return (host + colon + port, DEFAULT_PORT)
    if not (port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65_536):
        raise MeshError(
            "ANG121",
            f"{port!r} is no port",
            possible="tcp://host:61616",
            remedy="correct the address",
            place=element.place,
        )
    return host, int(port)


def _door(acceptor: Element, protocol: str) -> Door:
    """One that says no protocols speaks all; else it may let in nobody who speaks another one."""
    host, port = address(acceptor)
    said = re.search(r"[?&;]protocols=([^&;]*)", acceptor.text)
    spoken = said[1].upper().split(",") if said else [protocol]
    shut = "" if protocol in spoken else f"at {port} it speaks {', '.join(spoken)}, and not {protocol}"
    return Door(port, host, "sslenabled=true" in acceptor.text.lower(), shut)


def hops(element: Element, default: int) -> int:
    """Its `max-hops`; what 0 and less stand for differs."""
    text = element.said("max-hops")
    if not text:
        return default
    if not re.fullmatch(r"-?[0-9]{1,10}", text):
        raise MeshError(
            "ANG121",
            f"{text!r} is no number of hops",
            possible=f"a number from -1 to {MOST_HOPS}",
            remedy="correct max-hops",
            place=element.place,
        )
    return int(text)


def pattern(text: str, place: Place) -> Pattern:
    return Pattern(text, DIALECT, place=place)


def subscribers(broker: Artemis) -> Iterator[Subscriber]:
    """The queues that the file makes, but those for what cannot be delivered."""
    for name, queue in broker.queues.items():
        if name not in ("DLQ", "ExpiryQueue"):
            wanted = (pattern(queue.address, queue.place),)
            yield Subscriber(f"{broker.name} {name}", broker.name, wanted, place=queue.place)


def as_brokers(net: Net) -> tuple[Broker, ...]:
    given = [Broker(each.name, DIALECT, place=each.core.place) for each in net.brokers.values()]
    return (*given, *(Broker(name, DIALECT, place=place) for name, place in net.outside.items()))


def _queues(core: Element) -> Iterator[tuple[str, Queue]]:
    for each in core.all("addresses", "address"):
        for kind in ("anycast", "multicast"):
            for queue in each.all(kind, "queue"):
                address = each.attributes.get("name", "")
                yield queue.attributes.get("name", ""), Queue(address, queue.place, kind == "anycast")


def _strange(broker: Artemis) -> Iterator[Remark]:
    for element in broker.core.all("include"):
        what = f"{element.attributes.get('href', '')} is included: it is not read"
        yield common.not_understood(what, element.place)
    yield from strange(broker.core, READ)
    yield from _permissions(broker)
    yield from _full_addresses(broker)
    for wildcards in broker.core.all("wildcard-addresses"):
        if "false" in (wildcards.said("enabled"), wildcards.said("routing-enabled")):
            what = "wildcards are off; patterns are read as if they had some"
            yield common.not_understood(what, wildcards.place)
        marks = [wildcards.said(key) for key in ("delimiter", "single-word", "any-words")]
        if any(said not in ("", usual) for said, usual in zip(marks, ".*#", strict=True)):
            yield common.not_understood(
                "wildcards are written otherwise here; patterns are read as if with . * and #",
                wildcards.place,
            )


def _permissions(broker: Artemis) -> Iterator[Remark]:
    """Who may do what is not looked at; what holds for all addresses alike is taken to be given to all."""
    if broker.core.said("security-enabled").lower() == "false":
        return
    for setting in broker.core.all("security-settings", "security-setting"):
        match = setting.attributes.get("match", "")
        if match == "#" and _one_role(setting):
            what = "clients and links have the roles that security-setting # asks for"
            yield common.assumed(what, setting.place)
        else:
            what = f"security-setting {match} can keep clients and links from its addresses"
            yield common.not_understood(what, setting.place, effects=frozenset((DROPS,)))


def _one_role(setting: Element) -> bool:
    """Whether who may do one thing may do all that messages need, as in the file that Artemis makes."""
    roles = {
        each.said("type"): frozenset(each.said("roles").replace(" ", "").split(","))
        for each in setting.children
    }
    needed = {name: roles[name] for name in NEEDED if name in roles}
    return {"send", "consume"} <= needed.keys() and len(set(needed.values())) == 1


def _full_addresses(broker: Artemis) -> Iterator[Remark]:
    for setting in broker.core.all("address-settings", "address-setting"):
        policy = setting.said("address-full-policy").upper()
        if policy == "DROP":
            what = f"address-full-policy DROP of {setting.said('match')}: full addresses lose what comes"
            yield common.not_understood(what, setting.place, effects=frozenset((DROPS,)))
        elif policy == "FAIL":
            what = "addresses never fill up: address-full-policy FAIL refuses what comes then"
            yield common.assumed(what, setting.place)
