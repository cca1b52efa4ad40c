"""`angarium mesh recover`: routing tables for every failure, calculated before it happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import engine_options, failures_option, mesh_argument, override_options
from angarium.app.cli.options import json_option, quiet_option, timeout_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from angarium.mesh.files.given import Given
    from angarium.mesh.recovery.files import Written
    from angarium.mesh.recovery.recovered import Recovered

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
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.mesh.answering import say_answer
    from angarium.app.cli.output import is_colourful, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_recovery import render
    from angarium.app.report.mesh_recovery_record import recovery_record
    from angarium.app.report.mesh_super_table import render_super_table, super_table_record
    from angarium.core.result import worst
    from angarium.mesh.files.find import load
    from angarium.mesh.recovery.files.folder import check_place
    from angarium.mesh.recovery.recovered import Asked, recover
    from angarium.mesh.routing.graph import graph_of
    from angarium.mesh.verify.budget import read_budget
    from angarium.spark.place import Place

    if out is not None:
        check_place(out)
    place = Place(master, memory) if engine == "spark" else None
    asked = Asked(load(*files, given=given), read_budget(failures), override, overrides, place)
    for name in tables:
        graph_of(asked.mesh).number(name)  # complains of who is not there before anything is calculated
    with telling(quiet) as tell:
        recovered = recover(asked, tell=tell, timeout=timeout)
        written = _written(recovered, out, form, tell)
    if as_json:
        record = recovery_record(recovered, failures, written)
        say_record({**record, "tables": [super_table_record(recovered.recovery, each) for each in tables]})
    else:
        shown = [render_super_table(recovered.recovery, each, width=width()) for each in tables]
        page = render(recovered, written, width=width(), colourful=is_colourful(), everything=everything)
        say_answer("\n\n".join([page, *shown]), recovered.mesh, everything=everything)
    return EXIT_CODE_OF[worst(recovered.verdicts.values())]


def _written(
    recovered: Recovered, out: Path | None, form: str, tell: Callable[[str], None] | None
) -> Written | None:
    """The files, if they are wanted and the tables may be relied on."""
    from angarium.mesh.recovery.files import write_tables

    if out is None or not recovered.holds:
        return None

    def observe(done: int, total: int) -> None:
        if tell:
            tell(f"written for {done:,} of {total:,} brokers")

    forms = FORMATS[form]
    return write_tables(recovered.recovery, out, recovered.fingerprint, forms=forms, observe=observe)
