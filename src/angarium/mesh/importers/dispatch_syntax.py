"""The files of Qpid Dispatch and skupper-router, in both of their forms.

    router {                          [["router", {"id": "A", "mode": "interior"}],
        id: A                          ["listener", {"host": "0.0.0.0", "port": "55672"}]]
        mode: interior
    }

In the first, an attribute is one line; `#` begins a comment, but not in the attributes whose values are
patterns, where it is a wildcard and the value ends at the first blank. A value in braces goes on to its
closing brace.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common

LARGEST = 4_000_000
"""Characters. Files with thousands of addresses have some hundred thousand."""
WITH_HASH = frozenset(("pattern", "bindingKey", "hostname"))

_BEGIN = re.compile(r"\s*([\w.\-]+)\s*\{\s*(?:#.*)?")
_END = re.compile(r"\s*\}\s*(?:#.*)?")
_ATTRIBUTE = re.compile(r"\s*([\w\-]+)\s*:\s*(.*)")
_NOTHING = re.compile(r"\s*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Entity:
    """A router, a listener, a connector …, and what is said of it."""

    kind: str
    attributes: Mapping[str, str]
    place: Place

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name, "")


def read_entities(path: Path) -> list[Entity]:
    """All entities of a file, in order."""
    text = common.text_of(path)
    if len(text) > LARGEST:
        raise MeshError(
            "ANG125",
            f"{path} has more than {LARGEST:,} characters, which no configuration of a router has",
            remedy="look whether this is the right file",
        )
    return _entities(path, text)


def outline(path: Path, text: str) -> list[Entity] | None:
    """The entities of a text; None if it is not of this syntax."""
    try:
        return _entities(path, text)
    except MeshError:
        return None


def _entities(path: Path, text: str) -> list[Entity]:
    listed = text.lstrip().startswith("[")
    return list(_listed(path, text) if listed else _blocks(path, text.split("\n")))


def _blocks(path: Path, lines: list[str]) -> Iterator[Entity]:
    numbered = iter(enumerate(lines, 1))
    for number, line in numbered:
        if _NOTHING.fullmatch(line):
            continue
        place = common.place(path, number, 1, line)
        begin = _BEGIN.fullmatch(line)
        if not begin:
            raise _wrong(
                f"{line.strip()[:80]!r} begins no block", "write a kind and {, such as router {", place
            )
        yield Entity(begin[1], dict(_attributes(path, numbered, place)), place)


def _attributes(path: Path, numbered: Iterator[tuple[int, str]], begin: Place) -> Iterator[tuple[str, str]]:
    for number, line in numbered:
        if _END.fullmatch(line):
            return
        if _NOTHING.fullmatch(line):
            continue
        found = _ATTRIBUTE.fullmatch(line)
        if not found:
            place = common.place(path, number, 1, line)
            raise _wrong(
                f"{line.strip()[:80]!r} is no attribute", "write name: value, one in each line", place
            )
        name, value = found[1], found[2]
        if value.startswith("{"):
            value = _braced(value, numbered, begin)
        yield name, _plain(name, value)
    raise _wrong("the file ends within this block", "close it with }", begin)


def _braced(value: str, numbered: Iterator[tuple[int, str]], begin: Place) -> str:
    parts, depth = [value], value.count("{") - value.count("}")
    while depth > 0:
        _, line = next(numbered, (0, None))
        if line is None:
            raise _wrong("the file ends within this block", "close it with }", begin)
        parts.append(line)
        depth += line.count("{") - line.count("}")
    return " ".join(parts)


def _plain(name: str, value: str) -> str:
    if name in WITH_HASH:
        return value.split()[0] if value.split() else ""
    return value.partition("#")[0].strip()


def _wrong(what: str, remedy: str, place: Place) -> MeshError:
    return MeshError(
        "ANG120", what, possible="blocks such as router { id: A }, or a JSON list", remedy=remedy, place=place
    )


class _Lines:
    """Where in a text which line begins."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, at: int) -> Place:
        line = bisect_right(self.starts, at)
        start = self.starts[line - 1]
        end = self.text.find("\n", start)
        return common.place(
            self.path, line, at - start + 1, self.text[start : end if end >= 0 else len(self.text)]
        )


def _listed(path: Path, text: str) -> Iterator[Entity]:
    """The entities of the JSON form, each with the line that it begins in."""
    lines, decoder = _Lines(path, text), json.JSONDecoder()
    at = _skipped(text, text.index("[") + 1)
    while text[at : at + 1] != "]":
        place = lines.place(at)
        try:
            item, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            where = lines.place(error.pos)
            raise _wrong(
                f"this is not JSON: {error.msg}", "look at this line and the one above", where
            ) from None
        except (RecursionError, ValueError):
            raise _wrong("this entry is nested too deep, or a number is too long", "", place) from None
        yield _entity(item, place)
        at = _skipped(text, at)
        if at >= len(text) or text[at] not in ",]":
            raise _wrong(
                "the list is not closed", "write , between entries, and ] at the end", lines.place(at)
            )
        at = _skipped(text, at + 1) if text[at] == "," else at


def _skipped(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _entity(item: object, place: Place) -> Entity:
    match item:
        case [str(kind), dict(attributes)]:
            texts = {str(name): _text(value) for name, value in attributes.items()}
            return Entity(kind, texts, place)
        case _:
            raise MeshError(
                "ANG121",
                "an entry of the list is no entity",
                possible='["router", {"id": "A"}]',
                remedy="write its kind and its attributes",
                place=place,
            )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
