"""The report view's part of the JSON interface: runs of project files, their claims, and each claim's page.

A claim's page is the section that the report of the run has of it, and its style is the report's. It is HTML
of our own making, in which every text is escaped; so are the trends and what was not checked. Stories of
checks lead to the explore view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from angarium.app.pipeline import store
from angarium.app.pipeline.trends import trends_of
from angarium.app.report.html.claim import claim_section
from angarium.app.report.html.elements import badge, joined, plain
from angarium.app.report.html.page import MOST, trends, unchecked
from angarium.app.report.job import OUTCOMES, ClaimResult, JobResult, Record
from angarium.app.web.pages import page
from angarium.app.web.work import compute
from angarium.checker.explore.addresses import parse_address
from angarium.core.errors import AddressError, WebError
from angarium.core.result import GuaranteeVerdict, Result

MOST_RUNS = 200


async def _runs(request: Request) -> Response:
    return JSONResponse(await compute(request, _listed, _out(request)))


async def _run(request: Request) -> Response:
    return JSONResponse(await compute(request, _told, _out(request), request.query_params.get("run", "")))


async def _claim(request: Request) -> Response:
    asked = request.query_params
    return JSONResponse(
        await compute(request, _shown, _out(request), asked.get("run", ""), asked.get("claim", ""))
    )


async def _style(_request: Request) -> Response:
    style = files("angarium.app.report.html").joinpath("page.css").read_text(encoding="utf-8")
    return Response(style, media_type="text/css")


def _out(request: Request) -> Path:
    out: Path = request.app.state.settings.out
    return out


# --- what is answered -------------------------------------------------------------------------


def _listed(out: Path) -> Record:
    """The newest runs."""
    found = (told for path in store.files_of(out) if (told := _kept(path, path.stat().st_mtime_ns)))
    return {"runs": list(islice(found, MOST_RUNS))}


@lru_cache(maxsize=4 * MOST_RUNS)
def _kept(path: Path, _changed: int) -> Record | None:
    """The summary of a file: a run is long, and the list is asked for again and again."""
    job = store.read(path)
    return _summary(job) if job else None


def _summary(job: JobResult) -> Record:
    return {
        "run": job.run_id,
        "project": job.project,
        "began": job.began,
        "seconds": job.seconds,
        "outcome": badge(job.outcome),
        "claims": len(job.claims),
        "unchecked": len(job.unchecked),
        "cut": str(job.cut) if job.cut else None,
    }


def _told(out: Path, run_id: str) -> Record:
    """One run: its claims, the worst first, and how they fared before."""
    job = _job(out, run_id)
    earlier = store.runs(out, MOST, project=job.project, until=run_id)
    ranked = sorted(job.claims, key=lambda claim: OUTCOMES.index(claim.outcome))
    return {
        **_summary(job),
        "version": job.version,
        "master": job.master,
        "rows": [_row(claim) for claim in ranked],
        "html": joined(trends(trends_of(earlier)), unchecked(job)),
    }


def _row(claim: ClaimResult) -> Record:
    return {
        "name": claim.name,
        "kind": claim.kind,
        "about": claim.about,
        "outcome": badge(claim.outcome),
        "verdict": plain(claim.verdict),
        "expect": plain(claim.expect),
        "seconds": claim.seconds,
        "cached": claim.cached,
        "notes": list(claim.notes),
    }


def _shown(out: Path, run_id: str, name: str) -> Record:
    """A claim's section, and where its stories can be stepped through."""
    job = _job(out, run_id)
    claim = next((each for each in job.claims if each.name == name), None)
    if claim is None:
        raise _not_there(f"run {run_id} has no claim {name!r}")
    return {
        "run": run_id,
        "claim": name,
        "project": job.project,
        "html": claim_section(claim, "claim"),
        "stories": list(_stories(claim.result)),
    }


def _stories(result: Result[GuaranteeVerdict] | None) -> Iterator[Record]:
    """Stories that the explore view can follow: those with an address of a model."""
    for verdict in result.verdicts if result else ():
        try:
            address = parse_address(verdict.story.address if verdict.story else "")
        except AddressError:
            continue
        yield {
            "guarantee": verdict.guarantee,
            "subject": address.subject,
            "set": dict(address.parameters),
            "path": list(address.path),
            "cycle": address.cycle,
        }


def _job(out: Path, run_id: str) -> JobResult:
    job = store.load(out, run_id)
    if job is None:
        raise _not_there(f"there is no run {run_id!r}")
    return job


def _not_there(what: str) -> WebError:
    remedy = "choose one of the list at /report, or make one: angarium run"
    return WebError("ANG153", what, remedy=remedy, status=404)


ROUTES: Sequence[BaseRoute] = [
    page("/report", "report.html"),
    Route("/report.css", _style),
    Route("/api/report/runs", _runs),
    Route("/api/report/run", _run),
    Route("/api/report/claim", _claim),
]
