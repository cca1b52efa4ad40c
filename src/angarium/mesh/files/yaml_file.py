"""Reads mesh files: brokers, links, who publishes and who subscribes, and how messages find their way.

The form is described in docs/reference/mesh-file.md. Everything that a file says must be understood: an
unknown key, a name that leads nowhere or a pattern that is illegal in its dialect is an error at its line and
column, because a mesh that is half understood would be verified as if it were another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from angarium.mesh.collecting import without_collecting
from angarium.mesh.files import shapes
from angarium.mesh.files.names import Names, Unique
from angarium.mesh.files.nodes import Items, Node, Source, Table, Text, opened, parsed
from angarium.mesh.files.yaml_chances import CHANCE_KEYS, chances_of
from angarium.mesh.files.yaml_links import links_of
from angarium.mesh.files.yaml_remarks import assumed, remarks_of
from angarium.mesh.files.yaml_risks import shared_risks_of
from angarium.mesh.mesh import (
    DIALECTS,
    FORWARD,
    SHORTEST,
    TABLES,
    Broker,
    Mesh,
    Pattern,
    Publisher,
    Routing,
    Subscriber,
)

KEYS = (
    "mesh",
    "dialect",
    "routing",
    "brokers",
    "links",
    "publishers",
    "subscribers",
    "topics",
    "tables",
    "shared-risks",
    "remarks",
    "assume",
)
BROKER_KEYS = (*CHANCE_KEYS, "dialect", "identity", "substitute")
SUBSCRIBER_KEYS = ("at", "topics", "within", "shares")
ROUTING_KEYS = ("kind", "rerouted", "hop-limit")
_ANOTHER_NAME = "take one of them out, or give it another name"


def read_mesh(path: str) -> Mesh:
    """The mesh that a YAML file describes."""
    return mesh_of(opened(path))


def mesh_of(source: Source) -> Mesh:
    """The mesh that a text describes."""
    with without_collecting():
        return _mesh(source, parsed(source))


def _mesh(source: Source, root: Node) -> Mesh:
    entries = shapes.table(source, root, "a mesh file", KEYS)
    names = _names(source, root, entries)
    publishers, subscribers = _clients(names, entries)
    links = links_of(names, entries["links"]) if "links" in entries else ()
    mesh = Mesh(
        shapes.name(source, entries["mesh"], "mesh") if "mesh" in entries else PurePath(source.path).stem,
        tuple(names.brokers.values()),
        links,
        publishers,
        subscribers,
        _routing(names, entries),
        remarks_of(names, shapes.several(entries.get("remarks", _nothing(root)))),
        shared_risks_of(names, links, _rows(source, entries, "shared-risks")),
    )
    return assumed(source, mesh, shapes.several(entries.get("assume", _nothing(root))))


def _nothing(beside: Node) -> Text:
    return Text("", True, beside.span)


def _names(source: Source, root: Node, entries: Mapping[str, Node]) -> Names:
    """The brokers: a list of names, or a table of names and what is to say of each."""
    from angarium.mesh.topics.dialects import legal

    dialect = "plain"
    if "dialect" in entries:
        dialect = shapes.choice(source, entries["dialect"], "dialect", DIALECTS)
    node = shapes.needed(source, root, entries, "brokers", "a mesh file")
    unique, pairs = Unique(source, "brokers"), list(_listed(source, node))
    if not pairs:
        raise shapes.wrong(source, node, "a mesh needs a broker", remedy="name one: brokers: [b1]")
    for key, _ in pairs:
        unique.add(shapes.name(source, key, "the name of a broker"), key, _ANOTHER_NAME)
    names = Names(source, {key.text: Broker(key.text) for key, _ in pairs}, legal)
    names.brokers.update({key.text: _broker(names, key, value, dialect) for key, value in pairs})
    return names


def _listed(source: Source, node: Node) -> Iterator[tuple[Text, Node]]:
    if isinstance(node, Table):
        yield from node.entries
        return
    if not isinstance(node, Items):
        what = f"brokers must be a list or a table, not {shapes.found(node)}"
        raise shapes.wrong(source, node, what, "such as [b1, b2], or {b1: {latency: 2 ms}, b2: {}}")
    for item in node.items:
        if not isinstance(item, Text):
            remedy = "write brokers as a table if there is more to say: b1: {latency: 2 ms}"
            raise shapes.wrong(
                source, item, f"the name of a broker cannot be {shapes.found(item)}", "", remedy
            )
        yield item, _nothing(item)


def _broker(names: Names, key: Text, node: Node, dialect: str) -> Broker:
    source, place = names.source, names.source.place(key)
    if isinstance(node, Text) and node.absent:
        return Broker(key.text, dialect, place=place)
    entries = shapes.table(source, node, f"the broker {key.text}", BROKER_KEYS)
    if "dialect" in entries:
        dialect = shapes.choice(source, entries["dialect"], "dialect", DIALECTS)
    identity = shapes.name(source, entries["identity"], "identity") if "identity" in entries else ""
    substitute = _substitute(names, key.text, entries)
    more = chances_of(source, entries, f"the broker {key.text}")
    return Broker(key.text, dialect, identity=identity, substitute=substitute, place=place, **more)  # type: ignore[arg-type]


def _substitute(names: Names, broker: str, entries: Mapping[str, Node]) -> str | None:
    if "substitute" not in entries:
        return None
    substitute = names.broker(entries["substitute"], f"the substitute of {broker}")
    if substitute == broker:
        what = f"{broker} cannot be its own substitute"
        raise shapes.wrong(names.source, entries["substitute"], what, remedy="name another broker")
    return substitute


def _clients(
    names: Names, entries: Mapping[str, Node]
) -> tuple[tuple[Publisher, ...], tuple[Subscriber, ...]]:
    """Those with names of their own, then those of the short form `topics`."""
    publishers, subscribers = Unique(names.source, "publishers"), Unique(names.source, "subscribers")
    publish = [
        _publisher(names, publishers, key, node) for key, node in _rows(names.source, entries, "publishers")
    ]
    subscribe = [
        _subscriber(names, subscribers, key, node)
        for key, node in _rows(names.source, entries, "subscribers")
    ]
    for key, node in _rows(names.source, entries, "topics"):
        topic = shapes.table(names.source, node, f"the topic {key.text}", ("from", "to", "within"))
        publish += _topic_publishers(names, publishers, key, topic)
        subscribe += _topic_subscribers(names, subscribers, key, topic)
    return tuple(publish), tuple(subscribe)


def _rows(source: Source, entries: Mapping[str, Node], key: str) -> list[tuple[Text, Node]]:
    node = entries.get(key)
    if node is None or (isinstance(node, Text) and node.absent):
        return []
    if not isinstance(node, Table):
        raise shapes.wrong(
            source, node, f"{key} must be a table, not {shapes.found(node)}", "such as {name: …}"
        )
    return node.entries


def _publisher(names: Names, unique: Unique, key: Text, node: Node) -> Publisher:
    entries = shapes.table(names.source, node, f"the publisher {key.text}", ("at", "topics"))
    name, broker, topics = _client(names, unique, key, node, entries)
    return Publisher(name, broker, topics, names.source.place(key))


def _subscriber(names: Names, unique: Unique, key: Text, node: Node) -> Subscriber:
    entries = shapes.table(names.source, node, f"the subscriber {key.text}", SUBSCRIBER_KEYS)
    name, broker, topics = _client(names, unique, key, node, entries)
    shares = shapes.name(names.source, entries["shares"], "shares") if "shares" in entries else ""
    return Subscriber(name, broker, topics, _bound(names.source, entries), names.source.place(key), shares)


def _client(
    names: Names, unique: Unique, key: Text, node: Node, entries: Mapping[str, Node]
) -> tuple[str, str, tuple[Pattern, ...]]:
    name = unique.add(shapes.name(names.source, key, "a name"), key, _ANOTHER_NAME)
    at, topics = (shapes.needed(names.source, node, entries, word, name) for word in ("at", "topics"))
    broker = names.broker(at, f"the broker of {name}")
    return name, broker, names.patterns(topics, broker, "a topic")


def _bound(source: Source, entries: Mapping[str, Node]) -> float | None:
    return shapes.milliseconds(source, entries["within"], "within") if "within" in entries else None


def _topic_publishers(
    names: Names, unique: Unique, topic: Text, entries: Mapping[str, Node]
) -> Iterator[Publisher]:
    for node, name, broker, patterns in _ends(names, unique, topic, entries.get("from")):
        yield Publisher(name, broker, patterns, names.source.place(node))


def _topic_subscribers(
    names: Names, unique: Unique, topic: Text, entries: Mapping[str, Node]
) -> Iterator[Subscriber]:
    bound = _bound(names.source, entries)
    for node, name, broker, patterns in _ends(names, unique, topic, entries.get("to")):
        yield Subscriber(name, broker, patterns, bound, names.source.place(node))


def _ends(
    names: Names, unique: Unique, topic: Text, ends: Node | None
) -> Iterator[tuple[Node, str, str, tuple[Pattern, ...]]]:
    """Where a topic comes from or goes to; brokers of one dialect share one pattern."""
    patterns: dict[str, tuple[Pattern, ...]] = {}
    for node in shapes.several(ends) if ends else ():
        broker = names.broker(node, f"an end of the topic {topic.text}")
        dialect = names.brokers[broker].dialect
        if dialect not in patterns:
            patterns[dialect] = names.patterns(topic, broker, "a topic")
        yield node, unique.add(f"{topic.text} at {broker}", node, _ANOTHER_NAME), broker, patterns[dialect]


def _routing(names: Names, entries: Mapping[str, Node]) -> Routing:
    """How messages find their way; given tables say so by being there."""
    source, node = names.source, entries.get("routing")
    kind, more = TABLES if "tables" in entries else FORWARD, dict[str, Node]()
    if node is not None:
        more = (
            {"kind": node} if isinstance(node, Text) else shapes.table(source, node, "routing", ROUTING_KEYS)
        )
        given = shapes.needed(source, node, more, "kind", "routing")
        kind = shapes.choice(source, given, "routing", (FORWARD, SHORTEST, TABLES))
        _agree(source, given, kind, entries)
    rerouted = shapes.flag(source, more["rerouted"], "rerouted") if "rerouted" in more else True
    limit = shapes.whole(source, more["hop-limit"], "hop-limit", 0) if "hop-limit" in more else None
    return Routing(kind, _tables(names, entries), rerouted, limit)


def _agree(source: Source, node: Node, kind: str, entries: Mapping[str, Node]) -> None:
    if kind == TABLES and "tables" not in entries:
        what = "routing is by tables, and the file has no tables"
        raise shapes.wrong(source, node, what, remedy="add tables: {b1: {b2: b2}}, or say routing: shortest")
    if kind != TABLES and "tables" in entries:
        what = f"the file has tables, and routing is {kind}"
        raise shapes.wrong(source, node, what, remedy="say routing: tables, or take the tables out")


def _tables(names: Names, entries: Mapping[str, Node]) -> dict[str, dict[str, str]]:
    return {
        names.broker(key, "the broker of a table"): {
            names.broker(destination, f"a destination of {key.text}"): names.broker(
                target, f"the next broker from {key.text} to {destination.text}"
            )
            for destination, target in _rows(names.source, {key.text: node}, key.text)
        }
        for key, node in _rows(names.source, entries, "tables")
    }
