"""The figures of many walks: evaluated at once, and as plain data that can be sent about and put together.

They come from the states in which walks ended and from what was counted on the way. Each figure is a step of
a system made for the purpose: its state is the one in which a walk ended, with the tallies beside it; the
step writes its own number and the value. Its kernel answers for all walks at once. A figure that cannot be
evaluated is a step that fails: there is none.

A tally of something that never happened has no value: to read it is to read a cell that does not exist,
which fails like any other such mistake, and only if the observation really asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.backend.layout import MAX_WORDS, Layout, Words
from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.ir.syntax import Binary, Call, Const, Expr, IfElse, Let, Local, Read, Write
from angarium.checker.ir.transition import Action, Cells, Helper, Tally, TransitionSystem, Variable
from angarium.checker.ir.types import Int
from angarium.checker.walks.questions import NEVER, Questions
from angarium.checker.walks.results import Sample
from angarium.core.control import Cut, CutBy


class Hit(NamedTuple):
    """Where a guarantee was hit; the least is the one to tell: fewest steps, then the first walk."""

    steps: int
    walk: int


@dataclass(frozen=True, slots=True)
class Walked:
    """Walks with consecutive numbers."""

    sample: Sample
    hits: Mapping[str, Hit] = field(default_factory=dict)
    """For each guarantee that was hit, the least hit."""
    cut: Cut | None = None
    """Why there are fewer walks than were asked for, if so. The walks that there are are those with the
    lowest numbers, all of them to their end: who kept whatever was finished would prefer short ones."""

    @property
    def end(self) -> int:
        """The number behind the last walk."""
        return self.sample.first + len(self.sample.ends)


def together(parts: Sequence[Walked]) -> Walked:
    """Parts in any order as one, up to the first walk that is missing."""
    return reduce(_joined, sorted(parts, key=lambda part: part.sample.first))


def _joined(before: Walked, after: Walked) -> Walked:
    hits = _least(before.hits, after.hits)
    if before.cut or after.sample.first != before.end:
        missing = Cut(CutBy.MISSING, "some walks are missing")
        return replace(before, hits=hits, cut=before.cut or after.cut or missing)
    return Walked(_appended(before.sample, after.sample), hits, after.cut)


def _least(some: Mapping[str, Hit], others: Mapping[str, Hit]) -> dict[str, Hit]:
    names = dict.fromkeys((*some, *others))
    return {name: min(each[name] for each in (some, others) if name in each) for name in names}


def _appended(before: Sample, after: Sample) -> Sample:
    return Sample(
        first=before.first,
        ends=np.concatenate([before.ends, after.ends]),
        steps=np.concatenate([before.steps, after.steps]),
        columns=before.columns,
        values=np.concatenate([before.values, after.values]),
        known=np.concatenate([before.known, after.known]),
    )


COLUMN, VALUE = "(column)", "(value)"
"""No model can use these names."""
LOWEST, HIGHEST = -(2**62), 2**62 - 1
AT_ONCE = 4096
"""Walks whose figures stand in memory at once."""
Columns = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Observing:
    """Evaluates all observations of a system's walks."""

    questions: Questions

    @property
    def columns(self) -> Columns:
        return tuple(
            (each.name, arguments)
            for each in self.questions.walks.observations
            for arguments, _ in each.instances
        )

    @cached_property
    def expressions(self) -> tuple[Expr, ...]:
        """What is observed, column by column."""
        waits = {each.name for each in self.questions.walks.tallies if each.kind != "times"}
        observations = self.questions.walks.observations
        return tuple(_careful(expr, waits) for each in observations for _, expr in each.instances)

    @cached_property
    def helpers(self) -> tuple[Helper, ...]:
        waits = {each.name for each in self.questions.walks.tallies if each.kind != "times"}
        return tuple(replace(each, body=_careful(each.body, waits)) for each in self.questions.system.helpers)

    @cached_property
    def system(self) -> TransitionSystem:
        """All states with all tallies."""
        told = tuple(map(_variable, self.questions.walks.tallies))
        system = self.questions.system
        return replace(system, variables=(*system.variables, *told), helpers=self.helpers)

    # --- one walk, slowly -------------------------------------------------------------

    def evaluate(self, cells: Cells, tallies: Sequence[int]) -> list[int | None]:
        """The figures of one walk, with the interpreter."""
        return [_evaluated(self.system, each, (*cells, *tallies)) for each in self.expressions]

    # --- all walks, natively ----------------------------------------------------------

    def figures(self, states: Words, tallies: Words) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The figures of walks that ended in some states with some tallies, and where there are any."""
        values = np.zeros((len(states), len(self.columns)), np.int64)
        known = np.zeros(values.shape, np.bool_)
        for group in self._groups:
            for start in range(0, len(states), AT_ONCE):
                part = slice(start, start + AT_ONCE)
                group.fill(states[part], tallies[part], values[part], known[part])
        return values, known

    @cached_property
    def _groups(self) -> list[_Group]:
        """Columns that are evaluated together: as many as their tallies leave room for in a state."""
        room = MAX_WORDS - 2 - Layout(self.questions.system.variables).words
        groups: list[tuple[list[int], set[str]]] = []
        for column, expression in enumerate(self.expressions):
            names = set(_read(expression, {each.name: each for each in self.helpers}))
            tallies = names & {each.name for each in self.questions.walks.tallies}
            if not groups or len(groups[-1][1] | tallies) > room:
                groups.append(([], set()))
            groups[-1][0].append(column)
            groups[-1][1].update(tallies)
        return [self._group(columns, tallies) for columns, tallies in groups]

    def _group(self, columns: Sequence[int], names: set[str]) -> _Group:
        tallies = [n for n, each in enumerate(self.questions.walks.tallies) if each.name in names]
        told = [_variable(self.questions.walks.tallies[number]) for number in tallies]
        told += [
            Variable(COLUMN, Int(0, len(self.columns))),
            Variable(VALUE, Int(LOWEST, HIGHEST), initial=(LOWEST,)),
        ]
        system = replace(
            self.questions.system,
            variables=(*self.questions.system.variables, *told),
            helpers=self._helpers_for(names),
            actions=tuple(_writes(column, self.expressions[column]) for column in columns),
            guarantees=(),
        )
        return _Group(compile_system(system, apart=len(told)), tallies)

    def _helpers_for(self, names: set[str]) -> tuple[Helper, ...]:
        """Those that read no tally that is not there."""
        absent = {each.name for each in self.questions.walks.tallies} - names
        by_name = {each.name: each for each in self.helpers}
        return tuple(each for each in self.helpers if not absent & set(_read(each.body, by_name)))


@dataclass(frozen=True)
class _Group:
    """Columns with the kernel that evaluates them, and the numbers of the tallies that it wants."""

    kernel: Kernel
    tallies: Sequence[int]

    def fill(
        self, states: Words, tallies: Words, values: NDArray[np.int64], known: NDArray[np.bool_]
    ) -> None:
        """Write down all figures of some walks."""
        blank = np.zeros((len(states), 2), np.uint64)
        given = np.concatenate([states, tallies[:, self.tallies], blank], axis=1)
        answer = self.kernel.successors(given)
        walks = np.repeat(np.arange(len(states)), np.diff(answer.ends, prepend=0))
        columns = answer.successors[:, -2].astype(np.int64)
        values[walks, columns] = answer.successors[:, -1].astype(np.int64) + LOWEST
        known[walks, columns] = True


def _variable(tally: Tally) -> Variable:
    return Variable(tally.name, Int(0, NEVER))


def _writes(column: int, expression: Expr) -> Action:
    """The step that writes a figure."""
    body = (
        Let(VALUE, expression),
        Write(COLUMN, Const(0), Const(column)),
        Write(VALUE, Const(0), Local(VALUE)),
    )
    return Action(f"(column {column})", (), body)


def _evaluated(system: TransitionSystem, expression: Expr, cells: Cells) -> int | None:
    try:
        value = evaluate(system, expression, cells, {})
    except EvaluationError:
        return None
    return value if LOWEST <= value <= HIGHEST else None


# --- expressions ----------------------------------------------------------------------


def _careful(expression: Expr, waits: set[str]) -> Expr:
    """The same, where reading a tally of something that never happened fails."""
    match expression:
        case Read(variable) if variable in waits:
            never = Binary("==", expression, Const(NEVER))
            return replace(expression, index=IfElse(never, Const(1), Const(0)))
        case _:
            changed: dict[str, Any] = {n: _all_careful(part, waits) for n, part in _parts(expression)}
            return replace(expression, **changed)


def _all_careful(part: Expr | tuple[Expr, ...], waits: set[str]) -> Expr | tuple[Expr, ...]:
    return tuple(_careful(p, waits) for p in part) if isinstance(part, tuple) else _careful(part, waits)


def _parts(expression: Expr) -> Iterator[tuple[str, Expr | tuple[Expr, ...]]]:
    """The expressions that stand inside another, by the name of their field."""
    for each in fields(expression):
        part: Any = getattr(expression, each.name)
        if isinstance(part, (Expr, tuple)):
            yield each.name, part


def _read(expression: Expr, helpers: dict[str, Helper]) -> Iterator[str]:
    """The variables and tallies that an expression reads, also in the helpers that it calls."""
    match expression:
        case Read(variable):
            yield variable
        case Call(helper):
            yield from _read(helpers[helper].body, helpers)
    for _, part in _parts(expression):
        for inner in part if isinstance(part, tuple) else (part,):
            yield from _read(inner, helpers)
