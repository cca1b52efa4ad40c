"""HOCON as EMQX's configuration is written, read with the place of everything that is said.

    node.name = "emqx@10.0.0.1"            # a key may have dots: `node { name = … }`
    sources { mqtt { hub { parameters { topic = "orders/#" } } } }

Maps that are given twice are one. Values are maps, lists, texts in `"` or three of them, or words up to the
end of the line, a comma or a bracket. Files that are included are not read: that is remarked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common

LARGEST = 4_000_000
DEEPEST = 64
_BLANKS = re.compile(r"(?:[\s,]|#[^\n]*|//[^\n]*)*")
_BLANKS_IN_LINE = re.compile(r"[ \t\r]*")
_KEY = re.compile(
    r'(?:"(?:[^"\\\n]|\\.)*"|[^\s=:{}\[\],"#.]+)(?:\.(?:"(?:[^"\\\n]|\\.)*"|[^\s=:{}\[\],"#.]+))*'
)
_PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"|([^.]+)')
_SEPARATOR = re.compile(r"[ \t\r]*[=:]?\s*")
_THREE = re.compile(r'"""(.*?)"""', re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_WORD = re.compile(r"(?:(?!//)[^\n,{}\[\]#\"])+")
_ESCAPE = re.compile(r"\\(.)")
_STANDS_FOR = {"t": "\t", "n": "\n", "r": "\r"}


@dataclass(slots=True)
class Value:
    """A text, a list or a map; what is not there is an empty one."""

    place: Place
    text: str = ""
    items: list[Value] = field(default_factory=list)
    entries: dict[str, Value] = field(default_factory=dict)
    is_there: bool = True

    def __getitem__(self, way: str) -> Value:
        """The value at the end of a way of keys, such as `cluster.links`."""
        found = self
        for key in way.split("."):
            found = found.entries.get(key) or Value(found.place, is_there=False)
        return found

    @property
    def is_off(self) -> bool:
        return self["enable"].text == "false"

    def ways(self) -> Iterator[tuple[str, Value]]:
        """Every text and list below a map, with the way of keys that leads to it."""
        for key, value in self.entries.items():
            if value.entries:
                yield from ((f"{key}.{rest}", each) for rest, each in value.ways())
            else:
                yield key, value


@dataclass(slots=True)
class Document:
    root: Value
    includes: list[Value]


def read_hocon(path: Path, text: str) -> Document:
    if len(text) > LARGEST:
        what = f"{path} has more than {LARGEST:,} characters, which no configuration of EMQX has"
        raise MeshError("ANG125", what, remedy="look whether this is the right file")
    return _Reader(path, text.replace("\r\n", "\n")).whole()


def outline(path: Path, text: str) -> Value | None:
    """What a text says; None if it is not of this syntax."""
    try:
        return read_hocon(path, text).root
    except MeshError:
        return None


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.at, self.depth = path, text, 0, 0
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.includes: list[Value] = []

    def whole(self) -> Document:
        self.skip(_BLANKS)
        root = Value(self.place())
        if self.peek() == "{":
            self.map_in_braces(root)
        else:
            self.entries(root, "")
        self.skip(_BLANKS)
        if self.at < len(self.text):
            raise self.wrong("there is more behind the end of the map", "remove what follows the last }")
        return Document(root, self.includes)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def place(self) -> Place:
        line = bisect_right(self.starts, self.at)
        start = self.starts[line - 1]
        return common.place(self.path, line, self.at - start + 1, self.text[start:].split("\n", 1)[0])

    def wrong(self, what: str, remedy: str) -> MeshError:
        possible = "key = value, key { … } or key = [ … ]"
        return MeshError("ANG120", what, possible=possible, remedy=remedy, place=self.place())

    def map_in_braces(self, into: Value) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong("maps are nested too deep", "look for a bracket too many")
        self.at += 1
        self.entries(into, "}")
        self.at += 1
        self.depth -= 1

    def entries(self, into: Value, end: str) -> None:
        self.skip(_BLANKS)
        while self.peek() != end:
            if not self.peek():
                raise self.wrong("the file ends within a map", "close it with }")
            self.entry(into)
            self.skip(_BLANKS)

    def entry(self, into: Value) -> None:
        place, found = self.place(), _KEY.match(self.text, self.at)
        if not found:
            raise self.wrong(f"{self.peek()!r} stands where a key is expected", "write a key, or remove it")
        self.at = found.end()
        if found[0] == "include":
            self.skip(_BLANKS_IN_LINE)
            self.includes.append(self.value(place))
            return
        self.skip(_SEPARATOR)
        keys = [_unescaped(part[1]) if part[2] is None else part[2] for part in _PART.finditer(found[0])]
        for key in keys[:-1]:
            into = into.entries.setdefault(key, Value(place))
        value = self.value(place)
        known = into.entries.get(keys[-1])
        if known and known.entries and value.entries:
            _merge(known, value)
        else:
            into.entries[keys[-1]] = value

    def value(self, place: Place) -> Value:
        value = Value(place)
        if self.peek() == "{":
            self.map_in_braces(value)
        elif self.peek() == "[":
            self.list_in_brackets(value)
        else:
            value.text = self.words()
        return value

    def list_in_brackets(self, into: Value) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong("lists are nested too deep", "look for a bracket too many")
        self.at += 1
        self.skip(_BLANKS)
        while self.peek() != "]":
            if not self.peek():
                raise self.wrong("the file ends within a list", "close it with ]")
            into.items.append(self.value(self.place()))
            self.skip(_BLANKS)
        self.at += 1
        self.depth -= 1

    def words(self) -> str:
        """Texts and words one behind the other, as far as the line goes."""
        pieces: list[str] = []
        while True:
            for form in (_THREE, _QUOTED, _WORD):
                if found := form.match(self.text, self.at):
                    self.at = found.end()
                    pieces.append(
                        found[1] if form is _THREE else _unescaped(found[1]) if form is _QUOTED else found[0]
                    )
                    break
            else:
                break
        if not pieces:
            raise self.wrong(
                f"{self.peek()!r} stands where a value is expected", "write a value, close a text"
            )
        return "".join(pieces).strip()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _STANDS_FOR.get(found[1], found[1]), text)


def _merge(into: Value, more: Value) -> None:
    for key, value in more.entries.items():
        known = into.entries.get(key)
        if known and known.entries and value.entries:
            _merge(known, value)
        else:
            into.entries[key] = value
