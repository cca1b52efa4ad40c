"""A YAML document as a tree that remembers where everything stands.

YAML's own objects are never made: a mesh file is untrusted, and all that it has to say are texts, lists and
tables of texts. The tree is built from the stream of parsing events, so that a file which is nested without
end, or whose aliases stand for billions of entries, is refused while it is read and not when memory is gone.

`1`, `no` and `null` are texts like others, because brokers may be called so; what they mean is decided
where a number or a truth value is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from angarium.core import files
from angarium.core.errors import MeshError, Place, UsageError
from angarium.mesh.files.inside import content

LONGEST_FILE = 64 * 1024 * 1024
MOST_NODES = 2_000_000
DEEPEST = 32
LONGEST_EXCERPT = 300
"""Longer lines are not shown in messages."""
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line for YAML 1.1, so that lines have the same numbers here and there."""


class Span(NamedTuple):
    """From where to where a node reaches; line and column count from 1, indexes from 0."""

    line: int
    column: int
    start: int
    end: int


class Text(NamedTuple):
    """A scalar. One that is not even an empty text (`b1:` with nothing behind) is `absent`."""

    text: str
    absent: bool
    span: Span


class Items(NamedTuple):
    """A list; `flow` if it is written in brackets."""

    items: list[Node]
    flow: bool
    span: Span


class Table(NamedTuple):
    """Keys and values, in order; `flow` if it is written in braces."""

    entries: list[tuple[Text, Node]]
    flow: bool
    span: Span


Node = Text | Items | Table


@dataclass(frozen=True, slots=True)
class Source:
    """A text file that is being read: where its errors are."""

    path: str
    text: str
    lines: list[str] = field(repr=False)

    def at(self, line: int, column: int) -> Place:
        source = self.lines[line - 1] if line <= len(self.lines) else ""
        return Place(self.path, line, column, source if len(source) <= LONGEST_EXCERPT else "")

    def place(self, node: Node) -> Place:
        return self.at(node.span.line, node.span.column)

    def place_of_index(self, index: int) -> Place:
        before = _LINE_END.split(self.text[:index])
        return self.at(len(before), len(before[-1]) + 1)


def source_of(path: str, text: str) -> Source:
    return Source(path, text, _LINE_END.split(text))


