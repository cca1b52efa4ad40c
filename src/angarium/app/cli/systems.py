"""`angarium systems`: what comes with Angarium, and what can be set and judged in a model."""

from __future__ import annotations

import click

from angarium.app.cli.options import json_option


@click.command()
@click.argument("subject", metavar="[NAME]", required=False)
@json_option
def command(subject: str | None, as_json: bool) -> None:
    """List the bundled systems, or the parameters and guarantees of one.

    NAME is a bundled system, or a Python file with a model.

    \b
    Examples:
      angarium systems
      angarium systems rabbitmq-sac
      angarium systems my_queue.py
    """
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.report import catalogue
    from angarium.app.report.record import result_record

    found = catalogue.about(subject) if subject else catalogue.every_system()
    if as_json:
        say_record(result_record(found))
    elif isinstance(found, catalogue.SystemResult):
        say(catalogue.render_one(found, width=width(), colourful=is_colourful()))
    else:
        say(catalogue.render_list(found, width=width(), colourful=is_colourful()))
