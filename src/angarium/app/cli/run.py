"""`angarium run`: all claims of a project file, as one job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import json_option, quiet_option, spark_options

if TYPE_CHECKING:
    from angarium.app.pipeline.project import Project
    from angarium.app.pipeline.run import Asked, Watcher
    from angarium.app.report.job import ClaimResult, JobResult
    from angarium.core.errors import PipelineError

OUT = ".angarium"
"""Where results go: a folder beside the project file."""


@click.command()
@click.argument("project", type=click.Path(path_type=Path), default=Path())
@click.option("--only", multiple=True, metavar="CLAIM", help="Only this claim; may be repeated.")
@click.option("--fresh", is_flag=True, help="Check again what has not changed since an earlier run.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=f"Where results go.  [default: {OUT} beside the project file]",
)
@spark_options
@json_option
@quiet_option
def command(
    project: Path,
    only: tuple[str, ...],
    fresh: bool,
    out: Path | None,
    master: str,
    memory: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Check every claim of a project file, and write a report.

    PROJECT is an angarium.toml, or the folder that has it; the current folder by default. `angarium init`
    writes one.

    Claims run as tasks on Spark, as many at a time as there are cores; audits, and what is given to Spark,
    are jobs of their own. A claim whose inputs are unchanged has its answer already. The report, tables,
    JUnit's XML and a summary in Markdown are written to the results folder.

    \b
    Examples:
      angarium run
      angarium run examples/five-works
      angarium run --only 'nsq keeps every message' --fresh
      angarium run --master spark://10.0.0.1:7077 --out results
      angarium run --json > results.json

    Exit codes: 0 all is as expected, 1 something is not, 2 wrong usage or input, 3 unknown.
    """
    from angarium.app.cli.failures import EXIT_CODE_OF, ExitCode
    from angarium.app.cli.output import is_colourful, note, say, say_record, width
    from angarium.app.pipeline.project import read_project
    from angarium.app.pipeline.run import Asked
    from angarium.app.report.job_record import run_record
    from angarium.app.report.job_text import render
    from angarium.spark.place import Place

    found = read_project(project)
    place = out or (project if project.is_dir() else project.parent) / OUT
    job, problem = _kept(found, Asked(place, Place(master, memory), only, fresh), quiet)
    if as_json:
        say_record(run_record(job))
    else:
        say(render(job, out=None if problem else place, width=width(), colourful=is_colourful()))
    if problem:
        note(f"error[{problem.code}]: {problem}")
    return ExitCode.WRONG_INPUT if problem else EXIT_CODE_OF[job.verdict]


def _kept(project: Project, asked: Asked, quiet: bool) -> tuple[JobResult, PipelineError | None]:
    """Run, and write everything down; if that fails, there are results to tell all the same."""
    from angarium.app.pipeline.publish import publish
    from angarium.app.pipeline.run import UnkeptError, keeping, run

    try:
        with _watching(quiet) as watcher:
            job = run(project, asked, watcher)
        with keeping(asked.out, job):
            publish(asked.out, job)
    except UnkeptError as problem:
        return problem.job, problem
    return job, None


@contextmanager
def _watching(quiet: bool) -> Iterator[Watcher]:
    """A line for every claim that has its answer, and one that says what is under way."""
    from angarium.app.cli.output import note
    from angarium.app.cli.watching import watching
    from angarium.app.pipeline.run import Watcher
    from angarium.app.report.job_text import line

    with watching(quiet) as ticker:
        if ticker is None:
            yield Watcher()
            return

        def done(claim: ClaimResult, number: int, of: int) -> None:
            ticker.clear()
            note(line(claim, number, of))

        yield Watcher(done, ticker.offer)
