"""VerneMQ: one vernemq.conf for each broker, with the bridges that it has.

    vmq_bridge.tcp.NAME = HOST:PORT
    vmq_bridge.tcp.NAME.topic.N = PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]

The lines look like Mosquitto's and mean something else (vmq_bridge.schema, vmq_bridge.erl): `*` is written
for `#`, `$empty` for no prefix, and a prefix is whole words, with a slash after it. Lines 1 to 100 are read.

The other broker is asked not to send back what came over the bridge (try_private). At home nobody keeps it
back: there the bridge subscribes as everybody does (vmq_reg.erl, direct_plugin_exports). So what comes in and
fits a line that goes out returns to where it came from, once. What fits two lines of a direction is not
modelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import Door, Knock, knocked, may_refuse
from angarium.mesh.importers.mosquitto_bridges import DIRECTIONS, IN, OUT, QOS, shared
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

NAME = "vernemq"
MOST_TOPICS = 100
_LINE = re.compile(r"\s*([A-Za-z0-9_.$-]+)\s*=\s*(.*?)\s*")
_BRIDGE = re.compile(r"vmq_bridge\.((?:tcp|ssl)\.[^.]+)(?:\.(.+))?")
_TELLING = re.compile(
    r"(?m)^\s*(?:vmq_bridge\.(?:tcp|ssl)\.|plugins\.vmq_|listener\.vmq\.|distributed_cookie\s*=|nodename\s*=\s*VerneMQ@)"
)
_LISTENER = re.compile(r"listener\.(tcp|ssl)\.[^.]+")
_ADDRESS = re.compile(r"(\[[^\]]+\]|[^:]+):([0-9]{1,5})")
_UNCHANGED = re.compile(
    r"(?:allow_(?:anonymous|register|publish|subscribe|unsubscribe).*|accept_eula|nodename|distributed_cookie|log\..*"
    r"|erlang\..*|leveldb\..*|vmq_(?:acl|passwd)\..*|systree.*|graphite.*|http.*|metadata_plugin|retry_interval"
    r"|max_(?:client_id_size|inflight_messages|last_will_delay)|persistent_client_expiration|queue_.*|crl_.*"
    r"|coordinate_registrations|outgoing_.*|include.*_metrics|plugins\.vmq_(?:acl|passwd|bridge)"
    r"|listener\.[^=]*(?<!mountpoint))"
)
"""Settings that do not decide where messages go."""
_OF_BRIDGE = frozenset(
    """cleansession client_id keepalive_interval username password restart_timeout try_private cafile capath
    certfile keyfile insecure tls_version identity psk max_outgoing_buffered_messages""".split()
)
_LIMITS = re.compile(r"max_(?:online|offline)_messages|max_message_(?:size|rate)|(?:m5_)?max_packet_size")


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a vernemq.conf: all its lines are settings, and one is VerneMQ's."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines and _TELLING.search(text) and all(_LINE.fullmatch(line) for line in lines))


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the brokers that these files configure."""
    confs = [_conf(files) for files in hand.alone(paths, "vernemq.conf")]
    common.unique((conf.name, conf.path) for conf in confs)
    directory = hand.directory()
    for conf in confs:
        directory.add(conf.name, conf.hosts, conf.ports)
    outside: dict[str, Broker] = {}
    others = {conf.name: conf for conf in confs}
    links = [
        link
        for conf in confs
        for bridge in conf.bridges()
        for link in _links(conf, bridge, directory, others, outside)
    ]
    return Mesh(
        NAME,
        (*(Broker(conf.name, "mqtt", place=conf.place) for conf in confs), *outside.values()),
        tuple(links),
        remarks=tuple(dict.fromkeys(remark for conf in confs for remark in conf.remarks)),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    value: str
    place: Place

    def wrong(self, what: str, possible: str) -> MeshError:
        return MeshError("ANG121", what, possible=possible, remedy="mend this line", place=self.place)


@dataclass(slots=True)
class _Bridge:
    kind: str
    name: str
    settings: dict[str, _Said] = field(default_factory=dict)

    def value(self, key: str, default: str) -> str:
        return self.settings[key].value if key in self.settings else default


@dataclass(slots=True)
class _Conf:
    """One broker's configuration; of a setting that is given twice, the last counts."""

    name: str
    path: Path
    settings: dict[str, _Said]
    remarks: list[Remark] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return common.place(self.path, 1)

    def value(self, key: str, default: str) -> str:
        return self.settings[key].value if key in self.settings else default

    @property
    def hosts(self) -> list[str]:
        return [door.host for door in self.doors() if not common.HERE.fullmatch(door.host)]

    @property
    def ports(self) -> list[int]:
        return [door.port for door in self.doors()]

    def doors(self) -> Iterator[Door]:
        """Where it listens for clients and bridges."""
        for key, said in self.settings.items():
            found, kind = _ADDRESS.fullmatch(said.value), _LISTENER.fullmatch(key)
            if found and kind:
                yield Door(int(found[2]), found[1].strip("[]"), kind[1] == "ssl")

    def bridges(self) -> list[_Bridge]:
        found: dict[str, _Bridge] = {}
        for key, said in self.settings.items():
            if match := _BRIDGE.fullmatch(key):
                kind, _, name = match[1].partition(".")
                found.setdefault(match[1], _Bridge(kind, name)).settings[match[2] or ""] = said
        if found and self.value("plugins.vmq_bridge", "off") != "on":
            what = f"plugins.vmq_bridge of {self.name} is not on: its bridges carry nothing until it is"
            self.remarks.append(
                common.not_understood(what, self.place, "Say plugins.vmq_bridge = on.", frozenset((CARRIES,)))
            )
            return []
        return list(found.values())


def _conf(files: common.Files) -> _Conf:
    path, settings = files.paths[0], {}
    for number, text in enumerate(common.text_of(path).splitlines(), 1):
        bare = text.partition("#")[0]
        found = _LINE.fullmatch(bare)
        if found:
            settings[found[1]] = _Said(found[2], common.place(path, number, 1, text))
        elif bare.strip():
            raise _Said(text, common.place(path, number, 1, text)).wrong("this is no setting", "NAME = VALUE")
    said = settings["nodename"].value.rpartition("@")[2] if "nodename" in settings else ""
    lies = common.folder_of(path) if path.stem == NAME else ""
    conf = _Conf(files.called(lies if common.HERE.fullmatch(said) else said), path, settings)
    conf.remarks += [*_strange(conf), *_cut_off(conf)]
    return conf


def _strange(conf: _Conf) -> Iterator[Remark]:
    for key, said in conf.settings.items():
        bridge = _BRIDGE.fullmatch(key)
        if bridge and (not bridge[2] or bridge[2] in _OF_BRIDGE or re.fullmatch(r"topic\.[0-9]+", bridge[2])):
            continue
        if _LIMITS.fullmatch(key):
            yield common.not_understood(f"{key} of {conf.name}", said.place, effects=frozenset((DROPS,)))
        elif key.endswith("mountpoint"):
            what = f"{key} of {conf.name} sets topics apart"
            yield common.not_understood(what, said.place, effects=frozenset((DROPS, RENAMES)))
        elif not _UNCHANGED.fullmatch(key) and not (key.startswith("plugins.") and said.value == "off"):
            yield common.not_understood(f"{key} of {conf.name}", said.place, effects=EFFECTS)
    what = "the lists of who may do what (vmq_acl, vmq_passwd) let clients and bridges do all that they do"
    yield common.assumed(what, conf.place)


def _cut_off(conf: _Conf) -> Iterator[Remark]:
    for key, said in conf.settings.items():
        if _BRIDGE.fullmatch(key) and "#" in said.place.source:
            what = f"{key} of {conf.name} has a #, which is taken to begin a comment"
            yield common.not_understood(what, said.place, "Write * for the wildcard #.")


@dataclass(frozen=True, slots=True)
class _Carried:
    """One topic line in one direction: prefixes are texts with a slash behind them, or empty."""

    said: _Said
    direction: str
    qos: int
    taken: str
    rename: Rename | None


def _links(
    conf: _Conf,
    bridge: _Bridge,
    directory: common.Directory,
    others: Mapping[str, _Conf],
    outside: dict[str, Broker],
) -> Iterator[Link]:
    at = bridge.settings.get("")
    if at is None:
        first = next(iter(bridge.settings.values()))
        conf.remarks.append(
            common.dangling(f"bridge {bridge.name} of {conf.name} has no address", first.place)
        )
        return
    host, port = _address(at)
    remote = _remote(conf, at, host, port, directory, outside)
    if remote == conf.name:
        conf.remarks.append(
            common.not_understood(f"bridge {bridge.name} leads to {conf.name} itself", at.place)
        )
        return
    who = f"bridge {bridge.name} of {conf.name}"
    if remote in others:
        there, knock = others[remote], Knock(who, host, port, bridge.kind == "ssl")
        conf.remarks += knocked({remote: list(there.doors())}, remote, knock, at.place, directory)
        conf.remarks += _not_known(bridge, who, there, at.place)
    lines = [each for key, said in bridge.settings.items() for each in _carried(conf, bridge, key, said)]
    conf.remarks += _overlaps(conf, bridge, lines)
    private = bridge.value("try_private", "on") == "on"
    if private and remote in outside and {each.direction for each in lines} == {IN, OUT}:
        what = f"{remote} obeys try_private, which bridge {bridge.name} of {conf.name} asks for"
        conf.remarks.append(common.assumed(what, at.place))
    for each in lines:
        yield _link(conf, bridge, remote, each, private)


def _not_known(bridge: _Bridge, who: str, there: _Conf, place: Place) -> Iterator[Remark]:
    """Nobody comes without a name unless a file says so (vmq_server.schema: allow_anonymous is off)."""
    if there.value("allow_anonymous", "off") != "on" and "username" not in bridge.settings:
        remedy = "Give it a username, or say allow_anonymous = on there."
        yield may_refuse(there.name, who, "it gives no username", place, remedy)
    for key, said in there.settings.items():
        if key.endswith(".allowed_protocol_versions") and not {"3", "4"} <= set(
            re.split(r"[,\s]+", said.value)
        ):
            yield may_refuse(there.name, who, f"{key} = {said.value}", place)


def _address(at: _Said) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(at.value)
    if found is None or int(found[2]) > 65_535:
        raise at.wrong(f"{at.value!r} is no address of a bridge", "HOST:PORT")
    return found[1].strip("[]"), int(found[2])


def _remote(
    conf: _Conf, at: _Said, host: str, port: int, directory: common.Directory, outside: dict[str, Broker]
) -> str:
    meant = directory.meant(host, port)
    if meant:
        if meant.part:
            conf.remarks.append(common.taken_for(host, meant.broker, at.place))
        return meant.broker
    name = directory.outside(host, port)
    if name not in outside:
        outside[name] = Broker(name, "mqtt", place=at.place)
        conf.remarks.append(directory.unknown(name, at.place, at.value, conf.name))
    return name


def _carried(conf: _Conf, bridge: _Bridge, key: str, said: _Said) -> Iterator[_Carried]:
    kind, _, number = key.partition(".")
    if kind != "topic":
        return
    if not 1 <= int(number) <= MOST_TOPICS:
        what = f"{key} of bridge {bridge.name} of {conf.name}: topics 1 to {MOST_TOPICS} are read"
        conf.remarks.append(common.dangling(what, said.place, "Give it a number that is free."))
        return
    words = said.value.replace("*", "#", 1).split()
    pattern, rest = (words[0], words[1:]) if words else ("", [])
    direction = rest.pop(0) if rest and rest[0] in DIRECTIONS else OUT
    qos = int(rest.pop(0)) if rest and rest[0] in QOS else 0
    if not pattern or len(rest) not in (0, 2):
        form = "PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]"
        raise said.wrong(f"{said.value!r} is no topic of a bridge", form)
    local, remote = ("" if each == "$empty" else f"{each}/" for each in (rest or ["$empty", "$empty"]))
    if set(local + remote) & {"+", "#", "*"}:
        raise said.wrong(f"a prefix of {said.value!r} has a wildcard", "prefixes without + and *")
    for each in (OUT, IN) if direction == "both" else (direction,):
        strip, add = (local, remote) if each == OUT else (remote, local)
        legal(Pattern(strip + pattern, "mqtt", place=said.place))
        yield _Carried(said, each, qos, strip + pattern, Rename(strip, add) if strip or add else None)


def _overlaps(conf: _Conf, bridge: _Bridge, lines: Sequence[_Carried]) -> Iterator[Remark]:
    for number, one in enumerate(lines):
        for other in lines[:number]:
            if one.direction == other.direction and shared(one.taken, other.taken) is not None:
                what = f"two lines of bridge {bridge.name} of {conf.name} take the same topics"
                yield common.not_understood(what, one.said.place, effects=frozenset((COPIES, DROPS)))


def _link(conf: _Conf, bridge: _Bridge, remote: str, carried: _Carried, private: bool) -> Link:
    cable = f"{bridge.name}@{conf.name}"
    gone = f"out of {cable}"
    is_out = carried.direction == OUT
    keeps = not is_out and carried.qos > 0 and bridge.value("cleansession", "off") == "off"
    return Link(
        name=f"{cable} {carried.direction} {carried.taken} ({carried.said.place.line})",
        source=conf.name if is_out else remote,
        target=remote if is_out else conf.name,
        cable=cable,
        accepts=(Pattern(carried.taken, "mqtt", place=carried.said.place),),
        rename=carried.rename,
        kind=gone if is_out else "bridge",
        not_after=frozenset((gone,) if private and not is_out else ()),
        buffering="kept" if keeps else "lost",
        place=carried.said.place,
    )
