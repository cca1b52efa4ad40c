"""One batch of a followed history: rows in; events, quarantine, findings, alerts and a new state out.

A batch is a function of its rows and of the state before it, and writes only to places of its own. So it may
be repeated at any time, from the beginning, with the same outcome.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from angarium.history import tables
from angarium.history.audit import facts_of
from angarium.history.checks.facts import Facts, normalised
from angarium.history.explanations import explained
from angarium.history.live.folder import Folder
from angarium.history.live.intake import sorted_out, taken_in
from angarium.history.live.matters import PINNED, horizons_of, messages, retained
from angarium.history.live.progress import Progress, added, merged
from angarium.history.live.recall import recalled, suspects
from angarium.history.live.released import FOR_EVER, Span, found, told_before
from angarium.history.live.settings import Live
from angarium.history.parameters import Parameters
from angarium.history.profile import profiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class Batches:
    """The batches of one followed history."""

    spark: SparkSession
    folder: Folder
    parameters: Parameters
    live: Live

    def process(self, rows: DataFrame, number: int) -> Progress:
        """Judge the rows of a batch (`gate.ROWS`)."""
        begin = time.monotonic()
        before = self.folder.progress(before=number)
        with ExitStack() as held:
            rows = self._kept(held, rows)
            watermark = max(before.watermark, self._watermark(rows))
            taken = self._write_intake(held, rows, number, before)
            if taken.read == before.read:
                return before
            span = Span(before.watermark, watermark)
            return self._judge(held, replace(taken, batch=number, watermark=watermark), before, span, begin)

    def finish(self) -> Progress:
        """The stream has ended: judge everything that is left."""
        before = self.folder.progress()
        if before.ended or before.batch < 0:
            return before
        last = replace(before, batch=before.batch + 1, ended=True)
        with ExitStack() as held:
            return self._judge(held, last, before, Span(before.watermark, FOR_EVER), time.monotonic())

    # --- in ------------------------------------------------------------------------------------

    def _kept(self, held: ExitStack, table: DataFrame) -> DataFrame:
        """The table, kept in memory or on disk until the batch is over."""
        kept = table.persist()
        held.callback(kept.unpersist)
        return kept

    @staticmethod
    def _watermark(rows: DataFrame) -> int:
        from pyspark.sql import functions as f

        found = rows.agg(f.max("watermark").alias("watermark")).first()
        return (found["watermark"] if found else None) or 0

    def _write_intake(self, held: ExitStack, rows: DataFrame, number: int, before: Progress) -> Progress:
        """Write events and quarantine; what is known of the history by then."""
        parsed, refused = taken_in(rows)
        intake = sorted_out(self._kept(held, parsed), refused)
        self._write(intake.events, "events", number)
        self._write(intake.quarantine.coalesce(1), "quarantine", number)
        new = tuple(profiles(normalised(self._read("events", number))).values())
        return replace(
            before,
            accepted=before.accepted + sum(profile.events for profile in new),
            quarantined=added(before.quarantined, self._counts("quarantine", number, "reason")),
            profiles=merged(before.profiles, new),
            newest=max([before.newest, *(profile.end for profile in new)]),
        )

    def _history(self, known: Progress, before: Progress) -> DataFrame:
        """All events that matter: those of the state, the new ones, and those of messages that came back."""
        from pyspark.sql import functions as f

        if known.ended:
            return self._read("state", before.batch)
        new = normalised(self._read("events", known.batch)).withColumn(PINNED, f.lit(False))
        if before.batch < 0:
            return new
        state = self._read("state", before.batch)
        both = state.unionByName(new)
        if before.retained == before.accepted:
            return both
        wanted = suspects(new, state).persist()
        try:
            return both if wanted.isEmpty() else both.unionByName(self._recalled(wanted, before.batch))
        finally:
            wanted.unpersist()

    def _recalled(self, wanted: DataFrame, until: int) -> DataFrame:
        """Events of messages that were forgotten, from all that was written; the state has none of them."""
        from pyspark.sql import functions as f

        parts = [self.folder.table("events", number) for number in self.folder.parts("events", until)]
        written = normalised(self.spark.read.parquet(*parts))
        return recalled(written.withColumn(PINNED, f.lit(False)), wanted).localCheckpoint()

    # --- out -----------------------------------------------------------------------------------

    def _judge(
        self, held: ExitStack, known: Progress, before: Progress, span: Span, begin: float
    ) -> Progress:
        """Judge what became known in a span of time, and end the batch."""
        history = self._kept(held, self._history(known, before))
        if span.until:
            facts = _computed(
                facts_of(history, self.parameters, {each.run_id: each for each in known.profiles})
            )
            known = self._with_findings(facts, known, before, span)
            known = replace(known, retained=0) if span.last else self._with_state(held, facts, known, span)
        else:  # before there is a watermark nothing is known for certain
            self._write(history, "state", known.batch)
            known = replace(known, retained=known.accepted)
        after = replace(known, seconds=round(time.monotonic() - begin, 3))
        self.folder.write_progress(after)
        return after

    def _with_findings(self, facts: Facts, known: Progress, before: Progress, span: Span) -> Progress:
        """Write what is found, and the alerts; how much that is."""
        told = told_before(before, known.profiles, self.parameters, span)
        violations = found(facts, span, told)
        if violations is None:
            violations = self.spark.createDataFrame([], tables.VIOLATIONS)
        self._write(explained(violations).repartition(1), "findings", known.batch)
        return replace(
            known,
            findings=added(before.findings, self._counts("findings", known.batch, "guarantee")),
            judged=tuple(sorted({*told, *before.judged})),
            alerts=self.folder.write_alerts(before.alerts, self._alerts(known.batch)),
        )

    def _with_state(self, held: ExitStack, facts: Facts, known: Progress, span: Span) -> Progress:
        """Write what still matters; how much that is."""
        from pyspark.sql import functions as f

        lives = self._kept(held, messages(facts, span.until))
        counts = lives.agg(f.count_if("open").alias("open"), f.count_if("overdue").alias("overdue")).first()
        memory = self.live.memory(self.parameters)
        kept = facts.events
        if any(each.begin < min(span.until, each.end) - memory for each in known.profiles):
            horizons = horizons_of(facts, span.until, memory)
            kept = retained(facts, lives, self._read("findings", known.batch), horizons)
        self._write(kept, "state", known.batch)
        return replace(
            known,
            retained=self._read("state", known.batch).count(),
            open_messages=counts["open"] if counts else 0,
            overdue=counts["overdue"] if counts else 0,
        )

    def _alerts(self, number: int) -> Iterator[Mapping[str, object]]:
        """The findings of a batch, each with an id that is always the same."""
        for row in self._read("findings", number).orderBy("found_at", *tables.COMPARED).toLocalIterator():
            facts = row.asDict()
            what = repr([facts[name] for name in tables.COMPARED]).encode()
            yield {"id": blake2b(what, digest_size=8).hexdigest(), "batch": number} | facts

    # --- tables --------------------------------------------------------------------------------

    def _write(self, table: DataFrame, name: str, number: int) -> None:
        table.write.mode("overwrite").parquet(self.folder.table(name, number))

    def _read(self, name: str, number: int) -> DataFrame:
        return self.spark.read.parquet(self.folder.table(name, number))

    def _counts(self, name: str, number: int, column: str) -> dict[str, int]:
        rows = self._read(name, number).groupBy(column).count().collect()
        return {row[column]: row["count"] for row in rows}


def _computed(facts: Facts) -> Facts:
    """The facts, with those computed now that all checks ask for.

    Small batches are dear for their plans, not for their rows: every check would plan, compile and optimise
    once more how holdings are found.
    """
    for name in ("controls", "deliveries", "holdings", "lives"):
        vars(facts)[name] = getattr(facts, name).localCheckpoint()
    return facts
