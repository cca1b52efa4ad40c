"""`angarium engines`: what this machine can search with."""

from __future__ import annotations

import click

from angarium.app.cli.options import json_option


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Say which engines this machine can use, with what they have here, and what each is good for.

    \b
    Examples:
      angarium engines
      angarium engines --json
    """
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.report.engines_text import render
    from angarium.app.report.record import result_record
    from angarium.checker.explore.available import EnginesResult, available

    found = available()
    if as_json:
        say_record(result_record(EnginesResult(engines=found)))
    else:
        say(render(found, width=width(), colourful=is_colourful()))
