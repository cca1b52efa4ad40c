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

    if subject is None:
        every = catalogue.every_system()
        text = catalogue.render_list(every, width=width(), colourful=is_colourful())
        record = catalogue.list_record(every)
    else:
        one = catalogue.about(subject)
        text = catalogue.render_one(one, width=width(), colourful=is_colourful())
        record = catalogue.one_record(one)
    say_record(record) if as_json else say(text)
