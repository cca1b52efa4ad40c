"""The reference: what a transition system means, in plain Python, obvious and slow.

Every engine is compared with this file. It follows the docstrings of `angarium.checker.ir.transition`
line by line and does nothing to be fast. The order of the steps of a state is fixed, because a
story's address counts them: actions as declared, then each parameter from its lowest value, the
first one outermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from angarium.checker.explore.engine import Cells
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.syntax import (
    OPERATIONS,
    Binary,
    Block,
    Call,
    Check,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    Require,
    Stmt,
    Within,
    Write,
)
from angarium.checker.ir.transition import (
    STAYS_IN_RANGE,
    Action,
    Guarantee,
    Parameter,
    TransitionSystem,
    Variable,
)
from angarium.core.errors import ModelError, Place

Locals = Mapping[str, int]


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


class EvaluationError(Exception):
    """An index, a value, a divisor or a check is wrong."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message, self.at = message, at


class _NotEnabledError(Exception):
    """A `Require` is false."""


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
    with suppress(EvaluationError, _NotEnabledError):
        _execute(system, action.body, list(cells), local)
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
        _execute(system, body, after, dict(zip(names, arguments, strict=True)))
    except _NotEnabledError:
        return None
    return tuple(after)


def _bad_setup(system: TransitionSystem, error: EvaluationError) -> ModelError:
    position = system.positions.get(error.at)
    place = Place(position.file, position.line, position.column, position.text) if position else None
    return ModelError("ANG107", f"the initial step fails: {error.message}", place=place)


# --- statements -----------------------------------------------------------------------


def _execute(system: TransitionSystem, block: Block, cells: list[int], local: dict[str, int]) -> None:
    for statement in block:
        _execute_one(system, statement, cells, local)


def _execute_one(system: TransitionSystem, statement: Stmt, cells: list[int], local: dict[str, int]) -> None:
    match statement:
        case Let(name, value):
            local[name] = evaluate(system, value, cells, local)
        case Write():
            _write(system, statement, cells, local)
        case If(condition, then, otherwise):
            chosen = then if evaluate(system, condition, cells, local) else otherwise
            _execute(system, chosen, cells, local)
        case For(name, low, high, body):
            first, end = (evaluate(system, bound, cells, local) for bound in (low, high))
            for number in range(first, end):
                local[name] = number
                _execute(system, body, cells, local)
        case Require(condition):
            if not evaluate(system, condition, cells, local):
                raise _NotEnabledError
        case Check(condition, message, at):
            if not evaluate(system, condition, cells, local):
                raise EvaluationError(message, at)


def _write(system: TransitionSystem, write: Write, cells: list[int], local: dict[str, int]) -> None:
    variable = system.variable[write.variable]
    index = evaluate(system, write.index, cells, local)
    value = evaluate(system, write.value, cells, local)
    cell = _cell(system, variable, index, write.at)
    if not variable.low <= value <= variable.high:
        raise EvaluationError(_out_of_range(system, variable, index, value), write.at)
    cells[cell] = value


def _cell(system: TransitionSystem, variable: Variable, index: int, at: int) -> int:
    """The position of a variable's cell among all cells."""
    if not 0 <= index < variable.cells:
        message = f"{variable.name} has no cell {index}, only 0 .. {variable.cells - 1}"
        raise EvaluationError(message, at)
    return system.offset[variable.name] + index


def _out_of_range(system: TransitionSystem, variable: Variable, index: int, value: int) -> str:
    place = Labels(system).place(variable, index)
    sequence, _, last = variable.name.rpartition(".")
    if last == "len" and any(each.name.startswith(f"{sequence}.at") for each in system.variables):
        if value < 0:
            return f"{place} is empty"
        return f"{place} is full ({variable.high} items)"
    return f"{place} would become {value}, outside {variable.low} .. {variable.high}"


# --- expressions ----------------------------------------------------------------------

LARGEST = 2**63 - 1


def evaluate(system: TransitionSystem, expr: Expr, cells: Sequence[int], local: Locals) -> int:
    """The value of an expression in a state; raises EvaluationError where it has none."""
    match expr:
        case Const(value):
            return value
        case Local(name):
            return local[name]
        case Read(variable, index, at):
            position = evaluate(system, index, cells, local)
            return cells[_cell(system, system.variable[variable], position, at)]
        case Binary():
            return _binary(system, expr, cells, local)
        case Not(operand) | Within(operand):
            number = evaluate(system, operand, cells, local)
            return int(not number) if isinstance(expr, Not) else _within(expr, number)
        case IfElse(condition, then, otherwise):
            chosen = then if evaluate(system, condition, cells, local) else otherwise
            return evaluate(system, chosen, cells, local)
        case LetIn(name, value, body):
            bound = evaluate(system, value, cells, local)
            return evaluate(system, body, cells, {**local, name: bound})
        case Call():
            return _call(system, expr, cells, local)
        case Reduce():
            return _reduce(system, expr, cells, local)


def _binary(system: TransitionSystem, expr: Binary, cells: Sequence[int], local: Locals) -> int:
    left = evaluate(system, expr.left, cells, local)
    if expr.op in ("and", "or") and bool(left) == (expr.op == "or"):
        return int(bool(left))
    right = evaluate(system, expr.right, cells, local)
    if expr.op in ("and", "or"):
        return int(bool(right))
    if expr.op in ("//", "%") and right == 0:
        raise EvaluationError(f"division by zero: {left} {expr.op} 0", expr.at)
    return _fitting(int(OPERATIONS[expr.op](left, right)), expr.at)


def _fitting(number: int, at: int) -> int:
    """A number, if it has at most 64 bits: engines compute with no more."""
    if abs(number) > LARGEST:
        raise EvaluationError(f"{number} is too large to compute with", at)
    return number


def _within(expr: Within, number: int) -> int:
    if not expr.low <= number <= expr.high:
        what = f"{expr.what} is {number}" if expr.what else str(number)
        raise EvaluationError(f"{what}, outside {expr.low} .. {expr.high}", expr.at)
    return number


def _call(system: TransitionSystem, expr: Call, cells: Sequence[int], local: Locals) -> int:
    helper = system.helper[expr.helper]
    names = (parameter.name for parameter in helper.parameters)
    arguments = [evaluate(system, each, cells, local) for each in expr.arguments]
    return evaluate(system, helper.body, cells, dict(zip(names, arguments, strict=True)))


def _reduce(system: TransitionSystem, expr: Reduce, cells: Sequence[int], local: Locals) -> int:
    items = _items(system, expr, cells, local)
    match expr.op:
        case "sum":
            total = 0
            for item in items:
                total = _fitting(total + item, expr.at)
            return total
        case "any":
            return int(any(items))
        case "all":
            return int(all(items))
        case "min" | "max":
            found = list(items)
            if found:
                return min(found) if expr.op == "min" else max(found)
            if expr.empty is None:
                raise EvaluationError(f"{expr.op} of nothing", expr.at)
            return evaluate(system, expr.empty, cells, local)


def _items(system: TransitionSystem, expr: Reduce, cells: Sequence[int], local: Locals) -> Iterator[int]:
    low, high = (evaluate(system, bound, cells, local) for bound in (expr.low, expr.high))
    for number in range(low, high):
        inner = {**local, expr.name: number}
        if evaluate(system, expr.where, cells, inner):
            yield evaluate(system, expr.body, cells, inner)
