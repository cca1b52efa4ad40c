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
    from angarium.app.report import engines_text
    from angarium.checker.explore.available import available

    found = available()
    if as_json:
        say_record(engines_text.record(found))
    else:
        say(engines_text.render(found, width=width(), colourful=is_colourful()))
