"""Carrying out `angarium simulate`: one simulation, with alternatives, or a sweep; and the files of it.

Files are pictures, and the figures of every walk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.api import walks_here
from angarium.app.cli import files
from angarium.app.cli.failures import ExitCode
from angarium.app.cli.output import is_colourful, note, say, say_record, width
from angarium.app.cli.watching import telling
from angarium.checker.frontend.build import build
from angarium.checker.walks import questions
from angarium.checker.walks.results import Alternative, Simulation
from angarium.checker.walks.statistics import Comparison, differences
from angarium.checker.walks.sweep import Axis, Sweep, SweepRequest, points
from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from angarium.mesh.as_model.subject import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from angarium.app.report.simulation_text import Page
    from angarium.checker.ir.transition import TransitionSystem
    from angarium.checker.language.declarations import ModelDecl
    from angarium.checker.walks.plan import Plan
    from angarium.checker.walks.results import Sample, Statistic
    from angarium.checker.walks.statistics import Comparison
    from angarium.checker.walks.sweep import Sweep
    from angarium.spark.place import Place


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be simulated, and how."""

    subject: str
    parameters: dict[str, str]
    plan: Plan
    changes: tuple[dict[str, str], ...]
    """Of each alternative, the parameters that it changes."""
    axes: tuple[Axis, ...]
    observe: str | None
    engine: str
    master: str
    memory: str | None
    threads: int
    timeout: float | None
    plot: Path | None
    raw: Path | None
    story: str
    as_json: bool
    quiet: bool


def run(request: Request) -> int:
    """Simulate, show, and say how it went."""

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
    from angarium.app.cli.telling import background
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
    from angarium.app.cli.telling import background
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


# --- files ----------------------------------------------------------------------------------------


def refuse(request: Request) -> None:
    """Say what does not fit together before anything takes time."""
    if request.raw and (request.axes or request.changes):
        other = "--sweep" if request.axes else "--compare"
        raise _together(
            "--raw", other, "the figures of one scenario", f"leave out {other}, and set one scenario"
        )
    if request.axes and request.changes:
        raise _together(
            "--compare", "--sweep", "one of them", "sweep over it: --sweep rule=always,poorer for --compare"
        )
    if request.plot and len(request.axes) > 2:
        what = f"{len(request.axes)} parameters of --sweep"
        raise _together("--plot", what, "one or two parameters in a picture", "leave out --plot")
    files.check(request.plot, request.raw)


def _together(option: str, other: str, possible: str, remedy: str) -> UsageError:
    what = f"{option} cannot be given with {other}"
    return UsageError("ANG013", what, possible=f"possible: {possible}", remedy=remedy)


def write_raw(path: Path | None, sample: Sample) -> None:
    """The figures of every walk."""
    if path:
        from angarium.checker.walks.row_files import write

        write(path, sample)


def write_histogram(path: Path | None, answer: Comparison, shown: str) -> None:
    """A picture of how often each figure was seen."""
    if not path:
        return
    from angarium.app.report.plot import histogram
    from angarium.app.report.plot.histogram import caption_of

    found = [_named(each.statistics, shown) for each in answer.all]
    series = [(label, each) for label, each in zip(answer.labels, found, strict=True) if each]
    if not series:
        _say_nothing_is_drawn(path, shown)
        return
    one = answer.simulation
    changed = {name for each in answer.alternatives for name in each.changes}
    shared = {name: value for name, value in one.parameters.items() if name not in changed}
    caption = caption_of(one.subject, series[0][1], shared, one.plan, len(answer.all))
    files.write(path, histogram.draw(series, caption))


def write_map(path: Path | None, answer: Sweep, shown: str) -> None:
    """A picture of how an observation changes with one or two parameters."""
    if not path:
        return
    from angarium.app.report.plot import band, heat_map
    from angarium.app.report.plot.histogram import caption_of

    asked = answer.asked
    found = {values: _named(each.statistics, shown) for values, each in answer.simulations.items()}
    some = next((each for each in found.values() if each), None)
    if some is None:
        _say_nothing_is_drawn(path, shown)
        return
    caption = caption_of(asked.subject, some, answer.parameters, asked.plan)
    if len(asked.axes) == 1:
        rows = [(value, found.get((value,))) for value in asked.axes[0].values]
        files.write(path, band.draw(asked.axes[0].name, rows, caption))
        return
    down, across = (heat_map.Axis(axis.name, axis.values) for axis in asked.axes)
    means = [[_mean(found.get((row, column))) for column in across.values] for row in down.values]
    of_means = replace(caption, subtitle=f"{caption.subtitle} The mean of each scenario.".strip())
    files.write(path, heat_map.draw(down, across, means, of_means))


def refuse_nothing(request: Request, shown: str) -> None:
    """A picture needs an observation."""
    if request.plot and not shown:
        raise UsageError(
            "ANG013",
            f"{request.subject} names no observations, so there is nothing to draw in {request.plot.name}",
            possible="possible: a picture of what the model observes",
            remedy="name an observation in the model with @observation, or leave out --plot",
        )


def _say_nothing_is_drawn(path: Path, shown: str) -> None:
    note(f"{path} is not written: no walk gave a figure of {shown}")


def _named(statistics: Sequence[Statistic], shown: str) -> Statistic | None:
    return next((each for each in statistics if each.observation == shown), None)


def _mean(each: Statistic | None) -> float | None:
    return each.mean if each and each.count else None
