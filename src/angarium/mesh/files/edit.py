"""Changes a mesh file where it must be changed, and leaves every comment and every other line as it is.

A change becomes a few edits of the text, at the positions that the nodes of the file remember. Whether
the new text says what it should is not argued but looked at: it is read again and compared with the changed
mesh. A file for which this does not come out, as where aliases share what is to change, is refused.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from angarium.core.errors import MeshError
from angarium.mesh.change import (
    AddLink,
    Change,
    RemoveLink,
    SetEntry,
    SetHopLimit,
    SetPathLimit,
    applied,
    new_links,
)
from angarium.mesh.files.nodes import Items, Node, Source, Table, Text, opened, parsed, source_of
from angarium.mesh.files.scalars import written
from angarium.mesh.files.write import link_items, shared_risk_parts
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import Link, Mesh, SharedRisk

_INDENT = "  "


class Edit(NamedTuple):
    """Replaces what stands between two positions."""

    start: int
    end: int
    text: str


def edited(path: str, change: Change) -> str:
    """The text of a mesh file after a change."""
    return edited_text(opened(path), change)


def patch(path: str, changes: Iterable[Change]) -> str:
    """A unified diff of a mesh file and what changes make of it, for `patch -p0` or `git apply -p0`."""
    source = after = opened(path)
    for change in changes:
        after = source_of(path, edited_text(after, change))
    here, file = Path.cwd(), Path(path).absolute()
    name = str(file.relative_to(here)) if file.is_relative_to(here) else path
    return "".join(_difference(name + "\t" * (" " in name), source.text, after.text))


def _difference(name: str, before: str, after: str) -> Iterator[str]:
    for line in difflib.unified_diff(_lines(before), _lines(after), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines as `patch` counts them: only a line feed ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != "\n" else [])]


def edited_text(source: Source, change: Change) -> str:
    """The text after a change, if it can be made in place."""
    mesh, root = mesh_of(source), parsed(source)
    assert isinstance(root, Table)
    after = applied(mesh, change)
    text = source.text
    for edit in sorted(set(_edits(source, root, mesh, change)), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    if not _says(source.path, text, after):
        raise MeshError(
            "ANG121",
            f"{source.path} is written in a way in which a line cannot change alone: {change}",
            possible="what an alias stands for is shared by all who use it",
            remedy="make the change by hand",
        )
    return text


def _says(path: str, text: str, mesh: Mesh) -> bool:
    try:
        return mesh_of(source_of(path, text)) == mesh
    except MeshError:
        return False


def _edits(source: Source, root: Table, mesh: Mesh, change: Change) -> Iterator[Edit]:
    writer = _Writer(source.text, {broker.name: broker.dialect for broker in mesh.brokers})
    match change:
        case SetHopLimit():
            for node, links in _nodes_of(root, [link for link in mesh.links if change.concerns(link)]):
                yield writer.with_limit(node, links, change.limit)
        case RemoveLink(cable):
            links = [link for link in mesh.links if link.fails_as == cable]
            yield from writer.without(_found(root, "links"), [node for node, _ in _nodes_of(root, links)])
            yield from writer.with_risks(root, mesh.shared_risks, applied(mesh, change).shared_risks)
        case AddLink():
            for item in link_items(list(new_links(mesh, change)), writer.dialects):
                yield writer.with_item(root, "links", item)
        case SetEntry():
            yield writer.with_entry(root, change)
        case SetPathLimit(limit):
            yield writer.with_way_limit(root, mesh.routing.kind, limit)


def _found(table: Table, key: str) -> Node | None:
    return next((value for each, value in table.entries if each.text == key), None)


def _nodes_of(root: Table, links: Sequence[Link]) -> Iterator[tuple[Node, list[Link]]]:
    """The items of the file that say these links."""
    node = _found(root, "links")
    for item in node.items if isinstance(node, Items) else [node] if node else []:
        here = item.span.line, item.span.column
        said = [link for link in links if link.place and (link.place.line, link.place.column) == here]
        if said:
            yield item, said


class _Writer(NamedTuple):
    """Makes edits of a text."""

    text: str
    dialects: dict[str, str]

    @property
    def line_end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def with_limit(self, node: Node, links: list[Link], limit: int) -> Edit:
        """An item of the list of links with this hop limit."""
        if isinstance(node, Table):
            return self.with_value(node, "hop-limit", written(limit))
        ends = [links[0].source, links[0].target]
        said = {"between": ends} if len(links) == 2 else {"from": ends[0], "to": ends[1]}
        return Edit(node.span.start, node.span.end, written({**said, "hop-limit": limit}))

    def with_entry(self, root: Table, change: SetEntry) -> Edit:
        """An entry of a table."""
        tables = _found(root, "tables")
        table = _found(tables, change.broker) if isinstance(tables, Table) else None
        row = written({change.destination: change.next})
        if isinstance(table, Table):
            return self.with_value(table, change.destination, written(change.next))
        if isinstance(tables, Table):
            return self.with_value(tables, change.broker, row)
        return self.with_value(root, "tables", written({change.broker: {change.destination: change.next}}))

    def with_way_limit(self, root: Table, kind: str, limit: int) -> Edit:
        """The hop limit of the mesh."""
        routing = _found(root, "routing")
        if isinstance(routing, Table):
            return self.with_value(routing, "hop-limit", written(limit))
        return self.with_value(root, "routing", written({"kind": kind, "hop-limit": limit}))

    def with_value(self, table: Table, key: str, value: str) -> Edit:
        """A table with a value under a key, which may be there or not."""
        there = _found(table, key)
        if there is not None:
            blank = " " if isinstance(there, Text) and there.absent else ""
            return Edit(there.span.start, there.span.end, blank + value)
        entry = f"{written(key)}: {value}"
        if table.flow:
            return self._in_brackets(table, [each for _, each in table.entries], entry)
        column = table.entries[0][0].span.column
        return self._line_after(_end(table), " " * (column - 1) + entry)

    def with_item(self, table: Table, key: str, item: str) -> Edit:
        """A table whose list under a key has one more item."""
        node = _found(table, key)
        if isinstance(node, Items) and node.flow:
            return self._in_brackets(node, node.items, item)
        if isinstance(node, Items):
            return self._line_after(_end(node), " " * (node.span.column - 1) + f"- {item}")
        if node is None and table.flow:
            return self.with_value(table, key, f"[{item}]")
        if node is None:
            return self._line_after(_end(table), f"{key}:{self.line_end}{_INDENT}- {item}")
        if isinstance(node, Text) and node.absent:
            return Edit(node.span.start, node.span.end, f"{self.line_end}{_INDENT}- {item}")
        whole = self.text[node.span.start : node.span.end]
        return Edit(node.span.start, node.span.end, f"[{whole}, {item}]")

    def with_risks(
        self, root: Table, before: Sequence[SharedRisk], after: Sequence[SharedRisk]
    ) -> Iterator[Edit]:
        """The shared risks anew, if they are not the same."""
        node = _found(root, "shared-risks")
        if node is not None and tuple(before) != tuple(after):
            said = {risk.name: shared_risk_parts(risk) for risk in after}
            yield Edit(node.span.start, _end(node), written(said))

    def without(self, list_node: Node | None, items: list[Node]) -> Iterator[Edit]:
        """A list without some of its items; without all of them, it is an empty one."""
        if not isinstance(list_node, Items) or len(items) == len(list_node.items):
            if list_node:
                block = isinstance(list_node, Items) and not list_node.flow
                yield Edit(list_node.span.start, _end(list_node), f"{_INDENT * block}[]")
            return
        for item in items:
            yield self._cut(list_node, item)

    def _cut(self, among: Items, item: Node) -> Edit:
        """An item away, with its comma, or with its lines."""
        position = among.items.index(item)
        if among.flow and position:
            return Edit(_end(among.items[position - 1]), _end(item), "")
        if among.flow:
            return Edit(item.span.start, among.items[1].span.start, "")
        first = self.text.rfind("\n", 0, item.span.start) + 1
        last = self.text.find("\n", _end(item))
        return Edit(first, last + 1 if last >= 0 else len(self.text), "")

    def _in_brackets(self, node: Node, children: Sequence[Node], entry: str) -> Edit:
        if not children:
            return Edit(node.span.start + 1, node.span.start + 1, entry)
        end = _end(children[-1])
        return Edit(end, end, f", {entry}")

    def _line_after(self, index: int, line: str) -> Edit:
        """A new line behind that of a position, whatever comment ends it."""
        end = self.text.find("\n", index)
        end = len(self.text) if end < 0 else end - (self.text[end - 1] == "\r")
        return Edit(end, end, self.line_end + line)


def _end(node: Node) -> int:
    """Behind the last character of a node. What has no brackets ends where its last entry ends."""
    match node:
        case Items([*_, last], flow=False):
            return _end(last)
        case Table([*_, (_, last)], flow=False):
            return _end(last)
        case _:
            return node.span.end
