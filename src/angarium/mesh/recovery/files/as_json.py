"""Recovery tables as JSON, for people and for programs in any language.

`colours.json` says once for all brokers what each colour stands for. The file of a broker has its super
table: a row for each destination and next broker, with the colours in which it is the next.
docs/reference/recovery-tables.md describes both.

Files are read as if a stranger had sent them: they have a largest size, every key and every name is checked,
and a colour has at most one row for a destination.

The rows of a super table, made from the exceptions of a broker, with their colours as ranges.

`recovery.condensed` makes the same rows from plain tables, and names every colour. With a thousand brokers
and two thousand colours that would be millions of numbers for each broker, nearly all of them of rows that
are used in nearly every colour. So colours are written as pages of a book are: `1,3-5`. A range is found from
the colours in which a row is *not* used, which are few.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from angarium.mesh.mesh import Failures, Mesh, SharedRisk
from angarium.mesh.recovery.files.binary import (
    MOST_BYTES,
    BrokerTables,
    checked_colours,
    file_name,
    unreadable,
)
from angarium.mesh.recovery.tables import HEALTHY, Colours, OfBroker
from angarium.mesh.routing.graph import MOST_BROKERS, NONE

Range = tuple[int, int]
"""The first and the last."""
_RANGE = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A destination, the next broker (-1: no path is left), and the colours in which it is the next."""

    destination: int
    next: int
    colours: tuple[Range, ...]


def rows_of(part: OfBroker) -> list[Row]:
    """All rows, in the order of the thesis: that in which they first come, colour by colour."""
    exceptions: dict[int, list[tuple[int, int]]] = {}
    for colour, destination, after in zip(
        part.colours.tolist(), part.destinations.tolist(), part.next.tolist(), strict=True
    ):
        exceptions.setdefault(destination, []).append((colour, after))
    rows = [
        row
        for destination, healthy in enumerate(part.healthy.tolist())
        if destination != part.broker
        for row in _of_destination(destination, healthy, sorted(exceptions.get(destination, [])), part.count)
    ]
    return sorted(rows, key=lambda row: (row.colours[0][0], row.destination))


def _of_destination(
    destination: int, healthy: int, exceptions: list[tuple[int, int]], count: int
) -> Iterator[Row]:
    others: dict[int, list[int]] = {}
    for colour, after in exceptions:
        others.setdefault(after, []).append(colour)
    usual = tuple(_between([colour for colour, _ in exceptions], HEALTHY + count - 1))
    for after, colours in ((healthy, usual), *((after, ranges(each)) for after, each in others.items())):
        if colours:
            yield Row(destination, after, colours)


def _between(left_out: Iterable[int], last: int) -> Iterator[Range]:
    """The ranges of all colours but some, which are in order."""
    first = HEALTHY
    for colour in (*left_out, last + 1):
        if first < colour:
            yield first, colour - 1
        first = colour + 1


def ranges(colours: Iterable[int]) -> tuple[Range, ...]:
    """Colours in order as ranges."""
    found: list[Range] = []
    for colour in colours:
        if found and found[-1][1] == colour - 1:
            found[-1] = found[-1][0], colour
        else:
            found.append((colour, colour))
    return tuple(found)


def ranges_text(colours: Iterable[Range]) -> str:
    """`1,3-5`; two that follow each other stand apart, as in the thesis: `1,3,4`."""
    joints = {0: "", 1: ","}
    return ",".join(
        f"{first}{joints.get(last - first, '-')}{last if last > first else ''}" for first, last in colours
    )


def read_ranges(text: str, count: int) -> tuple[Range, ...] | None:
    """Ranges of so many colours, in order and apart from each other; None if it is no such text."""
    found: list[Range] = []
    for word in text.split(","):
        match = _RANGE.fullmatch(word)
        if not match:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if not (found[-1][1] if found else 0) < first <= last < HEALTHY + count:
            return None
        found.append((first, last))
    return tuple(found)


KIND, TABLES_KIND = "angarium recovery colours", "angarium recovery tables"
VERSION = 1
Entries = dict[str, Any]


def written_colours(mesh: Mesh, colours: Colours, fingerprint: str) -> str:
    """`colours.json`: the mesh, its brokers with the names of their files, and what each colour means."""
    risks = {risk.failures: risk for risk in reversed(mesh.shared_risks)}
    content = {
        "kind": KIND,
        "version": VERSION,
        "mesh": mesh.name,
        "fingerprint": fingerprint,
        "brokers": [broker.name for broker in mesh.brokers],
        "files": {broker.name: file_name(number, broker.name) for number, broker in enumerate(mesh.brokers)},
    }
    rows = [
        _colour(colour, failures, risks.get(failures))
        for colour, failures in zip(colours, colours.failures, strict=True)
    ]
    return _text(content, "colours", rows)


def _colour(colour: int, failures: Failures, risk: SharedRisk | None) -> Entries:
    named = {"shared_risk": risk.name} if risk else {}
    return {
        "colour": colour,
        "brokers": sorted(failures.brokers),
        "links": sorted(failures.cables),
        **named,
    }


