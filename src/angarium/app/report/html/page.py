"""The page as a whole: its head, the table of all claims, their sections, and what was not checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from angarium.app.report.html.claim import claim_section
from angarium.app.report.html.elements import Html, Part, element, facts, joined, slug, table
from angarium.app.report.html.extent import size
from angarium.app.report.html.signs import badge, plain
from angarium.app.report.html.trend import trends
from angarium.app.report.html.unchecked import unchecked
from angarium.app.report.job import OUTCOMES, ClaimResult, JobResult
from angarium.app.report.job_trend import Trend
from angarium.app.report.layout import amount, duration
from angarium.app.report.left_open import outcome_of

_HEADS = (
    "claim",
    "outcome",
    "verdict",
    "expected",
    "kind",
    "what was asked",
    "looked at",
    "took",
    "from before",
)


def page(job: JobResult, trend: Sequence[Trend] = ()) -> str:
    """The report as one HTML file."""
    title = f"{job.project}: {outcome_of(job)} | Angarium"
    head = element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", title),
        Html(f"<style>{style()}</style>"),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{_body(job, trend)}\n</html>\n'


def style() -> str:
    """What makes the parts of a page look like one."""
    return files("angarium.app.report.html").joinpath("page.css").read_text(encoding="utf-8")


def _body(job: JobResult, trend: Sequence[Trend]) -> Html:
    ranked = sorted(job.claims, key=lambda claim: OUTCOMES.index(claim.outcome))
    places = {id(claim): slug(claim.name, number) for number, claim in enumerate(ranked, 1)}
    sections = [claim_section(claim, places[id(claim)]) for claim in ranked]
    main = [
        element("h2", "Claims", id="claims"),
        _claims(ranked, [places[id(claim)] for claim in ranked]),
        trends(trend),
        unchecked(job),
        element("h2", "Claim by claim") if sections else None,
        *sections,
    ]
    skip = element("a", "Skip to the claims", href="#claims", class_="skip")
    return element("body", skip, _header(job), element("main", *main), _footer(job))


def _header(job: JobResult) -> Html:
    """Which project, when and where, and at a glance how it went."""
    about: dict[str, Part] = {
        "run": job.run_id,
        "began": element("time", job.began, datetime=job.began),
        "took": duration(job.seconds),
        "Spark": job.master,
        "Angarium": job.version,
    }
    title = element("h1", job.project, " ", badge(outcome_of(job)))
    return element("header", title, _counts(job), facts(about))


def _counts(job: JobResult) -> Html:
    found = Counter(claim.outcome for claim in job.claims)
    told = [f"{found[outcome]} {outcome}" for outcome in OUTCOMES if found[outcome]]
    told += [f"{len(job.unchecked)} not looked at"] if job.unchecked else []
    counts = f": {', '.join(told)}" if told else ""
    return element("p", f"{amount(len(job.claims), 'claim')}{counts}.", class_="counts")


def _claims(ranked: Sequence[ClaimResult], places: Sequence[str]) -> Html:
    """The worst first; each leads to its section."""
    if not ranked:
        return element("p", "No claim was looked at.")
    rows = [_row(claim, place) for claim, place in zip(ranked, places, strict=True)]
    return table("All claims, the worst first", _HEADS, rows, numbers=(6, 7))


def _row(claim: ClaimResult, place: str) -> list[Part]:
    return [
        joined(element("a", claim.name, href=f"#{place}"), element("p", *claim.notes[:1], class_="remark")),
        badge(claim.outcome),
        plain(claim.verdict),
        plain(claim.expect),
        claim.kind,
        claim.about,
        size(claim),
        duration(claim.seconds),
        "yes" if claim.cached else "no",
    ]


def _footer(job: JobResult) -> Html:
    told = f"Made by Angarium {job.version} from run {job.run_id}. It is one file and needs no other."
    return element("footer", element("p", told))
