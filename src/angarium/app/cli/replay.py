"""`angarium replay`: follow a story's address and show the story."""

from __future__ import annotations

import click

from angarium.app.cli.options import json_option

WAYS = ("table", "mermaid", "itf", "pytest", "json")


@click.command()
@click.argument("address")
@click.option(
    "--as",
    "way",
    type=click.Choice(WAYS),
    default=WAYS[0],
    show_default=True,
    help="A table, a diagram, a trace, a test, or data.",
)
@json_option
def command(address: str, way: str, as_json: bool) -> None:
    """Show the story at ADDRESS again.

    Every story that `angarium check` shows has an address, and what `mesh verify` and `prove` find has one
    in their --json. It holds for as long as the model, the mesh or the proof is not changed: an address of
    another version is refused. In the address of a run without end, what is repeated stands behind `~`: put
    it in quotes.

    \b
    Examples:
      angarium replay rabbitmq-sac@0123456789ab:queues=2,apps=2:0.3.1
      angarium replay 'rabbitmq-sac@0123456789ab:queues=2,apps=2:0.3.1~4.2'
      angarium replay mesh:mesh.yaml@0123456789ab:reachability:link%20a-b:01234567
      angarium replay ADDRESS --as mermaid > story.mmd
      angarium replay ADDRESS --as pytest > test_story.py

    Exit codes: 0 the story was shown, 2 wrong usage or input.
    """
    from angarium.api import replayed
    from angarium.app.cli.output import say, say_record, width
    from angarium.app.cli.telling import teller
    from angarium.app.report.record import result_record

    found = replayed(address)
    if as_json or way == "json":
        say_record(result_record(found))
    else:
        say(teller(way, width())(found.story).rstrip("\n"))
