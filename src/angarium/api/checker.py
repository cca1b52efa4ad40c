"""The model checker from Python: `check`, `refine` and `simulate`.

Everything that is slow to import (the compiler, LLVM) is imported when it is used.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from angarium.api.notebooks import show_simulations
from angarium.api.spark import OnSpark
from angarium.checker.language.vocabulary import Model
from angarium.core.errors import AddressError, UsageError, did_you_mean
from angarium.core.options import ENGINES as ENGINES
from angarium.core.result import Parameters, Replay, Report

if TYPE_CHECKING:
    from angarium.checker.explore.engine import Engine, Observer
    from angarium.checker.ir.formula import Question
    from angarium.checker.ir.transition import TransitionSystem
    from angarium.checker.language.declarations import ModelDecl
    from angarium.checker.logic.refinement import Comparison, Semantics
    from angarium.checker.walks.native_walks import Observer as WalkObserver
    from angarium.checker.walks.plan import Plan
    from angarium.checker.walks.results import Sample, Simulation
    from angarium.core.control import Cut, Limits

ON_THREADS = ("auto", "local")
"""Those of them that take threads."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A report, with the model that it is of, for who shows more of it."""

    report: Report
    decl: ModelDecl
    system: TransitionSystem | None
    """None if all was cut while the model was still being read or compiled."""


def check(
    subject: str | type[Model],
    *,
    parameters: Parameters | None = None,
    only: Collection[str] | None = None,
    ltl: str | Sequence[str] = (),
    ctl: str | Sequence[str] = (),
    fairness: str = "none",
    engine: str = "auto",
    spark: OnSpark | None = None,
    threads: int | None = None,
    symmetry: bool = False,
    max_states: int | None = None,
    max_bytes: int | None = None,
    timeout: float | None = None,
    remedies: bool = False,
    observe: Observer | None = None,
) -> Report:
    """Explore a system (its name, its file, or its class) and judge its guarantees.

    `threads` is the number of usable cores unless it is given. `observe` is called with the
    search's progress while it runs. `ltl` and `ctl` are formulas to judge, of runs that are as fair
    as `fairness` says; if there are any, the model's own guarantees are judged only if `only` names them.
    With `remedies`, single parameters that would keep what is violated are looked for, for some seconds.
    """
    from angarium.checker.ir import formula
    from angarium.core.control import Limits

    begin = time.perf_counter() if timeout else None
    questions = formula.questions(_texts(ltl), _texts(ctl), fairness)
    limits = Limits(max_states, max_bytes, timeout, begin)
    how = How(engine, spark or OnSpark(), threads or usable_cores(engine), symmetry, limits)
    asked = CheckRequest(_named(subject), parameters or {}, asked_for(only, questions), questions, how)
    return checked(asked, remedies=remedies, watch=lambda: nullcontext(observe)).report


Watching: TypeAlias = Callable[[], "AbstractContextManager[Observer | None]"]
"""Begins to watch a search, until it ends."""


