"""Angarium from Python: what the command line does, as functions that return data.

    import angarium

    report = angarium.check("rabbitmq-sac", parameters={"queues": 2})
    assert report.worst is angarium.Verdict.HOLDS

Everything that is slow to import (the compiler, LLVM) is imported when it is used.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.errors import AddressError, UsageError, did_you_mean
from angarium.model.language import Model
from angarium.verdict import Report, Story

if TYPE_CHECKING:
    from angarium.explore.engine import Engine, Observer
    from angarium.logic.comparison import Comparison
    from angarium.logic.refinement import Semantics
    from angarium.model.formula import Question

__all__ = ["ENGINES", "check", "engine_named", "refine", "replay", "usable_cores"]

ENGINES = ("local", "reference")
"""Native code on all cores, and the slow, obvious interpreter that it is compared with."""


def check(
    subject: str | type[Model],
    *,
    parameters: Mapping[str, int | bool | str] | None = None,
    only: Collection[str] | None = None,
    ltl: str | Sequence[str] = (),
    ctl: str | Sequence[str] = (),
    fairness: str = "none",
    engine: str = "local",
    threads: int | None = None,
    symmetry: bool = False,
    max_states: int | None = None,
    max_bytes: int | None = None,
    timeout: float | None = None,
    observe: Observer | None = None,
) -> Report:
    """Explore a system (its name, its file, or its class) and judge its guarantees.

    `threads` is the number of usable cores unless it is given. `observe` is called with the
    search's progress while it runs. `ltl` and `ctl` are formulas to judge, of runs that are as fair
    as `fairness` says; if there are any, the model's own guarantees are judged only if `only` names them.
    """
    from angarium.explore.engine import Limits
    from angarium.logic import check as checking
    from angarium.model import formula
    from angarium.systems.registry import load

    name = subject if isinstance(subject, str) else _subject_of(subject)
    settings = {key: _as_setting(value) for key, value in (parameters or {}).items()}
    questions = formula.questions(_texts(ltl), _texts(ctl), fairness)
    return checking.check(
        load(name, settings, questions),
        engine=engine_named(engine),
        subject=name,
        limits=Limits(max_states, max_bytes, timeout),
        threads=threads or usable_cores(engine),
        symmetry=symmetry,
        only=asked_for(only, questions),
        observe=observe,
    )


def _texts(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def asked_for(only: Collection[str] | None, questions: Sequence[Question]) -> Collection[str] | None:
    """Which guarantees to judge: with questions, these and what is named beside them."""
    from angarium.model.formula import question_names

    if not questions:
        return only or None
    return [*(only or ()), *question_names(questions)]


def refine(
    implementation: str | type[Model],
    specification: str | type[Model],
    *,
    semantics: Semantics = "traces",
    parameters: Mapping[str, int | bool | str] | None = None,
    specification_parameters: Mapping[str, int | bool | str] | None = None,
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
    from angarium.explore.engine import Limits
    from angarium.logic.comparison import Side, compare
    from angarium.systems.registry import load

    asked = ((implementation, parameters or {}), (specification, specification_parameters or {}))
    names = [subject if isinstance(subject, str) else _subject_of(subject) for subject, _ in asked]
    settings = [{key: _as_setting(value) for key, value in given.items()} for _, given in asked]
    first, second = (Side(name, load(name, given)) for name, given in zip(names, settings, strict=True))
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


def replay(address: str) -> Story:
    """The story at an address, with what its run breaks."""
    from angarium.explore.addresses import parse_address
    from angarium.logic.replay import replay as follow
    from angarium.systems.registry import load

    parts = parse_address(address)
    system = load(parts.subject, parts.parameters)
    if system.hash != parts.model_hash:
        raise AddressError(
            "ANG031",
            f"the address is of another version of {parts.subject}",
            possible=f"the address says {parts.model_hash}, the model is now {system.hash}",
            remedy="check the model again to get the address of its present story",
        )
    return follow(system, parts.path, parts.cycle, subject=parts.subject)


def engine_named(name: str) -> Engine:
    """The engine with this name."""
    if name == "local":
        from angarium.explore.native import NativeEngine

        return NativeEngine()
    if name == "reference":
        from angarium.explore.reference import ReferenceEngine

        return ReferenceEngine()
    possible = did_you_mean(name, ENGINES)
    raise UsageError("ANG013", f"there is no engine named {name!r}", possible=possible)


def usable_cores(engine: str = "local") -> int:
    """How many threads an engine can keep busy here; the reference engine has but one."""
    return len(os.sched_getaffinity(0)) if engine == "local" else 1


def _subject_of(model: type[Model]) -> str:
    """A class as the command line would name it, so that the addresses of its stories can be replayed."""
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


def _as_setting(value: int | bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
