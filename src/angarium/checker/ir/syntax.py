"""Expressions and statements: what a step computes, as frozen data.

Everything is integers. Statements run in order, and a read sees what the body wrote before. A `Require` that
is false abandons the step quietly: it is not enabled. A cell index, a written value, a divisor, a `Within` or
a `Check` that is wrong *fails* the step: the guarantee `stays-in-range` is violated there, and the step leads
nowhere. So does a computation that needs more than 64 bits. The same failures can happen while a guarantee or
a helper is evaluated.

`and`, `or`, `IfElse`, `any`, `all` and the `where` of a `Reduce` evaluate from left to right and only as
far as needed, so that a guard protects what stands behind it. Division and remainder are Python's (floor).

`at` names the place in the source (a key of `TransitionSystem.positions`); it is not part of what the
system means, so it does not count in comparisons or in the hash.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

BinaryOp = Literal["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
ReduceOp = Literal["sum", "any", "all", "min", "max"]

OPERATIONS: dict[BinaryOp, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
}
"""What each operation gives for two numbers (as a bool where it is a truth)."""

# --- expressions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter, a loop's variable, or a name bound by `Let` or `LetIn`."""

    name: str


@dataclass(frozen=True, slots=True)
class Read:
    """One cell of the state; fails if the index is outside 0 .. cells - 1."""

    variable: str
    index: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two integers; comparisons, `and` and `or` give 0 or 1. Division by 0 fails."""

    op: BinaryOp
    left: Expr
    right: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """1 if the operand is 0, else 0."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class IfElse:
    """One of two expressions."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class LetIn:
    """An expression in which a name stands for a value."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A helper applied to arguments, in the state as it is at that moment."""

    helper: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Reduce:
    """A comprehension: for each name in low .. high - 1 with `where`, the body, combined by the operation.

    The sum of nothing is 0, any of nothing 0, all of nothing 1; min and max of nothing are `empty`,
    and fail if that is None.
    """

    op: ReduceOp
    name: str
    low: Expr
    high: Expr
    where: Expr
    body: Expr
    empty: Expr | None = None
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Within:
    """A number that must lie in low .. high: what becomes one of a type must be one of its values.

    Nothing else may stand for it: a number that an option cannot hold is not None, whose cell is one below.
    """

    value: Expr
    low: int
    high: int
    what: str = field(default="", compare=False, repr=False)
    """How the model writes it."""
    at: int = field(default=0, compare=False, repr=False)


Expr = Const | Local | Read | Binary | Not | IfElse | LetIn | Call | Reduce | Within

# --- statements -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """Bind or rebind a local integer."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Write:
    """Set one cell; fails if the index or the value is out of range."""

    variable: str
    index: Expr
    value: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """One of two blocks."""

    condition: Expr
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True, slots=True)
class For:
    """The body once for each name in low .. high - 1."""

    name: str
    low: Expr
    high: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Require:
    """The step is enabled only if the condition is true."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class Check:
    """The step fails with the message unless the condition is true."""

    condition: Expr
    message: str
    at: int = field(default=0, compare=False, repr=False)


Stmt = Let | Write | If | For | Require | Check
Block = tuple[Stmt, ...]
