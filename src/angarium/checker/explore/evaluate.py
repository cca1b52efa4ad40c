"""What expressions and statements do: each is made a plain Python function once, and called often.

A function of an expression gives its value in a state; a function of a statement changes a list of cells.
They follow the docstrings of `angarium.checker.ir.syntax` line by line. To walk the tree anew for every state
would say the same and take several times as long, and stories are told with this.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from angarium.checker.ir.labels import Labels
from angarium.checker.ir.syntax import (
    OPERATIONS,
    Binary,
    BinaryOp,
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
from angarium.checker.ir.transition import TransitionSystem, Variable

Locals: TypeAlias = Mapping[str, int]
Term: TypeAlias = Callable[[Sequence[int], Locals], int]
"""The value of an expression, given all cells and what names stand for."""
Effect: TypeAlias = Callable[[list[int], dict[str, int]], None]
"""What a statement does to all cells and to what names stand for."""
Items: TypeAlias = Callable[[Sequence[int], Locals], Iterator[int]]
"""The values that a comprehension combines."""

LARGEST = 2**63 - 1


class EvaluationError(Exception):
    """An index, a value, a divisor or a check is wrong."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message, self.at = message, at


class NotEnabledError(Exception):
    """A `Require` is false."""


def evaluate(system: TransitionSystem, expr: Expr, cells: Sequence[int], local: Locals) -> int:
    """The value of an expression in a state; raises EvaluationError where it has none."""
    return _functions(system).value(expr)(cells, local)


def execute(system: TransitionSystem, block: Block, cells: list[int], local: dict[str, int]) -> None:
    """Do what a block does; raises NotEnabledError and EvaluationError."""
    _functions(system).effect(block)(cells, local)


class _Functions:
    """The functions of a system's expressions and blocks, by identity: to compare trees would take long."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = weakref.ref(system)
        self._variable, self._offset, self._helper = system.variable, system.offset, system.helper
        self._values: dict[int, tuple[Expr, Term]] = {}
        self._effects: dict[int, tuple[Block, Effect]] = {}

    def value(self, expr: Expr) -> Term:
        """An expression's function. The expression is kept, too: no other takes its identity."""
        known = self._values.get(id(expr))
        if known is None:
            known = self._values[id(expr)] = expr, self._term(expr)
        return known[1]

    def effect(self, block: Block) -> Effect:
        """A block's function, likewise."""
        known = self._effects.get(id(block))
        if known is None:
            known = self._effects[id(block)] = block, self._block(block)
        return known[1]

    # --- statements ----------------------------------------------------------------------

    def _block(self, block: Block) -> Effect:
        effects = tuple(self._statement(each) for each in block)

        def run(cells: list[int], local: dict[str, int]) -> None:
            for effect in effects:
                effect(cells, local)

        return effects[0] if len(effects) == 1 else run

    def _statement(self, statement: Stmt) -> Effect:
        match statement:
            case Let():
                return self._let(statement)
            case Write():
                return self._write(statement)
            case If():
                return self._if(statement)
            case For():
                return self._for(statement)
            case Require():
                return self._require(statement)
            case Check():
                return self._check(statement)

    def _let(self, statement: Let) -> Effect:
        name, value = statement.name, self._term(statement.value)

        def let(cells: list[int], local: dict[str, int]) -> None:
            local[name] = value(cells, local)

        return let

    def _write(self, statement: Write) -> Effect:
        variable, at = self._variable[statement.variable], statement.at
        where, what = self._term(statement.index), self._term(statement.value)
        low, high, offset = variable.low, variable.high, self._offset[variable.name]

        def write(cells: list[int], local: dict[str, int]) -> None:
            index, value = where(cells, local), what(cells, local)
            _must_have(variable, index, at)
            if not low <= value <= high:
                raise EvaluationError(self._out_of_range(variable, index, value), at)
            cells[offset + index] = value

        return write

    def _if(self, statement: If) -> Effect:
        condition = self._term(statement.condition)
        then, otherwise = self._block(statement.then), self._block(statement.otherwise)

        def choose(cells: list[int], local: dict[str, int]) -> None:
            (then if condition(cells, local) else otherwise)(cells, local)

        return choose

    def _for(self, statement: For) -> Effect:
        name, body = statement.name, self._block(statement.body)
        low, high = self._term(statement.low), self._term(statement.high)

        def repeat(cells: list[int], local: dict[str, int]) -> None:
            for number in range(low(cells, local), high(cells, local)):
                local[name] = number
                body(cells, local)

        return repeat

    def _require(self, statement: Require) -> Effect:
        condition = self._term(statement.condition)

        def require(cells: list[int], local: dict[str, int]) -> None:
            if not condition(cells, local):
                raise NotEnabledError

        return require

    def _check(self, statement: Check) -> Effect:
        condition, message, at = self._term(statement.condition), statement.message, statement.at

        def check(cells: list[int], local: dict[str, int]) -> None:
            if not condition(cells, local):
                raise EvaluationError(message, at)

        return check

    def _out_of_range(self, variable: Variable, index: int, value: int) -> str:
        system = self._system()
        assert system is not None, "who asks for a value has the system"
        place = Labels(system).place(variable, index)
        sequence, _, last = variable.name.rpartition(".")
        if last == "len" and any(name.startswith(f"{sequence}.at") for name in self._variable):
            return f"{place} is empty" if value < 0 else f"{place} is full ({variable.high} items)"
        return f"{place} would become {value}, outside {variable.low} .. {variable.high}"

    # --- expressions ---------------------------------------------------------------------

    def _term(self, expr: Expr) -> Term:
        match expr:
            case Const() | Local():
                return _leaf(expr)
            case Read():
                return self._read(expr)
            case Binary(op, left, right, at):
                return _binary(op, self._term(left), self._term(right), at)
            case Not() | Within():
                return self._unary(expr)
            case IfElse(condition, then, otherwise):
                return _if_else(self._term(condition), self._term(then), self._term(otherwise))
            case LetIn(name, value, body):
                bound, inside = self._term(value), self._term(body)
                return lambda cells, local: inside(cells, {**local, name: bound(cells, local)})
            case Call():
                return self._call(expr)
            case Reduce():
                return self._reduce(expr)

    def _unary(self, expr: Not | Within) -> Term:
        if isinstance(expr, Within):
            return _within(expr, self._term(expr.value))
        operand = self._term(expr.operand)
        return lambda cells, local: 0 if operand(cells, local) else 1

    def _read(self, expr: Read) -> Term:
        variable, offset = self._variable[expr.variable], self._offset[expr.variable]
        number, at = self._term(expr.index), expr.at

        def read(cells: Sequence[int], local: Locals) -> int:
            index = number(cells, local)
            _must_have(variable, index, at)
            return cells[offset + index]

        if isinstance(expr.index, Const) and 0 <= expr.index.value < variable.cells:
            cell = offset + expr.index.value
            return lambda cells, local: cells[cell]
        return read

    def _call(self, expr: Call) -> Term:
        """A helper's body is looked up when it is called: helpers may call each other."""
        helper, value = self._helper[expr.helper], self.value
        names = [parameter.name for parameter in helper.parameters]
        arguments = [self._term(each) for each in expr.arguments]

        def call(cells: Sequence[int], local: Locals) -> int:
            numbers = [each(cells, local) for each in arguments]
            return value(helper.body)(cells, dict(zip(names, numbers, strict=True)))

        return call

    def _reduce(self, expr: Reduce) -> Term:
        items, at = self._items(expr), expr.at
        match expr.op:
            case "sum":
                return lambda cells, local: _sum(items(cells, local), at)
            case "any":
                return lambda cells, local: 1 if any(items(cells, local)) else 0
            case "all":
                return lambda cells, local: 1 if all(items(cells, local)) else 0
            case "min" | "max":
                return self._extreme(expr, items)

    def _extreme(self, expr: Reduce, items: Items) -> Term:
        most: Callable[[list[int]], int] = min if expr.op == "min" else max
        empty = self._term(expr.empty) if expr.empty is not None else None

        def extreme(cells: Sequence[int], local: Locals) -> int:
            found = list(items(cells, local))
            if found:
                return most(found)
            if empty is None:
                raise EvaluationError(f"{expr.op} of nothing", expr.at)
            return empty(cells, local)

        return extreme

    def _items(self, expr: Reduce) -> Items:
        low, high, name = self._term(expr.low), self._term(expr.high), expr.name
        where, body = self._term(expr.where), self._term(expr.body)

        def items(cells: Sequence[int], local: Locals) -> Iterator[int]:
            inner = dict(local)
            for number in range(low(cells, local), high(cells, local)):
                inner[name] = number
                if where(cells, inner):
                    yield body(cells, inner)

        return items


