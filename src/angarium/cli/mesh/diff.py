"""`angarium mesh diff`: what a change to a mesh changes for its subscribers."""

from __future__ import annotations

import click

from angarium.cli.mesh.options import failures_option
from angarium.cli.options import json_option, quiet_option


@click.command()
@click.argument("old")
@click.argument("new")
@failures_option
@click.option(
    "--all", "everything", is_flag=True, help="Tell every difference, not only the first of a kind."
)
@json_option
@quiet_option
def command(old: str, new: str, failures: str, everything: bool, as_json: bool, quiet: bool) -> int:
    """Say what a change gains, loses, doubles or slows.

    OLD and NEW are mesh files, or folders with the brokers' own configuration files. Clients are the same
    if they have the same name.

    \b
    Examples:
      angarium mesh diff old.yaml new.yaml
      angarium mesh diff main/config branch/config --failures none
      angarium mesh diff old.yaml new.yaml --json > difference.json

    Exit codes: 0 nothing got worse, 1 something is lost, doubled, slower or newly exposed to a failure,
    2 wrong usage or input.
    """
    from angarium.cli.failures import ExitCode
    from angarium.cli.output import is_colourful, say, say_record, width
    from angarium.cli.watching import telling
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.budget import read_budget
    from angarium.mesh.verify.compare import WORSE, compare
    from angarium.report.mesh_difference import difference_record, render

    budget = read_budget(failures)
    before, after = load(old), load(new)
    with telling(quiet) as tell:
        found = compare(before, after, budget, tell)
    if as_json:
        say_record(difference_record(before, after, failures, found))
    else:
        say(render(old, new, found, width=width(), colourful=is_colourful(), everything=everything))
    return ExitCode.VIOLATED if any(each.kind in WORSE for each in found) else ExitCode.HOLDS
