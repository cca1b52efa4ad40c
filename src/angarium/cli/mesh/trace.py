"""`angarium mesh trace`: where does this topic go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from angarium.cli.mesh.options import dead_option, mesh_argument
from angarium.cli.options import json_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@mesh_argument
@click.option("--from", "origin", required=True, metavar="BROKER", help="Where it is published.")
@click.option("--topic", required=True, help="A topic, as the broker writes it.")
@click.option("--scope", default="", help="Its exchange, virtual host or account, if it has one.")
@dead_option
@json_option
def command(
    files: tuple[str, ...],
    given: Given,
    origin: str,
    topic: str,
    scope: str,
    dead: tuple[str, ...],
    as_json: bool,
) -> int:
    """Follow a topic: where it arrives, how often, over which way.

    \b
    Examples:
      angarium mesh trace mesh.yaml --from eu --topic order.new
      angarium mesh trace mesh.yaml --from eu --topic order.new --dead eu-us
      angarium mesh trace definitions/ --from eu --topic a.b --scope orders

    Exit codes: 0 it was followed, 2 wrong usage or input, 3 the files leave something open that could
    make it otherwise.
    """
    from angarium.cli.failures import ExitCode
    from angarium.cli.mesh.answering import careful, say_answer
    from angarium.cli.output import say_record, width
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.failed import failed
    from angarium.mesh.verify.tracing import trace
    from angarium.report.mesh_trace import render_trace, trace_record

    mesh = load(*files, given=given)
    failures = failed(mesh, dead)
    traced = trace(mesh, origin, topic, scope, failures)
    if as_json:
        say_record(trace_record(mesh, traced, failures))
    else:
        say_answer(render_trace(mesh, traced, failures, width=width()), mesh)
    return careful(ExitCode.HOLDS, mesh)
