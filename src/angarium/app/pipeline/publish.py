"""The files that people and their CI read: the report, JUnit's XML, and a summary in Markdown.

The report is what people come back to, so one about some claims stands beside the whole project's. The other
two are what a build shows of its run: an old one would pass for the new.
"""

from __future__ import annotations

from pathlib import Path

from angarium.app.pipeline import store
from angarium.app.pipeline.files import write_text
from angarium.app.pipeline.trends import trends_of
from angarium.app.report import junit
from angarium.app.report.html import page
from angarium.app.report.job import JobResult
from angarium.app.report.job_markdown import summary

JUNIT, SUMMARY = "junit.xml", "summary.md"
LOOKED_BACK = 50
"""Runs that a trend is made of."""


def publish(out: Path, job: JobResult) -> None:
    """Write all of them, for the latest run."""
    trends = trends_of(store.runs(out, LOOKED_BACK, project=job.project, until=job.run_id))
    write_text(out / job.report, page(job, trends))
    write_text(out / JUNIT, junit.xml(job))
    write_text(out / SUMMARY, summary(job))
