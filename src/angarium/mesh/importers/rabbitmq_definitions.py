"""A cluster's definitions.json, as a list of entries that know where they stand.

RabbitMQ exports exchanges, queues, bindings, runtime parameters and policies of one cluster as one JSON
object of lists. Python's reader forgets where things were said, so the outer object and its lists are walked
here, and only their entries are left to it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.mesh import Remark

BLANK = re.compile(r"[ \t\n\r]*")
LISTS = tuple(
    """exchanges queues bindings parameters global_parameters policies vhosts users permissions
    topic_permissions""".split()
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of one of the lists."""

    values: dict[str, Any]
    place: Place

    def text(self, key: str, default: str | None = None) -> str:
        value = self.values.get(key, default)
        if isinstance(value, str):
            return value
        what = f"{key} is missing" if value is None else f"{key} is {shown(value)}, not a text"
        raise self.wrong(what, f"an entry here has {did_you_mean(key, self.values)}")

    def table(self, key: str) -> dict[str, Any]:
        value = self.values.get(key) or {}
        if isinstance(value, dict):
            return value
        raise self.wrong(f"{key} is {shown(value)}, not an object", "possible: { … }")

    @property
    def vhost(self) -> str:
        """An export of a single virtual host does not name it."""
        return self.text("vhost", "/")

    def wrong(self, what: str, possible: str) -> MeshError:
        remedy = "Export the definitions again, or mend this entry."
        return MeshError("ANG121", what, possible=possible, remedy=remedy, place=self.place)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a static shovel declares at one of its ends: an entry of a list of definitions."""

    uris: tuple[str, ...]
    kind: str
    entry: Entry


@dataclass(slots=True)
class Definitions:
    """One file: the lists, and the other values by their keys."""

    path: Path
    lists: dict[str, list[Entry]] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    declared: list[Declared] = field(default_factory=list)
    loads: dict[str, Place] = field(default_factory=dict)
    """Settings that say which definitions are loaded besides."""
    settings: list[tuple[str, str]] = field(default_factory=list)
    """All that its nodes are told, in the words of rabbitmq.conf."""
    remarks: list[Remark] = field(default_factory=list)

    def entries(self, key: str) -> list[Entry]:
        return self.lists.get(key, [])

    @property
    def cluster_name(self) -> str:
        named = [e for e in self.entries("global_parameters") if e.values.get("name") == "cluster_name"]
        value = named[-1].values.get("value") if named else self.others.get("original_cluster_name")
        return value if isinstance(value, str) else ""


def shown(value: object) -> str:
    """A value as the file has it, but short."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def read_definitions(path: Path, text: str) -> Definitions:
    return Reader(path, text).read()


class Reader:
    """Walks the outer object and its lists."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self.decoder = json.JSONDecoder()

    def read(self) -> Definitions:
        definitions = Definitions(self.path)
        for key in self.members():
            definitions.places[key] = self.place(self.at)
            if key in LISTS:
                definitions.lists[key] = list(self.items(key))
            else:
                definitions.others[key] = self.value()
        if self.skip() < len(self.text):
            raise self.refused("something follows behind the end of the object")
        return definitions

    def members(self) -> Iterator[str]:
        """The keys of the object; each time, its value is to be read."""
        self.expect("{", "definitions are a JSON object")
        while not self.takes("}"):
            start = self.skip()
            key = self.value()
            if not isinstance(key, str):
                raise self.refused(f"{shown(key)} is no key", start)
            self.expect(":", f"a : must follow the key {shown(key)}")
            self.skip()
            yield key
            if not self.takes(","):
                self.expect("}", "a , or } is missing")
                return

    def items(self, key: str) -> Iterator[Entry]:
        self.expect("[", f"{key} must be a list")
        while not self.takes("]"):
            where = self.place(self.skip())
            value = self.value()
            if not isinstance(value, dict):
                raise MeshError(
                    "ANG121",
                    f"an entry of {key} is {shown(value)}",
                    possible="possible: an object { … }",
                    remedy="Export the definitions again, or mend this entry.",
                    place=where,
                )
            yield Entry(value, where)
            if not self.takes(","):
                self.expect("]", "a , or ] is missing")
                return

    def value(self) -> object:
        self.skip()
        try:
            value: object
            value, self.at = self.decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise self.refused(error.msg, error.pos) from None
        except RecursionError:
            raise self.refused("values are nested too deep") from None
        except ValueError:
            raise self.refused("a number has too many digits") from None
        return value

    def skip(self) -> int:
        found = BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def takes(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.skip()):
            return False
        self.at += 1
        return True

    def expect(self, sign: str, what: str) -> None:
        if not self.takes(sign):
            raise self.refused(what)

    def place(self, at: int) -> Place:
        line = bisect_right(self.lines, at)
        start = self.lines[line - 1]
        end = self.lines[line] - 1 if line < len(self.lines) else len(self.text)
        source = self.text[start:end] if end - start <= common.LONGEST_EXCERPT else ""
        return common.place(self.path, line, at - start + 1, source)

    def refused(self, what: str, at: int | None = None) -> MeshError:
        return MeshError(
            "ANG120",
            f"not JSON of RabbitMQ's definitions: {what}",
            possible="possible: what rabbitmqctl export_definitions writes",
            remedy="Export the definitions again, or mend the file here.",
            place=self.place(self.at if at is None else at),
        )
