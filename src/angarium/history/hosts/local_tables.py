"""The tables of an audit in the process, written by Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from angarium.history import tabled, tables
from angarium.history.intake.files import Files
from angarium.history.intake.quarantined import quarantined
from angarium.history.kernel import layout as at
from angarium.history.kernel.audit import Audited
from angarium.history.kernel.lives import columns
from angarium.history.kernel.numbers import Odd
from angarium.history.kernel.process import Corrected, InProcess
from angarium.history.written import write_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class LocalTables:
    """Writes all tables of an audit into a folder."""

    files: Files
    steps: InProcess
    audited: Audited

    def __call__(self, folder: Path) -> None:
        for name, table in tabled.found(self.audited).items():
            write_table(folder / name, [table], table.schema)
        write_table(folder / "events", self._events(), tabled.schema_of_events())
        write_table(folder / "messages", self._messages(), tabled.schema_of(tables.MESSAGES))
        refused = [
            (str(self.files.found[each.file].file.path), each)
            for each in quarantined(self.files, self.audited.repeats)
        ]
        write_table(folder / "quarantine", [tabled.quarantine(refused)], tabled.schema_of(tables.QUARANTINE))

    def _events(self) -> Iterator[pa.Table]:
        """The events as they were read: with the times that their clocks gave."""
        once = Corrected(self.files, Odd(repeats=set(self.audited.repeats)))
        return (tabled.events(batch) for batch, _ in once.batches())

    def _messages(self) -> Iterator[pa.Table]:
        """The messages in the order of the rows that name them."""
        lives = self.steps.lives()
        rows = (lives[:, at.Y_ROW] & np.uint64(at.ROW)).astype(np.int64)
        for batch in self.files.batches(["message_id"]):
            low, high = np.searchsorted(rows, [batch.first, batch.first + batch.count])
            if low < high:
                told = columns(lives[low:high], self.steps.folding.facts)
                yield tabled.messages(told, tabled.message_ids(batch, rows[low:high]))
