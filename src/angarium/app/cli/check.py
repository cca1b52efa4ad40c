"""`angarium check`: search, and give every guarantee its verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.api import ENGINES, ON_THREADS, OnSpark, usable_cores
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

if TYPE_CHECKING:
    from angarium.checker.explore.engine import Limits
    from angarium.checker.ir.formula import Question
    from angarium.checker.ir.transition import TransitionSystem
    from angarium.checker.language.declarations import ModelDecl
    from angarium.core.control import Cut
    from angarium.core.result import Report

STORIES = ("table", "brief", "mermaid", "itf", "pytest", "none")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be checked, and how."""

    subject: str
    settings: dict[str, str]
    only: tuple[str, ...]
    engine: str
    threads: int
    symmetry: bool
    limits: Limits
    questions: tuple[Question, ...]
    spark: OnSpark


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
    from angarium.app.cli.questions import questions
    from angarium.checker.explore.engine import Limits
    from angarium.mesh.as_model.subject import with_mesh

    room = read_size(max_memory) if max_memory else None
    request = Request(
        with_mesh(subject, mesh),
        settings,
        only,
        engine,
        threads if threads and engine in ON_THREADS else usable_cores(engine),
        symmetry,
        Limits(max_states, room, timeout, begin=time.perf_counter() if timeout else None),
        questions(ltl, ctl, fairness),
        OnSpark(master, memory, checkpoint),
    )
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


def _run(request: Request, *, story: str, remedies: bool, as_json: bool, quiet: bool) -> int:
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import say_record
    from angarium.app.report.record import report_record
    from angarium.checker.frontend.build import build
    from angarium.core.control import cut_of
    from angarium.mesh.as_model.subject import find

    decl = find(request.subject)
    try:
        system = build(decl, request.settings, request.questions)
        report = _report(request, system, quiet)
    except KeyboardInterrupt as stopped:
        report, system = _unsearched(request, decl, cut_of(stopped)), None
    if remedies and report.coverage.cut is None:
        report = _with_remedies(request, report, decl, quiet)
    if as_json:
        say_record(report_record(report))
    else:
        _show(report, decl, system, story)
    return EXIT_CODE_OF[report.worst]


def _report(request: Request, system: TransitionSystem, quiet: bool) -> Report:
    from angarium.api import asked_for, engine_named
    from angarium.app.cli.watching import watching
    from angarium.checker.logic.check import check

    with watching(quiet) as observe:
        return check(
            system,
            engine=engine_named(request.engine, request.spark),
            subject=request.subject,
            limits=request.limits,
            threads=request.threads,
            symmetry=request.symmetry,
            only=asked_for(request.only, request.questions),
            observe=observe,
        )


def _unsearched(request: Request, decl: ModelDecl, cut: Cut) -> Report:
    from angarium.api import asked_for
    from angarium.checker.logic.check import unsearched

    return unsearched(
        decl,
        request.settings,
        request.questions,
        subject=request.subject,
        engine=request.engine,
        threads=request.threads,
        only=asked_for(request.only, request.questions),
        cut=cut,
    )


def _with_remedies(request: Request, report: Report, decl: ModelDecl, quiet: bool) -> Report:
    from angarium.api import engine_named
    from angarium.app.cli.watching import watching
    from angarium.checker.logic.remedies import SECONDS, Scenarios, with_remedies
    from angarium.core.control import cut_of

    # Variants are small or not worth a cluster: what takes longer than some seconds is given up.
    engine = engine_named("reference" if request.engine == "reference" else "local")
    with watching(quiet) as observe:
        scenarios = Scenarios(
            decl,
            request.settings,
            engine,
            request.threads,
            request.questions,
            observe,
            request.limits.max_bytes,
        )
        try:
            left = request.limits.left(time.perf_counter())
            return with_remedies(report, scenarios, min(SECONDS, left))
        except KeyboardInterrupt as problem:
            cut_of(problem)
            return report  # the verdicts are known, and nobody waits for more


def _show(report: Report, decl: ModelDecl, system: TransitionSystem | None, story: str) -> None:
    from angarium.app.cli.background import background
    from angarium.app.cli.output import is_colourful, say, width
    from angarium.app.cli.telling import teller
    from angarium.app.report.text import Background, render

    tell = None if story == "none" else teller(story, width())
    about = background(decl, system) if system else Background(decl.description)
    say(render(report, about, tell=tell, width=width(), colourful=is_colourful()))
    if report.subject == check_settings.SUBJECT:
        say(f"\n{check_settings.HINT}")
