"""`angarium mesh diff`: what a change to a mesh changes for its subscribers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import failures_option, given_options
from angarium.app.cli.options import json_option, quiet_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@click.argument("old")
@click.argument("new")
@given_options
@failures_option
@click.option(
    "--all", "everything", is_flag=True, help="Tell every difference, not only the first of a kind."
)
@json_option
@quiet_option
def command(
    old: str, new: str, given: Given, failures: str, everything: bool, as_json: bool, quiet: bool
) -> int:
    """Say what a change gains, loses, doubles or slows.

    OLD and NEW are mesh files, or folders with the brokers' own configuration files. Clients are the same
    if they have the same name.

    \b
    Examples:
      angarium mesh diff old.yaml new.yaml
      angarium mesh diff main/config branch/config --failures none
      angarium mesh diff old.yaml new.yaml --json > difference.json

    Exit codes: 0 nothing got worse, 1 something is lost, doubled, slower or newly exposed to a failure,
    2 wrong usage or input, 3 unknown: the files leave something open that could make it otherwise.
    """
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.mesh.answering import say_answer
    from angarium.app.cli.output import is_colourful, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_difference import render
    from angarium.app.report.mesh_open import any_open
    from angarium.app.report.record import result_record
    from angarium.mesh.answers import difference_result
    from angarium.mesh.files.find import load_both
    from angarium.mesh.verify.budget import read_budget
    from angarium.mesh.verify.difference import compare

    budget = read_budget(failures)
    before, after = load_both(old, new, given)
    with telling(quiet) as tell:
        found = compare(before, after, budget, tell)
    result = difference_result(before, after, failures, found)
    if as_json:
        say_record(result_record(result))
    else:
        page = render(
            old,
            new,
            found,
            width=width(),
            colourful=is_colourful(),
            everything=everything,
            unsure=any_open([before, after]),
        )
        say_answer(page, before, after, everything=everything)
    return EXIT_CODE_OF[result.worst]