@dataclass(frozen=True, slots=True)
class How:
    """By what a model is searched, and how far."""

    engine: str
    spark: OnSpark
    threads: int
    symmetry: bool
    limits: Limits


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is to be checked, and how."""

    subject: str
    parameters: Parameters
    only: Collection[str] | None
    questions: Sequence[Question]
    how: How


def checked(asked: CheckRequest, *, remedies: bool = False, watch: Watching = nullcontext) -> Checked:
    """Check a model; what is cut before the search begins has a report as well."""
    from angarium.checker.frontend.build import build
    from angarium.checker.logic import check as checking
    from angarium.core.control import cut_of
    from angarium.mesh.as_model.subject import find

    decl, how = find(asked.subject), asked.how
    try:
        system = build(decl, asked.parameters, asked.questions)
        with watch() as observe:
            report = checking.check(
                system,
                engine=engine_named(how.engine, how.spark),
                subject=asked.subject,
                limits=how.limits,
                threads=how.threads,
                symmetry=how.symmetry,
                only=asked.only,
                observe=observe,
            )
    except KeyboardInterrupt as stopped:
        return Checked(_unsearched(asked, decl, cut_of(stopped)), decl, None)
    if remedies and report.coverage.cut is None:
        with watch() as observe:
            report = _with_remedies(asked, report, decl, observe)
    return Checked(report, decl, system)


def _unsearched(asked: CheckRequest, decl: ModelDecl, cut: Cut) -> Report:
    from angarium.checker.logic.check import unsearched

    return unsearched(
        decl,
        asked.parameters,
        asked.questions,
        subject=asked.subject,
        engine=asked.how.engine,
        threads=asked.how.threads,
        only=asked.only,
        cut=cut,
    )


def _with_remedies(asked: CheckRequest, report: Report, decl: ModelDecl, observe: Observer | None) -> Report:
    """Variants are small or not worth a cluster: what takes longer than some seconds is given up."""
    from angarium.checker.logic.remedies import SECONDS, Scenarios, with_remedies
    from angarium.core.control import cut_of

    how = asked.how
    engine = engine_named("reference" if how.engine == "reference" else "local")
    most = how.limits.max_bytes
    scenarios = Scenarios(decl, asked.parameters, engine, how.threads, asked.questions, observe, most)
    try:
        return with_remedies(report, scenarios, min(SECONDS, how.limits.left(time.perf_counter())))
    except KeyboardInterrupt as problem:
        cut_of(problem)
        return report  # the verdicts are known, and nobody waits for more


def _texts(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def asked_for(only: Collection[str] | None, questions: Sequence[Question]) -> Collection[str] | None:
    """Which guarantees to judge: with questions, these and what is named beside them."""
    from angarium.checker.ir.formula import question_names

    if not questions:
        return only or None
    return [*(only or ()), *question_names(questions)]


def refine(
    implementation: str | type[Model],
    specification: str | type[Model],
    *,
    semantics: Semantics = "traces",
    parameters: Parameters | None = None,
    specification_parameters: Parameters | None = None,
    visible: Sequence[str] | None = None,
    engine: str = "local",
    threads: int | None = None,
    max_states: int | None = None,
    max_bytes: int | None = None,
    timeout: float | None = None,
    observe: Observer | None = None,
) -> Comparison:
    """Explore two systems and judge whether the first does only what the second allows.

    They are compared by the events of the actions and channels that are `visible`: what the models say,
    unless it is given. `semantics` is "traces" or "failures". The limits are those of each search.
    """
    from angarium.checker.logic.refinement import Side, compare
    from angarium.core.control import Limits
    from angarium.mesh.as_model.subject import load

    asked = ((implementation, parameters), (specification, specification_parameters))
    first, second = (Side(_named(subject), load(_named(subject), given)) for subject, given in asked)
    return compare(
        first,
        second,
        semantics,
        engine=engine_named(engine),
        visible=None if visible is None else tuple(visible),
        limits=Limits(max_states, max_bytes, timeout),
        threads=threads or usable_cores(engine),
        observe=observe,
    )


def simulate(
    subject: str | type[Model],
    *,
    parameters: Parameters | None = None,
    runs: int = 10_000,
    steps: int = 10_000,
    seed: int = 1,
    schedule: str = "by-action",
    engine: str = "local",
    threads: int | None = None,
    timeout: float | None = None,
    observe: WalkObserver | None = None,
) -> Simulation:
    """Make random walks through a system and gather statistics of what its model observes.

    The same seed gives the same walks on any number of threads, and with `engine="gpu"` on a graphics card.
    A walk ends at the model's goal, where nothing more can happen, or after so many `steps`. The `schedule`
    says how each step is chosen: "by-action", "uniform" or "rates". A verdict is `violated` if a walk met a
    violation, and else `unknown`: walks prove nothing. `observe` is called with how many walks and steps
    have been made, and in how many seconds.
    """
    from angarium.checker.walks import questions
    from angarium.checker.walks.plan import Plan
    from angarium.mesh.as_model.subject import load

    show_simulations()
    name = _named(subject)
    system = load(name, parameters)
    plan = Plan(runs, steps, seed, schedule)
    questions.check(system, plan)
    found, _ = walks_here(
        system,
        plan,
        engine,
        subject=name,
        threads=threads or usable_cores(),
        observe=observe,
        timeout=timeout,
    )
    return found


def walks_here(
    system: TransitionSystem,
    plan: Plan,
    engine: str,
    *,
    subject: str,
    threads: int,
    observe: WalkObserver | None = None,
    timeout: float | None = None,
) -> tuple[Simulation, Sample]:
    """All walks of a plan, made on this machine's processor or on its card, and their figures."""
    if engine == "gpu":
        from angarium.checker.walks.gpu import card_walks

        return card_walks.simulate(system, plan, subject=subject, observe=observe, timeout=timeout)
    if engine != "local":
        possible = did_you_mean(engine, ("local", "gpu"))
        raise UsageError("ANG013", f"there is no engine named {engine!r} for walks", possible=possible)
    from angarium.checker.walks import native_walks

    return native_walks.simulate(
        system, plan, subject=subject, threads=threads, observe=observe, timeout=timeout
    )


