"""`angarium check`: search, and give every guarantee its verdict.

Formulas that are asked on the command line.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from angarium.api import ENGINES, ON_THREADS, OnSpark, asked_for, usable_cores
from angarium.api.checker import Checked, CheckRequest, How, checked
from angarium.app.cli import check_settings
from angarium.app.cli.options import (
    json_option,
    quiet_option,
    read_size,
    set_option,
    spark_options,
    subject_argument,
    threads_option,
    timeout_option,
)
from angarium.checker.ir import formula
from angarium.checker.ir.formula import Question
from angarium.core.errors import UsageError

STORIES = ("table", "brief", "mermaid", "itf", "pytest", "none")


@click.command()
@subject_argument
@set_option
@click.option(
    "--mesh",
    multiple=True,
    metavar="FILE",
    help="With overlay: a mesh file, or a broker's own configuration; several files may make one mesh.",
)
@click.option(
    "--config",
    multiple=True,
    metavar="FILE",
    help="Kafka's settings, as an operator has them (server.properties, producer.properties, ...):"
    " judge what they promise.",
)
@click.option(
    "--faults",
    multiple=True,
    metavar="NAME",
    help="With settings: only what happens under these faults (one-crash, lost-request, ...).",
)
@click.option(
    "--only",
    multiple=True,
    metavar="GUARANTEE",
    help="Judge only this guarantee (and stays-in-range); may be repeated.",
)
@click.option(
    "--ltl",
    multiple=True,
    metavar="FORMULA",
    help="Judge only this formula along every run: '[] (sent -> <> received)'; may be repeated.",
)
@click.option(
    "--ctl",
    multiple=True,
    metavar="FORMULA",
    help="Judge only this formula on the tree of runs: 'AG EF idle'; may be repeated.",
)
@click.option(
    "--fairness",
    metavar="DEMANDS",
    help="Which runs count for --ltl and --ctl: 'weak by process', 'strong by instance of release'.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="local is native code; gpu is the same on a graphics card; auto is local, and gpu where a search is"
    " large and a card is there; spark is for more states than one machine holds; reference is slow.",
)
@spark_options
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="With spark: keep the search here, and go on if it was stopped; every worker must see it.",
)
@threads_option
@click.option("--symmetry", is_flag=True, help="Merge states that differ only in which is which.")
@click.option("--max-states", type=click.IntRange(1), help="Stop after so many states.")
@click.option("--max-memory", metavar="SIZE", help="Stop at so much memory: 500M, 2G.")
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
@click.option("--mutate", is_flag=True, help="Break the model on purpose; see what notices.")
@json_option
@quiet_option
def command(
    subject: str,
    settings: dict[str, str],
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
    max_memory: str | None,
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
    from angarium.checker.explore.engine import Limits
    from angarium.mesh.as_model.subject import with_mesh

    room = read_size(max_memory) if max_memory else None
    limits = Limits(max_states, room, timeout, begin=time.perf_counter() if timeout else None)
    cores = threads if threads and engine in ON_THREADS else usable_cores(engine)
    how = How(engine, OnSpark(master, memory, checkpoint), cores, symmetry, limits)
    formulas = questions(ltl, ctl, fairness)
    request = CheckRequest(with_mesh(subject, mesh), settings, asked_for(only, formulas), formulas, how)
    asked = check_settings.Settings(config, faults)
    if check_settings.concerns(request, asked):
        check_settings.refuse_what_models_take(request, mutate=mutate, estimate=estimate)
        return check_settings.run(
            request, asked, story=story, remedies=remedies, as_json=as_json, quiet=quiet
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
    from angarium.app.cli.background import background
    from angarium.app.cli.output import is_colourful, say, width
    from angarium.app.cli.telling import teller
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
