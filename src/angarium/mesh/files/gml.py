"""Reads graphs in GML, the form of the Internet Topology Zoo.

A graph says which brokers there are and which are linked, and nothing else: routing is by shortest path,
every link leads both ways at cost 1, and nobody publishes or subscribes. Labels are names where they are
unique; several nodes of one label have their numbers behind it. Parallel edges are links of their own. A node
that is joined with itself is only remarked upon.

GML is keys and values, and brackets: one regular expression cuts a file into its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import PurePath

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.files.nodes import DEEPEST, Source, opened
from angarium.mesh.mesh import SHORTEST, Broker, Link, Mesh, Remark, Routing

_WORD = re.compile(r'(?:\s|#[^\n]*\n)*+(?:(?P<bracket>[\[\]])|"(?P<text>[^"]*)"|(?P<word>[^\s\[\]"]+))')
_NO_LABELS = ("", "None")
"""What the Zoo writes where a place has no name."""

Record = dict[str, tuple[str, int]]
"""What stands between two brackets: key, value, and where the value begins."""
Part = tuple[str, Record, int]
"""What a record is (`node`), what it says, and where it begins."""


def read_gml(path: str) -> Mesh:
    """The mesh of a graph."""
    return gml_mesh(opened(path))


def gml_mesh(source: Source) -> Mesh:
    """The mesh of a graph's text."""
    parts = list(_parts(source))
    names = _names(source, [part for part in parts if part[0] == "node"])
    links, remarks = _links(source, [part for part in parts if part[0] == "edge"], names)
    graph = next((record for kind, record, _ in parts if kind == "graph"), {})
    name = unescape(graph["label"][0]) if "label" in graph else PurePath(source.path).stem
    brokers = tuple(Broker(each) for each, _ in names.values())
    return Mesh(name, brokers, links, routing=Routing(SHORTEST), remarks=remarks)


def _words(source: Source) -> Iterator[tuple[str, str, int]]:
    """The kind, the text and the position of each word."""
    position, text = 0, source.text.rstrip() + "\n"
    while match := _WORD.match(text, position):
        kind = match.lastgroup or ""
        yield kind, match[kind], match.start(kind)
        position = match.end()
    rest = text[position:].lstrip()
    if rest and not rest.startswith("#"):
        what = "a text has no closing quotes"
        raise _broken(source, what, "close it", source.text.find(rest[0], position))


def _parts(source: Source) -> Iterator[Part]:
    """Every record, the outermost last."""
    open_parts: list[Part] = [("", {}, 0)]
    key: tuple[str, int] | None = None
    for kind, word, position in _words(source):
        if word == "]" and kind == "bracket":
            if key or len(open_parts) == 1:
                raise _broken(source, "a bracket closes nothing", "take it out, or add a value", position)
            yield open_parts.pop()
        elif key is None:
            if kind != "word":
                raise _broken(source, f"a key must stand here, not {word!r}", "such as label", position)
            key = word, position
        else:
            if kind == "bracket":
                open_parts.append((key[0], {}, key[1]))
            else:
                open_parts[-1][1][key[0]] = word, position
            key = None
        if len(open_parts) - 1 > DEEPEST:
            raise _broken(source, f"the graph is nested more than {DEEPEST} deep", "", position)
    _ended(source, open_parts, key)


def _ended(source: Source, open_parts: list[Part], key: tuple[str, int] | None) -> None:
    if key:
        raise _broken(source, f"{key[0]} has no value", "add one, or take the key out", key[1])
    if len(open_parts) > 1:
        kind, _, position = open_parts[-1]
        raise _broken(source, f"the bracket of {kind} is not closed", "add ]", position)


def _broken(source: Source, what: str, remedy: str, position: int) -> MeshError:
    place = source.place_of_index(position)
    return MeshError("ANG120", f"the file is not GML: {what}", remedy=remedy, place=place)


def _names(source: Source, nodes: list[Part]) -> dict[str, tuple[str, int]]:
    """For each node its name, and where it stands. Equal and missing labels get the node's number."""
    if not nodes:
        raise MeshError(
            "ANG120",
            "the graph has no nodes",
            possible='a node is written node [ id 0 label "Oslo" ]',
            remedy="give a GML file with nodes",
            place=source.at(1, 1),
        )
    labels = {}
    for _, record, position in nodes:
        number = _needed(source, "node", record, "id", position)
        if number in labels:
            remedy = "give one of them another id"
            place = source.place_of_index(position)
            raise MeshError("ANG122", f"there are two nodes with the id {number}", remedy=remedy, place=place)
        labels[number] = unescape(record.get("label", ("", 0))[0]).strip(), position
    return _told_apart(labels)


def _told_apart(labels: dict[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    often = Counter(label for label, _ in labels.values())
    names = {}
    for number, (label, position) in labels.items():
        missing = label in _NO_LABELS
        name = f"node {number}" if missing else label if often[label] == 1 else f"{label} ({number})"
        while often[name] > (name == label):
            name += "'"
        often[name] += name != label
        names[number] = name, position
    return names


def _needed(source: Source, what: str, record: Record, key: str, position: int) -> str:
    if key not in record:
        had = ", ".join(record) or "nothing"
        raise MeshError(
            "ANG121",
            f"this {what} does not say {key!r}",
            possible=f"it has {had}",
            remedy=f"add {key}",
            place=source.place_of_index(position),
        )
    return record[key][0]


def _links(
    source: Source, edges: list[Part], names: dict[str, tuple[str, int]]
) -> tuple[tuple[Link, ...], tuple[Remark, ...]]:
    """Two links for each edge; edges between the same nodes are numbered."""
    links: list[Link] = []
    remarks: list[Remark] = []
    often: Counter[frozenset[str]] = Counter()
    for _, record, position in edges:
        one, other = (_end(source, record, key, position, names) for key in ("source", "target"))
        if one == other:
            what = f"{one} is joined with itself, which is no link"
            remarks.append(Remark("note", what, place=source.place_of_index(position)))
            continue
        often[frozenset((one, other))] += 1
        links += both_ways(one, other, often[frozenset((one, other))])
    return tuple(links), tuple(remarks)


def both_ways(one: str, other: str, number: int) -> Iterator[Link]:
    """The links of a cable between two brokers, of which it is the first, the second …"""
    more = "" if number == 1 else f" ({number})"
    cable = f"{one}-{other}{more}"
    for source, target in ((one, other), (other, one)):
        name = f"{cable}:{source}->{target}" if more else f"{source}->{target}"
        yield Link(name, source, target, cable=cable, connection=cable)


def _end(source: Source, record: Record, key: str, position: int, names: dict[str, tuple[str, int]]) -> str:
    number = _needed(source, "edge", record, key, position)
    if number not in names:
        raise MeshError(
            "ANG123",
            f"the {key} of this edge is {number}, and there is no such node",
            possible=did_you_mean(number, list(names)[:20], also=names),
            remedy="correct the number, or add the node",
            place=source.place_of_index(record[key][1]),
        )
    return names[number][0]
