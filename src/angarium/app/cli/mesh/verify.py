"""`angarium mesh verify`: does every message reach every subscriber, whatever fails?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import engine_options, failures_option, mesh_argument
from angarium.app.cli.options import json_option, options_of, quiet_option, timeout_option
from angarium.core.options import VERIFY

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@mesh_argument
@failures_option
@options_of(VERIFY, "only")
@click.option(
    "--all", "everything", is_flag=True, help="Tell everything that goes wrong, not only the worst."
)
@engine_options
@timeout_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    given: Given,
    failures: str,
    only: tuple[str, ...],
    everything: bool,
    engine: str,
    master: str,
    memory: str | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Judge every guarantee of a mesh, healthy and under every failure.

    MESH is a mesh file, or the brokers' own configuration files, or a folder of them.

    \b
    Examples:
      angarium mesh verify examples/meshes/six-brokers.yaml
      angarium mesh verify mesh.yaml --failures links=2
      angarium mesh verify mesh.yaml --failures none --only loop-free
      angarium mesh verify eu.json us.json ap.json --json > verdicts.json

    Exit codes: 0 all hold, 1 something is violated, 2 wrong usage or input, 3 unknown.
    """
    from angarium.api import OnSpark
    from angarium.api import verify as verified
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_text import render
    from angarium.app.report.record import result_record

    with telling(quiet) as tell:
        result = verified(
            files,
            failures=failures,
            only=only,
            given=given,
            engine=engine,
            spark=OnSpark(master, memory),
            timeout=timeout,
            observe=tell,
        )
    if as_json:
        say_record(result_record(result))
    else:
        say(render(result, files=files, width=width(), colourful=is_colourful(), everything=everything))
    return EXIT_CODE_OF[result.worst]
