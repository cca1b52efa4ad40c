"""What is found on the way, written to files.

A table that is only promised grows with each round: Spark would compute it anew from the first round on. So
each round's result is written down, and the next one begins with reading it. That also survives the loss of a
machine, which tables in the machines' memory do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql.functions import count_if, expr


@dataclass(frozen=True)
class Kept:
    """A table that was written down."""

    frame: DataFrame
    rows: int
    """How many it has, or how many of them were to be counted."""
    path: str


@dataclass
class Scratch:
    """A folder for tables, which are gone when it is left."""

    spark: SparkSession
    folder: str
    room: int = 0
    """How many bytes may be brought to this machine to finish there."""
    name: str = field(default_factory=lambda: uuid4().hex)
    tables: int = 0
    """How many were written so far, each by one job."""

    def keep(self, frame: DataFrame, counted: str = "true") -> Kept:
        """Write a table down, and count those rows on the way of which something is true."""
        self.tables += 1
        path, seen = f"{self._mine}/{self.tables}", Observation()
        frame.observe(seen, count_if(expr(counted)).alias("rows")).write.parquet(path)
        written = self.spark.read.schema(frame.schema).parquet(path)
        return Kept(written, int(seen.get["rows"]), path)

    def read(self, *tables: Kept) -> DataFrame:
        """Several tables of the same columns as one."""
        paths = [table.path for table in tables]
        return self.spark.read.schema(tables[0].frame.schema).parquet(*paths)

    def given(self, columns: Mapping[str, NDArray[np.integer]]) -> DataFrame:
        """A small table of numbers that are known here; it costs no job."""
        return self.spark.createDataFrame(pa.table(dict(columns)))

    def drop(self, *tables: Kept) -> None:
        """Remove what is not needed any more."""
        for table in tables:
            self._delete(table.path)

    @property
    def _mine(self) -> str:
        return f"{self.folder}/{self.name}"

    def _delete(self, path: str) -> None:
        context = self.spark.sparkContext
        assert context._jvm is not None and context._jsc is not None
        place = context._jvm.org.apache.hadoop.fs.Path(path)
        place.getFileSystem(context._jsc.hadoopConfiguration()).delete(place, True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._delete(self._mine)
