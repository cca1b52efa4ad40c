"""The files that people and their CI read: the report, JUnit's XML, and a summary in Markdown.

The report is what people come back to, so one about some claims stands beside the whole project's. The other
two are what a build shows of its run: an old one would pass for the new.

Pictures of meshes for a claim: the mesh as it is, and with the failure that does the most harm.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from angarium.app.pipeline import store
from angarium.app.pipeline.claims import Claim, given_of
from angarium.app.pipeline.store import write_text
from angarium.app.pipeline.trends import trends_of
from angarium.app.report import job_files
from angarium.app.report.html import page
from angarium.app.report.job import JobResult
from angarium.app.report.job_files import summary
from angarium.core.errors import AngariumError
from angarium.core.result import GuaranteeVerdict, Result, Verdict
from angarium.mesh.recovery.results import RecoveryResult
from angarium.mesh.results import MeshResult

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given

JUNIT, SUMMARY = "junit.xml", "summary.md"
LOOKED_BACK = 50
"""Runs that a trend is made of."""


def publish(out: Path, job: JobResult) -> None:
    """Write all of them, for the latest run."""
    trends = trends_of(store.runs(out, LOOKED_BACK, project=job.project, until=job.run_id))
    write_text(out / job.report, page(job, trends))
    write_text(out / JUNIT, job_files.xml(job))
    write_text(out / SUMMARY, summary(job))


# --- pictures -------------------------------------------------------------------------------------


MOST_BROKERS = 60
"""A drawing of more is a ball of wool."""
HEALTHY = "the mesh"


def pictures_of(claim: Claim, folder: Path, result: Result[GuaranteeVerdict]) -> dict[str, str]:
    """SVG by title; none for claims that are not about meshes, or about very large ones."""
    if not isinstance(result, MeshResult | RecoveryResult) or result.brokers > MOST_BROKERS:
        return {}
    files = [str(folder / each) for each in claim.about]
    given = given_of(claim)
    return {**_drawn(files, given, []), **_drawn(files, given, _worst(result))}


def _worst(result: MeshResult | RecoveryResult) -> list[str]:
    """What is dead in the first finding of a violated guarantee."""
    for verdict in result.verdicts:
        for finding in verdict.violations if verdict.verdict is Verdict.VIOLATED else ():
            if names := [*finding.dead.brokers, *finding.dead.links]:
                return names
    return []


def _drawn(files: list[str], given: Given, dead: list[str]) -> dict[str, str]:
    """The picture of a mesh; none of one that cannot be drawn: it has its verdict all the same."""
    from angarium.app.report.mesh_marks import marks
    from angarium.mesh.draw import Drawing, svg
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.budget import failed

    try:
        mesh = load(*files, given=given)
        if not dead:
            return {HEALTHY: svg(Drawing(mesh))}
        failures, title = failed(mesh, tuple(dead)), f"without {', '.join(dead)}"
        return {title: svg(Drawing(mesh, failures, marks(mesh, failures), title))}
    except AngariumError:
        return {}
