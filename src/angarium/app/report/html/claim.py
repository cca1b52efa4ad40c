"""The section of one claim: what was asked, what came out, how far it was looked at, and the stories."""

from __future__ import annotations

from angarium.app.report.html.elements import Html, Part, element, facts, folded, joined, listed, table
from angarium.app.report.html.extent import extent, parameter
from angarium.app.report.html.figures import audited, mutants, statistics
from angarium.app.report.html.findings import changes, counterexamples, findings
from angarium.app.report.html.signs import badge, plain
from angarium.app.report.html.stories import stories
from angarium.app.report.html.verdicts import verdicts
from angarium.app.report.job import ClaimResult, Record
from angarium.app.report.layout import amount, duration

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
