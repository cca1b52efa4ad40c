"""`angarium trend`: how the claims of a project fared over its runs."""

from __future__ import annotations

from pathlib import Path

import click

from angarium.app.cli.options import MOST, json_option
from angarium.app.cli.run import OUT


@click.command()
@click.argument("project", type=click.Path(path_type=Path), default=Path())
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the results are.")
@click.option("--last", type=click.IntRange(1, MOST), default=10, show_default=True, help="So many runs.")
@json_option
def command(project: Path, out: Path | None, last: int, as_json: bool) -> int:
    """Show the verdicts and state counts of a project over its runs.

    A state space that has become smaller is marked: a search that sees less than before may be blind.

    \b
    Examples:
      angarium trend
      angarium trend examples/five-works --last 3
      angarium trend --out results --json

    Exit codes: 0 it is shown, 2 wrong usage or input.
    """
    from angarium.app.cli.output import say, say_record, width
    from angarium.app.pipeline.store import runs
    from angarium.app.pipeline.trends import trends_of
    from angarium.app.report.job import TrendResult
    from angarium.app.report.job_text import render_trends
    from angarium.app.report.record import result_record
    from angarium.core.errors import PipelineError

    if out is None and not project.exists():
        raise PipelineError("ANG010", f"there is no project {project}", remedy="give a project's folder")
    place = out or (project if project.is_dir() else project.parent) / OUT
    name = _name(project)
    jobs = runs(place, last, project=name)
    if not jobs:
        what = f"there are no runs {f'of {name} ' if name else ''}in {place}"
        raise PipelineError("ANG143", what, remedy="`angarium run` makes one")
    trends = trends_of(jobs)
    if as_json:
        names = [job.run_id for job in reversed(jobs)]
        say_record(result_record(TrendResult(subject=jobs[0].project, runs=names, trends=trends)))
    else:
        say(render_trends(trends, width()))
    return 0


def _name(project: Path) -> str | None:
    """The name of a project, as results of several may share a folder; None if its file does not tell."""
    from angarium.app.pipeline.project import read_project
    from angarium.core.errors import AngariumError

    try:
        return read_project(project).name
    except AngariumError:
        return None
