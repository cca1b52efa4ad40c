"""`angarium refine`: does a system do only what another one allows?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import (
    json_option,
    quiet_option,
    read_settings,
    read_size,
    set_option,
    timeout_option,
)

if TYPE_CHECKING:
    from angarium.checker.language.declarations import ModelDecl
    from angarium.checker.logic.refinement import Comparison, Semantics

SEMANTICS = ("traces", "failures")
STORIES = ("table", "mermaid", "itf", "pytest", "none")


@click.command()
@click.argument("implementation")
@click.argument("specification")
@click.option(
    "--semantics",
    type=click.Choice(SEMANTICS),
    default=SEMANTICS[0],
    show_default=True,
    help="traces: what may happen; failures: and what must be offered.",
)
@click.option(
    "--visible",
    multiple=True,
    metavar="NAME",
    help="An action or channel to compare; may be repeated. Else what the models say, or all.",
)
@set_option
@click.option(
    "--spec-set",
    "spec_settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _ctx, _parameter, words: read_settings(words),
    help="The same for the specification.",
)
@click.option("--max-states", type=click.IntRange(1), help="Stop each search after so many states.")
@click.option("--max-memory", metavar="SIZE", help="Stop each search at so much memory: 500M, 2G.")
@partial(timeout_option, what="Stop each search after so many seconds.", times=2)
@click.option(
    "--story",
    type=click.Choice(STORIES),
    default=STORIES[0],
    show_default=True,
    help="How to show what is not allowed.",
)
@json_option
@quiet_option
def command(
    implementation: str,
    specification: str,
    semantics: Semantics,
    visible: tuple[str, ...],
    parameters: dict[str, str],
    spec_settings: dict[str, str],
    max_states: int | None,
    max_memory: str | None,
    timeout: float | None,
    story: str,
    as_json: bool,
    quiet: bool,
) -> int:
    """Does IMPLEMENTATION do only what SPECIFICATION allows?

    Both are systems, as for `angarium check`. They are compared by what can be seen of them: actions
    with their arguments, and channels with what they carry. Steps that are not visible are internal.

    Traces: everything visible that the implementation does, the specification can do too. Failures:
    and whenever it waits, it offers what the specification must offer then.

    \b
    Examples:
      angarium refine my_queue.py ideal_queue.py
      angarium refine my_queue.py ideal_queue.py --semantics failures
      angarium refine my_queue.py ideal_queue.py --visible send --visible receive
      angarium refine queues.py:Lossy queues.py:Ideal --set size=3

    Exit codes: 0 it holds, 1 it is violated, 2 wrong usage or input, 3 unknown.
    """
    from angarium.api import refine
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import say_record
    from angarium.app.cli.watching import watching
    from angarium.app.report.record import result_record

    with watching(quiet) as observe:
        comparison = refine(
            implementation,
            specification,
            semantics=semantics,
            parameters=parameters,
            specification_parameters=spec_settings,
            visible=visible or None,
            max_states=max_states,
            max_bytes=read_size(max_memory) if max_memory else None,
            timeout=timeout,
            observe=observe,
        )
    if as_json:
        say_record(result_record(comparison))
    else:
        _show(comparison, {"implementation": implementation, "specification": specification}, story)
    return EXIT_CODE_OF[comparison.verdict.verdict]


def _show(comparison: Comparison, subjects: dict[str, str], story: str) -> None:
    from angarium.app.cli.output import is_colourful, say, width
    from angarium.app.cli.telling import teller
    from angarium.app.report.refinement import render
    from angarium.mesh.as_model.subject import find

    tell = None if story == "none" else teller(story, width())
    about = {role: _first_sentences(find(subject)) for role, subject in subjects.items()}
    say(render(comparison, about, tell=tell, width=width(), colourful=is_colourful()))


def _first_sentences(decl: ModelDecl) -> str:
    """What a model says of itself, up to its first blank line."""
    return " ".join(decl.description.split("\n\n")[0].split())
