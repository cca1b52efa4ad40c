"""From what a check found to a verdict: the rules on the page *Verdicts*, as plain functions.

A log with a gap proves less than a whole one. What is missing may be the violation that was not found; and if
a guarantee is broken by what is not there, it may be the very event whose absence was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from angarium.history.checks.facts import BROKER
from angarium.history.guarantees import Guarantee
from angarium.history.results import Judgement
from angarium.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check said of one run."""

    judged: int = 0
    unjudged: int = 0
    violations: int = 0
    reason: str | None = None
    """Why nothing, or not all, was judged."""


@dataclass(frozen=True, slots=True)
class Log:
    """How whole the log of a run is."""

    gaps: int = 0
    quarantined: int = 0

    @property
    def flaw(self) -> str | None:
        """What is missing from it, if something is."""
        gaps = (
            "the log has a gap" if self.gaps == 1 else f"the log has {self.gaps:,} gaps" if self.gaps else ""
        )
        rows = "1 row is" if self.quarantined == 1 else f"{self.quarantined:,} rows are"
        parts = [gaps, f"{rows} in quarantine" if self.quarantined else ""]
        return " and ".join(part for part in parts if part) or None


def judgement(run_id: str, guarantee: Guarantee, outcome: Outcome, log: Log) -> Judgement:
    """The verdict on a guarantee in a run."""
    verdict, reason = _verdict(guarantee, outcome, log)
    return Judgement(
        run_id,
        guarantee.name,
        verdict,
        outcome.judged,
        outcome.unjudged,
        outcome.violations,
        reason,
    )


def _verdict(guarantee: Guarantee, outcome: Outcome, log: Log) -> tuple[Verdict, str | None]:
    if outcome.violations and not (guarantee.by_absence and log.flaw):
        return Verdict.VIOLATED, outcome.reason
    if outcome.violations:
        return Verdict.UNKNOWN, f"{log.flaw}: what seems to be missing may be what was not recorded"
    if not outcome.judged:
        return Verdict.UNKNOWN, outcome.reason or f"nothing could be judged; it needs {guarantee.needs}"
    if log.flaw:
        return Verdict.UNKNOWN, f"{log.flaw}: what is missing may be a violation"
    return Verdict.HOLDS, outcome.reason


def log_of(run_id: str, gaps: Mapping[str, int], quarantined: Mapping[str | None, int]) -> Log:
    """The log of a run. Rows whose run is not known may be of any; a broker's rows may be under its run."""
    names = {run_id, run_id.removesuffix(BROKER), None}
    return Log(gaps.get(run_id, 0), sum(quarantined.get(name, 0) for name in names))
