"""HiveMQ Edge: the bridges in its `config.xml`; and which bridges its extension has.

    <mqtt-bridge>  <forwarded-topic>      filters of what goes to the remote broker, and its name there
                   <remote-subscription>  filters of what comes from there
                   <loop-prevention>      how many bridges a message crosses: one, unless a limit is said

A message counts the bridges that it has crossed (RemoteMqttForwarder.java, RemotePublishConsumer.java). That
needs MQTT 5 at the other broker, too. Each filter is a subscription of its own, so what fits two of them
crosses twice. A bridge without loop prevention forgets the count, which is told where others count.

The Enterprise Bridge Extension is another product. Its bridges are told, and not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_xml import Element, read_xml
from angarium.mesh.importers.doors import Door, Knock, knocked
from angarium.mesh.importers.mosquitto_bridges import shared
from angarium.mesh.mesh import (
    CARRIES,
    COPIES,
    DROPS,
    EFFECTS,
    RENAMES,
    Broker,
    Link,
    Mesh,
    Pattern,
    Remark,
    Rename,
)
from angarium.mesh.topics.dialects import legal

NAME = "hivemq"
TEMPLATES = re.compile(r"\$\{bridge\.name\}")
"""What a bridge puts into a destination."""
EXTENSION = "hivemq-bridge-extension"
WHOLE = "{#}"
PORT = 1883
_HARMLESS = frozenset(
    """mqtt-listeners mqtt-sn-listeners listeners mqtt-bridges mqtt-sn admin-api usage-tracking
    anonymous-usage-statistics persistence modules internal protocol-adapters health-api control-center
    cluster overload-protection client-event-history config-version dynamic-configuration""".split()
)
_DROPPING = frozenset("mqtt restrictions security pulse data-combiners".split())
_OF_BRIDGE = frozenset(
    "id remote-broker forwarded-topics remote-subscriptions loop-prevention persist".split()
)
_OF_TOPIC = frozenset(
    "filters destination excludes max-qos preserve-retain custom-user-properties queue-limit".split()
)


@dataclass(slots=True)
class _Conf:
    name: str
    path: Path
    root: Element
    remarks: list[Remark] = field(default_factory=list)

    @property
    def bridges(self) -> list[Element]:
        return list(self.root.all("mqtt-bridges", "mqtt-bridge"))


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a config.xml of HiveMQ, or of its bridge extension."""
    head = text.lstrip("\ufeff \t\r\n")
    if not head.startswith("<"):
        return False
    return f"<{EXTENSION}" in head or any(f"<hivemq{end}" in head for end in (">", " ", "\n", "\r", "\t"))


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the brokers that these files configure."""
    confs = [_conf(files) for files in hand.alone(paths, "config.xml")]
    common.unique((conf.name, conf.path) for conf in confs)
    net = _Net(hand.directory())
    for conf in confs:
        net.doors[conf.name] = list(_doors(conf))
        net.directory.add(conf.name, (), [each.port for each in net.doors[conf.name]] or [PORT])
    links = [link for conf in confs for bridge in conf.bridges for link in net.links(conf, bridge)]
    for conf in confs:
        conf.remarks += _extension(conf)
    _told_of_limits(confs)
    brokers = [Broker(conf.name, "mqtt", place=common.place(conf.path, 1)) for conf in confs]
    remarks = (remark for conf in confs for remark in conf.remarks)
    return Mesh(NAME, (*brokers, *net.outside.values()), tuple(links), remarks=tuple(dict.fromkeys(remarks)))


def _conf(files: common.Files) -> _Conf:
    path = files.paths[0]
    conf = _Conf(files.called(), path, read_xml(path))
    for each in conf.root.children:
        if conf.root.name == EXTENSION or each.name in _HARMLESS:
            continue
        if each.name == "uns":
            if each.said("enabled") == "true" or each.said("prefix-all-topics") == "true":
                what = f"uns of {conf.name}, which may put a prefix before all topics"
                conf.remarks.append(common.not_understood(what, each.place, "", frozenset((RENAMES,))))
            continue
        effects = frozenset((DROPS,)) if each.name in _DROPPING else EFFECTS
        conf.remarks.append(common.not_understood(f"{each.name} of {conf.name}", each.place, "", effects))
    return conf


def _doors(conf: _Conf) -> Iterator[Door]:
    found = [*conf.root.all("mqtt-listeners"), *conf.root.all("listeners")]
    for each in (each for listeners in found for each in listeners.children if _is_port(each.said("port"))):
        shut = f"at {each.said('port')} it speaks WebSocket" if "websocket" in each.name else ""
        yield Door(int(each.said("port")), each.said("bind-address"), each.name.startswith("tls"), shut)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < len(text) < 6 and int(text) < 65_536


class _Net:
    """Where bridges lead, and what they carry."""

    def __init__(self, directory: common.Directory) -> None:
        self.directory = directory
        self.outside: dict[str, Broker] = {}
        self.doors: dict[str, list[Door]] = {}

    def at(self, conf: _Conf, bridge: Element) -> str:
        """The broker that a bridge leads to."""
        remote = bridge.one("remote-broker")
        host, port = (remote.said("host"), remote.said("port") or str(PORT)) if remote else ("", "")
        if remote is None or not host or not _is_port(port):
            raise MeshError(
                "ANG121",
                f"bridge {bridge.said('id')} of {conf.name} does not say where it leads",
                possible="<remote-broker><host>HOST</host><port>1883</port></remote-broker>",
                remedy="mend this element",
                place=(remote or bridge).place,
            )
        meant = self.directory.meant(host, int(port), lambda name: name != conf.name)
        if meant and meant.broker != conf.name:
            if meant.part:
                conf.remarks.append(common.taken_for(host, meant.broker, remote.place))
            secure = any(each.said("enabled") != "false" for each in remote.all("tls"))
            knock = Knock(f"bridge {bridge.said('id')} of {conf.name}", host, int(port), secure)
            conf.remarks += knocked(self.doors, meant.broker, knock, remote.place, self.directory)
            return meant.broker
        name = self.directory.outside(host, int(port))
        name = f"{name} (outside)" if self.directory.has(name) else name
        if name not in self.outside:
            self.outside[name] = Broker(name, "mqtt", place=remote.place)
            conf.remarks.append(self.directory.unknown(name, remote.place, f"{host}:{port}", conf.name))
        return name

    def links(self, conf: _Conf, bridge: Element) -> Iterator[Link]:
        remote = self.at(conf, bridge)
        who = f"bridge {bridge.said('id')} of {conf.name}"
        conf.remarks += _unknown(bridge, _OF_BRIDGE, who)
        for way, is_out in (("forwarded-topics", True), ("remote-subscriptions", False)):
            topics = [each for part in bridge.all(way) for each in part.children]
            conf.remarks += _overlaps(topics, who)
            for topic in topics:
                conf.remarks += _unknown(topic, _OF_TOPIC, who)
                yield from _links(conf, bridge, remote, topic, is_out)


def _unknown(element: Element, known: frozenset[str], who: str) -> Iterator[Remark]:
    for child in element.children:
        if child.name not in known:
            yield common.not_understood(f"{child.name} of {who}", child.place)


def _filters(topic: Element, way: str = "filters") -> list[Element]:
    return [each for part in topic.all(way) for each in part.children]


def _overlaps(topics: Sequence[Element], who: str) -> Iterator[Remark]:
    filters = [each for topic in topics for each in _filters(topic)]
    for number, one in enumerate(filters):
        if any(shared(one.text, other.text) is not None for other in filters[:number]):
            what = f"filters of {who} overlap: what fits two of them may cross twice"
            yield common.not_understood(what, one.place, "", frozenset((COPIES,)))


def _links(conf: _Conf, bridge: Element, remote: str, topic: Element, is_out: bool) -> Iterator[Link]:
    cable, direction = f"{bridge.said('id')}@{conf.name}", "out" if is_out else "in"
    rename = _rename(conf, bridge, topic)
    refuses = tuple(Pattern(each.text, "mqtt", place=each.place) for each in _filters(topic, "excludes"))
    connection = bridge.one("remote-broker", "mqtt")
    keeps = is_out or (connection is not None and connection.said("clean-start") == "false")
    for each in _filters(topic):
        taken = Pattern(each.text, "mqtt", place=each.place)
        legal(taken)
        yield Link(
            name=f"{cable} {direction} {each.text} ({each.place.line})",
            source=conf.name if is_out else remote,
            target=remote if is_out else conf.name,
            cable=cable,
            accepts=(taken,),
            refuses=refuses,
            rename=rename,
            hop_limit=_limit(bridge),
            kind="bridge",
            buffering="kept" if keeps and topic.said("max-qos") != "0" else "lost",
            place=each.place,
        )


def _rename(conf: _Conf, bridge: Element, topic: Element) -> Rename | None:
    """The same name, one behind a prefix, or one name for all."""
    destination = topic.one("destination")
    said = destination.text.replace("${bridge.name}", bridge.said("id")) if destination else WHOLE
    if said in ("", WHOLE):
        return None
    front, whole, behind = said.partition(f"/{WHOLE}")
    if "{" not in front + behind and not behind:
        return Rename(add=f"{front}/") if whole else Rename(whole=said)
    assert destination is not None
    what = f"destination {destination.text} of bridge {bridge.said('id')} of {conf.name}"
    remedy = f"Names behind a prefix are followed: prefix/{WHOLE}."
    conf.remarks.append(common.not_understood(what, destination.place, remedy, EFFECTS))
    return None


def _limit(bridge: Element) -> int | None:
    """How many bridges a message may cross; None without loop prevention."""
    said = bridge.one("loop-prevention")
    if said is None:
        return 1
    if said.said("enabled") == "false":
        return None
    text = said.said("hop-count-limit") or "1"
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise MeshError(
            "ANG121",
            f"hop-count-limit is {text!r}",
            possible="a number, 1 or more",
            remedy="mend this element",
            place=said.place,
        )
    return max(1, int(text))


def _told_of_limits(confs: Sequence[_Conf]) -> None:
    """Of bridges that do not count where others do: they forget what was counted."""
    bridges = [(conf, bridge) for conf in confs for bridge in conf.bridges]
    counting = [each for _, each in bridges if _limit(each) is not None]
    for conf, bridge in bridges if counting else ():
        place = bridge.place
        if _limit(bridge) is None:
            what = f"bridge {bridge.said('id')} of {conf.name} has no loop prevention: it forgets hops"
            effects = frozenset((CARRIES, COPIES))
            conf.remarks.append(common.not_understood(what, place, "Turn it on everywhere.", effects))
    for conf, bridge in bridges:
        if _limit(bridge) is not None:
            what = (
                "the other brokers of bridges keep the user properties of MQTT 5, in which hops are counted"
            )
            conf.remarks.append(common.assumed(what, bridge.place))


def _extension(conf: _Conf) -> Iterator[Remark]:
    if conf.root.name == EXTENSION:
        for bridge in conf.root.all("bridges", "bridge"):
            if bridge.said("enabled") != "false":
                what = f"bridge {bridge.said('name')} of the Enterprise Bridge Extension of {conf.name}"
                remedy = "Say what it carries in a mesh file (angarium mesh convert)."
                yield common.not_understood(what, bridge.place, remedy)
