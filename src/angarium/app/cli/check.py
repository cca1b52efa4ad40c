"""`angarium check`: search, and give every guarantee its verdict.

Formulas that are asked on the command line.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from angarium.api import ON_THREADS, OnSpark, asked_for, usable_cores
from angarium.api.checker import Checked, CheckRequest, How, checked
from angarium.app.cli import check_settings
from angarium.app.cli.options import (
    json_option,
    options_of,
    quiet_option,
    spark_options,
    subject_argument,
    threads_option,
    timeout_option,
)
from angarium.checker.ir import formula
from angarium.checker.ir.formula import Question
from angarium.core.errors import UsageError
from angarium.core.options import CHECK

STORIES = ("table", "brief", "mermaid", "itf", "pytest", "none")


@click.command()
@subject_argument
@options_of(CHECK, "set", "mesh", "config", "faults", "only", "ltl", "ctl", "fairness", "engine")
@spark_options
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="With spark: keep the search here, and go on if it was stopped; every worker must see it.",
)
@threads_option
@options_of(CHECK, "symmetry", "max-states", "max-memory")
@timeout_option
@click.option(
    "--story",
    type=click.Choice(STORIES),
    help="How to show how a guarantee breaks; a table by default, for settings in brief.",
)
@click.option(
    "--remedies/--no-remedies",
    default=True,
    show_default=True,
    help="Look for single parameters that would keep what is violated, for some seconds.",
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Only say how many states, how much memory and time it will take; in 15 s, or --timeout.",
)
@options_of(CHECK, "mutate")
@json_option
@quiet_option
def command(
    subject: str,
    parameters: dict[str, str],
    mesh: tuple[str, ...],
    config: tuple[str, ...],
    faults: tuple[str, ...],
    only: tuple[str, ...],
    ltl: tuple[str, ...],
    ctl: tuple[str, ...],
    fairness: str | None,
    engine: str,
    master: str,
    memory: str | None,
    checkpoint: Path | None,
    threads: int | None,
    symmetry: bool,
    max_states: int | None,
    max_bytes: int | None,
    timeout: float | None,
    story: str | None,
    remedies: bool,
    estimate: bool,
    mutate: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Explore every run of SUBJECT and judge its guarantees.

    SUBJECT is a bundled system (see `angarium systems`), or a Python file with a model, or
    FILE:CLASS if the file has several.

    A guarantee holds if no run can break it. If one can, you see the shortest. If the search had to
    stop early, by a limit or by Ctrl-C, what it has not decided is unknown.

    \b
    Examples:
      angarium check rabbitmq-sac --set queues=4 --set apps=3
      angarium check my_queue.py --only no-loss --story mermaid
      angarium check rabbitmq-sac --set apps=4 --only type-ok --symmetry
      angarium check my_queue.py --json > verdicts.json
      angarium check my_queue.py --mutate
      angarium check rabbitmq-sac --set queues=5 --estimate
      angarium check rabbitmq-sac --ltl '<> balanced' --fairness 'weak by all'
      angarium check kafka --config server.properties --config producer.properties
      angarium check kafka --set acks=1 --faults one-crash --only no-loss
      angarium check overlay --mesh mesh.yaml --set link_failures=1

    Exit codes: 0 all hold, 1 something is violated, 2 wrong usage or input, 3 unknown.
    """
    from angarium.core.control import Limits
    from angarium.mesh.as_model.subject import with_mesh

    limits = Limits(max_states, max_bytes, timeout, begin=time.perf_counter() if timeout else None)
    cores = threads if threads and engine in ON_THREADS else usable_cores(engine)
    how = How(engine, OnSpark(master, memory, checkpoint), cores, symmetry, limits)
    formulas = questions(ltl, ctl, fairness)
    request = CheckRequest(with_mesh(subject, mesh), parameters, asked_for(only, formulas), formulas, how)
    operators = check_settings.Settings(config, faults)
    if check_settings.concerns(request, operators):
        check_settings.refuse_what_models_take(request, mutate=mutate, estimate=estimate)
        return check_settings.run(
            request, operators, story=story, remedies=remedies, as_json=as_json, quiet=quiet
        )
    if estimate:
        from angarium.app.cli import estimate as estimating

        return estimating.run(request, mutate=mutate, as_json=as_json, quiet=quiet)
    if mutate:
        from angarium.app.cli import mutate as mutating

        return mutating.run(request, as_json=as_json, quiet=quiet)
    return _run(request, story=story or STORIES[0], remedies=remedies, as_json=as_json, quiet=quiet)


def _run(request: CheckRequest, *, story: str, remedies: bool, as_json: bool, quiet: bool) -> int:
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import say_record
    from angarium.app.cli.watching import watching
    from angarium.app.report.record import result_record

    found = checked(request, remedies=remedies, watch=partial(watching, quiet))
    if as_json:
        say_record(result_record(found.report))
    else:
        _show(found, story)
    return EXIT_CODE_OF[found.report.worst]


def _show(found: Checked, story: str) -> None:
    from angarium.app.cli.output import is_colourful, say, width
    from angarium.app.cli.telling import background, teller
    from angarium.app.report.text import Background, render

    tell = None if story == "none" else teller(story, width())
    about = background(found.decl, found.system) if found.system else Background(found.decl.description)
    say(render(found.report, about, tell=tell, width=width(), colourful=is_colourful()))
    if found.report.subject == check_settings.SUBJECT:
        say(f"\n{check_settings.HINT}")


# --- questions ------------------------------------------------------------------------------------


def questions(ltl: tuple[str, ...], ctl: tuple[str, ...], fairness: str | None) -> tuple[Question, ...]:
    """The questions of `--ltl` and `--ctl`, with their fairness."""
    found = formula.questions(ltl, ctl, fairness or "none")
    if fairness is not None and not found:
        what = "--fairness says which runs count for --ltl and --ctl, and there is neither"
        raise UsageError("ANG013", what, remedy="a model's own guarantees say it themselves")
    return found
