"""`angarium run`: all claims of a project file, as one job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import json_option, quiet_option, spark_options

if TYPE_CHECKING:
    from angarium.app.pipeline.run import Watcher
    from angarium.app.report.job import ClaimResult, RunResult

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
    from angarium.api import OnSpark
    from angarium.app.cli.failures import EXIT_CODE_OF, ExitCode
    from angarium.app.cli.output import note
    from angarium.app.pipeline.entrance import run
    from angarium.app.pipeline.run import UnkeptError
    from angarium.app.report.job import result_of

    place = out or (project if project.is_dir() else project.parent) / OUT
    try:
        with _watching(quiet) as watcher:
            spark = OnSpark(master, memory)
            result = run(project, only=only, fresh=fresh, out=place, spark=spark, watcher=watcher)
    except UnkeptError as problem:
        _show(result_of(problem.job), None, as_json)
        note(f"error[{problem.code}]: {problem}")
        return ExitCode.WRONG_INPUT
    _show(result, place, as_json)
    return EXIT_CODE_OF[result.worst]


def _show(result: RunResult, place: Path | None, as_json: bool) -> None:
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.report.job_text import render
    from angarium.app.report.record import result_record

    if as_json:
        say_record(result_record(result))
    else:
        assert result.job, "it was just run"
        say(render(result.job, out=place, width=width(), colourful=is_colourful()))


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
