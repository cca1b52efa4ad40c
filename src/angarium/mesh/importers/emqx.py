"""EMQX 5: links of clusters, and bridges to other brokers of MQTT.

    cluster.links       a cluster gets `topics` of another one, if that has it among its links, too
    sources, actions    what a rule takes from another broker, or sends there, over one of `connectors`
    bridges.mqtt        the same as it was written before version 5.4: `ingress` and `egress`

A rule is a `SELECT … FROM` of topics with actions. Here it is followed if it hands messages on as they are,
under their own names, behind a prefix, or under one name. A message that came over a link of clusters does
not go over another one. Bridges keep nothing back: what one direction carries comes back in the other, if
both take it. `emqx_rules` reads rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import Door, Knock, knocked, may_refuse
from angarium.mesh.importers.emqx_rules import Carried, Rules, carried
from angarium.mesh.importers.hocon import Value, outline, read_hocon
from angarium.mesh.importers.mosquitto_bridges import shared
from angarium.mesh.mesh import COPIES, DROPS, EFFECTS, RENAMES, Broker, Link, Mesh, Pattern, Remark

NAME = "emqx"
TEMPLATES = re.compile(r"\$\{[a-z][\w.]*\}")
"""What rules put into topics and payloads; nobody has to fill it in beforehand."""
CLUSTER_LINK = "link of clusters"
_ADDRESS = re.compile(r"(?:[a-z+]+://)?(\[[^\]]+\]|[^:/\s]+)(?::([0-9]{1,5}))?")
_BIND = re.compile(r"(?:(.*):)?([0-9]{1,5})")
KINDS = {"tcp": False, "ssl": True}
"""Kinds of listeners for MQTT as bridges speak it, and whether with TLS."""
USUAL_DOORS = {("tcp", "default"): Door(1883, "", False), ("ssl", "default"): Door(8883, "", True)}
_TELLING = (
    "cluster.links",
    "connectors",
    "sources",
    "actions",
    "bridges",
    "rule_engine",
    "dashboard",
    "node.cookie",
)
_HARMLESS = frozenset(
    """node log dashboard api_key listeners authentication telemetry prometheus opentelemetry sys_topics
    sysmon alarm stats rpc broker retainer license conn_congestion force_shutdown force_gc
    flapping_detect exhook_timeout trace crl_cache durable_storage session_persistence
    durable_sessions statsd psk_authentication slow_subs topic_metrics connectors sources actions
    bridges rule_engine cluster schema_registry vm_mon observability file_transfer""".split()
)
_DROPPING = frozenset("authorization limiter mqtt force_limits banned".split())
_USUAL_TTL = "45 s"


@dataclass(slots=True)
class Conf:
    """One cluster's configuration."""

    name: str
    path: Path
    root: Value
    remarks: list[Remark] = field(default_factory=list)

    @property
    def cluster(self) -> str:
        return self.root["cluster.name"].text

    def leave_open(
        self, what: str, place: Place, effects: frozenset[str] = EFFECTS, remedy: str = ""
    ) -> None:
        self.remarks.append(common.not_understood(what, place, remedy, effects))


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a configuration of EMQX: it has the syntax, and keys that only that has."""
    if path.suffix not in (".conf", ".hocon", "") or ("{" not in text and "=" not in text):
        return False
    root = outline(path, text)
    if root is None:
        return path.name in ("emqx.conf", "cluster.hocon")
    known = [key for key in root.entries if key in _HARMLESS | _DROPPING | {"plugins"}]
    return any(root[way].is_there for way in _TELLING) and len(known) * 2 > len(root.entries)


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the clusters that these files configure."""
    confs = {conf.name: conf for conf in (_conf(files) for files in hand.alone(paths, "emqx.conf"))}
    net = _Net(confs, hand.directory())
    links = [link for conf in confs.values() for link in (*net.cluster_links(conf), *net.bridges(conf))]
    brokers = [Broker(conf.name, "mqtt", place=common.place(conf.path, 1)) for conf in confs.values()]
    remarks = (remark for conf in confs.values() for remark in conf.remarks)
    return Mesh(NAME, (*brokers, *net.outside.values()), tuple(links), remarks=tuple(dict.fromkeys(remarks)))


def _conf(files: common.Files) -> Conf:
    path = files.paths[0]
    document = read_hocon(path, common.text_of(path))
    said = document.root["cluster.name"].text
    conf = Conf(files.called("" if said == "emqxcl" else said), path, document.root)
    for each in document.includes:
        conf.remarks.append(
            common.unread(
                f"include {each.text} of {conf.name}", each.place, "Put what it says into this file."
            )
        )
    conf.remarks += _strange(conf)
    return conf


