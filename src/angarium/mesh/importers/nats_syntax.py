"""The syntax of NATS's configuration files, read with the place of everything that is said.

    listen: 0.0.0.0:4222          # `key: value`, `key = value` or `key value`
    cluster { name = EU, routes: [nats-route://eu-2:6222] }
    include ./accounts.conf       // taken from the same folder or one below it

A file is a map without its braces, or with them. Entries end with the line, with `,` or `;`; of a key that
is given twice the last value counts, as it does for nats-server. Values are maps `{}`, lists `[]`, texts in
quotes, texts between `(` and a line `)`, or one word up to a blank or a mark. `$NAME` is the value of a key
that was given before, in the map that it stands in or in one around it. nats-server looks it up in its own
environment besides; we do not have that, so the value is unknown, and remarked: it has no text.

Words are kept as they are written: whether `8MB` is a number is for those who ask. Nesting and includes are
bounded, and nothing is read from outside of the folder of the file that was given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.mesh import Remark

LARGEST = 4_000_000
"""Characters. Files with thousands of users have some hundred thousand."""
DEEPEST = 64
MOST_INCLUDES = 100
LONGEST_CHAIN = 8
"""Files, each included by the one before."""

_BLANKS = re.compile(r"(?:[\s,;]|#[^\n]*|//[^\n]*)*")
_BLANKS_IN_LINE = re.compile(r"[ \t\r\f\v]*")
_KEY = re.compile(r"[^\s=:{\[,;\"'}\]]+")
_SEPARATOR = re.compile(r"\s*[=:]?\s*")
_WORD = re.compile(r"[^\s,;\]}]+")
_QUOTED = {'"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.S), "'": re.compile(r"'([^']*)'")}
_BLOCK = re.compile(r"\(\n?(.*?)\n[ \t]*\)[ \t]*(?=\n|\Z)", re.S)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.)", re.S)
_STANDS_FOR = {"t": "\t", "n": "\n", "r": "\r"}
_COMMENT = ("#", "//")
_OF_LOGIN = frozenset(
    """user username pass password token nkey seed cert_file key_file ca_file creds credentials
    issuer auth_users""".split()
)
"""Keys whose values say who may log in, and not where messages go."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value: a word or text, a list, or a map; and where its key stands, or it itself within a list."""

    value: str | tuple[Node, ...] | dict[str, Node]
    place: Place
    unknown: str = ""
    """The variable of the server's environment that it is."""

    @property
    def entries(self) -> dict[str, Node]:
        """Its entries by their keys in small letters, as nats-server compares them; none if it is no map."""
        return {key.lower(): node for key, node in self.named.items()}

    @property
    def named(self) -> dict[str, Node]:
        """Its entries by their keys as they are written."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple[Node, ...]:
        """Its items; a single value is a list of one."""
        return self.value if isinstance(self.value, tuple) else (self,)

    @property
    def text(self) -> str:
        return self.value if isinstance(self.value, str) else ""

    @property
    def is_true(self) -> bool:
        return self.text.lower() in ("true", "yes", "on")


@dataclass(slots=True)
class _Reading:
    """What the files of one server share."""

    folder: Path
    remarks: list[Remark] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    included: list[Path] = field(default_factory=list)
    follows: bool = True
    """Whether included files are read."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says, with all that it includes; and what was strange about it."""

    root: Node
    variables: frozenset[str]
    """Keys whose values were used elsewhere."""
    included: tuple[Path, ...]
    remarks: tuple[Remark, ...]


def read_file(path: Path) -> Said:
    reading = _Reading(path.resolve().parent)
    root = _File(path, reading).whole()
    return Said(root, frozenset(reading.variables), tuple(reading.included), tuple(reading.remarks))


def together(files: Sequence[Said]) -> Said:
    """What several files of one server say, as if each were included by the one before."""
    entries = {key: node for said in files for key, node in said.root.named.items()}
    return Said(
        replace(files[0].root, value=entries),
        frozenset(name for said in files for name in said.variables),
        tuple(path for said in files for path in said.included),
        tuple(remark for said in files for remark in said.remarks),
    )


def outline(path: Path, text: str) -> Node | None:
    """What a text says by itself, without what it includes; None if it is not of this syntax."""
    try:
        return _File(path, _Reading(path.parent, follows=False), text=text).whole()
    except MeshError:
        return None


