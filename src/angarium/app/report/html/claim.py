"""The section of one claim: what was asked, what came out, how far it was looked at, and the stories.

The verdicts of a claim as a table, in the shape that fits them.

Where a guarantee is judged in several situations (failures of a mesh, faults of settings, runs of a history),
it has one row, and each situation a column. Obligations of a proof stand together by what they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    plain,
    several,
    table,
)
from angarium.app.report.html.evidence import changes, counterexamples, findings, stories
from angarium.app.report.html.extent import extent, parameter
from angarium.app.report.html.figures import audited, mutants, statistics
from angarium.app.report.job import ClaimResult, Record
from angarium.app.report.layout import amount, duration
from angarium.app.report.left_open import reasons

_FEW = 8
"""Up to so many parameters are not folded away."""
_LONG = 4
"""From so many on, parameters stand in two columns on paper."""


def claim_section(claim: ClaimResult, place: str) -> Html:
    """Everything about one claim; what the record does not have is left out."""
    parts: list[Part] = [
        element("h3", claim.name, " ", badge(claim.outcome), id=place),
        element("p", claim.about, class_="about"),
        _outcome(claim),
        _notes(claim),
        *answer(_asked(claim), _pictures(claim)),
        element("p", element("a", "Back to all claims", href="#claims"), class_="back"),
    ]
    return element("section", *parts, aria_labelledby=place)


def answer(record: Record, pictures: Html | None = None) -> list[Part]:
    """What a verb answers, part for part; what the record does not have is left out."""
    return [
        _below("Verdicts", verdicts(record)),
        _below("Stories", stories(record)),
        _below("Findings", findings(record)),
        _below("Counterexamples", counterexamples(record)),
        _below("What would mend it", changes(record)),
        _below("Figures", joined(statistics(record), audited(record))),
        _below("Mutants", mutants(record)),
        _below("Pictures", pictures),
        _below("How far it was looked at", facts(extent(record))),
        _parameters(record),
        _remarks(record),
    ]


def _asked(claim: ClaimResult) -> Record:
    """The record; of a statistic without the guarantees that nobody asked for and walks cannot show."""
    if not claim.bounded:
        return claim.record
    known = [each for each in claim.record.get("verdicts", ()) if each["verdict"] != "unknown"]
    return {**claim.record, "verdicts": known}


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


def _parameters(record: Record) -> Html | None:
    values, origins = record.get("parameters", {}), record.get("origins", {})
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


def _remarks(record: Record) -> Html | None:
    """What the verb remarks: sentences, or with a remedy and a place."""
    told = listed(_remark(each) for each in record.get("remarks") or ())
    return _below("Remarks", told)


def _remark(each: str | Record) -> str:
    if isinstance(each, str):
        return each
    place = each.get("place")
    where = f"{str(place['file']).rpartition('/')[2]}:{place['line']}: " if place else ""
    remedy = f" ({each['remedy']})" if each.get("remedy") else ""
    return f"{where}{each['what']}{remedy}"


# --- verdicts -------------------------------------------------------------------------------------


Verdicts = Sequence[Record]
_FEW_RUNS = 3
"""Up to so many runs of an audit are all open."""
_SITUATIONS = ("failures", "faults")
WORST = ("violated", "unknown", "holds")


def verdicts(record: Record) -> Html | None:
    """All guarantees with their verdicts."""
    found: Verdicts = record.get("verdicts", ())
    if not found:
        return None
    if "parts" in record:
        return several(_part(part, found) for part in record["parts"])
    if "judged" in found[0]:
        return _audited(found)
    situation = next((key for key in _SITUATIONS if key in found[0]), None)
    return _grid(found, situation) if situation else _checked(found)


def _checked(found: Verdicts) -> Html:
    fair = any(each.get("fairness", "none") != "none" for each in found)
    heads = ["guarantee", "verdict", "what it says", *(["fairness"] if fair else [])]
    rows = [
        [
            each["guarantee"],
            plain(each["verdict"]),
            _says(each),
            *([each.get("fairness", "none")] if fair else []),
        ]
        for each in found
    ]
    return table("Guarantees", heads, rows)


def _says(verdict: Record) -> Html:
    """The description, and below it what is to be known of the verdict."""
    return joined(
        verdict.get("description", ""), *(element("p", each, class_="remark") for each in reasons(verdict))
    )


# --- several situations -----------------------------------------------------------------------


def _grid(found: Verdicts, situation: str) -> Html:
    columns = list(dict.fromkeys(each[situation] for each in found))
    names = list(dict.fromkeys(each["guarantee"] for each in found))
    by_place = {(each["guarantee"], each[situation]): each for each in found}
    rows = [_grid_row(name, [by_place.get((name, column)) for column in columns]) for name in names]
    return table("Guarantees", ["guarantee", *columns, "what it says"], rows)


def _grid_row(name: str, cells: Sequence[Record | None]) -> list[Part]:
    first = next(each for each in cells if each)
    remarks = dict.fromkeys(reason for each in cells if each for reason in reasons(each))
    says = joined(first["description"], *(element("p", each, class_="remark") for each in remarks))
    return [name, *(plain(each["verdict"]) if each else "" for each in cells), says]


# --- audits -----------------------------------------------------------------------------------


def _audited(found: Verdicts) -> Html:
    """A table a run; of many runs, those without a violation are folded away."""
    runs = list(dict.fromkeys(each["run_id"] for each in found))
    return several(_run(run, [each for each in found if each["run_id"] == run], len(runs)) for run in runs)


def _run(run: str, found: Verdicts, runs: int) -> Html:
    heads = ["guarantee", "verdict", "judged", "not judged", "violations", "what it says"]
    told = table(f"Run {run}", heads, [_judged(each) for each in found], numbers=(2, 3, 4))
    if runs <= _FEW_RUNS:
        return told
    count = sum(each["violations"] for each in found)
    return folded(f"Run {run}: {amount(count, 'violation')}", told, is_open=count > 0)


def _judged(each: Record) -> list[Part]:
    counts = [f"{each[key]:,}" for key in ("judged", "unjudged", "violations")]
    return [each["guarantee"], plain(each["verdict"]), *counts, _says(each)]


# --- proofs -----------------------------------------------------------------------------------


def _part(part: Record, found: Verdicts) -> Html:
    """The obligations of a part; those that hold are folded away."""
    own = [each for each in found if each["part"] == part["name"]]
    proved = sum(each["verdict"] == "holds" for each in own)
    title = f"{part['name']}: {proved:,} of {amount(len(own), 'obligation')} proved"
    about = element("p", part["description"]) if part["description"] else None
    ranked = sorted(own, key=lambda each: WORST.index(each["verdict"]))
    rows = [[each["guarantee"], plain(each["verdict"]), _demanded(each), _place(each)] for each in ranked]
    inside = table(f"Obligations of {part['name']}", ["obligation", "verdict", "must be true", "where"], rows)
    return folded(title, about, inside, is_open=proved < len(own))


def _demanded(each: Record) -> Html:
    remarks = (element("p", reason, class_="remark") for reason in reasons(each))
    return joined(code(each["description"]), *remarks)


def _place(each: Record) -> str:
    place: dict[str, Any] = each["place"]
    return f"{str(place['file']).rpartition('/')[2]}:{place['line']}"
