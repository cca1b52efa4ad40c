"""What a host is given to audit: batches that can be gone through again, and rows by their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from angarium.history.intake.batch import Batch

Event = Mapping[str, Any]


class Source(Protocol):
    """Where rows come from."""

    @property
    def rows(self) -> int:
        """How many rows there are, those in quarantine included."""

    def batches(self, columns: Collection[str] | None = None) -> Iterator[Batch]:
        """All rows, in the order of reading; with some columns only, if these are enough."""

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        """Some rows, as they were read; with some columns only, if these are enough."""


@dataclass(frozen=True)
class Kept:
    """Batches that are in memory."""

    kept: Sequence[Batch]

    @property
    def rows(self) -> int:
        return sum(batch.count for batch in self.kept)

    def batches(self, columns: Collection[str] | None = None) -> Iterator[Batch]:
        return iter(self.kept)

    def fetch(
        self,
        rows: Collection[int],
        columns: Collection[str] | None = None,
    ) -> dict[int, Event]:
        return fetched(self.kept, rows)


def fetched(batches: Iterable[Batch], rows: Collection[int]) -> dict[int, Event]:
    """Some rows of batches."""
    wanted = sorted(set(rows))
    found: dict[int, Event] = {}
    place = 0
    for batch in batches:
        while place < len(wanted) and wanted[place] < batch.first + batch.count:
            found[wanted[place]] = batch.row(wanted[place] - batch.first)
            place += 1
    return found