def _strange(conf: Conf) -> Iterator[Remark]:
    for key, value in conf.root.entries.items():
        if key in _HARMLESS:
            continue
        if key == "authorization" and not _denies(value):
            continue
        if key == "plugins" and not any(each["enable"].text == "true" for each in value["states"].items):
            continue
        effects = frozenset((DROPS,)) if key in _DROPPING else EFFECTS
        yield common.not_understood(f"{key} of {conf.name}", value.place, "", effects)
    for way, value in conf.root["listeners"].ways():
        if way.endswith(".mountpoint") and value.text:
            what = f"the mountpoint of listener {way} of {conf.name}"
            yield common.not_understood(what, value.place, "", frozenset((DROPS, RENAMES)))


def _denies(value: Value) -> bool:
    return value["no_match"].text == "deny" or bool(value["sources"].items)


class _Net:
    """All clusters, and where their links and bridges lead."""

    def __init__(self, confs: dict[str, Conf], directory: common.Directory) -> None:
        self.confs, self.directory = confs, directory
        self.outside: dict[str, Broker] = {}
        unique = [(conf.name, conf.path) for conf in confs.values()]
        common.unique(unique)
        for conf in confs.values():
            host = conf.root["node.name"].text.rpartition("@")[2]
            hosts = [conf.cluster, "" if common.HERE.fullmatch(host) else host]
            directory.add(conf.name, filter(None, hosts), (door.port for door in _doors(conf)))
        self.doors = {conf.name: list(_doors(conf)) for conf in confs.values()}

    def at(self, conf: Conf, server: Value, what: str, secure: bool) -> str:
        """The broker at an address."""
        host, port = self._address(conf, server, what)
        meant = self.directory.meant(host, port, lambda name: name != conf.name)
        if meant and meant.broker != conf.name:
            if meant.part:
                conf.remarks.append(common.taken_for(host, meant.broker, server.place))
            self._knock(conf, meant.broker, server, what, secure)
            return meant.broker
        name = self.directory.outside(host, port)
        name = f"{name} (outside)" if name in self.confs else name
        if name not in self.outside:
            self.outside[name] = Broker(name, "mqtt", place=server.place)
            conf.remarks.append(self.directory.unknown(name, server.place, server.text, conf.name))
        return name

    def _knock(self, conf: Conf, broker: str, server: Value, what: str, secure: bool) -> None:
        knock = Knock(f"{what} of {conf.name}", *self._address(conf, server, what), secure)
        conf.remarks += knocked(self.doors, broker, knock, server.place, self.directory)

    def _address(self, conf: Conf, server: Value, what: str) -> tuple[str, int]:
        found = _ADDRESS.fullmatch(server.text)
        if found is None or int(found[2] or 1883) > 65_535:
            raise MeshError(
                "ANG121",
                f"{what} of {conf.name} has no address that is one",
                possible='server = "HOST:PORT"',
                remedy="mend this line",
                place=server.place,
            )
        return found[1].strip("[]"), int(found[2] or 1883)

    def cluster_links(self, conf: Conf) -> Iterator[Link]:
        for each in conf.root["cluster.links"].items:
            if each.is_off:
                continue
            called = each["name"].text
            named = [other.name for other in self.confs.values() if called and called == other.cluster]
            what, secure = f"link {called}", _is_secure(each)
            if len(named) == 1:
                other = named[0]
                self._knock(conf, other, each["server"], what, secure)
            else:
                other = self.at(conf, each["server"], what, secure)
            if not self._links_back(conf, other, each):
                continue
            self._logs_in(conf, other, each, f"link {called}")
            conf.remarks.append(
                common.assumed("messages wait for a link of clusters that is down", each.place)
            )
            for topic in each["topics"].items:
                yield Link(
                    name=f"{other}->{conf.name} (link of clusters, {topic.text})",
                    source=other,
                    target=conf.name,
                    cable=f"{' - '.join(sorted((conf.name, other)))} (link of clusters)",
                    accepts=(Pattern(topic.text, "mqtt", place=topic.place),),
                    kind=CLUSTER_LINK,
                    not_after=frozenset((CLUSTER_LINK,)),
                    place=topic.place,
                )
            self._overlaps(conf, each["topics"].items, f"link {called}")

    def _logs_in(self, conf: Conf, other: str, said: Value, who: str) -> None:
        """Whoever comes to a cluster with authentication must say a name, and be known."""
        there = self.confs.get(other)
        if there is None or not any(not each.is_off for each in there.root["authentication"].items):
            return
        users = [value for way, value in said.ways() if way.rpartition(".")[2] == "username" and value.text]
        if users:
            what = f"{other} knows the user {users[0].text} of {who} of {conf.name}, and its password"
            conf.remarks.append(common.assumed(what, users[0].place))
        else:
            why = "it gives no username"
            conf.remarks.append(may_refuse(other, f"{who} of {conf.name}", why, said.place))

    def _links_back(self, conf: Conf, other: str, link: Value) -> bool:
        """Whether the other cluster has this one among its links: only then it sends anything."""
        there = self.confs.get(other)
        if there is None:
            return True
        own = conf.cluster or conf.name
        if any(each["name"].text == own and not each.is_off for each in there.root["cluster.links"].items):
            return True
        what = f"{conf.name} links to {other}, which has no link called {own}: it sends nothing"
        remedy = f"Give {other} the link, too; its topics may be empty."
        conf.remarks.append(common.dangling(what, link.place, remedy))
        return False

    def _overlaps(self, conf: Conf, topics: Sequence[Value], who: str) -> None:
        for number, one in enumerate(topics):
            if any(shared(one.text, other.text) is not None for other in topics[:number]):
                conf.leave_open(f"topics of {who} of {conf.name} overlap", one.place, frozenset((COPIES,)))

    def bridges(self, conf: Conf) -> Iterator[Link]:
        """What rules and bridges carry, one link for each filter."""
        found = list(carried(Rules(conf.name, conf.root, conf.leave_open)))
        for each in found:
            said = conf.root[f"connectors.mqtt.{each.connector}"]
            said = said if said.is_there else conf.root["bridges.mqtt"]
            remote = self.at(conf, each.server, each.who, _is_secure(said))
            self._logs_in(conf, remote, said, each.who)
            if each.is_out and each.guarded and any(not other.is_out for other in found):
                conf.leave_open(f"{each.guarded} of {conf.name}", each.place, frozenset((COPIES, DROPS)))
            yield _link(conf, remote, each)
        self._copies(conf, found)

    def _copies(self, conf: Conf, found: Sequence[Carried]) -> None:
        for number, one in enumerate(found):
            for other in found[:number]:
                same = one.is_out == other.is_out and one.who == other.who
                if same and shared(one.taken.text, other.taken.text) is not None:
                    what = f"{one.who} of {conf.name} takes the same topics twice"
                    conf.leave_open(what, one.place, frozenset((COPIES,)))


