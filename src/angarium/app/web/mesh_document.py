"""A mesh as the page holds it: the YAML of a mesh file as JSON, in its long forms.

The page edits the file, not a second form of it. So a document has the keys that docs/reference/mesh-file.md
describes, and nothing else. Where the file may say a thing in several ways, the document has the longest of
them, so that the page need know only one:

    brokers       a table of names, each with a table of what is to say of it
    links         a list of tables with `between`, or with `from` and `to`
    topics        of clients, and the ends of topics: always lists
    routing       a table with `kind`

What comes from the page is written as YAML again, in short forms where they say the same, and read as any
file is: whatever is wrong with it has a line and a column. Texts stay texts, as in the reader: `1` and `no`
are names of brokers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from angarium.core.errors import MeshError
from angarium.mesh.files.nodes import DEEPEST, Items, Node, Source, Text, parsed, source_of
from angarium.mesh.files.scalars import quoted, written
from angarium.mesh.files.yaml_file import KEYS, mesh_of
from angarium.mesh.mesh import Mesh

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Document = dict[str, Json]

MOST_BROKERS, MOST_LINKS, MOST_CLIENTS = 200, 2_000, 2_000
"""More would be neither smooth on a page nor verified while somebody edits."""
_ARROW = re.compile(r"\s+(->?)\s+")


def checked(source: Source) -> Mesh:
    """The mesh that a text describes, if it is not too large for a page."""
    mesh = mesh_of(source)
    counts = {
        "brokers": (len(mesh.brokers), MOST_BROKERS),
        "links": (len(mesh.cables), MOST_LINKS),
        "publishers and subscribers": (len(mesh.publishers) + len(mesh.subscribers), MOST_CLIENTS),
    }
    for what, (count, most) in counts.items():
        if count > most:
            raise MeshError(
                "ANG156",
                f"the mesh {mesh.name} has {count:,} {what}",
                possible=f"the page shows up to {most:,} {what}",
                remedy="ask the command line: angarium mesh verify takes any size",
            )
    return mesh


# --- from a file to a document ----------------------------------------------------------------------


def document_of(source: Source, mesh: Mesh) -> Document:
    """The document of a text that describes this mesh."""
    plain = _plain(parsed(source))
    assert isinstance(plain, dict)
    said = {key: _LONG[key](value) if key in _LONG else value for key, value in plain.items()}
    said |= {"mesh": mesh.name, "routing": _routing(plain.get("routing"), mesh.routing.kind)}
    return {key: said[key] for key in KEYS if key in said}


def _plain(node: Node) -> Json:
    if isinstance(node, Text):
        return None if node.absent else node.text
    if isinstance(node, Items):
        return [_plain(item) for item in node.items]
    return {key.text: _plain(value) for key, value in node.entries}


def _several(value: Json) -> list[Json]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _table(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _brokers(value: Json) -> Json:
    if isinstance(value, list):
        return {str(name): {} for name in value}
    return {name: _table(said) for name, said in _table(value).items()}


def _links(value: Json) -> Json:
    return [_link(item) for item in _several(value)]


def _link(item: Json) -> Json:
    if not isinstance(item, str):
        return item
    one, arrow, other = _ARROW.split(item)
    ends: Document = {"from": one, "to": other}
    return ends if arrow == "->" else {"between": [one, other]}


def _with_lists(*keys: str) -> Callable[[Json], Json]:
    """Tables in which some keys have lists."""

    def lengthened(value: Json) -> Json:
        return {name: _lists(_table(said), keys) for name, said in _table(value).items()}

    return lengthened


def _lists(said: dict[str, Json], keys: tuple[str, ...]) -> Json:
    return said | {key: _several(said[key]) for key in keys if key in said}


def _routing(value: Json, kind: str) -> Json:
    return value if isinstance(value, dict) else {"kind": kind}


_LONG: Mapping[str, Callable[[Json], Json]] = {
    "brokers": _brokers,
    "links": _links,
    "publishers": _with_lists("topics"),
    "subscribers": _with_lists("topics"),
    "topics": _with_lists("from", "to"),
    "shared-risks": _with_lists("links", "brokers"),
}


# --- from a document to a file ----------------------------------------------------------------------


def mesh_from(document: Json, order: Sequence[str] = ()) -> Mesh:
    """The mesh that a document describes; errors have their place in the text of it."""
    return checked(source_of("mesh", text_of(document, order)))


def text_of(document: Json, order: Sequence[str] = ()) -> str:
    """A document as a mesh file, its brokers in this order, which settles ties: JavaScript keeps none."""
    if not isinstance(document, dict):
        raise _no_document(f"it is {_kind(document)}")
    said = _sound(document, 0)
    assert isinstance(said, dict)
    if isinstance(brokers := said.get("brokers"), dict):
        said["brokers"] = {name: brokers[name] for name in order if name in brokers} | brokers
    keys = [key for key in KEYS if key in said] + [key for key in said if key not in KEYS]
    return "".join(f"{line}\n" for key in keys for line in _section(key, said[key]))


def _section(key: str, value: Json) -> Iterator[str]:
    """A line for each entry of a table or item of a list, however much it says."""
    if key == "routing" and isinstance(value, dict) and list(value) == ["kind"]:
        value = value["kind"]
    if not isinstance(value, dict | list) or key == "routing":
        yield f"{quoted(key)}:{_said(value)}"
    elif not value:
        yield from [f"{quoted(key)}:{_said(value)}"] if key in ("brokers", "tables") else []
    elif isinstance(value, dict):
        yield f"{quoted(key)}:"
        yield from (f"  {quoted(name)}:{_said(said or None)}" for name, said in value.items())
    else:
        yield f"{quoted(key)}:"
        yield from (f"  - {written(_shortest(item) if key == 'links' else item)}" for item in value)


def _said(value: Json) -> str:
    return "" if value is None else f" {written(value)}"


def _shortest(link: Json) -> Json:
    """A link of which there is nothing to say but its ends, by an arrow."""
    match link:
        case {"between": [str() as one, str() as other], **more} if not more:
            short = f"{one} - {other}"
        case {"from": str() as one, "to": str() as other, **more} if not more:
            short = f"{one} -> {other}"
        case _:
            return link
    return short if _ARROW.split(short)[::2] == [one, other] else link


def _sound(value: Json, depth: int) -> Json:
    """A value that can be written as YAML; what is null says nothing."""
    if depth > DEEPEST:
        raise _no_document(f"it is nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        return {key: _sound(each, depth + 1) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_sound(each, depth + 1) for each in value if each is not None]
    if isinstance(value, float):
        return _number(value)
    return value


def _number(value: float) -> Json:
    if not math.isfinite(value):
        raise _no_document(f"{value} is no number")
    return int(value) if value.is_integer() else repr(value)


def _kind(value: Json) -> str:
    kinds = {type(None): "nothing", list: "a list", str: "a text", bool: "a truth value"}
    return kinds.get(type(value), "a number")


def _no_document(why: str) -> MeshError:
    return MeshError(
        "ANG155",
        f"what was sent is no mesh: {why}",
        possible='a mesh file as JSON, such as {"brokers": {"b1": {}, "b2": {}}, "links": […]}',
        remedy="send what /api/mesh/read answers, changed as you like",
    )
