"""A folder that only Spark opens, on object storage or HDFS, as the source of a stream.

Spark says which files there are, and brings those that are new to this machine, one after the other; all
else happens here. Files must be whole when they appear, as they are on object storage. Spark passes over
names that begin with an underscore or a dot, so nobody can say there that nothing more will come.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from angarium.history.intake.reasons import name_of_run
from angarium.history.live.arrivals import FILES, Rows, line_numbers, rows_of
from angarium.history.live.sources import Fresh, Journal
from angarium.spark.failures import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_PATTERN = re.compile(r"([\\{}\[\]*?])")
"""What would stand for other characters in the name of a file."""


@dataclass
class RemotePiece:
    """A file, which is here while it is read."""

    spark: SparkSession
    name: str
    _here: Path | None = None

    @property
    def run(self) -> str:
        return name_of_run(Path(self.name))

    def rows(self) -> Iterator[Rows]:
        with TemporaryDirectory(prefix="angarium-") as folder:
            self._here = Path(folder, Path(self.name).name)
            with translated():
                (row,) = _files(self.spark, _PATTERN.sub(r"\\\1", self.name)).select("content").collect()
            self._here.write_bytes(row["content"])
            yield from rows_of(self._here)

    def lines(self, places: Collection[int]) -> Mapping[int, tuple[int, str]]:
        assert self._here is not None
        return {} if self._here.suffix == ".parquet" else line_numbers(self._here, places)


@dataclass
class RemoteSource:
    """A folder by its address, and the folders in it: each file is read once."""

    spark: SparkSession
    address: str
    journal: Journal
    most: int | None
    ended: bool = False

    def fresh(self) -> Fresh | None:
        """Files that were not read, the oldest first."""
        with translated():
            listed = _files(self.spark, self.address).select("modificationTime", "path").collect()
        found = [path for _, path in sorted(map(tuple, listed)) if path not in self.journal.names]
        return self.journal.fresh(found[: self.most], lambda name: RemotePiece(self.spark, name))

    def close(self) -> None:
        """Spark's session stays."""


def _files(spark: SparkSession, address: str) -> DataFrame:
    """The files at an address; what is in them is only read if it is asked for."""
    source = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    endings = ",".join(each.removeprefix("*.") for each in FILES)
    return source.option("pathGlobFilter", f"*.{{{endings}}}").load(address)
