"""YAML with several documents, as Kubernetes' resources are written: parts that know where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.files.nodes import Items, Node, Source, Table, Text, parsed, source_of

MOST_DOCUMENTS = 200
LARGEST = 4_000_000
"""Characters. Kubernetes itself takes no resource larger than about a million."""
_BETWEEN = re.compile(r"^---.*$\n?", re.M)


@dataclass(frozen=True, slots=True)
class Part:
    """A node and the file that it is of; asking for what is not there gives nothing."""

    node: Node | None
    source: Source
    around: Place

    @property
    def place(self) -> Place:
        return self.source.place(self.node) if self.node else self.around

    @property
    def text(self) -> str:
        return self.node.text if isinstance(self.node, Text) else ""

    @property
    def items(self) -> list[Part]:
        items = self.node.items if isinstance(self.node, Items) else []
        return [Part(item, self.source, self.place) for item in items]

    @property
    def entries(self) -> list[tuple[str, Part]]:
        """The keys and values of a table."""
        entries = self.node.entries if isinstance(self.node, Table) else []
        return [(key.text, Part(value, self.source, self.place)) for key, value in entries]

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.entries]

    @property
    def in_its_line(self) -> str:
        """The text behind as many line ends as stand before it: lines of a block keep their numbers."""
        if not isinstance(self.node, Text):
            return ""
        is_block = self.source.text[self.node.span.start : self.node.span.start + 1] in ("|", ">")
        return "\n" * (self.node.span.line - (not is_block)) + self.node.text

    def __getitem__(self, wanted: str) -> Part:
        found = next((value for key, value in self.entries if key == wanted), None)
        return found or Part(None, self.source, self.place)

    def first(self, *keys: str) -> Part:
        return next((self[key] for key in keys if self[key].node), self[keys[0]])


def listed(document: Part) -> Iterator[Part]:
    """A resource of Kubernetes; or all that a `List` has."""
    if document["kind"].text == "List":
        yield from document["items"].items
    else:
        yield document


def documents(path: Path, text: str) -> Iterator[Part]:
    """The documents of a file; empty lines stand for what is before each, so that lines keep numbers."""
    starts = [0, *(found.end() for found in _BETWEEN.finditer(text)), len(text)]
    if len(starts) > MOST_DOCUMENTS + 2 or len(text) > LARGEST:
        raise MeshError(
            "ANG125",
            f"{path} has more than {MOST_DOCUMENTS} documents or {LARGEST:,} characters",
            remedy="give a file with only the resources of brokers",
        )
    ends = [*(found.start() for found in _BETWEEN.finditer(text)), len(text)]
    for start, end in zip(starts[:-1], ends, strict=True):
        body = text[start:end]
        if any(line.strip() and not line.lstrip().startswith("#") for line in body.split("\n")):
            source = source_of(str(path), "\n" * text.count("\n", 0, start) + body)
            yield Part(parsed(source), source, source.at(1, 1))
