"""One batch of a followed history: rows in; events, quarantine, findings, alerts and a new state out.

A batch is a function of its rows and of the state before it, and writes only to places of its own. So it may
be repeated at any time, from the beginning, with the same outcome.

A batch has all that matters of the past before it once more. So it is dear for what it does with each of
these events, and besides for the number of its jobs and the size of their plans: what is plain is sorted out
first, as in an audit of the whole, what was written is read from there, and what is kept has no plan.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.history import schema, tables
from angarium.history.audit import facts_of
from angarium.history.checks.facts import Facts, normalised
from angarium.history.closer import Closer
from angarium.history.explanations import explained
from angarium.history.live.folder import Folder
from angarium.history.live.intake import lacking, taken_in
from angarium.history.live.matters import FOUND_ONCE, PINNED, horizons_of, messages, proving, retained
from angarium.history.live.parts import put_together
from angarium.history.live.progress import Progress, added, merged
from angarium.history.live.recall import recalled, suspects
from angarium.history.live.released import FOR_EVER, Span, found, told_before
from angarium.history.live.settings import Live
from angarium.history.parameters import Parameters
from angarium.history.profile import profiles
from angarium.history.workshop import INTERPRETED, WORTH_A_PROGRAM
from angarium.spark.lineage import kept
from angarium.spark.session import meanwhile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROLES = ("producer", "consumer", "subscriber")
"""What normalised events have beside the schema's columns, and their time `at`."""
_COLUMNS = {
    "events": schema.DDL,
    "state": f"{schema.DDL}, at bigint, {', '.join(f'{name} string' for name in ROLES)}, {PINNED} boolean",
    "quarantine": tables.QUARANTINE,
    "findings": tables.EXPLAINED,
}
"""What is said need not be looked up in the files. Events that still matter are normalised."""


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
        held.callback(table.unpersist)
        return kept(table)

    @staticmethod
    def _watermark(rows: DataFrame) -> int:
        from pyspark.sql import functions as f

        found = rows.agg(f.max("watermark").alias("watermark")).first()
        return (found["watermark"] if found else None) or 0

    def _write_intake(self, held: ExitStack, rows: DataFrame, number: int, before: Progress) -> Progress:
        """Write events and quarantine; what is known of the history by then."""
        intake = taken_in(rows, partial(self._kept, held))
        self._write(intake.events, "events", number)
        self._write(intake.quarantine.coalesce(1), "quarantine", number)
        new = tuple(profiles(normalised(self._read("events", number))).values())
        refused = self._read("quarantine", number).groupBy("reason", "file", "run_id").count().collect()
        if not refused:
            self.folder.remove("quarantine", number)
        reasons = Counter[str]()
        for row in refused:
            reasons[row["reason"]] += row["count"]
        return replace(
            before,
            accepted=before.accepted + sum(profile.events for profile in new),
            quarantined=added(before.quarantined, reasons),
            missing=before.missing + lacking(refused, intake),
            profiles=merged(before.profiles, new),
            newest=max([before.newest, *(profile.end for profile in new)]),
        )

    def _history(self, held: ExitStack, known: Progress, before: Progress) -> DataFrame:
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
        wanted = self._kept(held, suspects(new, state))
        return both if wanted.isEmpty() else both.unionByName(self._recalled(held, wanted, before.batch))

    def _recalled(self, held: ExitStack, wanted: DataFrame, until: int) -> DataFrame:
        """Events of messages that were forgotten, from all that was written; the state has none of them."""
        from pyspark.sql import functions as f

        parts = self.folder.parts("events", until)
        written = normalised(self.spark.read.schema(schema.DDL).parquet(*parts))
        return self._kept(held, recalled(written.withColumn(PINNED, f.lit(False)), wanted))

    # --- out -----------------------------------------------------------------------------------

    def _judge(
        self, held: ExitStack, known: Progress, before: Progress, span: Span, begin: float
    ) -> Progress:
        """Judge what became known in a span of time, and end the batch."""
        many = before.retained + known.accepted - before.accepted >= WORTH_A_PROGRAM
        held.enter_context(meanwhile(self.spark, {} if many else INTERPRETED))
        history = self._history(held, known, before)
        history = history if many else self._kept(held, history)  # files are slow to open, not to read
        if span.until:
            facts = facts_of(history, self.parameters, {each.run_id: each for each in known.profiles})
            closer = self._closer(held, facts, many)
            known = self._with_findings(closer, known, before, span)
            if not span.last:
                known = self._with_state(closer, known, before, span)
        else:  # before there is a watermark nothing is known for certain
            self._write(history, "state", known.batch)
            known = replace(known, retained=known.accepted)
        after = replace(known, seconds=round(time.monotonic() - begin, 3))
        self.folder.write_progress(after)
        self._tidy(after.batch)
        return after

    def _closer(self, held: ExitStack, facts: Facts, many: bool) -> Closer:
        """The facts for each kind of look, with those kept that all of them ask for."""
        keep = partial(self._kept, held)
        # Each batch may have had one clock only, and yet not the same one: that cannot be told from counts.
        facts = replace(facts, runs=keep(facts.runs) if facts.runs else None, clocks_differ=True)
        for name in ("controls", "takers"):
            vars(facts)[name] = keep(getattr(facts, name))
        return Closer(facts, keep, None if many else False)

    def _with_findings(self, closer: Closer, known: Progress, before: Progress, span: Span) -> Progress:
        """Write what is found, and the alerts; how much that is."""
        told = told_before(before, known.profiles, self.parameters, span)
        violations = found(closer, span, told)
        if violations is None:
            violations = self.spark.createDataFrame([], tables.VIOLATIONS)
        self._write(explained(violations).coalesce(1), "findings", known.batch)
        counts = Counter({(run, name, kind): count for run, name, kind, count in before.found})
        length = self.folder.write_alerts(before.alerts, self._alerts(known.batch, counts))
        if counts.total() == sum(before.findings.values()):
            self.folder.remove("findings", known.batch)
        return replace(
            known,
            found=tuple((*key, count) for key, count in sorted(counts.items())),
            judged=tuple(sorted({*told, *before.judged})),
            alerts=length,
            retained=0,
        )

    def _with_state(self, closer: Closer, known: Progress, before: Progress, span: Span) -> Progress:
        """Write what still matters; how much that is."""
        from pyspark.sql import functions as f

        lives = closer.keep(messages(closer.facts, span.until))
        counts = lives.agg(f.count_if("open").alias("open"), f.count_if("overdue").alias("overdue")).first()
        memory = self.live.memory(self.parameters)
        matter = closer.whole.events
        if any(each.begin < min(span.until, each.end) - memory for each in known.profiles):
            horizons = closer.keep(horizons_of(closer.whole, span.until, memory))
            new = any(known.findings.get(name, 0) > before.findings.get(name, 0) for name in FOUND_ONCE)
            proofs = proving(self._read("findings", known.batch)) if new else None
            matter = retained(closer, lives, proofs, horizons)
        self._write(matter, "state", known.batch)
        return replace(
            known,
            retained=self._read("state", known.batch).count(),
            open_messages=counts["open"] if counts else 0,
            overdue=counts["overdue"] if counts else 0,
        )

    def _alerts(self, number: int, counts: Counter[tuple[str, str, str]]) -> Iterator[Mapping[str, object]]:
        """The findings of a batch, each with an id that is always the same; they are counted, too."""
        for row in self._read("findings", number).orderBy("found_at", *tables.COMPARED).toLocalIterator():
            facts = row.asDict()
            counts[facts["run_id"], facts["guarantee"], facts["kind"]] += 1
            what = repr([facts[name] for name in tables.COMPARED]).encode()
            yield {"id": blake2b(what, digest_size=8).hexdigest(), "batch": number} | facts

    # --- tables --------------------------------------------------------------------------------

    def _write(self, table: DataFrame, name: str, number: int) -> None:
        table.write.mode("overwrite").parquet(self.folder.table(name, number))

    def _read(self, name: str, number: int) -> DataFrame:
        return self.spark.read.schema(_COLUMNS[name]).parquet(self.folder.table(name, number))

    def _tidy(self, batch: int) -> None:
        """Put together what many batches before one have written."""
        for name in ("events", "quarantine", "findings"):
            put_together(self.folder.root / name, batch, partial(self._rewrite, name))

    def _rewrite(self, name: str, parts: Sequence[Path], path: Path) -> None:
        rows = self.spark.read.schema(_COLUMNS[name]).parquet(*map(str, parts))
        rows.coalesce(1).write.mode("overwrite").parquet(str(path))
