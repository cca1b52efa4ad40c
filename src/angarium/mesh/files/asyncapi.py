"""AsyncAPI 3: which application publishes and subscribes what, where. It says nothing about links.

    servers.*.host            the broker: one of the mesh that the other files make
    channels.*.address        the topic; each {parameter} stands for any one level, or for its `enum`
    operations.*.action       `send`: the application publishes there; `receive`: it subscribes
    operations.*.reply        the other way round, if its channel has an address
    operations.*.bindings     of NATS `queue`, of Kafka `groupId`: who shares what is received

A channel is on the servers that it names, or on all. In RabbitMQ, `bindings.amqp` says which exchange keys
are meant for; a queue that is in the definitions subscribes already. Without files of brokers the servers
are brokers that no link joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from urllib.parse import unquote

from angarium.core.errors import MeshError, Place
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import scope_of
from angarium.mesh.mesh import DROPS, EFFECTS, Broker, Mesh, Pattern, Publisher, Remark, Subscriber
from angarium.mesh.topics.dialects import legal

SEND, RECEIVE = "send", "receive"
MOST_TOPICS = 1_000
"""Topics of one channel whose parameters are enumerated."""
MOST_REFERENCES = 10
"""References that may follow one another."""
DIALECTS = {"mqtt": "mqtt", "amqp": "amqp", "nats": "nats", "kafka": "mirrormaker"}
_WORDS = {"mqtt": ("/", "+"), "amqp": (".", "*"), "nats": (".", "*"), "mirrormaker": (".", "[A-Za-z0-9_-]+")}
"""What separates levels, and what stands for one, by dialect."""
_KEY = re.compile(r"^[\"']?asyncapi[\"']?[ \t]*:", re.MULTILINE)
_VERSION = re.compile(r"(\d+)\.\d+\.\d+.*")
_PARAMETER = re.compile(r"\{([^{}]*)\}")
_SLASH = re.compile(r"(\\\\)|\\/")
_SPECIAL = re.compile(r"[.^$*+?()\[\]{}|\\]")
_UNPARSED = ("{", "[")


@dataclass(frozen=True, slots=True)
class Use:
    """A channel that an application uses."""

    who: str
    action: str
    channel: Part
    servers: tuple[Part, ...]
    place: Place
    root: Part
    """The document that it is in."""
    group: str = ""
    """With which others it shares what it receives: a queue of NATS, a group of Kafka."""


@dataclass(slots=True)
class _Joining:
    """Clients for a mesh, while they are found."""

    mesh: Mesh
    directory: common.Directory
    publishers: list[Publisher] = field(default_factory=list)
    subscribers: list[Subscriber] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def recognises(text: str) -> bool:
    """Whether a text is a document of AsyncAPI, in YAML or JSON."""
    if text.lstrip().startswith(_UNPARSED):
        return '"asyncapi"' in text and "asyncapi" in (common.keys_of_json(text) or ())
    return bool(_KEY.search(text))


def alone(files: Sequence[Path]) -> Mesh:
    """The servers as brokers, with what the applications do there."""
    roots = [_root(path) for path in files]
    brokers = {each.name: each for root in roots for each in _brokers(root)}
    return _with_clients(Mesh(common.name_of(files[0]), tuple(brokers.values()), ()), roots, {})


def with_clients(mesh: Mesh, files: Sequence[Path], hosts: Mapping[str, str]) -> Mesh:
    """The mesh with what the applications do there; `hosts` say by hand which broker is where."""
    return _with_clients(mesh, [_root(path) for path in files], hosts)


def _with_clients(mesh: Mesh, roots: Sequence[Part], hosts: Mapping[str, str]) -> Mesh:
    joining = _Joining(mesh, common.ByHand(hosts=hosts).directory())
    for broker in mesh.brokers:
        joining.directory.add(broker.name)
    for root in roots:
        for use in _uses(root, joining.remarks):
            _join(use, joining)
    return replace(
        mesh,
        publishers=(*mesh.publishers, *joining.publishers),
        subscribers=(*mesh.subscribers, *joining.subscribers),
        remarks=(*mesh.remarks, *dict.fromkeys((*joining.remarks, *_apart(joining)))),
    )


# --- documents ---------------------------------------------------------------------------------------


def _root(path: Path) -> Part:
    text = common.text_of(path)
    if text.lstrip().startswith(_UNPARSED):
        text = _SLASH.sub(lambda found: found[1] or "/", text).replace("\t", " ")
    root = next(iter(documents(path, text)))
    version = root["asyncapi"]
    found = _VERSION.fullmatch(version.text)
    if not found or found[1] != "3":
        raise MeshError(
            "ANG120",
            f"this is AsyncAPI {version.text or 'of no version'}, and 3 is read",
            possible="asyncapi: 3.0.0",
            remedy="convert it: asyncapi convert FILE --target-version=3.0.0 (@asyncapi/cli)",
            place=version.place,
        )
    return root


def _uses(root: Part, remarks: list[Remark]) -> Iterator[Use]:
    """What the application of a document does, one for each channel of each operation."""
    title = root["info"]["title"].text or common.name_of(Path(root.source.path))
    for name, entry in root["operations"].entries:
        operation = _followed(entry, root)
        action = operation["action"]
        if action.text not in (SEND, RECEIVE):
            raise MeshError(
                "ANG121",
                f"operation {name} has the action {action.text!r}",
                possible=f"possible: {SEND}, {RECEIVE}",
                remedy="say what the application itself does",
                place=action.place,
            )
        used = _use(f"{title}: {name}", action.text, operation["channel"], root, remarks)
        yield from (replace(each, group=_group(operation, root)) for each in used)
        reply = _followed(operation["reply"], root)
        if reply.node:
            other = RECEIVE if action.text == SEND else SEND
            channel = reply["channel"] if reply["channel"].node else operation["channel"]
            yield from _use(f"{title}: reply of {name}", other, channel, root, remarks)


def _group(operation: Part, root: Part) -> str:
    """What its bindings say (bindings/nats and bindings/kafka of asyncapi/bindings)."""
    bindings = _followed(operation["bindings"], root)
    kafka = bindings["kafka"]["groupId"]
    one = kafka["const"].text or next((each.text for each in kafka["enum"].items), kafka.text)
    return bindings["nats"]["queue"].text or one


def _use(who: str, action: str, named: Part, root: Part, remarks: list[Remark]) -> Iterator[Use]:
    channel = _followed(named, root)
    if not channel.node:
        what = f"{who}: there is no channel {named['$ref'].text or 'named'} in this document"
        remarks.append(common.not_understood(what, named.place, "Put it there, or correct the reference."))
        return
    if channel["address"].text in ("", "null"):
        what = f"{who}: the channel has no address, so what it is called is only known when it runs"
        remarks.append(common.not_understood(what, channel.place, "Give the channel an address."))
        return
    given = [_followed(each, root) for each in channel["servers"].items]
    servers = given or [_followed(each, root) for _, each in root["servers"].entries]
    yield Use(who, action, channel, tuple(servers), named.place, root)


def _followed(part: Part, root: Part) -> Part:
    """What a reference within the document leads to; nothing, if that is elsewhere or not there."""
    for _ in range(MOST_REFERENCES):
        reference = part["$ref"].text
        if not reference:
            return part
        place = part.place
        part = root if reference.startswith("#/") else Part(None, root.source, place)
        for step in reference[2:].split("/"):
            part = part[unquote(step).replace("~1", "/").replace("~0", "~")]
    return Part(None, part.source, part.place)


# --- servers -----------------------------------------------------------------------------------------


def _address(server: Part) -> tuple[str, int]:
    """Host and port, with the defaults of variables."""

    def value(found: re.Match[str]) -> str:
        variable = server["variables"][found[1]]
        return variable["default"].text or next((each.text for each in variable["enum"].items), found[0])

    address = _PARAMETER.sub(value, server["host"].text).rpartition("://")[2]
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        return f"{host}{colon}{port}", 0
    return host, int(port)


def _dialect(server: Part) -> str:
    protocol = server["protocol"].text.lower()
    return next((dialect for word, dialect in DIALECTS.items() if word in protocol), "plain")


def _brokers(root: Part) -> Iterator[Broker]:
    for _, entry in root["servers"].entries:
        server = _followed(entry, root)
        if server["host"].text:
            host, port = _address(server)
            yield Broker(common.Directory().outside(host, port), _dialect(server), place=server.place)


def _at(use: Use, joining: _Joining) -> Iterator[tuple[Broker, Part]]:
    """The brokers at which an application uses a channel, each once."""
    brokers = {broker.name: broker for broker in joining.mesh.brokers}
    found: dict[str, Part] = {}
    for server in use.servers:
        name = _broker(use, server, joining)
        if name:
            found.setdefault(name, server)
    if not use.servers:
        if len(brokers) == 1:
            found = dict.fromkeys(brokers, use.channel)
        else:
            _dangling(use, "names no server", use.place, "add its servers", joining)
    yield from ((brokers[name], server) for name, server in found.items())


def _broker(use: Use, server: Part, joining: _Joining) -> str | None:
    host, port = _address(server)
    if not host:
        _dangling(use, "is at a server that has no host here", server.place, "give it a host", joining)
        return None
    meant = joining.directory.meant(host, port or None)
    name = meant.broker if meant else _known(joining.directory.outside(host, port), joining)
    if meant and meant.part:
        joining.remarks.append(common.taken_for(host, meant.broker, server["host"].place))
    if name:
        return name
    names = [broker.name for broker in joining.mesh.brokers]
    if len(names) == 1:
        joining.remarks.append(common.taken_for(host, names[0], server["host"].place))
        return names[0]
    remedy = f"Say which it is: --host {host}={names[0]}, or give its file."
    _dangling(use, f"is at {host}, which is none of the brokers", server["host"].place, remedy, joining)
    return None


def _known(name: str, joining: _Joining) -> str | None:
    return name if joining.directory.has(name) else None


def _dangling(use: Use, what: str, place: Place, remedy: str, joining: _Joining) -> None:
    """Told as what could break anything: what the application publishes may go round, or be lost."""
    joining.remarks.append(common.dangling(f"{use.who} {what}", place, remedy, EFFECTS))


# --- clients -----------------------------------------------------------------------------------------


def _join(use: Use, joining: _Joining) -> None:
    """Adds an application where it uses a channel."""
    places = list(_at(use, joining))
    for broker, server in places:
        topics = _topics(use, broker, server, joining)
        name = f"{use.who} at {broker.name}" if len(places) > 1 else use.who
        place = use.channel["address"].place
        if topics and use.action == SEND:
            called = _unused(name, {each.name for each in joining.publishers})
            joining.publishers.append(Publisher(called, broker.name, topics, place))
        elif topics:
            called = _unused(name, {each.name for each in joining.subscribers})
            shares = f"group {use.group}" if use.group else _shared_subscription(topics)
            joining.subscribers.append(Subscriber(called, broker.name, topics, place=place, shares=shares))


def _shared_subscription(topics: Sequence[Pattern]) -> str:
    """The group of `$share/GROUP/FILTER`, as MQTT has it."""
    found = next((each.text.split("/")[1] for each in topics if each.text.startswith("$share/")), "")
    return f"group {found}" if found else ""


def _apart(joining: _Joining) -> Iterator[Remark]:
    """Members of a queue of NATS at several servers: each message goes to one of them."""
    dialects = {broker.name: broker.dialect for broker in joining.mesh.brokers}
    groups: dict[str, list[Subscriber]] = {}
    for each in joining.subscribers:
        if each.shares and dialects[each.broker] == "nats":
            groups.setdefault(each.shares, []).append(each)
    for shares, (first, *others) in groups.items():
        if {each.broker for each in others} - {first.broker}:
            what = f"{shares} is at {first.broker} and {others[-1].broker}: one of its members gets each"
            what = f"{what} message, here one at each of them"
            yield common.not_understood(what, first.place, effects=frozenset((DROPS,)))


def _unused(name: str, names: set[str]) -> str:
    numbered = (f"{name} #{number}" for number in range(2, len(names) + 3))
    return next(each for each in (name, *numbered) if each not in names)


def _topics(use: Use, broker: Broker, server: Part, joining: _Joining) -> tuple[Pattern, ...]:
    """What it publishes or wants there, in the words of the broker; nothing, if that is not known."""
    place = use.channel["address"].place
    if _dialect(server) not in (broker.dialect, "plain"):
        what = f"{use.who} speaks {server['protocol'].text} to {broker.name}: what topics are called there"
        joining.remarks.append(common.not_understood(f"{what} is not known", server["protocol"].place))
        return ()
    amqp = _followed(use.channel["bindings"], use.root)["amqp"]
    if broker.dialect == "amqp" and amqp["is"].text == "queue":
        return _of_queue(use, broker, amqp["queue"], joining)
    scope = _scope(broker, amqp, joining.mesh)
    if scope is None:
        what = f"{use.who} does not say which exchange or account of {broker.name} is meant"
        remedy = "Name it: bindings.amqp.exchange.name of the channel; accounts cannot be said."
        joining.remarks.append(common.not_understood(what, place, remedy))
        return ()
    if use.action == RECEIVE and amqp["exchange"]["type"].text in ("fanout", "headers"):
        return (Pattern("#", "amqp", scope, place),)
    texts = list(_texts(use, broker.dialect, joining.remarks))
    patterns = tuple(Pattern(text, broker.dialect, scope, place) for text in texts)
    for pattern in patterns:
        legal(pattern)
    return patterns


def _of_queue(use: Use, broker: Broker, queue: Part, joining: _Joining) -> tuple[Pattern, ...]:
    """A queue is reached by its name over the default exchange; one of the definitions is there already."""
    name, vhost = queue["name"].text or use.channel["address"].text, queue["vhost"].text or "/"
    if _PARAMETER.search(name):
        what = f"{use.who}: which queue it is, is only known when it runs"
        joining.remarks.append(common.not_understood(what, use.channel["address"].place, "Name the queue."))
        return ()
    called = f"{name if vhost == '/' else f'{vhost}/{name}'}@{broker.name}"
    if use.action == RECEIVE and called in {each.name for each in joining.mesh.subscribers}:
        return ()
    return (Pattern(name, "amqp", scope_of(vhost, ""), queue.place),)


def _scope(broker: Broker, amqp: Part, mesh: Mesh) -> str | None:
    """What keeps its topics apart there: the exchange that is named, or the only one that the mesh has."""
    exchange = amqp["exchange"]
    if broker.dialect == "amqp" and exchange["name"].node:
        return scope_of(exchange["vhost"].text or "/", exchange["name"].text)
    patterns = [
        each for link in mesh.links if broker.name in (link.source, link.target) for each in link.accepts
    ]
    clients = [each for each in mesh.subscribers if each.broker == broker.name]
    patterns += [each for client in clients for each in client.topics]
    scopes = {each.scope for each in patterns} or {""}
    if broker.dialect != "amqp" and "" in scopes:
        return ""
    return scopes.pop() if len(scopes) == 1 else None


def _texts(use: Use, dialect: str, remarks: list[Remark]) -> Iterator[str]:
    """The address with each value of parameters that are enumerated, and wildcards for the others."""
    address = use.channel["address"]
    named = list(dict.fromkeys(_PARAMETER.findall(address.text)))
    parameters = use.channel["parameters"]
    values = [_values(_followed(parameters[name], use.root)) or [f"{{{name}}}"] for name in named]
    if prod(map(len, values)) > MOST_TOPICS:
        what = f"{use.who}: the parameters of this address have more than {MOST_TOPICS:,} values together"
        raise MeshError("ANG125", what, remedy="leave some of them open", place=address.place)
    for chosen in product(*values):
        text = _filled(address.text, dict(zip(named, chosen, strict=True)))
        if not _PARAMETER.search(text):
            yield text
        elif dialect in _WORDS:
            yield _open(use, text, dialect, remarks)
        else:
            what = f"{use.who}: there are no wildcards at this broker to stand for parameters"
            remarks.append(common.not_understood(what, address.place, "Give each an enum."))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PARAMETER.sub(lambda found: values[found[1]], text)


def _values(parameter: Part) -> list[str]:
    return [each.text for each in parameter["enum"].items]


def _open(use: Use, text: str, dialect: str, remarks: list[Remark]) -> str:
    """The address with a wildcard for each level that has a parameter."""
    separator, one = _WORDS[dialect]
    if dialect == "mirrormaker":
        parts = _PARAMETER.split(text)[::2]
        return one.join(_SPECIAL.sub(lambda found: f"\\{found[0]}", part) for part in parts)
    levels = _PARAMETER.sub(lambda found: found[0].replace(separator, ""), text).split(separator)
    for level in levels:
        if _PARAMETER.search(level) and not _PARAMETER.fullmatch(level):
            what = f"{use.who}: the level {level} is taken for any one"
            remarks.append(common.assumed(what, use.channel["address"].place))
    return separator.join(one if _PARAMETER.search(level) else level for level in levels)
