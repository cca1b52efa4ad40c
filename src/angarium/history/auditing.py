"""From files to what is told: reading, repeated rows, clocks, the audit, its stories, and the tables on disk.

Text is parsed once: what was read from text files is kept as Parquet until the audit is over. Parquet files
are read where they lie.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import SparkError
from angarium.history import written
from angarium.history.asked import Asked, Conducted
from angarium.history.audit import Audit, audit, chosen
from angarium.history.automaton.against import Comparison, against
from angarium.history.automaton.projection import lives_of
from angarium.history.checks.facts import normalised
from angarium.history.clocks import clocks, repaired
from angarium.history.explanations import explained
from angarium.history.hosts.conducting import conduct_on_spark
from angarium.history.hosts.local import conduct_locally, is_local
from angarium.history.intake.files import NoRoomError, refuses
from angarium.history.missing import Missing
from angarium.history.numbers import Doubts, doubts
from angarium.history.profile import Profile, profiles
from angarium.history.readers import parquet
from angarium.history.readers.files import find
from angarium.history.readers.formats import Found, is_parquet
from angarium.history.readers.mapping import Mapping as Columns
from angarium.history.readers.mapping import load
from angarium.history.readers.reading import (
    DamagedFiles,
    Reading,
    counts,
    lacking,
    looked,
    read,
    require_events,
)
from angarium.history.readers.repeats import without_repeats
from angarium.history.remarks import MOST_JUMPS, jump, remarks, unfinished
from angarium.history.results import Counts, Violation
from angarium.history.stories import stories
from angarium.history.summary import doubted
from angarium.history.told import Told, times_of
from angarium.history.workshop import read_evenly
from angarium.spark.failures import translated
from angarium.spark.place import Place
from angarium.spark.scratch import new_scratch
from angarium.spark.session import session, side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

Profiles = Mapping[str, Profile]
LARGE = 32 << 20
"""Bytes of histories for which it pays that Java takes its time to optimise."""
MOST_EXAMPLES = 5
"""Violations of a guarantee that are told by a sentence."""


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """What is known before Spark is started: much of what is wrong with an audit's words needs none."""

    mapping: Columns | None
    files: Sequence[Found]


def conduct(asked: Asked, place: Place, tell: Callable[[str], None] | None = None) -> Conducted:
    """Audit files at a place of Spark's, telling what is being done."""
    begin, say = time.monotonic(), tell or (lambda text: None)
    chosen(asked.only)
    if asked.out:
        written.check(asked.out)
    if asked.model:
        lives_of(asked.model)
    mapping = load(asked.mapping) if asked.mapping else None
    say("looking at files")
    here = asked.paths or not (asked.uris or asked.tables)
    files = looked(asked.paths, asked.kind, mapped=mapping is not None) if here else []
    looked_at = _LookedAt(mapping, files)
    if is_local(asked, looked_at.files, mapping, place.memory):
        with suppress(NoRoomError):
            found = conduct_locally(asked, looked_at.files, mapping, place.memory, say, begin)
            return replace(found, engine="local")
    say("starting Spark")
    spark = session(replace(place, long=_size(asked.paths) >= LARGE))
    if not (asked.out or asked.model or refuses(looked_at.files, mapping)):
        return conduct_on_spark(spark, asked, looked_at.files, mapping, say, begin)
    try:
        return _conducted(spark, asked, looked_at, place, say, begin)
    except SparkError:
        say("looking for damaged files")
        damaged = parquet.damaged(each.path for each in find(asked.paths) if is_parquet(each))
        if not damaged:
            raise
        return _conducted(spark, asked, looked_at, place, say, begin, damaged)


def _conducted(
    spark: SparkSession,
    asked: Asked,
    looked_at: _LookedAt,
    place: Place,
    say: Callable[[str], None],
    begin: float,
    damaged: DamagedFiles | None = None,
) -> Conducted:
    """Audit files, without those that are known to be damaged."""
    with _scratch(place) as folder, translated():
        say("reading")
        first = read(
            spark,
            asked.paths,
            mapping=looked_at.mapping,
            run_id=asked.run_id,
            damaged=damaged,
            seen=looked_at.files,
        )
        parsed = _parsed_once(spark, first, folder)
        with read_evenly(spark, _size(asked.paths)):
            found = counts(parsed)
            require_events(asked.paths, found)
            fit = parsed.all_accepted(found)
            known, profiled = _looked_through(fit.events)
        reading = without_repeats(fit, known)
        if reading is fit:
            return _Work(asked, fit, known, profiled, found, folder, say, begin).conducted()
        return _Work(asked, reading, known, None, counts(reading), folder, say, begin).conducted()


