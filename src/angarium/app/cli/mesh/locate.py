"""`angarium mesh locate`: which link or broker is dead, from what does not arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import mesh_argument
from angarium.app.cli.options import json_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@mesh_argument
@click.option("--fails", multiple=True, metavar="A->B", required=True, help="What A sends does not reach B.")
@click.option("--works", multiple=True, metavar="A->B", help="What A sends reaches B.")
@json_option
def command(
    files: tuple[str, ...], given: Given, fails: tuple[str, ...], works: tuple[str, ...], as_json: bool
) -> int:
    """Find the dead link or broker from which messages arrive and which do not.

    For meshes with routing tables. The brokers are taken to route as before the failure: one that has
    found other paths hides it. Where several explanations fit equally well, all of them are shown: a dead
    broker looks like all its links dead.

    \b
    Examples:
      angarium mesh locate mesh.yaml --fails 'b12->b18' --works 'b12->b13'

    Exit codes: 0 there is an explanation, 2 wrong usage or input, 3 the files leave something open that
    could make it another.
    """
    from angarium.app.cli.failures import ExitCode
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import say_record
    from angarium.app.report.mesh_trace import render_location
    from angarium.app.report.record import result_record
    from angarium.mesh.answers import location_result
    from angarium.mesh.files.find import load
    from angarium.mesh.routing.walk import locate

    mesh = load(*files, given=given)
    failing, working = _pairs(fails), _pairs(works)
    found = locate(mesh, failing, working)
    if as_json:
        say_record(result_record(location_result(mesh, failing, working, found)))
    else:
        say_answer(render_location(mesh, found), mesh)
    return careful(ExitCode.HOLDS, mesh)


def _pairs(words: tuple[str, ...]) -> list[tuple[str, str]]:
    from angarium.core.errors import UsageError

    found = []
    for word in words:
        source, arrow, target = (part.strip() for part in word.partition("->"))
        if not (source and arrow and target):
            raise UsageError(
                "ANG013",
                f"{word!r} does not say from which broker to which",
                possible="A->B, with the names of two brokers",
                remedy="for example --fails 'b1->b5'",
            )
        found.append((source, target))
    return found
