"""The findings of a batch: what the checks find in the events that matter, and what of it is new.

A check finds, in any set of events that is complete up to a time, just those violations of the whole history
that can be known by then. All events before the watermark are there. So of what a check finds, that with a
`found_at` before the watermark is true for ever, and that from the watermark before on has not been told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history.audit import AT_ONCE
from angarium.history.checks.check import Check
from angarium.history.checks.registry import CHECKS
from angarium.history.closer import Closer
from angarium.history.live.progress import Progress
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.spark.lineage import united
from angarium.spark.session import side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

AT_END = ("no-loss",)
"""Guarantees that are judged when the stream has ended: a message may always still come."""
BATCH_ONLY = {
    "consistent-offsets": "an offset would have to be remembered for ever",
    "latency": "figures, no verdict",
}
"""Guarantees that only an audit of all events judges, and why."""
FOR_EVER = 1 << 62
_KNOWN = "run_id string, guarantee string, since bigint, until bigint"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the history's time: from the watermark before to the watermark."""

    since: int
    until: int

    @property
    def last(self) -> bool:
        return self.until >= FOR_EVER


Told = dict[tuple[str, str], int]
"""For a run and a guarantee, the time up to which its violations have been told."""


def told_before(before: Progress, profiles: Iterable[Profile], parameters: Parameters, span: Span) -> Told:
    """Which guarantees of which runs can be judged by what has been seen, and up to when they were.

    What could not be judged before, for something had not been seen, is told from the beginning. And nothing
    can have been told of a run that is later than its end as it was then known, even if the watermark, which
    is that of all runs, had passed on.
    """
    ends = {each.run_id: each.end + parameters.clock_skew + 1 for each in before.profiles}
    return {
        (run, check.guarantee): min(span.since, ends[run]) if (run, check.guarantee) in before.judged else 0
        for check in _checks(span)
        for run in (each.run_id for each in profiles if check.lacks(each, parameters) is None)
    }


def found(closer: Closer, span: Span, told: Told) -> DataFrame | None:
    """New violations (`tables.VIOLATIONS`); None if there can be none.

    Each check is asked by itself, some of them side by side: a question with all of them in it is a plan that
    takes more memory than the events do.
    """
    names = {guarantee for _, guarantee in told}
    rows = [(run, guarantee, since, span.until) for (run, guarantee), since in told.items()]
    known = closer.keep(closer.whole.events.sparkSession.createDataFrame(rows, _KNOWN))
    looks = ((check, closer.facts_for(check.looks)) for check in _checks(span) if check.guarantee in names)
    new = [closer.keep(_new(check.violations(facts), known)) for check, facts in looks if facts]
    with side_by_side(AT_ONCE) as start:
        for each in new:
            start(each.count)
    return united(new) if new else None


def _new(violations: DataFrame, known: DataFrame) -> DataFrame:
    """The violations that were not told before.

    The times are in a table: with numbers in the plan, every batch would have a program of its own.
    """
    from pyspark.sql import functions as f

    met = violations.join(f.broadcast(known), ["run_id", "guarantee"], "inner")
    return met.where("found_at >= since AND found_at < until").select(violations.columns)


def _checks(span: Span) -> list[Check]:
    """What is judged now. The names of the others are in `AT_END` and `BATCH_ONLY`."""
    left_out = set(BATCH_ONLY) | (set() if span.last else set(AT_END))
    return [check for check in CHECKS if check.guarantee not in left_out]