def _leaf(expr: Const | Local) -> Term:
    if isinstance(expr, Local):
        name = expr.name
        return lambda cells, local: local[name]
    value = expr.value
    return lambda cells, local: value


def _must_have(variable: Variable, index: int, at: int) -> None:
    if not 0 <= index < variable.cells:
        message = f"{variable.name} has no cell {index}, only 0 .. {variable.cells - 1}"
        raise EvaluationError(message, at)


def _binary(op: BinaryOp, left: Term, right: Term, at: int) -> Term:
    operation = OPERATIONS[op]
    match op:
        case "and":
            return lambda cells, local: 1 if left(cells, local) and right(cells, local) else 0
        case "or":
            return lambda cells, local: 1 if left(cells, local) or right(cells, local) else 0
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return lambda cells, local: 1 if operation(left(cells, local), right(cells, local)) else 0
    return _arithmetic(op, left, right, at)


def _arithmetic(op: BinaryOp, left: Term, right: Term, at: int) -> Term:
    """Engines compute with 64 bits, and so a number with more is refused."""
    operation, divides = OPERATIONS[op], op in ("//", "%")

    def compute(cells: Sequence[int], local: Locals) -> int:
        one, other = left(cells, local), right(cells, local)
        if divides and other == 0:
            raise EvaluationError(f"division by zero: {one} {op} 0", at)
        number = operation(one, other)
        if not -LARGEST <= number <= LARGEST:
            raise _too_large(number, at)
        return number

    return compute


def _sum(items: Iterator[int], at: int) -> int:
    total = 0
    for item in items:
        total += item
        if not -LARGEST <= total <= LARGEST:
            raise _too_large(total, at)
    return total


def _too_large(number: int, at: int) -> EvaluationError:
    return EvaluationError(f"{number} is too large to compute with", at)


def _if_else(condition: Term, then: Term, otherwise: Term) -> Term:
    return lambda cells, local: (then if condition(cells, local) else otherwise)(cells, local)


def _within(expr: Within, value: Term) -> Term:
    low, high, at = expr.low, expr.high, expr.at

    def within(cells: Sequence[int], local: Locals) -> int:
        number = value(cells, local)
        if not low <= number <= high:
            what = f"{expr.what} is {number}" if expr.what else str(number)
            raise EvaluationError(f"{what}, outside {low} .. {high}", at)
        return number

    return within


_known: dict[int, _Functions] = {}


def _functions(system: TransitionSystem) -> _Functions:
    """The functions of a system, which live as long as it does."""
    known = _known.get(id(system))
    if known is None:
        known = _known[id(system)] = _Functions(system)
        weakref.finalize(system, _known.pop, id(system)).atexit = False
    return known
