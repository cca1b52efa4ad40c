"""The parts of a table: what each batch wrote, small ones put together.

A stream that runs for weeks has a hundred thousand batches, and Spark opens every file. So when many small
parts lie next to each other, they are written once more as one, `batch=FIRST-LAST`, which takes the place of
all parts within. Large parts are left alone: nothing is written again and again. Only batches are put
together that are finished and will not be repeated; a process that is killed meanwhile leaves either the old
parts, or both, of which the wide one counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SMALL = 4 << 20
"""Bytes below which a part is small."""
MANY = 32
"""So many small parts are put together."""


@dataclass(frozen=True, slots=True)
class Part:
    """What some successive batches wrote."""

    first: int
    last: int
    path: Path

    @property
    def small(self) -> bool:
        return sum(file.stat().st_size for file in self.path.iterdir()) < SMALL


def parts_of(table: Path) -> list[Part]:
    """The parts of a table that count, in the order of their batches."""
    found = sorted(map(_part, table.glob("batch=*")), key=lambda part: (part.first, -part.last))
    chosen = list[Part]()
    for part in found:
        if not chosen or part.last > chosen[-1].last:
            chosen.append(part)
    return chosen


def _part(path: Path) -> Part:
    first, _, last = path.name.removeprefix("batch=").partition("-")
    return Part(int(first), int(last or first), path)


def put_together(table: Path, before: int, write: Callable[[Sequence[Path], Path], None]) -> None:
    """Put small parts of batches before one together, if there are many; `write` makes one folder of some."""
    run = list[Part]()
    for part in parts_of(table):
        if part.last >= before or len(run) == MANY:
            break
        run = [*run, part] if part.small else []
    if len(run) < MANY:
        return
    name = f"batch={run[0].first}-{run[-1].last}"
    write([part.path for part in run], table / f".{name}")
    (table / f".{name}").rename(table / name)
    for path in set(table.glob("batch=*")) - {part.path for part in parts_of(table)}:
        shutil.rmtree(path)
