"""Terms of Erlang, as `advanced.config` of RabbitMQ is written: one list of tuples, and a full stop.

    [{rabbitmq_shovel, [{shovels, [{to_us, [{ack_mode, on_confirm}]}]}]}].

Each term knows where it stands. What is no constant, such as maps, references and code, is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common

DEEPEST = 50
_BLANK = re.compile(r"(?:\s|%[^\n]*)*")
_ATOM = re.compile(r"[a-z][A-Za-z0-9_@]*|'((?:[^'\\\n]|\\.)*)'")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BINARY = re.compile(r'<<\s*(?:"((?:[^"\\]|\\.)*)"(?:/utf8)?)?\s*>>', re.DOTALL)
_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{1,15}(?:[eE][-+]?[0-9]{1,3})?)?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}

Kind = Literal["atom", "text", "number", "list", "tuple"]


@dataclass(frozen=True, slots=True)
class Term:
    """A constant: what kind it is, its text or its parts, and its place."""

    kind: Kind
    place: Place
    text: str = ""
    parts: tuple[Term, ...] = ()

    def pairs(self) -> Iterator[tuple[str, Term]]:
        """Of a list of options: names and values; an option without a value is its own."""
        for each in self.parts:
            if each.kind == "tuple" and len(each.parts) == 2 and each.parts[0].kind in ("atom", "text"):
                yield each.parts[0].text, each.parts[1]
            elif each.kind in ("atom", "text"):
                yield each.text, each
            else:
                raise wrong(each.place, "this is no option", "{name, Value}")

    def options(self) -> dict[str, Term]:
        if self.kind != "list":
            raise wrong(self.place, "this is no list of options", "[{name, Value}, …]")
        return dict(self.pairs())


def wrong(place: Place, what: str, possible: str) -> MeshError:
    return MeshError(
        "ANG121", what, possible=f"possible: {possible}", remedy="Mend advanced.config here.", place=place
    )


def read_terms(path: Path, text: str) -> Term:
    """The one term of a file."""
    return _Reader(path, text).read()


@dataclass(slots=True)
class _Reader:
    path: Path
    text: str
    at: int = 0
    lines: list[int] = field(default_factory=list)

    def read(self) -> Term:
        self.lines = [0, *(found.end() for found in re.finditer("\n", self.text))]
        term = self.term(0)
        self.expect(".", "a full stop is missing behind the list")
        self.skip()
        if self.at < len(self.text):
            raise self.refused("something follows behind the full stop")
        return term

    def term(self, depth: int) -> Term:
        self.skip()
        place = self.place()
        if depth > DEEPEST:
            raise self.refused("terms are nested too deep")
        if self.text[self.at : self.at + 1] in _CLOSING:
            return self.compound(depth, place)
        for kind, form in _FORMS:
            if found := form.match(self.text, self.at):
                self.at = found.end()
                quoted = found[1] if form.groups else None
                text = found[0] if quoted is None and kind != "text" else quoted or ""
                return Term(kind, place, _ESCAPED.sub(r"\1", text))
        raise self.refused("this is no term that is read")

    def compound(self, depth: int, place: Place) -> Term:
        opening = self.text[self.at]
        closing, parts = _CLOSING[opening], []
        self.at += 1
        while not self.takes(closing):
            parts.append(self.term(depth + 1))
            if not self.takes(","):
                self.expect(closing, f"a , or {closing} is missing")
                break
        return Term("list" if opening == "[" else "tuple", place, parts=tuple(parts))

    def takes(self, sign: str) -> bool:
        self.skip()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def expect(self, sign: str, what: str) -> None:
        if not self.takes(sign):
            raise self.refused(what)

    def skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def place(self) -> Place:
        line = bisect_right(self.lines, self.at)
        start = self.lines[line - 1]
        return common.place(self.path, line, self.at - start + 1, self.text[start:].split("\n", 1)[0])

    def refused(self, what: str) -> MeshError:
        return MeshError(
            "ANG120",
            f"not the terms of an advanced.config: {what}",
            possible="possible: [{application, [{name, Value}]}]. of atoms, numbers, texts",
            remedy="Mend advanced.config here.",
            place=self.place(),
        )


_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("number", _NUMBER),
    ("text", _STRING),
    ("text", _BINARY),
    ("atom", _ATOM),
)