class _File:
    """One file, read from left to right."""

    def __init__(
        self, path: Path, reading: _Reading, outer: _File | None = None, text: str | None = None
    ) -> None:
        self.path, self.reading = path, reading
        self.scopes: tuple[dict[str, Node], ...] = outer.scopes if outer else ()
        self.depth: int = outer.depth if outer else 0
        self.chain: int = outer.chain + 1 if outer else 1
        self.text = (common.text_of(path) if text is None else text).replace("\r\n", "\n")
        if len(self.text) > LARGEST:
            raise MeshError(
                "ANG125",
                f"{path} has more than {LARGEST:,} characters, which no configuration of NATS has",
                remedy="look whether this is the right file",
            )
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        self.at = 0
        self.key_of_value = ""

    def place(self, at: int) -> Place:
        line = bisect_right(self.starts, at)
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return common.place(self.path, line, at - start + 1, self.text[start:end].rstrip("\n"))

    def wrong(self, what: str, remedy: str, at: int | None = None) -> MeshError:
        where = self.place(self.at if at is None else at)
        return MeshError(
            "ANG120", what, possible="key: value, key = value or key value", remedy=remedy, place=where
        )

    def whole(self) -> Node:
        self.skip(_BLANKS)
        start = self.at
        if self.peek() == "{":
            node = self.map_in_braces()
            self.skip(_BLANKS)
            if self.at < len(self.text):
                raise self.wrong("there is more behind the end of the map", "remove what follows the last }")
            return node
        return Node(self.map_until(""), self.place(start))

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def map_until(self, end: str) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        self.scopes = (*self.scopes, entries)
        self.skip(_BLANKS)
        while self.peek() != end or not self.peek():
            if not self.peek():
                if end:
                    raise self.wrong("the file ends within a map", "close it with }")
                break
            self.entry(entries)
            self.skip(_BLANKS)
        self.scopes = self.scopes[:-1]
        return entries

    def entry(self, entries: dict[str, Node]) -> None:
        start, place = self.at, self.place(self.at)
        key = self.key()
        if key == "include" and self.text[start] not in "\"'":
            entries.update(self.include(place))
            return
        self.key_of_value = key.lower()
        self.skip(_SEPARATOR)
        if not self.peek():
            raise self.wrong(f"{key} has no value", f"write one behind {key}, or remove it", start)
        if key in entries:
            self.reading.remarks.append(common.note(f"{key} is given twice: the last value counts", place))
        entries[key] = replace(self.value(), place=place)
        self.end_of_value("}")

    def key(self) -> str:
        if self.peek() in _QUOTED:
            return self.quoted()
        found = _KEY.match(self.text, self.at)
        if not found:
            raise self.wrong(
                f"{self.peek()!r} stands where a key is expected", "write a key, or remove the mark"
            )
        self.at = found.end()
        return found[0]

    def value(self) -> Node:
        start, first = self.at, self.peek()
        if first == "{":
            return self.map_in_braces()
        if first == "[":
            return self.list_in_brackets()
        if first in _QUOTED:
            return Node(self.quoted(), self.place(start))
        if first == "(":
            return Node(self.matched(_BLOCK, "a text in ( has no line ) that ends it"), self.place(start))
        return self.word()

    def nested(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(
                f"maps and lists are nested more than {DEEPEST} deep", "look for a bracket too many"
            )

    def map_in_braces(self) -> Node:
        self.nested()
        place = self.place(self.at)
        self.at += 1
        entries = self.map_until("}")
        self.at += 1
        self.depth -= 1
        return Node(entries, place)

    def list_in_brackets(self) -> Node:
        self.nested()
        place, items = self.place(self.at), []
        self.at += 1
        self.skip(_BLANKS)
        while self.peek() != "]":
            if not self.peek():
                raise self.wrong("the file ends within a list", "close it with ]")
            items.append(self.value())
            self.end_of_value("]")
            self.skip(_BLANKS)
        self.at += 1
        self.depth -= 1
        return Node(tuple(items), place)

    def quoted(self) -> str:
        quote = self.peek()
        text = self.matched(_QUOTED[quote], f"a text in {quote} has no end")
        return _ESCAPE.sub(_unescaped, text) if quote == '"' else text

    def matched(self, what: re.Pattern[str], wrong: str) -> str:
        found = what.match(self.text, self.at)
        if not found:
            raise self.wrong(wrong, "close it")
        self.at = found.end()
        return found[1]

    def word(self) -> Node:
        start, found = self.at, _WORD.match(self.text, self.at)
        if not found:
            raise self.wrong(
                f"{self.peek()!r} stands where a value is expected", "write a value, or remove the key"
            )
        self.at = found.end()
        if found[0].startswith("$") and not found[0].startswith(("$2a$", "$2b$", "$2y$")):
            return self.variable(found[0][1:], start)
        return Node(found[0], self.place(start))

    def variable(self, name: str, start: int) -> Node:
        for entries in reversed(self.scopes):
            if name in entries:
                self.reading.variables.add(name.lower())
                return replace(entries[name], place=self.place(start))
        place = self.place(start)
        what = f"${name} is given nowhere above: it is of the server's environment, which we do not have"
        remedy = f"give {name} a value before this line"
        told = common.note if self.key_of_value in _OF_LOGIN else common.unread
        self.reading.remarks.append(told(what, place, remedy))
        return Node("", place, f"${name}")

    def end_of_value(self, end: str) -> None:
        """Only a mark, the end of the line or a comment may follow a value."""
        self.skip(_BLANKS_IN_LINE)
        rest = self.text[self.at : self.at + 2]
        if rest and rest[0] not in "\n,;" + end and not rest.startswith(_COMMENT):
            raise self.wrong(
                f"{rest[0]!r} follows a value in the same line", "separate values by , or a new line"
            )

    def include(self, place: Place) -> dict[str, Node]:
        self.skip(_BLANKS_IN_LINE)
        name = self.value().text
        if not self.reading.follows:
            return {}
        path = self.path.parent / name
        if len(self.reading.included) >= MOST_INCLUDES or self.chain >= LONGEST_CHAIN:
            raise self.wrong("too many files are included", "look for a file that includes itself")
        if not _lies_in(path, self.reading.folder):
            return self.not_included(f"include {name}: only files of the same folder are read", place)
        if not path.is_file():
            return self.not_included(f"include {name}: there is no such file", place)
        self.reading.included.append(path.resolve())
        return dict(_File(path, self.reading, self).whole().named)

    def not_included(self, what: str, place: Place) -> dict[str, Node]:
        remedy = "put the file there, or copy what it says into this one"
        self.reading.remarks.append(common.unread(what, place, remedy))
        return {}


def _lies_in(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False


def _unescaped(found: re.Match[str]) -> str:
    what = found[1]
    return chr(int(what[1:], 16)) if len(what) == 3 else _STANDS_FOR.get(what, what)
