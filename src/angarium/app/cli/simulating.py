"""Carrying out `angarium simulate`: one simulation, with alternatives, or a sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from angarium.api import walks_here
from angarium.app.cli.failures import ExitCode
from angarium.app.cli.output import is_colourful, say, say_record, width
from angarium.app.cli.watching import telling
from angarium.checker.frontend.build import build
from angarium.checker.walks import questions
from angarium.checker.walks.results import Alternative, Simulation
from angarium.checker.walks.statistics import Comparison, differences
from angarium.checker.walks.sweep import Sweep, SweepRequest, points
from angarium.core.result import Verdict
from angarium.mesh.as_model.subject import find

if TYPE_CHECKING:
    from angarium.app.cli.simulate import Request
    from angarium.app.report.simulation_text import Page
    from angarium.checker.ir.transition import TransitionSystem
    from angarium.checker.language.declarations import ModelDecl
    from angarium.checker.walks.plan import Plan
    from angarium.checker.walks.results import Sample
    from angarium.spark.place import Place


def run(request: Request) -> int:
    """Simulate, show, and say how it went."""
    from angarium.app.cli.simulation_files import refuse

    refuse(request)
    decl = find(request.subject)
    return _sweep(request, decl) if request.axes else _compare(request, decl)


def _exit_code(worst: Verdict, cut: bool) -> int:
    """Walks prove nothing, so that all stays unknown is no failure; that some were not made is one."""
    if worst is Verdict.VIOLATED:
        return ExitCode.VIOLATED
    return ExitCode.UNKNOWN if cut else ExitCode.HOLDS


# --- one simulation, and alternatives to it -------------------------------------------------------


def _compare(request: Request, decl: ModelDecl) -> int:
    from angarium.app.cli.simulation_files import refuse_nothing, write_histogram, write_raw

    systems = [build(decl, {**request.parameters, **each}) for each in ({}, *request.changes)]
    for system in systems:
        questions.check(system, request.plan)
    shown = questions.observation_named(systems[0], request.observe)
    refuse_nothing(request, shown)
    answer, sample = _walked(request, systems)
    write_raw(request.raw, sample)
    write_histogram(request.plot, answer, shown)
    _show_comparison(request, decl, systems[0], answer, shown)
    violated = any(each.worst is Verdict.VIOLATED for each in answer.all)
    cut = any(each.cut for each in answer.all) or len(answer.all) < len(systems)
    return _exit_code(Verdict.VIOLATED if violated else Verdict.UNKNOWN, cut)


def _walked(request: Request, systems: list[TransitionSystem]) -> tuple[Comparison, Sample]:
    """Walks of every system, one after the other, until all are made or something is cut.

    With the same seed, walks of different systems begin alike, and their figures would not be independent of
    each other, which is what the interval of their difference assumes. So each system has a seed of its own.
    """
    begin, plan = time.monotonic(), request.plan
    first, sample = _simulate(request, systems[0], plan, request.timeout)
    alternatives: list[Alternative] = []
    for number, (changes, system) in enumerate(zip(request.changes, systems[1:], strict=True), 1):
        left = None if request.timeout is None else request.timeout - (time.monotonic() - begin)
        if first.cut or (left is not None and left <= 0):
            break
        other, _ = _simulate(request, system, replace(plan, seed=plan.seed + number), left)
        changed = {name: dict(system.parameters)[name] for name in changes}
        differing = tuple(differences(first, other))
        alternatives.append(Alternative(changes=changed, simulation=other, differences=differing))
    return Comparison(first, tuple(alternatives)), sample


def _simulate(
    request: Request, system: TransitionSystem, plan: Plan, timeout: float | None
) -> tuple[Simulation, Sample]:
    with _walks_watched(request) as observe:
        if request.engine == "spark":
            from angarium.checker.walks import spark_walks

            return spark_walks.simulate(
                system,
                plan,
                _place(request),
                subject=request.subject,
                observe=observe,
                timeout=timeout,
            )
        return walks_here(
            system,
            plan,
            request.engine,
            subject=request.subject,
            threads=request.threads,
            observe=observe,
            timeout=timeout,
        )


def _show_comparison(
    request: Request, decl: ModelDecl, system: TransitionSystem, answer: Comparison, shown: str
) -> None:
    from angarium.app.cli.background import background
    from angarium.app.report.simulation_sweep import comparison_record
    from angarium.app.report.simulation_text import render

    if request.as_json:
        say_record(comparison_record(answer))
    else:
        about = background(decl, system)
        chosen = request.observe is not None
        say(render(answer, request.parameters, about, shown=shown, chosen=chosen, page=_page(request)))


# --- sweeps -----------------------------------------------------------------------------------


def _sweep(request: Request, decl: ModelDecl) -> int:
    from angarium.app.cli.simulation_files import refuse_nothing, write_map

    asked = SweepRequest(request.subject, request.parameters, request.axes, request.plan, request.timeout)
    systems = points(asked, decl)
    for system in systems.values():
        questions.check(system, request.plan)
    first = next(iter(systems.values()))
    shown = questions.observation_named(first, request.observe)
    refuse_nothing(request, shown)
    answer = _swept(request, asked, systems)
    write_map(request.plot, answer, shown)
    _show_sweep(request, decl, first, answer, shown)
    return _exit_code(answer.worst, answer.cut is not None)


def _swept(
    request: Request, asked: SweepRequest, systems: Mapping[tuple[str, ...], TransitionSystem]
) -> Sweep:
    with _scenarios_watched(request) as observe:
        if request.engine == "spark":
            from angarium.checker.walks import spark_walks

            return spark_walks.sweep(asked, systems, _place(request), observe=observe)
        from angarium.checker.walks.sweep import sweep

        one = partial(_one, request)
        return sweep(asked, systems, one, engine=request.engine, threads=request.threads, observe=observe)


def _one(request: Request, system: TransitionSystem, timeout: float | None) -> Simulation:
    found, _ = walks_here(
        system,
        request.plan,
        request.engine,
        subject=request.subject,
        threads=request.threads,
        timeout=timeout,
    )
    return found


def _show_sweep(
    request: Request, decl: ModelDecl, system: TransitionSystem, answer: Sweep, shown: str
) -> None:
    from angarium.app.cli.background import background
    from angarium.app.report.simulation_sweep import render, sweep_record

    if request.as_json:
        say_record(sweep_record(answer))
    else:
        say(render(answer, background(decl, system), shown=shown, page=_page(request)))


# --- how ----------------------------------------------------------------------------------------


def _place(request: Request) -> Place:
    from angarium.spark.place import Place

    return Place(request.master, request.memory)


def _page(request: Request) -> Page:
    from angarium.app.cli.telling import teller
    from angarium.app.report.simulation_text import Page

    tell = None if request.story == "none" else teller(request.story, width())
    return Page(width(), is_colourful(), tell)


@contextmanager
def _walks_watched(request: Request) -> Iterator[Callable[[int, int, float], None] | None]:
    from angarium.app.report.simulation_text import walking

    with telling(request.quiet) as offer:
        yield offer and (lambda *made: offer(walking(request.plan.runs, *made)))


@contextmanager
def _scenarios_watched(request: Request) -> Iterator[Callable[[int, int, float], None] | None]:
    from angarium.app.report.simulation_text import sweeping

    with telling(request.quiet) as offer:
        yield offer and (lambda *made: offer(sweeping(*made)))
