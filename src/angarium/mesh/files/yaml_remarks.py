"""The remarks of a mesh file: what was left open when it was written from brokers' own files.

    remarks:
      - {kind: not understood, what: parameter x of eu, effects: [drops], brokers: [eu], at: eu.json:3:1}
    assume: [parameter x of eu]

A remark without `effects` has those that are usual for its kind, so that what somebody adds by hand counts.
`assume` names the entries for which whoever keeps the file takes responsibility.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from angarium.core.errors import Place
from angarium.mesh.files import shapes
from angarium.mesh.files.names import Names
from angarium.mesh.files.nodes import Node, Source
from angarium.mesh.mesh import EFFECTS, EVERYTHING, NOT_READ, NOT_UNDERSTOOD, Mesh, Remark
from angarium.mesh.remarks import assuming

KEYS = ("kind", "what", "remedy", "at", "effects", "brokers")
USUAL_EFFECTS = {NOT_UNDERSTOOD: EFFECTS, NOT_READ: EVERYTHING}
"""Of each kind; of others none."""
_PLACE = re.compile(r"(.+):(\d{1,9}):(\d{1,9})")


def remarks_of(names: Names, nodes: Sequence[Node]) -> tuple[Remark, ...]:
    """The remarks, in order."""
    return tuple(_remark(names, node) for node in nodes)


def _remark(names: Names, node: Node) -> Remark:
    source, entries = names.source, shapes.table(names.source, node, "a remark", KEYS)
    for key in ("kind", "what"):
        shapes.needed(source, node, entries, key, "a remark")
    lists = {key: shapes.several(entries.pop(key)) for key in ("effects", "brokers") if key in entries}
    texts = {key: shapes.text(source, value, key) for key, value in entries.items()}
    effects = USUAL_EFFECTS.get(texts["kind"], frozenset())
    if "effects" in lists:
        words = sorted(EVERYTHING)
        effects = frozenset(shapes.choice(source, each, "an effect", words) for each in lists["effects"])
    brokers = tuple(names.broker(each, "the broker of a remark") for each in lists.get("brokers", ()))
    place = _place(source, entries["at"], texts["at"]) if "at" in texts else None
    return Remark(texts["kind"], texts["what"], texts.get("remedy", ""), place, effects, brokers)


def _place(source: Source, node: Node, text: str) -> Place:
    match = _PLACE.fullmatch(text)
    if not match:
        what = f"at of a remark cannot be {text!r}"
        raise shapes.wrong(source, node, what, "possible: file:line:column")
    return Place(match[1], int(match[2]), int(match[3]))


def assumed(source: Source, mesh: Mesh, nodes: Sequence[Node]) -> Mesh:
    """The mesh, with responsibility taken for the entries that are named."""
    for node in nodes:
        word = shapes.text(source, node, "assume")
        (mesh,) = assuming([mesh], [word], "assume:", source.place(node))
    return mesh
