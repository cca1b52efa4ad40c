"""The page as a whole: its head, the table of all claims, their sections, and what was not checked.

How claims fared over the last runs: a row of signs, and a line of the numbers of states.

What was not checked: the most important section for who wants to rely on the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from angarium.app.report.html.claim import claim_section
from angarium.app.report.html.elements import (
    Html,
    Part,
    badge,
    element,
    facts,
    joined,
    kind_of,
    listed,
    plain,
    sign_of,
    slug,
    table,
)
from angarium.app.report.job import OUTCOMES, ClaimResult, JobResult, Trend, TrendPoint
from angarium.app.report.layout import amount, duration
from angarium.app.report.measures import left_open, outcome_of, size

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
        size(claim.result),
        duration(claim.seconds),
        "yes" if claim.cached else "no",
    ]


def _footer(job: JobResult) -> Html:
    told = f"Made by Angarium {job.version} from run {job.run_id}. It is one file and needs no other."
    return element("footer", element("p", told))


# --- trend ----------------------------------------------------------------------------------------


MOST = 30
"""How many runs are shown: the last ones."""
_STEP, _HEIGHT, _DOT = 8.0, 28.0, 2.5


def trends(given: Sequence[Trend]) -> Html | None:
    """The section; nothing if there is at most one run to tell of."""
    told = [each for each in given if len(each.runs) > 1]
    if not told:
        return None
    heads = ["claim", "verdicts, the latest last", "states", "what changed"]
    rows = [_run_row(each.claim, each.runs[-MOST:]) for each in told]
    return joined(
        element("h2", "Over the last runs", id="trend"), table("The claims in the last runs", heads, rows)
    )


def _run_row(claim: str, runs: Sequence[TrendPoint]) -> list[Part]:
    signs = [_sign(point) for point in runs]
    counts = [point.states for point in runs if point.states is not None]
    return [claim, element("span", *signs, class_="signs"), sparkline(counts), _changed(runs)]


def _sign(point: TrendPoint) -> Html:
    told = f"{point.run_id}: {point.verdict}"
    return element("span", sign_of(point.verdict), class_=f"sign {kind_of(point.verdict)}", title=told)


def _changed(runs: Sequence[TrendPoint]) -> str:
    """The last run against the one before."""
    before, last = runs[-2], runs[-1]
    if before.verdict != last.verdict:
        return f"{before.verdict}, now {last.verdict}"
    if before.states is None or last.states is None or before.states == last.states:
        return "nothing since the run before"
    more = last.states - before.states
    return f"{amount(abs(more), 'state')} {'more' if more > 0 else 'fewer'} than in the run before"


def sparkline(counts: Sequence[int]) -> Html | None:
    """A small line, from 0 up, with a dot at its end and the last number as words."""
    if len(counts) < 2:
        return None
    scale = (_HEIGHT - 2 * _DOT) / max(*counts, 1)
    points = [(_STEP * place + _DOT, _HEIGHT - _DOT - scale * count) for place, count in enumerate(counts)]
    told = f"{amount(len(counts), 'run')}: {', '.join(f'{each:,}' for each in counts)} states"
    return joined(_drawn(points, told), f" {counts[-1]:,}")


def _drawn(points: Sequence[tuple[float, float]], told: str) -> Html:
    (x, y), path = points[-1], " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    size = f'viewBox="0 0 {x + _DOT:.1f} {_HEIGHT}" width="{x + _DOT:.1f}" height="{_HEIGHT}"'
    shapes = f'<polyline points="{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>'
    return Html(f'<svg class="spark" role="img" {size}>{element("title", told)}{shapes}</svg>')


# --- unchecked ------------------------------------------------------------------------------------


NOTHING_LEFT = "All claims were looked at, to the end, and no verdict is unknown."
_LIMITS = "A verdict is about the parameters, faults and events that its section names, and about no others."


def unchecked(job: JobResult) -> Html:
    """The section: claims that nobody looked at, and what the others leave open."""
    items = [
        f"The run was cut: {job.cut}." if job.cut else None,
        *(joined(element("strong", name), ": was not looked at in this run") for name in job.unchecked),
        *(
            joined(element("strong", claim.name), f": {why}")
            for claim in job.claims
            for why in left_open(claim)
        ),
    ]
    body = listed(items) or element("p", NOTHING_LEFT)
    return joined(element("h2", "What was not checked", id="unchecked"), body, element("p", _LIMITS))
