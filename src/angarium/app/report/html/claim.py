"""The section of one claim: what was asked, what came out, how far it was looked at, and the stories.

The verdicts of a claim as a table, in the shape that fits them.

Where a guarantee is judged in several situations (failures of a mesh, faults of settings, runs of a history),
it has one row, and each situation a column. Obligations of a proof stand together by what they are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from angarium.app.report.html.elements import (
    Html,
    Part,
    badge,
    code,
    element,
    facts,
    folded,
    joined,
    listed,
    parameter,
    plain,
    several,
    table,
)
from angarium.app.report.html.evidence import changes, counterexamples, findings, stories
from angarium.app.report.html.figures import audited, mutants, statistics
from angarium.app.report.job import ClaimResult
from angarium.app.report.layout import amount, duration
from angarium.app.report.measures import measures
from angarium.checker.logic.mutate import MutationResult
from angarium.checker.walks.results import Simulation, SweepResult
from angarium.contracts.results import ProofPart, ProofResult, ProofVerdict
from angarium.core.errors import Place
from angarium.core.result import WORST_FIRST, CheckVerdict, GuaranteeVerdict, Result, Verdict
from angarium.history.result import AuditResult, AuditVerdict
from angarium.mesh.answers import MeshAnswer
from angarium.mesh.recovery.results import RecoveryResult
from angarium.mesh.results import MeshRemark, MeshResult
from angarium.settings.kafka.results import SettingsResult

_FEW = 8
"""Up to so many parameters are not folded away."""
_LONG = 4
"""From so many on, parameters stand in two columns on paper."""


def claim_section(claim: ClaimResult, place: str) -> Html:
    """Everything about one claim; what its answer does not have is left out."""
    asked, drawn = _asked(claim), _pictures(claim)
    parts: list[Part] = [
        element("h3", claim.name, " ", badge(claim.outcome), id=place),
        element("p", claim.about, class_="about"),
        _outcome(claim),
        _notes(claim),
        *(answer(asked, drawn) if asked else [_below("Pictures", drawn)]),
        element("p", element("a", "Back to all claims", href="#claims"), class_="back"),
    ]
    return element("section", *parts, aria_labelledby=place)


def answer(result: Result[GuaranteeVerdict], pictures: Html | None = None) -> list[Part]:
    """What a verb answers, part for part; what it does not have is left out."""
    told = {name: code(text) if name == "model" else text for name, text in measures(result).items()}
    return [
        _below("Verdicts", verdicts(result)),
        _below("Stories", stories(result.verdicts)),
        _of_its_own(result),
        _below("Pictures", pictures),
        _below("How far it was looked at", facts(told)),
        _parameters(result),
        _remarks(result),
    ]


def _of_its_own(result: Result[GuaranteeVerdict]) -> Html | None:
    """What only answers of this kind have."""
    match result:
        case MeshResult() | RecoveryResult():
            return _below("Findings", findings(result.verdicts))
        case ProofResult():
            return _below("Counterexamples", counterexamples(result.verdicts))
        case SettingsResult():
            return _below("What would mend it", changes(result))
        case Simulation() | SweepResult():
            return _below("Figures", statistics(result))
        case AuditResult():
            return _below("Figures", audited(result))
        case MutationResult():
            return _below("Mutants", mutants(result.mutants))
        case _:
            return None


def _asked(claim: ClaimResult) -> Result[GuaranteeVerdict] | None:
    """The answer; of a statistic without the guarantees that nobody asked for and walks cannot show."""
    result = claim.result
    if result is None or not claim.bounded:
        return result
    return replace(result, verdicts=[each for each in result.verdicts if each.verdict is not Verdict.UNKNOWN])


def _below(title: str, body: Html | None) -> Html | None:
    return joined(element("h4", title), body) if body else None


def _outcome(claim: ClaimResult) -> Html:
    """The verdict against what was expected, in one sentence."""
    from_before = "; this is the answer of an earlier run with the same inputs" if claim.cached else ""
    took = f", in {duration(claim.seconds)}{from_before}."
    return element("p", "Expected ", plain(claim.expect), ", found ", plain(claim.verdict), took)


def _notes(claim: ClaimResult) -> Html | None:
    problem = element("p", f"Problem: {claim.problem}", class_="problem") if claim.problem else None
    return joined(problem, listed(f"Note: {note}" for note in claim.notes))


def _pictures(claim: ClaimResult) -> Html | None:
    """Pictures of our own: they are SVG already."""
    drawn = [
        element("figure", element("figcaption", title), element("div", Html(svg), class_="picture"))
        for title, svg in claim.pictures.items()
    ]
    return joined(*drawn) if drawn else None


def _parameters(result: Result[GuaranteeVerdict]) -> Html | None:
    values = result.parameters
    origins = result.origins if isinstance(result, SettingsResult) else {}
    if not values:
        return None
    heads = ["parameter", "value", *(["where it is from"] if origins else [])]
    rows = [
        [name, parameter(value), *([origins.get(name, "")] if origins else [])]
        for name, value in values.items()
    ]
    title = f"With which parameters ({amount(len(values), 'parameter')})"
    told = table("Parameters", heads, rows)
    narrow = told if origins or len(values) < _LONG else element("div", told, class_="narrow")
    return folded(title, narrow, is_open=len(values) <= _FEW)


def _remarks(result: Result[GuaranteeVerdict]) -> Html | None:
    """What is remarked: sentences, or with a remedy and a place."""
    match result:
        case AuditResult() | SettingsResult():
            return _below("Remarks", listed(result.remarks))
        case MeshResult() | RecoveryResult() | MeshAnswer():
            return _below("Remarks", listed(map(_remark, result.remarks)))
        case _:
            return None


def _remark(each: MeshRemark) -> str:
    where = f"{_place(each.place)}: " if each.place else ""
    return f"{where}{each.what}{f' ({each.remedy})' if each.remedy else ''}"


def _place(place: Place) -> str:
    return f"{str(place.file).rpartition('/')[2]}:{place.line}"


# --- verdicts -------------------------------------------------------------------------------------


_FEW_RUNS = 3
"""Up to so many runs of an audit are all open."""


def verdicts(result: Result[GuaranteeVerdict]) -> Html | None:
    """All guarantees with their verdicts."""
    if not result.verdicts:
        return None
    match result:
        case ProofResult():
            return several(_part(part, result.verdicts) for part in result.parts)
        case AuditResult():
            return _audited(result.verdicts)
        case _ if result.verdicts[0].situation:
            return _grid(result.verdicts)
        case _:
            return _checked(result.verdicts)


def _checked(found: Sequence[GuaranteeVerdict]) -> Html:
    fair = any(_fairness(each) != "none" for each in found)
    heads = ["guarantee", "verdict", "what it says", *(["fairness"] if fair else [])]
    rows = [
        [each.guarantee, _verdict(each), _says(each), *([_fairness(each)] if fair else [])] for each in found
    ]
    return table("Guarantees", heads, rows)


def _fairness(verdict: GuaranteeVerdict) -> str:
    return verdict.fairness if isinstance(verdict, CheckVerdict) else "none"


def _verdict(each: GuaranteeVerdict) -> Html:
    return plain(each.verdict.value)


def _says(verdict: GuaranteeVerdict) -> Html:
    """The description, and below it what is to be known of the verdict."""
    return _with_remarks(verdict.description, verdict.reasons)


def _with_remarks(text: Part, remarks: Iterable[str]) -> Html:
    return joined(text, *(element("p", each, class_="remark") for each in remarks))


# --- several situations -----------------------------------------------------------------------


def _grid(found: Sequence[GuaranteeVerdict]) -> Html:
    columns = list(dict.fromkeys(each.situation for each in found))
    names = list(dict.fromkeys(each.guarantee for each in found))
    by_place = {(each.guarantee, each.situation): each for each in found}
    rows = [_grid_row(name, [by_place.get((name, column)) for column in columns]) for name in names]
    return table("Guarantees", ["guarantee", *columns, "what it says"], rows)


def _grid_row(name: str, cells: Sequence[GuaranteeVerdict | None]) -> list[Part]:
    first = next(each for each in cells if each)
    remarks = dict.fromkeys(reason for each in cells if each for reason in each.reasons)
    return [
        name,
        *(_verdict(each) if each else "" for each in cells),
        _with_remarks(first.description, remarks),
    ]


# --- audits -----------------------------------------------------------------------------------


def _audited(found: Sequence[AuditVerdict]) -> Html:
    """A table a run; of many runs, those without a violation are folded away."""
    runs = list(dict.fromkeys(each.run_id for each in found))
    return several(_run(run, [each for each in found if each.run_id == run], len(runs)) for run in runs)


def _run(run: str, found: Sequence[AuditVerdict], runs: int) -> Html:
    heads = ["guarantee", "verdict", "judged", "not judged", "violations", "what it says"]
    told = table(f"Run {run}", heads, [_judged(each) for each in found], numbers=(2, 3, 4))
    if runs <= _FEW_RUNS:
        return told
    count = sum(each.violations for each in found)
    return folded(f"Run {run}: {amount(count, 'violation')}", told, is_open=count > 0)


def _judged(each: AuditVerdict) -> list[Part]:
    counts = [f"{count:,}" for count in (each.judged, each.unjudged, each.violations)]
    return [each.guarantee, _verdict(each), *counts, _says(each)]


# --- proofs -----------------------------------------------------------------------------------


def _part(part: ProofPart, found: Sequence[ProofVerdict]) -> Html:
    """The obligations of a part; those that hold are folded away."""
    own = [each for each in found if each.part == part.name]
    proved = sum(each.verdict is Verdict.HOLDS for each in own)
    title = f"{part.name}: {proved:,} of {amount(len(own), 'obligation')} proved"
    about = element("p", part.description) if part.description else None
    ranked = sorted(own, key=lambda each: WORST_FIRST.index(each.verdict))
    rows = [[each.guarantee, _verdict(each), _demanded(each), _place(each.place)] for each in ranked]
    inside = table(f"Obligations of {part.name}", ["obligation", "verdict", "must be true", "where"], rows)
    return folded(title, about, inside, is_open=proved < len(own))


def _demanded(each: ProofVerdict) -> Html:
    return _with_remarks(code(each.description), each.reasons)