def opened(path: str, *, longest: int = LONGEST_FILE) -> Source:
    """A file's text, if it is a file, not too long, and UTF-8."""
    try:
        data = content(path, longest)
    except files.TooLargeError:
        raise MeshError(
            "ANG125",
            f"{path} is longer than {longest // 1024 // 1024} MiB",
            remedy="divide the mesh, or leave out what is not asked about",
        ) from None
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise UsageError(
            "ANG010",
            f"there is no file {path} to read: {why}",
            remedy="give the path of a file that is there",
        ) from None
    return source_of(path, _decoded(path, data))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        place = Place(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise MeshError(
            "ANG120",
            f"the file is not UTF-8: byte 0x{data[error.start]:02x} is no character",
            remedy="save it as UTF-8",
            place=place,
        ) from None


def parsed(source: Source) -> Node:
    """The one document of a file."""
    import yaml

    builder = _Builder(source)
    try:
        for event in yaml.parse(source.text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise _invalid(source, error) from None
    except yaml.reader.ReaderError as error:
        raise _unreadable(source, error.position) from None
    return builder.document()


def _invalid(source: Source, error: _Problem) -> MeshError:
    mark = error.problem_mark or error.context_mark
    place = source.at(mark.line + 1, mark.column + 1) if mark else source.at(1, 1)
    what = ", ".join(part for part in (error.context, error.problem) if part)
    tabs = "\t" in place.source[: place.column]
    remedy = "indent with spaces, not with tabs" if tabs else "look at this line and the one above it"
    return MeshError("ANG120", f"the file is not YAML: {what}", remedy=remedy, place=place)


def _unreadable(source: Source, byte: int) -> MeshError:
    index = len(source.text.encode()[:byte].decode("utf-8", "ignore"))
    character = source.text[index] if index < len(source.text) else ""
    return MeshError(
        "ANG120",
        f"the file is not YAML: it has the character {character!r}",
        remedy='write it as an escape within quotes, such as "\\x07", or take it out',
        place=source.place_of_index(index),
    )


class _Mark(Protocol):
    """A position, as PyYAML has it: all numbers count from 0."""

    line: int
    column: int
    index: int


class _Problem(Protocol):
    """What PyYAML says about a text that it cannot parse."""

    context: str | None
    context_mark: _Mark | None
    problem: str | None
    problem_mark: _Mark | None


class _Event(Protocol):
    """What PyYAML finds, one after the other; not every event has all of this."""

    start_mark: _Mark
    end_mark: _Mark
    anchor: str | None
    tag: str | None
    value: str
    style: str | None
    flow_style: bool


class _Open(NamedTuple):
    """A collection whose end has not come yet."""

    children: list[Node]
    is_table: bool
    flow: bool
    anchor: str | None
    event: _Event
    nodes_before: int


class _Builder:
    """Takes events, one after the other, and makes a tree of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.roots: list[Node] = []
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.nodes = 0
        self._steps = {
            "DocumentStartEvent": self._begin_document,
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "SequenceStartEvent": self._begin,
            "MappingStartEvent": self._begin,
            "SequenceEndEvent": self._end,
            "MappingEndEvent": self._end,
        }

    def take(self, event: _Event) -> None:
        step = self._steps.get(type(event).__name__)
        if step:
            step(event)

    def document(self) -> Node:
        nothing = not self.roots or (isinstance(self.roots[0], Text) and self.roots[0].absent)
        if nothing:
            raise MeshError(
                "ANG120",
                "the file is empty: it has no mesh",
                possible="the least that a mesh has are brokers: [b1, b2]",
                remedy="look at examples/meshes/three-brokers.yaml",
                place=self.source.at(1, 1),
            )
        return self.roots[0]

    def _begin_document(self, event: _Event) -> None:
        if self.roots:
            raise MeshError(
                "ANG120",
                "a second document begins here, and a mesh is one document",
                remedy="put the second one into a file of its own",
                place=self._place(event),
            )

    def _scalar(self, event: _Event) -> None:
        self._refuse_tag(event)
        absent = event.value == "" and not event.style
        self._put(Text(event.value, absent, _span(event, event)), event.anchor, 1)

    def _alias(self, event: _Event) -> None:
        if event.anchor not in self.anchors:
            raise MeshError(
                "ANG120",
                f"the alias *{event.anchor} stands for nothing, or for what it is a part of",
                remedy=f"put &{event.anchor} before a value further up",
                place=self._place(event),
            )
        node, nodes = self.anchors[event.anchor]
        self._put(node._replace(span=_span(event, event)), None, nodes)

    def _begin(self, event: _Event) -> None:
        self._refuse_tag(event)
        if len(self.open) == DEEPEST:
            raise MeshError(
                "ANG125",
                f"the file is nested more than {DEEPEST} deep",
                remedy="a mesh needs no more than six levels",
                place=self._place(event),
            )
        is_table = type(event).__name__ == "MappingStartEvent"
        self.open.append(_Open([], is_table, bool(event.flow_style), event.anchor, event, self.nodes))

    def _end(self, event: _Event) -> None:
        done = self.open.pop()
        span = _span(done.event, event)
        node = self._table(done, span) if done.is_table else Items(done.children, done.flow, span)
        self._put(node, done.anchor, 1, self.nodes - done.nodes_before)

    def _table(self, done: _Open, span: Span) -> Table:
        keys, values = done.children[::2], done.children[1::2]
        seen: dict[str, Text] = {}
        for key in keys:
            if not isinstance(key, Text):
                raise MeshError(
                    "ANG121",
                    "a list or table is used as a key",
                    remedy="keys are names",
                    place=self.source.place(key),
                )
            if key.text in seen:
                raise self._twice(key, seen[key.text])
            seen[key.text] = key
        entries = list(zip(seen.values(), values, strict=True))
        return Table(_merged(entries) if "<<" in seen else entries, done.flow, span)

    def _twice(self, key: Text, first: Text) -> MeshError:
        return MeshError(
            "ANG122",
            f"{key.text} is given twice, first in line {first.span.line}",
            remedy="keep one of them, or put what both say under one",
            place=self.source.place(key),
        )

    def _put(self, node: Node, anchor: str | None, nodes: int, within: int = 0) -> None:
        self.nodes += nodes
        if self.nodes > MOST_NODES:
            raise MeshError(
                "ANG125",
                f"the file has more than {MOST_NODES:,} entries, with those that aliases stand for",
                remedy="divide the mesh, or use fewer aliases",
                place=self.source.place(node),
            )
        if anchor is not None:
            self.anchors[anchor] = (node, nodes + within)
        (self.open[-1].children if self.open else self.roots).append(node)

    def _refuse_tag(self, event: _Event) -> None:
        if event.tag:
            raise MeshError(
                "ANG120",
                f"the tag {event.tag} is not used in mesh files",
                remedy="take the tag out",
                place=self._place(event),
            )

    def _place(self, event: _Event) -> Place:
        return self.source.at(event.start_mark.line + 1, event.start_mark.column + 1)


def _merged(entries: list[tuple[Text, Node]]) -> list[tuple[Text, Node]]:
    """With what YAML's `<<: *defaults` brings in, where the table does not say otherwise."""
    brought = next(value for key, value in entries if key.text == "<<")
    tables = brought.items if isinstance(brought, Items) else [brought]
    own = {key.text: (key, value) for key, value in entries if key.text != "<<"}
    for table in tables:
        if isinstance(table, Table):
            own = {key.text: (key, value) for key, value in table.entries} | own
    return list(own.values())


def _span(first: _Event, last: _Event) -> Span:
    start = first.start_mark
    return Span(start.line + 1, start.column + 1, start.index, last.end_mark.index)
