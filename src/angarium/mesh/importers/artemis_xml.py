"""XML as a tree that remembers where everything stands, and that cannot be made to grow.

Definitions of document types and entities are refused before anything is read of them: with them, a short
file can stand for gigabytes or for other files. Nesting and the number of elements are bounded. Names are
taken without their namespaces, because brokers' files use them in every way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common

LARGEST = 8_000_000
"""Characters. Files with thousands of addresses have some hundred thousand."""
MOST_ELEMENTS = 300_000
DEEPEST = 64


@dataclass(slots=True)
class Element:
    """An element: its name, attributes and text, and the elements within it."""

    name: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def all(self, *way: str) -> Iterator[Element]:
        """The elements at the end of a way of names."""
        if not way:
            yield self
            return
        for child in self.children:
            if child.name == way[0]:
                yield from child.all(*way[1:])

    def one(self, *way: str) -> Element | None:
        return next(self.all(*way), None)

    def said(self, name: str) -> str:
        """What an element or an attribute of this name says."""
        child = self.one(name)
        return child.text if child else self.attributes.get(name, "").strip()


def read_xml(path: Path) -> Element:
    """The outermost element of a file."""
    text = common.text_of(path)
    if len(text) > LARGEST:
        raise MeshError(
            "ANG125",
            f"{path} has more than {LARGEST:,} characters, which no broker.xml has",
            remedy="look whether this is the right file",
        )
    return _Reader(path, text).read()


class _Reader:
    """Takes what expat finds, one after the other."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.lines = text.split("\n")
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._take

    def read(self) -> Element:
        try:
            self.parser.Parse(self.text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise MeshError(
                "ANG120",
                f"the file is not XML: {expat.ErrorString(error.code)}",
                remedy="look at this line and the one above it",
                place=self._at(error.lineno, error.offset + 1),
            ) from None
        assert self.root is not None
        return self.root

    def _at(self, line: int, column: int) -> Place:
        source = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return common.place(self.path, line, column, source)

    def _here(self) -> Place:
        return self._at(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def _refuse(self, *_: object) -> None:
        raise MeshError(
            "ANG120",
            "the file defines a document type or entities, which are not read",
            remedy="remove <!DOCTYPE …>: a broker needs none",
            place=self._here(),
        )

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS or len(self.open) >= DEEPEST:
            raise MeshError(
                "ANG125",
                f"the file has more than {MOST_ELEMENTS:,} elements, or nests them more than {DEEPEST} deep",
                remedy="look whether this is the right file",
                place=self._here(),
            )
        element = Element(
            _local(name), {_local(key): value for key, value in attributes.items()}, self._here()
        )
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _take(self, text: str) -> None:
        self.open[-1].pieces.append(text)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
