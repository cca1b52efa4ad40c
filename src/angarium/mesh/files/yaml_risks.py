"""Shared risks of a mesh file: what fails together though the file draws it apart.

    shared-risks:
      river crossing: {links: [north, b2-b3]}       two lines in one duct
      machine room: {links: wan, brokers: [b4, b5]}

A link is meant by the name of what fails: that of its cable, or of one of the cable's links. Parts are kept
in the order of the file, each once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.files import shapes
from angarium.mesh.files.names import Names
from angarium.mesh.files.nodes import Node, Text
from angarium.mesh.files.yaml_chances import failing_of
from angarium.mesh.mesh import Link, SharedRisk

PARTS = ("links", "brokers")
KEYS = (*PARTS, "mtbf", "mttr")


def shared_risks_of(
    names: Names, links: Sequence[Link], rows: Iterable[tuple[Text, Node]]
) -> tuple[SharedRisk, ...]:
    """All shared risks, in the order of the file."""
    cables = {link.name: link.fails_as for link in links if link.source != link.target}
    cables |= {cable: cable for cable in cables.values()}
    return tuple(_risk(names, cables, key, node) for key, node in rows)


def _risk(names: Names, cables: dict[str, str], key: Text, node: Node) -> SharedRisk:
    source = names.source
    name = shapes.name(source, key, "the name of a shared risk")
    what = f"the shared risk {name}"
    entries = shapes.table(source, node, what, KEYS)
    parts = {word: shapes.several(entries[word]) if word in entries else [] for word in PARTS}
    if not (parts["links"] or parts["brokers"]):
        raise shapes.wrong(source, node, f"{what} has no parts", "possible: links, brokers", "name some")
    brokers = (names.broker(part, f"a broker of {what}") for part in parts["brokers"])
    dead = (_cable(names, cables, part, what) for part in parts["links"])
    parts_once = tuple(dict.fromkeys(brokers)), tuple(dict.fromkeys(dead))
    return SharedRisk(name, *parts_once, source.place(key), failing_of(source, entries, what))


def _cable(names: Names, cables: dict[str, str], node: Node, what: str) -> str:
    given = shapes.name(names.source, node, f"a link of {what}")
    if given not in cables:
        raise MeshError(
            "ANG123",
            f"a link of {what} is {given}, and there is no such link",
            possible=did_you_mean(given, list(cables)[:20], also=cables),
            remedy=f"correct the name, or add {given} to links",
            place=names.source.place(node),
        )
    return cables[given]