def written_json(tables: BrokerTables, rows: Sequence[Row]) -> str:
    """The file of a broker, with its super table."""
    content = {
        "kind": TABLES_KIND,
        "version": VERSION,
        "mesh": tables.mesh,
        "fingerprint": tables.fingerprint,
        "broker": tables.broker,
        "neighbours": list(tables.neighbours),
    }
    names: dict[int, str | None] = {NONE: None, **dict(enumerate(tables.destinations))}
    entries = [
        {"destination": names[row.destination], "next": names[row.next], "colours": ranges_text(row.colours)}
        for row in rows
    ]
    return _text(content, "super_table", entries)


def _text(content: Mapping[str, Any], key: str, rows: Sequence[Entries]) -> str:
    """An object with a list under the last key, a line for each of its items."""
    head = json.dumps(content, indent=2, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n  "{key}": [\n    {lines}\n  ]\n}}\n'


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuperTable:
    """Lookups in a super table, by positions."""

    first: Mapping[int, Sequence[int]]
    """By destination: where each range of colours begins."""
    rows: Mapping[int, Sequence[tuple[int, int]]]
    """By destination: where each range ends, and the next broker."""

    def next(self, colour: int, destination: int) -> int:
        """The next broker; -1 if there is no path, or none is needed."""
        place = bisect_right(self.first.get(destination, ()), colour) - 1
        if place < 0:
            return NONE
        last, after = self.rows[destination][place]
        return after if colour <= last else NONE


def read_json(text: str, colours_text: str) -> BrokerTables:
    """The tables of a broker from its file and `colours.json`; MeshError if they cannot be ours."""
    dictionary = _object(colours_text, KIND)
    content = _object(text, TABLES_KIND)
    brokers = _names(dictionary, "brokers")
    if not 0 < len(brokers) <= MOST_BROKERS:
        raise unreadable(f"it has {len(brokers):,} brokers")
    fingerprint = _string(content, "fingerprint")
    if fingerprint != _string(dictionary, "fingerprint"):
        raise unreadable("it does not belong to the colours.json beside it: their fingerprints differ")
    colours = _colours(dictionary, brokers)
    broker, near = _string(content, "broker"), _names(content, "neighbours")
    if not {broker, *near} <= set(brokers):
        raise unreadable("it names a broker that colours.json does not have")
    lookup = _super_table(_list(content, "super_table"), brokers, near, len(colours))
    return BrokerTables(_string(content, "mesh"), fingerprint, broker, brokers, near, colours, lookup)


def known_brokers(colours_text: str) -> tuple[str, ...]:
    """The brokers that `colours.json` names."""
    return _names(_object(colours_text, KIND), "brokers")


def _colours(content: Entries, brokers: tuple[str, ...]) -> Colours:
    known, found = set(brokers), []
    for number, each in enumerate(_list(content, "colours"), start=1):
        if not isinstance(each, dict) or each.get("colour") != number:
            raise unreadable(f"its colour {number} is missing or not in its place")
        dead = frozenset(_names(each, "brokers"))
        if not dead <= known:
            raise unreadable(f"its colour {number} names a broker that is not there")
        found.append(Failures(dead, frozenset(_names(each, "links"))))
    return checked_colours(tuple(found))


def _super_table(
    entries: list[Any], brokers: tuple[str, ...], near: tuple[str, ...], colours: int
) -> SuperTable:
    position = {name: number for number, name in enumerate(brokers)}
    possible = {name: position[name] for name in near}
    found: dict[int, list[tuple[int, int, int]]] = {}
    for each in entries:
        if not isinstance(each, dict):
            raise unreadable("a row of its super table is no object")
        destination, used = _string(each, "destination"), read_ranges(_string(each, "colours"), colours)
        number = NONE if each.get("next") is None else possible.get(_string(each, "next"))
        if destination not in position or number is None or used is None:
            raise unreadable(f"a row of its super table cannot be: {json.dumps(each)[:200]}")
        found.setdefault(position[destination], []).extend((first, last, number) for first, last in used)
    return _sorted(found)


def _sorted(found: dict[int, list[tuple[int, int, int]]]) -> SuperTable:
    for ranges in found.values():
        ranges.sort()
        if any(one[1] >= other[0] for one, other in pairwise(ranges)):
            raise unreadable("two rows of its super table are for the same destination and colour")
    first = {destination: [each[0] for each in ranges] for destination, ranges in found.items()}
    rows = {destination: [each[1:] for each in ranges] for destination, ranges in found.items()}
    return SuperTable(first, rows)


def _object(text: str, kind: str) -> Entries:
    if len(text) > MOST_BYTES:
        raise unreadable(f"it has {len(text):,} characters, and can have {MOST_BYTES:,}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise unreadable("it is not JSON") from None
    if not isinstance(content, dict) or content.get("kind") != kind or content.get("version") != VERSION:
        raise unreadable(f"it does not say that it is {kind!r}, version {VERSION}")
    return content


def _string(content: Entries, key: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise unreadable(f"its {key} is no text")
    return value


def _list(content: Entries, key: str) -> list[Any]:
    value = content.get(key)
    if not isinstance(value, list):
        raise unreadable(f"its {key} is no list")
    return value


def _names(content: Entries, key: str) -> tuple[str, ...]:
    names = _list(content, key)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise unreadable(f"its {key} are not names that differ")
    return tuple(names)