def _link(conf: Conf, remote: str, each: Carried) -> Link:
    direction = "out" if each.is_out else "in"
    return Link(
        name=f"{each.who}@{conf.name} {direction} {each.taken.text} ({each.place.line})",
        source=conf.name if each.is_out else remote,
        target=remote if each.is_out else conf.name,
        cable=f"{each.connector}@{conf.name}",
        accepts=(each.taken,),
        rename=each.rename,
        kind="bridge",
        buffering=each.waits or _USUAL_TTL,
        place=each.place,
    )


def _is_secure(said: Value) -> bool:
    """Whether a link or a connector speaks TLS; it does not unless that is turned on."""
    return any(way.endswith("ssl.enable") and value.text == "true" for way, value in said.ways())


def _is_shut(listener: Value) -> bool:
    return listener.is_off or listener["enabled"].text == "false"


def _doors(conf: Conf) -> Iterator[Door]:
    """Where it listens: by TCP and TLS it does so unless the file says otherwise."""
    said = {
        (kind, name): listener
        for kind, named in conf.root["listeners"].entries.items()
        for name, listener in named.entries.items()
    }
    yield from (door for key, door in USUAL_DOORS.items() if key not in said)
    for (kind, name), listener in said.items():
        found = _BIND.fullmatch(listener["bind"].text)
        if not listener["bind"].text and not _is_shut(listener) and (kind, name) in USUAL_DOORS:
            yield USUAL_DOORS[kind, name]
        if found and int(found[2]) < 65_536 and not _is_shut(listener):
            port, shut = int(found[2]), "" if kind in KINDS else f"at {found[2]} it speaks {kind}"
            yield Door(port, (found[1] or "").strip("[]"), KINDS.get(kind), shut)
