"""The reference: what a transition system means, in plain Python, obvious and slow.

Every engine is compared with this file and with `evaluate.py`. They follow the docstrings of
`angarium.checker.ir` line by line, and do little to be fast. The order of the steps of a state is fixed,
because a story's address counts them: actions as declared, then each parameter from its lowest value, the
first one outermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from angarium.checker.explore.evaluate import EvaluationError, NotEnabledError, evaluate, execute
from angarium.checker.ir.syntax import Block
from angarium.checker.ir.transition import (
    STAYS_IN_RANGE,
    Action,
    Cells,
    Guarantee,
    Parameter,
    TransitionSystem,
)
from angarium.core.errors import ModelError, Place


@dataclass(frozen=True, slots=True)
class Move:
    """One enabled step of a state."""

    action: Action
    arguments: tuple[int, ...]
    target: Cells


@dataclass(frozen=True, slots=True)
class Failure:
    """A step, or the evaluation of a guarantee, that went out of range."""

    name: str
    """The action's or the guarantee's."""
    arguments: tuple[int, ...]
    message: str
    at: int


@dataclass(frozen=True, slots=True)
class Expansion:
    """Everything that can happen next in a state, well or badly."""

    moves: tuple[Move, ...]
    failures: tuple[Failure, ...]

    @property
    def at_rest(self) -> bool:
        """Whether no step is possible, and none fails."""
        return not self.moves and not self.failures


@dataclass(frozen=True, slots=True)
class Judgement:
    """The guarantees that a state hits, and those that could not be evaluated in it."""

    hits: tuple[str, ...]
    failures: tuple[Failure, ...]


# --- states and steps -----------------------------------------------------------------


def initial_states(system: TransitionSystem) -> list[Cells]:
    """The distinct initial states, in the order of the setup's parameters."""
    found: dict[Cells, None] = {}
    for arguments in combinations(system.setup):
        try:
            state = _run(system, system.setup, arguments, system.setup_body, system.default_state)
        except EvaluationError as error:
            raise _bad_setup(system, error) from error
        if state is not None:
            found[state] = None
    if not found:
        raise ModelError(
            "ANG107",
            f"{system.name} has no initial state: nothing that @initial chooses is allowed by its require",
            remedy="a search of nothing would prove everything; let some choice through",
        )
    return list(found)


def expand(system: TransitionSystem, cells: Cells) -> Expansion:
    """The steps of a state, and the failures among them."""
    moves, failures = [], []
    for action in system.actions:
        for arguments in combinations(action.parameters):
            try:
                target = _run(system, action.parameters, arguments, action.body, cells)
            except EvaluationError as error:
                failures.append(Failure(action.name, arguments, error.message, error.at))
            else:
                if target is not None:
                    moves.append(Move(action, arguments, target))
    return Expansion(tuple(moves), tuple(failures))


def steps(system: TransitionSystem, cells: Cells) -> list[Move]:
    """The enabled steps of a state."""
    return list(expand(system, cells).moves)


def after(system: TransitionSystem, action: Action, arguments: Sequence[int], cells: Cells) -> Cells | None:
    """The state after one step, or None if it is not enabled; raises EvaluationError where it fails."""
    return _run(system, action.parameters, arguments, action.body, cells)


def names_in(
    system: TransitionSystem, action: Action, arguments: Sequence[int], cells: Cells
) -> dict[str, int]:
    """The names that a step has bound when it ends, however it ends."""
    local = dict(zip((each.name for each in action.parameters), arguments, strict=True))
    with suppress(EvaluationError, NotEnabledError):
        execute(system, action.body, list(cells), local)
    return local


def judge(system: TransitionSystem, cells: Cells, *, at_rest: bool) -> Judgement:
    """The declared guarantees that a state hits, given whether it has no enabled step."""
    hits, failures = [], []
    for guarantee in system.guarantees:
        if guarantee.kind == "at_rest" and not at_rest:
            continue
        try:
            if _is_hit(system, guarantee, cells):
                hits.append(guarantee.name)
        except EvaluationError as error:
            failures.append(Failure(guarantee.name, (), error.message, error.at))
    return Judgement(tuple(hits), tuple(failures))


def hits(system: TransitionSystem, cells: Cells) -> set[str]:
    """All guarantees that a state hits, `stays-in-range` among them."""
    expansion = expand(system, cells)
    judgement = judge(system, cells, at_rest=expansion.at_rest)
    failed = expansion.failures or judgement.failures
    return {*judgement.hits, *([STAYS_IN_RANGE] if failed else [])}


def combinations(parameters: Sequence[Parameter]) -> Iterator[tuple[int, ...]]:
    """All arguments for the parameters, the first parameter outermost."""
    return product(*(range(each.type.low, each.type.high + 1) for each in parameters))


def _is_hit(system: TransitionSystem, guarantee: Guarantee, cells: Cells) -> bool:
    true = bool(evaluate(system, guarantee.condition, cells, {}))
    return true if guarantee.kind == "reaches" else not true


def _run(
    system: TransitionSystem,
    parameters: Sequence[Parameter],
    arguments: Sequence[int],
    body: Block,
    cells: Cells,
) -> Cells | None:
    """The state after a body, or None if it is not enabled."""
    after = list(cells)
    names = (parameter.name for parameter in parameters)
    try:
        execute(system, body, after, dict(zip(names, arguments, strict=True)))
    except NotEnabledError:
        return None
    return tuple(after)


def _bad_setup(system: TransitionSystem, error: EvaluationError) -> ModelError:
    position = system.positions.get(error.at)
    place = Place(position.file, position.line, position.column, position.text) if position else None
    return ModelError("ANG107", f"the initial step fails: {error.message}", place=place)
