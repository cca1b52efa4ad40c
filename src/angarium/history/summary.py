"""From what a check found to a verdict: the rules on the page *Verdicts*, as plain functions.

A log with a gap proves less than a whole one, and so does one of which rows are in quarantine. What is
missing may be the violation that was not found; and unless two events that are there contradict each other,
it may be the very event for whose absence something looks like a violation. Then neither is known. All that
depends on what is missing is decided here, for finished and for followed histories.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from angarium.core.result import Verdict
from angarium.history.guarantees import COMPLETE_LOG, Guarantee
from angarium.history.missing import Missing
from angarium.history.results import Judgement

EXPLAINS = "what is missing may be the reason for what looks like a violation"
HIDES = "what is missing may be a violation"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check said of one run."""

    judged: int = 0
    unjudged: int = 0
    violations: int = 0
    proved: int = 0
    """Violations that nothing that is missing could explain: of the kinds in `Guarantee.proved`."""
    reason: str | None = None
    """Why nothing, or not all, was judged."""


@dataclass(frozen=True, slots=True)
class Log:
    """How whole the log of a run is."""

    gaps: int = 0
    quarantined: int = 0
    """Rows of the run that are in quarantine."""
    strays: int = 0
    """Rows and files that were not read, and may be of the run."""

    @property
    def unread(self) -> str | None:
        """What of it was not read, if something was not."""
        rows = "1 row is" if self.quarantined == 1 else f"{self.quarantined:,} rows are"
        strays = "1 row or file" if self.strays == 1 else f"{self.strays:,} rows or files"
        named = f"{rows} in quarantine" if self.quarantined else ""
        verb = "was" if self.strays == 1 else "were"
        unnamed = f"{strays} that may be of this run {verb} not read" if self.strays else ""
        return _both(named, unnamed)

    @property
    def flaw(self) -> str | None:
        """What is missing from it, if something is."""
        gaps = "a gap" if self.gaps == 1 else f"{self.gaps:,} gaps"
        return _both(f"the log has {gaps}" if self.gaps else "", self.unread or "")


def _both(one: str, other: str) -> str | None:
    return " and ".join(part for part in (one, other) if part) or None


def judgement(run_id: str, guarantee: Guarantee, outcome: Outcome, log: Log) -> Judgement:
    """The verdict on a guarantee in a run."""
    # A gap is what complete-log looks for; only what was not read may be what seems to be missing there.
    flaw = log.unread if guarantee.name == COMPLETE_LOG else log.flaw
    verdict, reason = _verdict(guarantee, outcome, flaw)
    return Judgement(
        run_id,
        guarantee.name,
        verdict,
        outcome.judged,
        outcome.unjudged,
        outcome.violations,
        reason,
        doubtful=flaw is not None,
    )


def _verdict(guarantee: Guarantee, outcome: Outcome, flaw: str | None) -> tuple[Verdict, str | None]:
    if outcome.violations and (outcome.proved or not flaw):
        return Verdict.VIOLATED, outcome.reason
    if outcome.violations:
        return Verdict.UNKNOWN, f"{flaw}: {EXPLAINS}"
    if not outcome.judged:
        return Verdict.UNKNOWN, outcome.reason or f"nothing could be judged; it needs {guarantee.needs}"
    if flaw:
        return Verdict.UNKNOWN, f"{flaw}: {HIDES}"
    return Verdict.HOLDS, outcome.reason


def doubted(found: Judgement, log: Log) -> Judgement:
    """A judgement that was made without regard to the log, as far as the log allows it."""
    if not log.flaw:
        return found
    why = EXPLAINS if found.violations else HIDES
    told = [found.reason] if found.verdict is Verdict.UNKNOWN and found.reason else []
    reason = "; ".join([*told, f"{log.flaw}: {why}"])
    return replace(found, verdict=Verdict.UNKNOWN, reason=reason, doubtful=True)


def logs_of(seen: Collection[str], gaps: Mapping[str, int], missing: Missing) -> dict[str, Log]:
    """The logs of the runs of which events were seen."""
    strays = missing.stray(seen)
    return {run: Log(gaps.get(run, 0), missing.named(run), strays[run]) for run in seen}
