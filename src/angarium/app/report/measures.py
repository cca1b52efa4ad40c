"""How far an answer goes, and what it leaves open.

How many states, failures, obligations, walks or events, and found by what: every product has its own
measures, and all share the last ones. A measure that says nothing is left out.

What a claim leaves open is told in sentences: it is the part of an answer that is most easily overlooked. A
claim that failed, a search that was cut, a guarantee that stays unknown, events that were not judged: each
with its reason. Guarantees that are unknown for the same reason stand together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, ClaimResult, JobResult
from angarium.app.report.layout import amount, duration, memory
from angarium.checker.logic.estimation import EstimateResult
from angarium.checker.logic.mutate import MutationResult
from angarium.checker.walks.results import Ends, Simulation, SweepResult
from angarium.contracts.results import ProofResult
from angarium.core.result import (
    CheckVerdict,
    Coverage,
    ExportResult,
    Extent,
    GuaranteeVerdict,
    Report,
    Result,
    Verdict,
)
from angarium.history.result import AuditResult
from angarium.mesh.recovery.results import RecoveryResult
from angarium.mesh.results import MeshResult
from angarium.settings.kafka.results import SettingsExtent, SettingsResult

Answer = Result[GuaranteeVerdict]
Measures = Mapping[str, str]


def size(result: Answer | None) -> str:
    """The one number that tells most: of a check its states, of a mesh its failures."""
    match result:
        case Report() | SettingsResult():
            return amount(result.extent.states, "state")
        case MutationResult():
            return amount(len(result.mutants.rows), "mutant")
        case MeshResult():
            return amount(sum(result.failures.values()), "scenario")
        case RecoveryResult():
            return amount(result.colours, "colour")
        case ProofResult():
            return amount(len(result.verdicts), "obligation")
        case Simulation():
            return amount(result.walks, "run")
        case SweepResult():
            return amount(sum(each.walks for each in result.scenarios), "run")
        case AuditResult():
            return amount(result.read, "event")
        case _:
            return ""


def measures(result: Answer) -> dict[str, str]:
    """Every measure of an answer, by name."""
    return {name: text for name, text in {**_own(result), **_common(result)}.items() if text}


def _own(result: Answer) -> Measures:
    match result:
        case Report():
            return _searched(result.extent, result.never_happened or ())
        case EstimateResult() | SettingsResult():
            return _searched(result.extent)
        case MeshResult():
            return _mesh(result)
        case RecoveryResult():
            return _recovery(result)
        case ProofResult():
            return _proof(result)
        case Simulation():
            return _walked(result)
        case SweepResult():
            return {"schedule": result.plan.schedule, "seed": str(result.plan.seed)}
        case AuditResult():
            return _audited(result)
        case _:
            return {}


# --- of each product ------------------------------------------------------------------------------


def _searched(extent: Coverage | SettingsExtent, never: Sequence[str] = ()) -> Measures:
    return {
        "states": f"{extent.states:,}",
        "transitions": f"{extent.transitions:,}",
        "depth": amount(extent.depth, "level"),
        "never happened": ", ".join(never),
        "searches": f"{extent.scenarios:,}" if isinstance(extent, SettingsExtent) else "",
    }


def _mesh(result: MeshResult) -> Measures:
    moved, out = result.moved, result.out_of_service
    return {
        "brokers and links": f"{result.brokers:,} and {result.links:,}",
        "demands": f"{result.demands:,} (classes of topics: {result.classes:,})",
        "scenarios": _failures(result.failures),
        "moved": f"{amount(moved, 'demand')}, to a substitute of a dead broker" if moved else "",
        "not counted": f"{amount(out, 'demand')}: publisher or subscriber is dead with its broker"
        if out
        else "",
        "probes": "nothing says who publishes or subscribes: every broker has a probe"
        if result.probed
        else "",
    }


def _recovery(result: RecoveryResult) -> Measures:
    entries, condensed = (result.sizes[form].entries or 0 for form in ("plain", "condensed"))
    return {
        "brokers and links": f"{result.brokers:,} and {result.links:,}",
        "scenarios": _failures(result.failures),
        "colours": f"{result.colours:,}, with {entries:,} entries of tables ({condensed:,} condensed)",
    }


def _failures(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{size} ({count:,})" for size, count in failures.items())


def _proof(result: ProofResult) -> Measures:
    proved = sum(each.verdict is Verdict.HOLDS for each in result.verdicts)
    of = amount(len(result.verdicts), "obligation")
    return {"proved": f"{proved:,} of {of} proved, for sorts of any size"}


def _walked(result: Simulation) -> Measures:
    steps = amount(result.steps, "step")
    return {
        "runs": f"{result.walks:,} of {result.plan.runs:,}, with {steps} together",
        "ended": _ends(result.extent.ends),
        "goal": result.goal or "",
        "schedule": result.plan.schedule,
        "seed": str(result.plan.seed),
    }


def _ends(ends: Ends) -> str:
    told = {
        "at the goal": ends.goal,
        "where nothing more could happen": ends.rest,
        "at the limit of steps": ends.limit,
    }
    return ", ".join(f"{count:,} {where}" for where, count in told.items() if count)


def _audited(result: AuditResult) -> Measures:
    counts = {"read": result.read, "accepted": result.accepted, "quarantined": result.quarantined}
    return {
        "events": ", ".join(f"{count:,} {name}" for name, count in counts.items()),
        "files": ", ".join(result.files),
    }


# --- of all ---------------------------------------------------------------------------------------


def _common(result: Answer) -> Measures:
    extent = result.extent
    return {
        "to the end": _complete(extent),
        "not expanded": _frontier(extent),
        "engine": _engine(result),
        "took": duration(extent.seconds) if result.engine else "",
        "memory": memory(extent.bytes) if isinstance(extent, Coverage) else "",
        "model": _model(result),
        "Kafka": result.kafka_version if isinstance(result, SettingsResult) else "",
    }


def _complete(extent: Extent) -> str:
    if extent.complete:
        return "yes"
    return f"no: {extent.cut}" if extent.cut else "no"


def _frontier(extent: Extent) -> str:
    left = extent.frontier if isinstance(extent, Coverage) else 0
    return f"{amount(left, 'state')} found and not looked behind" if left else ""


def _engine(result: Answer) -> str:
    match result:
        case Report() | EstimateResult():
            symmetry = ", states that differ only in names taken as one" if result.symmetry else ""
            return f"{result.engine}, {amount(result.threads, 'thread')}{symmetry}"
        case Simulation() | SweepResult() | SettingsResult():
            return f"{result.engine}, {amount(result.threads, 'thread')}"
        case _:
            return result.engine


def _model(result: Answer) -> str:
    if isinstance(result, Report | EstimateResult | Simulation | ExportResult):
        return result.model_hash
    return ""


# --- what is left open ----------------------------------------------------------------------------


_UNREADABLE = "its answer is in a form that this version cannot read: run it again"
_WALKS = "walks can break a guarantee, but never show that it holds"


def outcome_of(job: JobResult) -> str:
    """The outcome of all claims; a run that was cut is not as expected, whatever the rest would have been."""
    return UNDECIDED if job.cut and job.outcome == AS_EXPECTED else job.outcome


def left_open(claim: ClaimResult) -> list[str]:
    """Every reason once; nothing if all was looked at, to the end, and is known."""
    return list(dict.fromkeys(_open(claim)))


def _open(claim: ClaimResult) -> Iterator[str]:
    result = claim.result
    if claim.outcome == FAILED:
        yield f"there is no answer: {claim.problem or 'it failed'}"
    elif claim.problem:
        yield claim.problem
    if result is not None:
        if result.extent.cut:
            yield f"it was cut: {result.extent.cut}"
        yield from _bound(claim) if claim.bounded else _unknown(result)
    elif claim.record:
        yield _UNREADABLE
    if isinstance(result, AuditResult):
        yield from _events(result)
    if isinstance(result, SettingsResult) and result.ignored:
        yield f"settings that the models do not have: {', '.join(result.ignored)}"


def _bound(claim: ClaimResult) -> Iterator[str]:
    """Of a statistic, whose note has the reason; for the guarantees of its model nobody has asked."""
    if claim.verdict == "unknown":
        yield "whether the statistic keeps to its bound stays unknown"


def _unknown(result: Result[GuaranteeVerdict]) -> Iterator[str]:
    """Guarantees of which nothing is known, put together by the reason."""
    by_reason: dict[str, dict[str, None]] = {}
    for verdict in result.verdicts:
        if verdict.verdict is Verdict.UNKNOWN:
            why = "; ".join(verdict.reasons) or _otherwise(result)
            by_reason.setdefault(why, {})[verdict.guarantee] = None
        elif isinstance(verdict, CheckVerdict) and verdict.untold:
            yield f"{verdict.guarantee} has no story: {verdict.untold}"
    for why, names in by_reason.items():
        stay = "stay" if len(names) > 1 else "stays"
        yield f"{', '.join(names)} {stay} unknown{f': {why}' if why else ''}"


def _otherwise(result: Result[GuaranteeVerdict]) -> str:
    if isinstance(result, Simulation | SweepResult):
        return _WALKS
    return f"it was cut ({result.extent.cut})" if result.extent.cut else ""


def _events(result: AuditResult) -> Iterator[str]:
    """Rows that do not fit, and what was not judged."""
    if result.quarantined:
        yield f"{result.quarantined:,} of {amount(result.read, 'event')} are in quarantine"
    for verdict in result.verdicts:
        if verdict.unjudged:
            found = f"{verdict.unjudged:,} of {verdict.judged + verdict.unjudged:,}"
            yield f"{verdict.guarantee} in run {verdict.run_id}: {found} were not judged"
