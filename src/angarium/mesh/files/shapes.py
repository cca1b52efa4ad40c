"""Questions to the entries of a mesh file: is this a text, a number, a table with these keys?

Each answers with the value, or raises an error that says where, what was found, what was possible and what to
do. Times are milliseconds inside and have a unit in files (`50 ms`, `1.5 s`); a bare number is milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from angarium.core.errors import MeshError, did_you_mean
from angarium.core.units import UNITS, rate_of, time_of
from angarium.mesh.files.nodes import Items, Node, Source, Table, Text

LARGEST = 1_000_000_000
LEAST_RATE, GREATEST_RATE = 0.001, 1e9
_WHOLE = re.compile(r"\d{1,10}", re.ASCII)
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_KINDS = {Text: "a text", Items: "a list", Table: "a table"}


def wrong(
    source: Source, node: Node, what: str, possible: str = "", remedy: str = "correct this entry"
) -> MeshError:
    """An entry is not of the form that it must have."""
    return MeshError("ANG121", what, possible=possible, remedy=remedy, place=source.place(node))


def found(node: Node) -> str:
    """What a node is, in words."""
    if not isinstance(node, Text):
        return _KINDS[type(node)]
    return "nothing" if node.absent else repr(node.text)


def table(source: Source, node: Node, what: str, keys: Collection[str] = ()) -> dict[str, Node]:
    """A table by its keys, which must be some of those given; any, if none are given."""
    if not isinstance(node, Table):
        some = f"{{{next(iter(keys))}: …}}" if keys else "{name: …}"
        raise wrong(source, node, f"{what} must be a table, not {found(node)}", f"such as {some}")
    if keys:
        for key, _ in node.entries:
            if key.text not in keys:
                near = did_you_mean(key.text, keys)
                remedy = "correct the key, or take it out"
                raise wrong(source, key, f"{what} has no entry {key.text!r}", near, remedy)
    return {key.text: value for key, value in node.entries}


def needed(source: Source, node: Node, entries: Mapping[str, Node], key: str, what: str) -> Node:
    """What a table has under a key that it must have."""
    if key not in entries:
        had = ", ".join(entries) or "nothing"
        raise wrong(source, node, f"{what} does not say {key!r}", f"it has {had}", f"add {key}: …")
    return entries[key]


def text(source: Source, node: Node, what: str) -> str:
    """Any text, also an empty one in quotes."""
    if not isinstance(node, Text) or node.absent:
        raise wrong(source, node, f"{what} must be a text, not {found(node)}")
    return node.text


def name(source: Source, node: Node, what: str) -> str:
    """A text that can be read in one line of a report."""
    given = text(source, node, what)
    if not given.strip() or not given.isprintable():
        raise wrong(source, node, f"{what} must be a name of printable characters, not {given!r}")
    return given


def choice(source: Source, node: Node, what: str, words: Collection[str]) -> str:
    """One of some words."""
    given = text(source, node, what)
    if given not in words:
        raise wrong(source, node, f"{what} cannot be {given!r}", did_you_mean(given, words))
    return given


def whole(source: Source, node: Node, what: str, least: int) -> int:
    """A whole number that is not smaller than the least."""
    given = node.text if isinstance(node, Text) else ""
    if not _WHOLE.fullmatch(given) or not least <= int(given) <= LARGEST:
        possible = f"possible: whole numbers from {least} to {LARGEST:,}"
        raise wrong(source, node, f"{what} cannot be {found(node)}", possible)
    return int(given)


def flag(source: Source, node: Node, what: str) -> bool:
    """Whether something is so."""
    given = node.text.lower() if isinstance(node, Text) else ""
    if given not in _FLAGS:
        raise wrong(source, node, f"{what} cannot be {found(node)}", "possible: true, false")
    return _FLAGS[given]


def milliseconds(source: Source, node: Node, what: str) -> float:
    """How long something takes."""
    time = time_of(node.text) if isinstance(node, Text) else None
    if time is None:
        possible = f"possible: a number and one of {', '.join(unit for unit in UNITS if unit)}, such as 5 ms"
        raise wrong(source, node, f"{what} cannot be {found(node)}", possible)
    return time


def kilobits(source: Source, node: Node, what: str) -> float:
    """How much something carries, in thousands of bits a second."""
    rate = rate_of(node.text) if isinstance(node, Text) else None
    if rate is None or not LEAST_RATE <= rate <= GREATEST_RATE:
        possible = "possible: 1 bit/s to 1000 Gbit/s, in bit/s, kbit/s, Mbit/s or Gbit/s, such as 10 Mbit/s"
        raise wrong(source, node, f"{what} cannot be {found(node)}", possible)
    return rate


def several(node: Node) -> list[Node]:
    """The items of a list; what is no list stands for a list of one."""
    if isinstance(node, Items):
        return node.items
    return [] if isinstance(node, Text) and node.absent else [node]
