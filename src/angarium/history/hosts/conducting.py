"""An audit on Spark, from what is to be read to what is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history.asked import Asked, Conducted
from angarium.history.automaton.words import lived
from angarium.history.hosts.pieces import Input, Paths
from angarium.history.hosts.remote import inputs
from angarium.history.hosts.spark import DamagedPieceError, OnSpark
from angarium.history.hosts.spark_tables import SparkTables
from angarium.history.hosts.telling import Answers, conducted
from angarium.history.intake.formats import Fault, Found, broken, require_events
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.reasons import REPEATS
from angarium.history.intake.rules import Refused
from angarium.history.kernel.audit import audited
from angarium.history.missing import Missing, missing
from angarium.history.remarks import unfinished
from angarium.history.results import Counts
from angarium.spark.failures import translated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Say = Callable[[str], None]


def conduct_on_spark(
    spark: SparkSession, asked: Asked, found: Sequence[Found], mapping: Columns | None, say: Say, begin: float
) -> Conducted:
    """Audit files and tables in a session, without files that turn out to be damaged."""
    while True:
        paths = Paths.of(found, mapping, asked.run_id)
        with translated():
            there = inputs(spark, asked.uris, asked.tables, mapping, asked.run_id, asked.kind)
        steps = OnSpark(spark, [*([paths] if paths.pieces else []), *there])
        try:
            with translated():
                return _conducted(Whole(asked, found, steps, there), say, begin)
        except DamagedPieceError as problem:
            name = steps.name(problem.piece)
            found = [broken(each, problem.why if str(each.file.path) == name else None) for each in found]
        finally:
            steps.close()


def _conducted(whole: Whole, say: Say, begin: float) -> Conducted:
    asked, steps = whole.asked, whole.steps
    say("reading")

    def lacking() -> Missing:
        require_events([*asked.paths, *asked.uris, *asked.tables], whole.counts(len(steps.corrected.repeats)))
        return whole.lacking() + Missing(anywhere=unfinished(asked.paths))

    result = audited(steps, asked.parameters, only=asked.only or None, lacking=lacking, say=say)
    say("telling what was found")
    counts = whole.counts(len(result.repeats))
    answers = Answers(
        evidence=steps.evidence,
        lived=lambda: lived(steps.spelled(), steps.facts.tables, steps.fetch),
        tables=SparkTables(steps, whole.refused, result),
    )
    found = conducted(asked, whole.found, counts, result, answers, begin)
    return found.with_files(dict.fromkeys(steps.name(piece) for piece in steps.reads))


@dataclass(frozen=True)
class Whole:
    """What was read of all files and tables, and what of them is in quarantine."""

    asked: Asked
    found: Sequence[Found]
    steps: OnSpark
    inputs: Sequence[Input]

    @property
    def _faults(self) -> list[Fault]:
        return [each.fault for each in self.found if each.fault]

    @property
    def refused(self) -> list[tuple[str, Refused]]:
        """Files that cannot be read, or not to their ends, with their names."""
        return [
            (str(each.file.path), Refused(0, None, each.reason, each.field, each.value))
            for each in self._faults
        ]

    def counts(self, repeats: int) -> Counts:
        """What was read, and what became of it."""
        faults = [each.reason for each in self._faults]
        faults += [reason for each in self.steps.reads.values() for reason in each.faults]
        reasons = Counter(faults) + Counter({REPEATS: repeats})
        for each in self.steps.reads.values():
            for (reason, _), count in each.refused.items():
                reasons[reason] += count
        read = self.steps.rows + len(faults)
        return Counts(read, read - reasons.total(), reasons.total(), dict(sorted(reasons.items())))

    def lacking(self) -> Missing:
        """What is in quarantine, and of which runs it may be."""
        rows = Counter[tuple[str, str | None]]()
        runs: dict[str, set[str]] = {}
        for piece, each in self.steps.reads.items():
            file = self.steps.name(piece)
            for (_, run), count in each.refused.items():
                rows[file, run] += count
            rows[file, None] += len(each.faults)
            runs.setdefault(file, set()).update(each.runs)
        rows.update((str(each.file.path), None) for each in self._faults)
        return missing([(file, run, count) for (file, run), count in rows.items() if count], runs)
