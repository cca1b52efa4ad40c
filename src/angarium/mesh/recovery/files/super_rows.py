"""The rows of a super table, made from the exceptions of a broker, with their colours as ranges.

`recovery.condensed` makes the same rows from plain tables, and names every colour. With a thousand brokers
and two thousand colours that would be millions of numbers for each broker, nearly all of them of rows that
are used in nearly every colour. So colours are told as pages of a book are: `1,3-5`. A range is found from
the colours in which a row is *not* used, which are few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from angarium.mesh.recovery.colours import HEALTHY
from angarium.mesh.recovery.tables import OfBroker

Range = tuple[int, int]
"""The first and the last."""
_RANGE = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A destination, the next broker (-1: no way is left), and the colours in which it is the next."""

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


def told(colours: Iterable[Range]) -> str:
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
