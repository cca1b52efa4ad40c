"""Files of histories to events: `read` is what everybody calls.

Nothing is lost on the way. Every row of every file, and every file that cannot be read, is one row of the
table `rows`; whether it has a reason decides whether it is an event or in quarantine. So what is read is
what is accepted and what is in quarantine together, by construction.

Reading is lazy: files are looked at by the driver (their names, first lines, footers; compressed ones are
unpacked once to see whether they are whole), the rest is a plan. Parquet of the schema's own types costs
its scan and one filter.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.missing import Missing, missing
from angarium.history.readers import csv, json_lines, parquet
from angarium.history.readers import lines as text
from angarium.history.readers.files import find
from angarium.history.readers.formats import Fault, Found, Kind, broken, check_name, look, names
from angarium.history.readers.mapping import Mapping
from angarium.history.readers.quarantine import (
    LONGEST,
    REPEATS,
    judged,
    path_of,
    run_of_refused,
)
from angarium.history.readers.reader import ORIGIN, SAID
from angarium.history.readers.registry import TEXT_READERS
from angarium.history.results import Counts
from angarium.spark.lineage import united

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATTERN = frozenset("{}[]*?\\")
DamagedFiles = abc.Mapping[Path, str]
_AT_ONCE = 4
"""Files that the driver looks at at a time."""


@dataclass(frozen=True)
class Reading:
    """What was read."""

    rows: DataFrame
    """The columns of the schema, `reader.SAID`, and those of `reader.ORIGIN`."""
    pieces: DataFrame | None
    """Where the pieces of text files begin; None if there are no such files."""
    files: tuple[str, ...]
    ignored: tuple[str, ...]
    """Files in folders that have no format that is known, and no name that says that they should."""
    unknown_columns: tuple[str, ...]
    """Names in the first lines, headers and footers that are not of the schema, and are not read."""
    whole: bool = False
    """Whether it is known that nothing is in quarantine: then no row need be judged again."""

    @cached_property
    def events(self) -> DataFrame:
        """The columns of the schema."""
        fit = self.rows if self.whole else self.rows.where("reason IS NULL")
        return fit.select(*schema.NAMES)

    def all_accepted(self, found: Counts) -> Reading:
        """The reading, with what is known of it when it has been counted."""
        return self if found.quarantined else replace(self, whole=True)

    @cached_property
    def quarantine(self) -> DataFrame:
        """The columns of `tables.QUARANTINE`. Lines are numbered by another look at the text files."""
        from pyspark.sql import functions as f

        rows = self.rows.where("reason IS NOT NULL").select(run_of_refused().alias("run_id"), *ORIGIN)
        found = rows if self.pieces is None else text.renumbered(rows, self.pieces)
        short = {name: f.substring(name, 1, LONGEST).alias(name) for name in ("value", "raw")}
        return found.select(
            "run_id",
            path_of(f.col("file")).alias("file"),
            "line",
            "reason",
            "field",
            short["value"],
            short["raw"],
        )


def looked(paths: Sequence[Path], format: str | None, *, mapped: bool) -> list[Found]:  # noqa: A002
    """What the files at the paths are, which needs no Spark. HistoryError if there is none to read."""
    check_name(format)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(partial(look, asked=format, mapped=mapped), find(paths)))
    if not any(each.kind or each.fault for each in found):
        raise _nothing(paths, "there is no file of events")
    return found


def read(
    spark: SparkSession,
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
    mapping: Mapping | None = None,
    run_id: str | None = None,
    damaged: DamagedFiles | None = None,
    seen: Sequence[Found] | None = None,
) -> Reading:
    """The events in files and folders, which may have been looked at before.

    The format is found for each file, unless one is given. Events that name no run belong to `run_id`, or to
    a run with the file's name. `damaged`: files that are known to be unreadable, and why; they are put into
    quarantine as a whole.
    """
    looked_at = looked(paths, format, mapped=mapping is not None) if seen is None else seen
    found = [broken(each, (damaged or {}).get(each.file.path)) for each in looked_at]
    unended = frozenset(each.unended for each in found if each.unended)
    return _Plan(spark, mapping, run_id, unended).reading(found)


@dataclass(frozen=True)
class _Plan:
    """How files become rows."""

    spark: SparkSession
    mapping: Mapping | None
    run_id: str | None
    unended: frozenset[str]
    """Last lines of CSV files that have no end."""

    def reading(self, found: Sequence[Found]) -> Reading:
        groups = _grouped(found)
        lines = [self._lines(kind, files) for kind, files in groups]
        tables = [self._rows(*group, text_lines) for group, text_lines in zip(groups, lines, strict=True)]
        faults = [each.fault for each in found if each.fault]
        rows = [judged(table, self.run_id) for table in tables] + ([self._faults(faults)] if faults else [])
        pieces = [text.pieces(each) for each in lines if each]
        strange = (
            dict.fromkeys(name for each in found for name in each.unknown) if self.mapping is None else ()
        )
        return Reading(
            united(rows),
            united(pieces) if pieces else None,
            tuple(str(each.file.path) for each in found if each.kind or each.fault),
            tuple(str(each.file.path) for each in found if not each.kind and not each.fault),
            tuple(strange),
        )

    def _lines(self, kind: Kind, files: Sequence[Path]) -> DataFrame | None:
        """The lines of text files."""
        if kind.format == parquet.NAME:
            return None
        return text.numbered(self.spark, files, damaged=kind.damaged)

    def _rows(self, kind: Kind, files: Sequence[Path], lines: DataFrame | None) -> DataFrame:
        if lines is None:
            if self.mapping is None:
                return parquet.rows(self.spark, files, kind.columns)
            return self.mapping.rows(parquet.source(self.spark, files, kind.columns))
        return text.once(text.unspoilt(self._parsed(kind, text.given(lines))))

    def _parsed(self, kind: Kind, lines: DataFrame) -> DataFrame:
        if kind.format == csv.NAME:
            return (self.mapping or Mapping()).rows(csv.source(lines, kind.header, self.unended))
        if self.mapping is not None and kind.format == json_lines.READER.name:
            return self.mapping.rows(json_lines.source(lines))
        reader = next(reader for reader in TEXT_READERS if reader.name == kind.format)
        return reader.parse(lines)

    def _faults(self, faults: Sequence[Fault]) -> DataFrame:
        """A row for every file that cannot be read, or not to its end."""
        from pyspark.sql import functions as f

        given = [(each.file.path.as_uri(), each.reason, each.field, each.value) for each in faults]
        table = self.spark.createDataFrame(given, "file string, reason string, field string, value string")
        types = {column.name: column.type for column in schema.COLUMNS}
        types |= {SAID: schema.TEXT, "line": schema.LONG, "raw": schema.TEXT}
        none = {name: f.lit(None).cast(type_) for name, type_ in types.items()}
        columns = (*schema.NAMES, SAID, *ORIGIN)
        return table.select(*(none.get(name, f.col(name)).alias(name) for name in columns))


def _grouped(found: Iterable[Found]) -> list[tuple[Kind, list[Path]]]:
    """The files of each kind. Those with a pattern's characters in their names go by themselves.

    Told to take paths as they are, Spark takes others twice if such a one is among them.
    """
    groups: dict[tuple[Kind, bool], list[Path]] = {}
    for each in found:
        if each.kind:
            strange = not _PATTERN.isdisjoint(str(each.file.path))
            groups.setdefault((each.kind, strange), []).append(each.file.path)
    return [(kind, files) for (kind, _), files in groups.items()]


# --- counts -------------------------------------------------------------------------------------


def counts(reading: Reading) -> Counts:
    """How many rows were read, accepted, and put into quarantine for which reason: one look at all files."""
    found = {row["reason"]: row["count"] for row in reading.rows.groupBy("reason").count().collect()}
    accepted = found.pop(None, 0)
    quarantined = sum(found.values())
    return Counts(accepted + quarantined, accepted, quarantined, dict(sorted(found.items())))


def lacking(reading: Reading) -> Missing:
    """What is in quarantine, and of which runs it may be: a look at all files, and a second if it must be."""
    from pyspark.sql import functions as f

    refused = reading.rows.where(f"reason IS NOT NULL AND reason <> '{REPEATS}'")
    named = refused.select(path_of(f.col("file")).alias("file"), run_of_refused().alias("run"))
    rows = [(row["file"], row["run"], row["count"]) for row in named.groupBy("file", "run").count().collect()]
    return missing(rows, _runs_of(reading, sorted({file for file, run, _ in rows if run is None})))


def _runs_of(reading: Reading, files: Sequence[str]) -> dict[str, set[str]]:
    """The runs of which events were read from each of some files."""
    from pyspark.sql import functions as f

    if not files:
        return {}
    events = reading.rows.where("reason IS NULL").select(path_of(f.col("file")).alias("file"), "run_id")
    wanted = events.sparkSession.createDataFrame([(file,) for file in files], "file string")
    found: dict[str, set[str]] = {}
    for row in events.join(f.broadcast(wanted), "file", "left_semi").distinct().collect():
        found.setdefault(row["file"], set()).add(row["run_id"])
    return found


def require_events(paths: Sequence[object], found: Counts) -> None:
    """HistoryError if all that was read is in quarantine, or nothing was there."""
    if found.accepted:
        return
    why = ", ".join(f"{reason} ({count})" for reason, count in found.reasons.items())
    raise _nothing(paths, f"of {found.read} rows none is an event: {why}" if why else "all files are empty")


def _nothing(paths: Sequence[object], why: str) -> HistoryError:
    return HistoryError(
        "ANG130",
        f"no events can be read from {', '.join(map(str, paths))}: {why}",
        possible=f"possible formats: {', '.join(names())}",
        remedy="give the folder of a recorded history, or a mapping for files of another shape",
    )
