"""`angarium mesh links`: which topics cross which link?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import mesh_argument
from angarium.app.cli.options import json_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@mesh_argument
@click.option("--all", "everything", is_flag=True, help="All topics, not only the first of each link.")
@json_option
def command(files: tuple[str, ...], given: Given, everything: bool, as_json: bool) -> int:
    """List which topics cross which link, when nothing is dead.

    One topic stands for all that no filter tells apart. For meshes with routing tables, only what
    somebody wants crosses a link.

    \b
    Examples:
      angarium mesh links mesh.yaml
      angarium mesh links edge.conf hub.conf --json

    Exit codes: 0 they are listed, 2 wrong usage or input, 3 the files leave something open that could
    make it otherwise.
    """
    from angarium.app.cli.failures import ExitCode
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import say_record, width
    from angarium.app.report.mesh_trace import render_links
    from angarium.app.report.record import result_record
    from angarium.mesh.answers import links_result
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.tracing import crossings

    mesh = load(*files, given=given)
    found = crossings(mesh)
    if as_json:
        say_record(result_record(links_result(mesh, found)))
    else:
        most = None if everything else 8
        say_answer(render_links(found, width=width(), most=most), mesh, everything=everything)
    return careful(ExitCode.HOLDS, mesh)
