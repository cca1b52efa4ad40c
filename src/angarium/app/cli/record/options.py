"""Options that all recorders share, and what is said when one has ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from angarium.app.cli.options import json_option, quiet_option

if TYPE_CHECKING:
    from angarium.history.recorders.recording import Account, Plan

F = TypeVar("F", bound=Callable[..., Any])
FORMS = ("jsonl", "jsonl.gz", "parquet")
LONGEST = 365 * 24 * 3_600_000.0
"""A year, in milliseconds."""


class Recorded(Protocol):
    """A function that records until it is enough."""

    def __call__(
        self,
        plan: Plan,
        *,
        stopped: Callable[[], bool],
        tell: Callable[[str], None],
        progress: Callable[[Account], None],
    ) -> Account: ...


def recorder_options(function: F) -> F:
    """Where to write, in which form, and until when."""
    options = [
        click.option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            required=True,
            metavar="DIR",
            help="The folder to write to; a recording that is there goes on.",
        ),
        click.option("--run", metavar="NAME", help="The history's name.  [default: the folder's]"),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMS),
            default=FORMS[0],
            show_default=True,
            help="Of files.",
        ),
        click.option(
            "--rotate-events",
            type=click.IntRange(1),
            default=100_000,
            show_default=True,
            metavar="N",
            help="Begin another file after so many events.",
        ),
        click.option(
            "--rotate-every",
            default="60 s",
            show_default=True,
            metavar="TIME",
            help="And after this time: no event is invisible for longer.",
        ),
        click.option("--for", "duration", metavar="TIME", help="Stop after this time: 90s, 10min, 8h."),
        click.option("--events", type=click.IntRange(1), metavar="N", help="Stop after so many events."),
        json_option,
        quiet_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function


def run(recorded: Recorded, words: Mapping[str, Any]) -> int:
    """Record as the options say, and say what was recorded."""
    from angarium.app.cli.output import note
    from angarium.app.cli.watching import stopping, telling

    plan = _plan(words)
    with stopping() as stopped, telling(words["quiet"]) as offer:

        def progress(account: Account) -> None:
            if offer is not None:
                offer(f"{account.events:,} events in {account.files:,} files")

        account = recorded(plan, stopped=stopped, tell=note, progress=progress)
    _report(account, plan.folder, words["as_json"])
    return 0


def _plan(words: Mapping[str, Any]) -> Plan:
    from angarium.core.units import read_time
    from angarium.history.recorders.recording import Plan
    from angarium.history.recorders.writer import Rotation

    every = read_time("--rotate-every", words["rotate_every"], 100, LONGEST) / 1000
    seconds = words["duration"] and read_time("--for", words["duration"], 1, LONGEST) / 1000
    rotation = Rotation(events=words["rotate_events"], seconds=every)
    folder: Path = words["out"]
    return Plan(
        folder, words["run"] or folder.resolve().name, words["form"], rotation, words["events"], seconds
    )


def _report(account: Account, folder: Path, as_json: bool) -> None:
    from dataclasses import asdict

    from angarium import __version__
    from angarium.app.cli.output import say, say_record

    if as_json:
        say_record({"angarium": __version__, "kind": "record", "folder": str(folder), **asdict(account)})
        return
    say(f"Recorded {account.events:,} events in {account.files:,} files of {folder}.")
    if account.losses:
        say(f"The broker was lost {account.losses:,} times: an audit will find the log incomplete.")
    if account.nameless:
        say(
            f"{account.nameless:,} events are of messages without message_id, which cannot be followed: "
            "set message_id in the producer."
        )
    say(f"Audit it: angarium audit {folder}")
