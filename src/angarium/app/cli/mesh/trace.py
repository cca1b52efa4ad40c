"""`angarium mesh trace`: where does this topic go?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import dead_option, mesh_argument
from angarium.app.cli.options import json_option

if TYPE_CHECKING:
    from angarium.core.errors import MeshError
    from angarium.mesh.files.given import Given
    from angarium.mesh.verify.tracing import Traced

MOST_SCOPES = 8
"""Those that are listed where one is missing."""


@click.command()
@mesh_argument
@click.option("--from", "origin", required=True, metavar="BROKER", help="Where it is published.")
@click.option("--topic", required=True, help="A topic, as the broker writes it.")
@click.option(
    "--scope",
    default="",
    help="Its exchange, virtual host or account; if one is missing, you are told which there are.",
)
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
    """Follow a topic: where it arrives, how often, over which path.

    \b
    Examples:
      angarium mesh trace mesh.yaml --from eu --topic order.new
      angarium mesh trace mesh.yaml --from eu --topic order.new --dead eu-us
      angarium mesh trace definitions/ --from eu --topic a.b --scope orders

    Exit codes: 0 it was followed, 2 wrong usage or input, 3 the files leave something open that could
    make it otherwise.
    """
    from angarium.app.cli.failures import ExitCode
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import say_record, width
    from angarium.app.report.mesh_trace import render_trace
    from angarium.app.report.record import result_record
    from angarium.mesh.answers import trace_result
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.budget import failed
    from angarium.mesh.verify.tracing import trace

    mesh = load(*files, given=given)
    failures = failed(mesh, dead)
    traced = trace(mesh, origin, topic, scope, failures)
    if traced.elsewhere and not scope:
        words = [*files, *given.words(), *(word for each in dead for word in ("--dead", each))]
        raise _no_scope(traced, words, topic)
    if as_json:
        say_record(result_record(trace_result(mesh, traced, failures)))
    else:
        say_answer(render_trace(mesh, traced, failures, width=width()), mesh)
    return careful(ExitCode.HOLDS, mesh)


def _no_scope(traced: Traced, words: Sequence[str], topic: str) -> MeshError:
    """Which scopes there are: without one the topic meets nothing, and that would be no answer."""
    from shlex import join

    from angarium.core.errors import MeshError

    origin, scopes = traced.spread.origin, traced.elsewhere
    more = f" and {len(scopes) - MOST_SCOPES:,} more" if len(scopes) > MOST_SCOPES else ""
    command = ["angarium", "mesh", "trace", *words, "--from", origin, "--topic", topic, "--scope", scopes[0]]
    return MeshError(
        "ANG123",
        f"topics of {origin} live in scopes (exchanges, virtual hosts, accounts), and none was given",
        possible=f"possible: {', '.join(scopes[:MOST_SCOPES])}{more}",
        remedy=f"name one: {join(command)}",
    )
