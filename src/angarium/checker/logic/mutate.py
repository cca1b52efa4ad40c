"""Which guarantees notice which mutants.

Every mutant of a model is checked as the model is. A guarantee *notices* a mutant if it holds in the
original and is violated in the mutant, or claims nothing there any more. A mutant that nothing notices
*survived*: either it behaves alike, or no guarantee looks there. A mutant whose search was cut before
anything was noticed is `unknown`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from angarium.checker.explore.engine import Engine
from angarium.checker.frontend.build import build
from angarium.checker.frontend.mutants import Mutant, mutants
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import check
from angarium.core.control import INTERRUPTED, Cut, Limits, cut_of
from angarium.core.errors import InputError
from angarium.core.records import FLAT
from angarium.core.result import GuaranteeVerdict, Parameters, Report, Result, Verdict

GROWTH = 20
"""A mutant may have this many times the original's states before its search is cut."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What became of one mutant."""

    name: str
    description: str
    place: str
    noticed: tuple[str, ...]
    verdict: Literal["noticed", "survived", "unknown"]
    states: int


@dataclass(frozen=True, slots=True)
class MutationTable:
    """The guarantees that hold in the original, and how each mutant fared."""

    guarantees: tuple[str, ...]
    rows: tuple[MutantResult, ...]
    cut: Cut | None = field(default=None, metadata=FLAT)
    """Why not all mutants were checked."""

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        return tuple(row for row in self.rows if row.verdict == "survived")

    @property
    def idle(self) -> tuple[str, ...]:
        """Guarantees that noticed no mutant at all."""
        noticed = {name for row in self.rows for name in row.noticed}
        return tuple(name for name in self.guarantees if name not in noticed)


@dataclass(frozen=True, kw_only=True)
class MutationResult(Result[GuaranteeVerdict]):
    """A model that was broken on purpose: which guarantees notice. It has no verdicts of its own."""

    kind: str = "check"
    mutants: MutationTable


def check_mutants(
    decl: ModelDecl,
    settings: Parameters | None = None,
    *,
    engine: Engine,
    limits: Limits | None = None,
    threads: int = 1,
    observe: Callable[[int, Mutant], None] | None = None,
) -> MutationTable:
    """Check every mutant; `observe` is told each one's number before its search begins."""
    given, begun = limits or Limits(), time.perf_counter()
    original = check(build(decl, settings), engine=engine, subject=decl.name, limits=given, threads=threads)
    holding = tuple(v.guarantee for v in original.verdicts if v.verdict is Verdict.HOLDS)
    if (cut := original.coverage.cut) is not None:
        return MutationTable(holding, (), Cut(cut.by, f"the model itself was not searched: {cut}"))
    limits = limits or Limits(max_states=max(GROWTH * original.coverage.states, 10_000))
    rows: list[MutantResult] = []
    try:
        for number, mutant in enumerate(mutants(decl, settings), 1):
            late = limits.time_is_up(begun)
            if late:
                return MutationTable(holding, tuple(rows), late)
            if observe is not None:
                observe(number, mutant)
            report = _checked(mutant, engine, decl.name, limits, threads)
            if report is None:
                continue
            if report.coverage.cut == INTERRUPTED:
                raise KeyboardInterrupt
            rows.append(_result(mutant, report, holding))
    except KeyboardInterrupt as problem:
        return MutationTable(holding, tuple(rows), cut_of(problem))
    return MutationTable(holding, tuple(rows))


def _checked(mutant: Mutant, engine: Engine, subject: str, limits: Limits, threads: int) -> Report | None:
    """What is found in a mutant; None if it cannot even begin, or is too much."""
    try:
        return check(mutant.system, engine=engine, subject=subject, limits=limits, threads=threads)
    except InputError:
        return None


def _result(mutant: Mutant, report: Report, holding: tuple[str, ...]) -> MutantResult:
    broken = {v.guarantee for v in report.verdicts if v.verdict is Verdict.VIOLATED or v.vacuous}
    noticed = tuple(name for name in holding if name in broken)
    undecided = any(v.verdict is Verdict.UNKNOWN and v.guarantee in holding for v in report.verdicts)
    verdict: Literal["noticed", "survived", "unknown"] = "survived"
    if noticed or undecided:
        verdict = "noticed" if noticed else "unknown"
    place = f"{mutant.function}, line {mutant.line}"
    return MutantResult(mutant.name, mutant.description, place, noticed, verdict, report.coverage.states)