def _looked_through(events: DataFrame) -> tuple[Doubts, Profiles]:
    """What is doubtful about the events, and their profiles, which hold if nothing is."""
    with side_by_side(2) as start:
        known = start(doubts, events)
        profiled = start(profiles, normalised(events))
    return known.result(), profiled.result()


@dataclass(frozen=True)
class _Work:
    """An audit under way."""

    asked: Asked
    reading: Reading
    doubts: Doubts
    profiles: Profiles | None
    counts: Counts
    scratch: Path
    say: Callable[[str], None]
    begin: float

    def conducted(self) -> Conducted:
        jumps = self._jumps()
        events = self._straight(jumps) if jumps else self.reading.events
        with audit(
            events,
            self.asked.parameters,
            only=self.asked.only or None,
            observe=lambda name, before, of: self.say(f"judging {name} ({before + 1} of {of} guarantees)"),
            lacking=self._lacking(),
            scratch=self.scratch,
            gapless=self.doubts.gapless,
            known=None if jumps else self.profiles,
            size=_size(self.asked.paths),
        ) as found:
            return self._told(found, [jump(**row.asDict()) for row in jumps[:MOST_JUMPS]])

    def _lacking(self) -> Missing:
        """What was not read: what is in quarantine, and what recorders that died have left unfinished."""
        left = Missing(anywhere=unfinished(self.asked.paths))
        return (lacking(self.reading) if self.counts.quarantined else Missing()) + left

    def _jumps(self) -> list[Row]:
        """Where clocks go back."""
        if self.doubts.steady:
            return []
        self.say("looking at clocks")
        found = clocks(self.reading.events, self.doubts.turned(self.reading.events.sparkSession))
        return found.orderBy("run_id", "recorder", "seq").limit(1000).collect()

    def _straight(self, jumps: Sequence[Row]) -> DataFrame:
        spark = self.reading.events.sparkSession
        schema = "run_id string, recorder string, seq bigint, back_by bigint"
        return repaired(self.reading.events, spark.createDataFrame(list(jumps), schema))

    def _told(self, found: Audit, jumps: Sequence[str]) -> Conducted:
        self.say("telling what was found")
        compared = self._compared(found) if self.asked.model else None
        with side_by_side(3) as start:
            told = start(stories, found.events_of, found.violations)
            examples = start(_examples, found.violations)
            times = start(found.latency.collect)
        if self.asked.out:
            self.say(f"writing {self.asked.out}")
            written.write(found, self.reading, self.counts, self.asked.out)
        summary = Told(
            files=self.reading.files,
            counts=self.counts,
            judgements=[*found.judgements, *(compared.judgements if compared else ())],
            figures=found.figures,
            examples=examples.result(),
            times=times_of(tuple(row) for row in times.result()),
            remarks=[
                *jumps,
                *remarks(
                    self.asked.paths,
                    self.reading.unknown_columns,
                    self.reading.ignored,
                    found.profiles.values(),
                ),
            ],
            seconds=time.monotonic() - self.begin,
        )
        return Conducted(summary, told.result(), compared)

    def _compared(self, found: Audit) -> Comparison:
        """The history against the model, as far as the logs of its runs are whole."""
        assert self.asked.model is not None
        compared = against(found.facts, self.asked.model)
        judgements = tuple(doubted(each, found.logs[each.run_id]) for each in compared.judgements)
        return replace(compared, judgements=judgements)


def _size(paths: Sequence[Path]) -> int:
    """Bytes of all files."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


def _parsed_once(spark: SparkSession, reading: Reading, folder: Path) -> Reading:
    """The reading, with what comes from text parsed and kept as Parquet."""
    if reading.pieces is None:
        return reading
    path = (folder / "rows").as_uri()
    reading.rows.write.parquet(path)
    return replace(reading, rows=spark.read.schema(reading.rows.schema).parquet(path))


def _examples(violations: DataFrame) -> list[Violation]:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy("guarantee").orderBy("found_at", "run_id", "last_recorder", "last_seq")
    few = violations.withColumn("place", f.row_number().over(order)).where(f"place <= {MOST_EXAMPLES}")
    return [Violation(**row.asDict()) for row in explained(few.drop("place")).collect()]


@contextmanager
def _scratch(place: Place) -> Iterator[Path]:
    folder = new_scratch("history", place.scratch)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
