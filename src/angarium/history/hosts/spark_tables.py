"""The tables of an audit on Spark: large ones are written by tasks, into a folder that all machines see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.history import schema, tabled, tables
from angarium.history.hosts import tasks
from angarium.history.hosts.spark import OnSpark
from angarium.history.intake.rules import Refused
from angarium.history.kernel.audit import Audited
from angarium.history.kernel.numbers import Odd
from angarium.history.written import write_table
from angarium.spark.failures import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROW = "row bigint"


@dataclass(frozen=True)
class SparkTables:
    """Writes all tables of an audit into a folder."""

    steps: OnSpark
    faults: Sequence[tuple[str, Refused]]
    """What is wrong with files as a whole, that only the driver knows."""
    audited: Audited

    def __call__(self, folder: Path) -> None:
        for name, table in tabled.found(self.audited).items():
            write_table(folder / name, [table], table.schema)
        repeats = self.steps.by_piece(Odd(repeats=set(self.audited.repeats)))
        refused = self.steps.over(tasks.Quarantine(repeats=repeats), columns=tables.QUARANTINE)
        more = self.steps.spark.createDataFrame(tabled.quarantine(self.faults), tables.QUARANTINE)
        for name, rows in {
            "events": self.steps.over(tasks.Events(repeats=repeats), columns=schema.DDL),
            "messages": self._messages(),
            "quarantine": refused.unionByName(more),
        }.items():
            with translated():
                rows.write.parquet((folder / name).as_uri())

    def _messages(self) -> DataFrame:
        """What is told of all messages, with their names, which only who reads them knows."""
        columns = tables.MESSAGES.replace("message_id string,", "")
        named = self.steps.over(tasks.Names(firsts=self.steps.firsts), columns=f"{_ROW}, message_id string")
        told = self.steps.lives(f"{_ROW}, {columns}").join(named, "row")
        return told.select(*tabled.schema_of(tables.MESSAGES).names)
