"""`angarium replay`: follow a story's address and show the story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from angarium.app.cli.options import json_option

if TYPE_CHECKING:
    from angarium.core.result import Story

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

    Every story that `angarium check` shows has an address, which holds for as long as the model is not
    changed. An address of another version of the model is refused. In the address of a run without end,
    what is repeated stands behind `~`: put it in quotes.

    \b
    Examples:
      angarium replay rabbitmq-sac@0123456789ab:queues=2,apps=2:0.3.1
      angarium replay 'rabbitmq-sac@0123456789ab:queues=2,apps=2:0.3.1~4.2'
      angarium replay ADDRESS --as mermaid > story.mmd
      angarium replay ADDRESS --as pytest > test_story.py

    Exit codes: 0 the story was shown, 2 wrong usage or input.
    """
    from angarium.api import replay
    from angarium.app.cli.output import say, say_record, width
    from angarium.app.cli.telling import teller

    story = replay(address)
    if as_json or way == "json":
        say_record(_record(story))
    else:
        say(teller(way, width())(story).rstrip("\n"))


def _record(story: Story) -> dict[str, Any]:
    from angarium.app.report.record import envelope, story_record
    from angarium.checker.explore.addresses import parse_address

    address = parse_address(story.address)
    more = {"model_hash": address.model_hash, "story": story_record(story)}
    return envelope("replay", story.subject, address.parameters, more)