def replayed(address: str) -> Replay:
    """The run of a model at an address, with what it breaks."""
    from angarium.checker.explore.addresses import parse_address
    from angarium.checker.logic.replay import replay as follow
    from angarium.mesh.as_model.subject import load

    parts = parse_address(address)
    system = load(parts.subject, parts.parameters)
    if system.hash != parts.model_hash:
        raise AddressError(
            "ANG031",
            f"the address is of another version of {parts.subject}",
            possible=f"the address says {parts.model_hash}, the model is now {system.hash}",
            remedy="check the model again to get the address of its present story",
        )
    story = follow(system, parts.path, parts.cycle, subject=parts.subject)
    parameters = dict(system.parameters)
    return Replay(subject=parts.subject, parameters=parameters, model_hash=system.hash, story=story)


def engine_named(name: str, spark: OnSpark | None = None) -> Engine:
    """The engine with this name."""
    if spark is not None and spark != OnSpark() and name != "spark":
        raise UsageError(
            "ANG013",
            f"the engine {name} is not on Spark",
            possible="--master, --memory and --checkpoint are for --engine spark",
            remedy="add --engine spark, or leave them out",
        )
    if name == "spark":
        return _on_spark(spark or OnSpark())
    if name == "auto":
        from angarium.checker.explore.auto import AutoEngine

        return AutoEngine()
    if name == "gpu":
        from angarium.checker.explore.gpu.engine import GpuEngine

        return GpuEngine()
    if name == "local":
        from angarium.checker.explore.native import NativeEngine

        return NativeEngine()
    if name == "reference":
        from angarium.checker.explore.reference import ReferenceEngine

        return ReferenceEngine()
    possible = did_you_mean(name, ENGINES)
    raise UsageError("ANG013", f"there is no engine named {name!r}", possible=possible)


def _on_spark(spark: OnSpark) -> Engine:
    from angarium.spark.machine import spark_home

    spark_home()  # or else an error that says how to install it, before anything needs it
    from angarium.checker.explore.spark.engine import SparkEngine

    return SparkEngine(spark.place, spark.checkpoint)


def usable_cores(engine: str = "local") -> int:
    """How many threads an engine can keep busy here; the reference engine has but one."""
    return len(os.sched_getaffinity(0)) if engine in ON_THREADS else 1


def _named(model: str | type[Model]) -> str:
    """A model as the command line would name it, so that the addresses of its stories can be replayed."""
    if isinstance(model, str):
        return model
    try:
        file = Path(inspect.getfile(model))
    except (OSError, TypeError):
        raise UsageError(
            "ANG010",
            f"{model.__name__} has no file",
            possible="a model is compiled from its source, not from its class",
            remedy="put it in a file",
        ) from None
    here = Path.cwd()
    path = file.relative_to(here) if file.is_relative_to(here) else file
    return f"{path}:{model.__name__}"
