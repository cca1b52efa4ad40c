"""`angarium mesh recover`: routing tables for every failure, calculated before it happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import engine_options, failures_option, mesh_argument, override_options
from angarium.app.cli.options import json_option, quiet_option, timeout_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given
    from angarium.mesh.recovery.results import RecoveryResult

FORMATS = {"both": (".tables", ".json"), "binary": (".tables",), "json": (".json",)}


@click.command()
@mesh_argument
@failures_option
@override_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write; without it nothing is.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="both",
    show_default=True,
    help="Which files each broker gets.",
)
@click.option("--tables", multiple=True, metavar="BROKER", help="Show its super table; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Tell all failures, not only the first of a kind.")
@engine_options
@timeout_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    given: Given,
    failures: str,
    override: tuple[str, ...],
    overrides: str | None,
    out: Path | None,
    form: str,
    tables: tuple[str, ...],
    everything: bool,
    engine: str,
    master: str,
    memory: str | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Calculate recovery tables for every failure, verify them, and write them for brokers to load.

    Each failure has a colour, a number; for every colour each broker has a table of next brokers. They are
    verified before anything is written: if a message is lost or goes round, as an override can cause,
    nothing is.

    \b
    Examples:
      angarium mesh recover mesh.yaml --out tables
      angarium mesh recover mesh.yaml --failures links=2
      angarium mesh recover mesh.yaml --failures one,risks --out tables
      angarium mesh recover mesh.yaml --override 'b1->b3=b2' --out tables
      angarium mesh recover triangle.yaml --failures links=1 --tables b1

    Exit codes: 0 all hold and are written, 1 something is violated, 2 wrong usage or input, 3 unknown.
    """
    from angarium.api import OnSpark, recover
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import say_record
    from angarium.app.cli.watching import telling
    from angarium.app.report.record import result_record

    with telling(quiet) as tell:
        result = recover(
            files,
            failures=failures,
            override=override,
            overrides=overrides,
            out=out,
            forms=FORMATS[form],
            tables=tables,
            given=given,
            engine=engine,
            spark=OnSpark(master, memory),
            timeout=timeout,
            observe=tell,
        )
    if as_json:
        say_record(result_record(result))
    else:
        _show(result, everything)
    return EXIT_CODE_OF[result.worst]


def _show(result: RecoveryResult, everything: bool) -> None:
    from angarium.app.cli.mesh.answering import say_answer
    from angarium.app.cli.output import is_colourful, width
    from angarium.app.report.mesh_recovery import render, render_super_table

    assert result.found
    tables = [render_super_table(each, width=width()) for each in result.tables]
    page = render(result, width=width(), colourful=is_colourful(), everything=everything)
    say_answer("\n\n".join([page, *tables]), result.found.mesh, everything=everything)
