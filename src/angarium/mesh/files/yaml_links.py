"""The links of a mesh file.

    - b1 - b2                           both ways
    - b1 -> b2                          one way
    - {between: [b1, b2], cost: 3}      both ways, with more to say
    - {from: b1, to: b2, cost: 3}       one way, with more to say

What leads both ways are two links of one cable, which fail together, and of one connection, so that a message
does not come back over the link that it has just crossed, unless the file says `echoes: true`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from angarium.core.units import time_of
from angarium.mesh.files import shapes
from angarium.mesh.files.names import Names, Unique
from angarium.mesh.files.nodes import Node, Source, Table, Text
from angarium.mesh.files.yaml_chances import CHANCE_KEYS, chances_of
from angarium.mesh.mesh import Link, Rename

KEPT, LOST = "kept", "lost"
_SHORT = re.compile(r"(?P<one>\S(?:.*?\S)?)\s+(?P<arrow>->|-)\s+(?P<other>\S(?:.*\S)?)")
_ARROW = re.compile(r"\s->?\s")
_ANOTHER_NAME = "take one of them out, or give it another name, with name: …"
_FORMS = "possible: b1 - b2 (both ways), b1 -> b2 (one way), {between: [b1, b2]}, {from: b1, to: b2}"


def _buffering(source: Source, node: Node, what: str) -> str:
    given = shapes.text(source, node, what)
    if given not in (KEPT, LOST) and time_of(given) is None:
        possible = "possible: kept, lost, or how long messages are kept, such as 30 s"
        raise shapes.wrong(source, node, f"{what} cannot be {given!r}", possible)
    return given


def _kinds(source: Source, node: Node, what: str) -> frozenset[str]:
    return frozenset(shapes.name(source, item, what) for item in shapes.several(node))


_RULES: Mapping[str, tuple[str, Callable[[Source, Node, str], object]]] = {
    "cost": ("cost", lambda source, node, what: shapes.whole(source, node, what, 1)),
    "rate": ("rate", shapes.kilobits),
    "capacity": ("capacity", lambda source, node, what: shapes.whole(source, node, what, 0)),
    "hop-limit": ("hop_limit", lambda source, node, what: shapes.whole(source, node, what, 0)),
    "counts": ("counts", shapes.flag),
    "avoids-visited": ("avoids_visited", shapes.flag),
    "kind": ("kind", shapes.name),
    "not-after": ("not_after", _kinds),
    "shares": ("shares", shapes.name),
    "buffering": ("buffering", _buffering),
    "failover": ("failover", shapes.name),
    "rank": ("rank", lambda source, node, what: shapes.whole(source, node, what, 0)),
    "takes-over": ("takes_over", shapes.milliseconds),
}
"""What is said of a link in the same way for both directions: the key, the field, and how it is read."""

_FILTERS = ("accepts", "refuses")
BOTH_WAYS_KEYS = ("between", "name", *_RULES, *CHANCE_KEYS, *_FILTERS, "echoes")
ONE_WAY_KEYS = ("from", "to", "name", *_RULES, *CHANCE_KEYS, *_FILTERS, "rename", "cable", "connection")
RENAME_KEYS = {"strip": "strip", "add": "add", "to": "whole", "scope": "scope"}


def links_of(names: Names, node: Node) -> tuple[Link, ...]:
    """All links, in the order of the file."""
    unique = Unique(names.source, "links")
    return tuple(link for item in shapes.several(node) for link in _item(names, unique, item))


def _item(names: Names, unique: Unique, node: Node) -> Iterator[Link]:
    if isinstance(node, Text):
        return _short(names, unique, node)
    keys = [key.text for key, _ in node.entries] if isinstance(node, Table) else []
    if "between" in keys:
        return _both_ways(names, unique, node)
    if "from" in keys or "to" in keys:
        return _one_way(names, unique, node)
    raise shapes.wrong(
        names.source,
        node,
        "a link does not say which brokers it joins",
        _FORMS,
        "add between, or from and to",
    )


def _short(names: Names, unique: Unique, node: Text) -> Iterator[Link]:
    match = _SHORT.fullmatch(node.text)
    if not match or len(_ARROW.findall(node.text)) != 1:
        remedy = "put one arrow with blanks around it between two brokers"
        raise shapes.wrong(names.source, node, f"a link cannot be {shapes.found(node)}", _FORMS, remedy)
    plain = names.source.text[node.span.start : node.span.end] == node.text
    source, target = (
        names.broker(
            Text(match[end], False, node.span._replace(column=node.span.column + plain * match.start(end))),
            f"an end of the link {node.text}",
        )
        for end in ("one", "other")
    )
    if match["arrow"] == "->":
        return _single(names, unique, node, source, target, {})
    return _pair(names, unique, node, source, target, {})


def _both_ways(names: Names, unique: Unique, node: Node) -> Iterator[Link]:
    entries = shapes.table(names.source, node, "a link both ways", (*BOTH_WAYS_KEYS, "rename"))
    if "rename" in entries:
        what, remedy = "a link that renames topics leads one way", "write two links, each with from and to"
        raise shapes.wrong(names.source, entries["rename"], what, remedy=remedy)
    ends = [names.broker(end, "an end of the link") for end in shapes.several(entries["between"])]
    if len(ends) != 2:
        what = f"a link is between two brokers, not {len(ends)}"
        raise shapes.wrong(names.source, entries["between"], what, remedy="write between: [b1, b2]")
    return _pair(names, unique, node, ends[0], ends[1], entries)


def _one_way(names: Names, unique: Unique, node: Node) -> Iterator[Link]:
    entries = shapes.table(names.source, node, "a link one way", ONE_WAY_KEYS)
    source, target = (
        names.broker(shapes.needed(names.source, node, entries, key, "a link one way"), what)
        for key, what in (("from", "the source of the link"), ("to", "the target of the link"))
    )
    return _single(names, unique, node, source, target, entries)


def _pair(
    names: Names, unique: Unique, node: Node, one: str, other: str, entries: Mapping[str, Node]
) -> Iterator[Link]:
    if one == other:
        what = f"a link both ways cannot join {one} with itself"
        raise shapes.wrong(
            names.source, node, what, remedy=f"write {{from: {one}, to: {one}}} if that is meant"
        )
    cable = _named(unique, node, entries, f"{one}-{other}")
    echoes = "echoes" in entries and shapes.flag(names.source, entries["echoes"], "echoes")
    for source, target in ((one, other), (other, one)):
        name = f"{cable}:{source}->{target}" if "name" in entries else f"{source}->{target}"
        unique.add(name, node, _ANOTHER_NAME)
        yield _link(
            names, node, name, source, target, entries, cable=cable, connection="" if echoes else cable
        )


def _single(
    names: Names, unique: Unique, node: Node, source: str, target: str, entries: Mapping[str, Node]
) -> Iterator[Link]:
    name = _named(unique, node, entries, f"{source}->{target}")
    more: dict[str, object] = {
        key: shapes.text(names.source, entries[key], key) for key in ("cable", "connection") if key in entries
    }
    if "rename" in entries:
        more["rename"] = _rename(names.source, entries["rename"])
    yield _link(names, node, name, source, target, entries, **more)


def _named(unique: Unique, node: Node, entries: Mapping[str, Node], otherwise: str) -> str:
    if "name" not in entries:
        return unique.add(otherwise, node, _ANOTHER_NAME)
    given = shapes.name(unique.source, entries["name"], "the name of a link")
    return unique.add(given, entries["name"], _ANOTHER_NAME)


def _link(
    names: Names,
    node: Node,
    name: str,
    source: str,
    target: str,
    entries: Mapping[str, Node],
    **more: object,
) -> Link:
    for key in entries.keys() & _RULES.keys():
        field, read = _RULES[key]
        more[field] = read(names.source, entries[key], f"{key} of a link")
    more |= chances_of(names.source, entries, "a link")
    for key in entries.keys() & set(_FILTERS):
        more[key] = names.patterns(entries[key], source, f"what a link {key}")
    return Link(name, source, target, place=names.source.place(node), **more)  # type: ignore[arg-type]


def _rename(source: Source, node: Node) -> Rename:
    entries = shapes.table(source, node, "rename", RENAME_KEYS)
    given = {
        RENAME_KEYS[key]: shapes.text(source, value, f"{key} of rename") for key, value in entries.items()
    }
    return Rename(**given)
