"""Random small transition systems, well-formed, to compare engines on.

A system has two to four names with small types, helpers, and actions made of every statement and
expression. Most indices and written values are brought into range by a remainder, so that there is
something to explore; some are left as they come, and divisors may be zero, so that steps fail.
Products have a constant factor: no value comes near the limits of a machine word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

from hypothesis import strategies as st

from angarium.checker.ir.syntax import (
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
from angarium.checker.ir.transition import Action, Guarantee, Helper, Parameter, TransitionSystem, Variable
from angarium.checker.ir.types import Array, Bool, Enumeration, Index, Int, Option, Type
from tests.zoo import variables

Draw = Callable[[st.SearchStrategy], object]

QUEUE = Index("Queue", 2)
COLOUR = Enumeration("Colour", ("red", "green", "blue"))
INTEGERS = st.builds(
    lambda low, extent: Int(low, low + extent), st.integers(-2, 1), st.sampled_from((2, 3, 1, 0))
)
SCALARS = st.sampled_from((Bool(), COLOUR, QUEUE, Option(QUEUE), Option(COLOUR))) | INTEGERS
WIDE = st.sampled_from(
    (
        Int(-(2**33), 2**40),
        Int(0, 2**40),
        Array(Int(0, 39), Int(0, 5)),
        Array(QUEUE, Int(-1, 2**33)),
    )
)
"""Types whose cells fill more than one machine word."""
ARRAYS = st.builds(Array, st.sampled_from((QUEUE, Bool(), Int(1, 3))), SCALARS)
TYPES = SCALARS | SCALARS | ARRAYS
PARAMETER_TYPES = st.sampled_from((Bool(), QUEUE, COLOUR, Int(-1, 1), Option(QUEUE)))
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Scope:
    """What an expression may mention."""

    variables: tuple[Variable, ...]
    helpers: tuple[Helper, ...] = ()
    local: tuple[str, ...] = ()
    safe: bool = False
    """Nothing may fail here."""
    names: count[int] = field(default_factory=count)

    def having(self, *names: str) -> Scope:
        return replace(self, local=(*self.local, *names))

    def fresh(self) -> str:
        return f"x{next(self.names)}"


def into_range(expr: Expr, low: int, high: int) -> Expr:
    """The expression, brought into a range."""
    shifted = Binary("-", expr, Const(low))
    return Binary("+", Const(low), Binary("%", shifted, Const(high - low + 1)))


def pick(draw: Draw, *kinds: str) -> str:
    return str(draw(st.sampled_from(kinds)))


def rarely(draw: Draw) -> bool:
    return draw(st.integers(0, 7)) == 7


# --- expressions ------------------------------------------------------------------------


def expression(draw: Draw, scope: Scope, depth: int = 2) -> Expr:
    if depth == 0 or rarely(draw):
        return leaf(draw, scope)
    kind = pick(draw, *_EXPRESSIONS)
    return _EXPRESSIONS[kind](draw, scope, depth - 1)


def leaf(draw: Draw, scope: Scope, depth: int = 0) -> Expr:
    kind = pick(draw, "const", "read", "read", *(["local"] if scope.local else []))
    if kind == "const":
        return Const(draw(st.integers(-2, 4)))
    if kind == "local":
        return Local(draw(st.sampled_from(scope.local)))
    variable = draw(st.sampled_from(scope.variables))
    return Read(variable.name, index_of(draw, scope, variable))


def index_of(draw: Draw, scope: Scope, variable: Variable) -> Expr:
    last = variable.cells - 1
    if not scope.local or draw(st.booleans()):
        return Const(draw(st.integers(0, last)))
    name = Local(draw(st.sampled_from(scope.local)))
    return name if not scope.safe and rarely(draw) else into_range(name, 0, last)


def arithmetic(draw: Draw, scope: Scope, depth: int) -> Expr:
    left = expression(draw, scope, depth)
    kind = pick(draw, "+", "-", "*")
    right = Const(draw(st.integers(-3, 3))) if kind == "*" else expression(draw, scope, depth)
    return Binary(kind, left, right)


def divide(draw: Draw, scope: Scope, depth: int) -> Expr:
    left = expression(draw, scope, depth)
    if scope.safe or draw(st.booleans()):
        right: Expr = Const(draw(st.sampled_from((-3, -2, -1, 1, 2, 3))))
    else:
        right = expression(draw, scope, depth)
    return Binary(pick(draw, "//", "%"), left, right)


def logic(draw: Draw, scope: Scope, depth: int) -> Expr:
    left, right = expression(draw, scope, depth), expression(draw, scope, depth)
    return Binary(pick(draw, "and", "or", *COMPARISONS), left, right)


def condition(draw: Draw, scope: Scope, depth: int = 2) -> Expr:
    """Something that is true about as often as not."""
    left, right = expression(draw, scope, depth - 1), expression(draw, scope, depth - 1)
    return Binary(pick(draw, "!=", "<", "<=", ">", ">=", "=="), left, right)


def negate(draw: Draw, scope: Scope, depth: int) -> Expr:
    return Not(expression(draw, scope, depth))


def if_else(draw: Draw, scope: Scope, depth: int) -> Expr:
    then, otherwise = expression(draw, scope, depth), expression(draw, scope, depth)
    return IfElse(condition(draw, scope, 1), then, otherwise)


def let_in(draw: Draw, scope: Scope, depth: int) -> Expr:
    # Now and then the name hides one that is already there.
    hides = bool(scope.local) and rarely(draw)
    name = draw(st.sampled_from(scope.local)) if hides else scope.fresh()
    value = expression(draw, scope, depth)
    return LetIn(name, value, expression(draw, scope.having(name), depth))


def call(draw: Draw, scope: Scope, depth: int) -> Expr:
    if not scope.helpers or scope.safe:
        return leaf(draw, scope)
    helper = draw(st.sampled_from(scope.helpers))
    arguments = (
        into_range(expression(draw, scope, depth), p.type.low, p.type.high) for p in helper.parameters
    )
    return Call(helper.name, tuple(arguments))


def within(draw: Draw, scope: Scope, depth: int) -> Expr:
    low, value = draw(st.integers(-2, 1)), expression(draw, scope, depth)
    high = low + draw(st.integers(0, 4))
    return Within(into_range(value, low, high) if scope.safe else value, low, high)


def reduce(draw: Draw, scope: Scope, depth: int) -> Expr:
    name, op = scope.fresh(), pick(draw, "sum", "any", "all", "min", "max")
    inner = scope.having(name)
    low, high = bounds(draw, scope)
    where = Const(1) if draw(st.booleans()) else condition(draw, inner, 1)
    needed = scope.safe or draw(st.booleans())
    empty = expression(draw, scope, 0) if op in ("min", "max") and needed else None
    return Reduce(op, name, low, high, where, expression(draw, inner, depth), empty)


def bounds(draw: Draw, scope: Scope) -> tuple[Expr, Expr]:
    low = Const(draw(st.integers(-1, 1)))
    if draw(st.booleans()):
        return low, Const(draw(st.integers(0, 3)))
    return low, into_range(leaf(draw, scope), 0, 3)


_EXPRESSIONS: dict[str, Callable[[Draw, Scope, int], Expr]] = {
    "leaf": leaf,
    "arithmetic": arithmetic,
    "divide": divide,
    "logic": logic,
    "not": negate,
    "if": if_else,
    "let": let_in,
    "call": call,
    "reduce": reduce,
    "within": within,
}

# --- statements -------------------------------------------------------------------------


def block(draw: Draw, scope: Scope, depth: int, most: int = 3) -> Block:
    statements: list[Stmt] = []
    for _ in range(draw(st.integers(1, most))):
        statement = one_statement(draw, scope, depth)
        statements.append(statement)
        if isinstance(statement, Let):
            scope = scope.having(statement.name)
    return tuple(statements)


def one_statement(draw: Draw, scope: Scope, depth: int) -> Stmt:
    nested = ["if", "for"] if depth else []
    careless = ["require", "check"] if not scope.safe and rarely(draw) else []
    match pick(draw, "write", "write", "advance", "let", *nested, *careless):
        case "write":
            return write(draw, scope)
        case "advance":
            return advance(draw, scope)
        case "let":
            again = bool(scope.local) and draw(st.booleans())
            name = draw(st.sampled_from(scope.local)) if again else scope.fresh()
            # Bounded, since a loop may run it again on its own result.
            return Let(name, into_range(expression(draw, scope), -9, 9))
        case "if":
            then = block(draw, scope, depth - 1, 2)
            otherwise = block(draw, scope, depth - 1, 2) if draw(st.booleans()) else ()
            return If(condition(draw, scope), then, otherwise)
        case "for":
            name = scope.fresh()
            body = block(draw, scope.having(name), depth - 1, 2)
            return For(name, *bounds(draw, scope), body)
        case "require":
            return Require(condition(draw, scope))
        case _:
            # Mostly true, or little would be left to explore.
            mostly = Binary("or", condition(draw, scope), condition(draw, scope))
            return Check(mostly, "this must be")


def write(draw: Draw, scope: Scope) -> Write:
    variable = draw(st.sampled_from(scope.variables))
    value = expression(draw, scope)
    if scope.safe or not rarely(draw):
        value = into_range(value, variable.low, variable.high)
    return Write(variable.name, index_of(draw, scope, variable), value)


def advance(draw: Draw, scope: Scope) -> Write:
    """Move one cell on, by itself: without this, most systems would hardly go anywhere."""
    variable = draw(st.sampled_from(scope.variables))
    index = index_of(draw, scope, variable)
    by = draw(st.sampled_from([Const(1), Const(2), *map(Local, scope.local)]))
    more = Binary("+", Read(variable.name, index), by)
    return Write(variable.name, index, into_range(more, variable.low, variable.high))


# --- declarations -----------------------------------------------------------------------


def parameters(draw: Draw, scope: Scope, most: int = 2) -> tuple[Parameter, ...]:
    types = draw(st.lists(PARAMETER_TYPES, max_size=most))
    return tuple(Parameter(scope.fresh(), type_) for type_ in types)


def helper(draw: Draw, scope: Scope, number: int) -> Helper:
    own = parameters(draw, scope)
    inner = scope.having(*(p.name for p in own))
    return Helper(f"helper{number}", own, expression(draw, inner))


def action(draw: Draw, scope: Scope, number: int) -> Action:
    own = parameters(draw, scope)
    inner = scope.having(*(p.name for p in own))
    guard = (Require(condition(draw, inner)),) if rarely(draw) else ()
    return Action(f"action{number}", own, (*guard, *block(draw, inner, 2), advance(draw, inner)))


def guarantee(draw: Draw, scope: Scope, number: int) -> Guarantee:
    kind = pick(draw, "invariant", "reaches", "at_rest")
    return Guarantee(f"guarantee{number}", kind, condition(draw, scope))


def state(draw: Draw) -> list[tuple[str, Type]]:
    types = draw(st.lists(TYPES, min_size=2, max_size=4))
    wide = [draw(WIDE)] if rarely(draw) else []
    return [(f"v{number}", type_) for number, type_ in enumerate([*types, *wide])]


@st.composite
def systems(draw: Draw) -> TransitionSystem:
    """Any small system."""
    named = state(draw)
    cells = variables(named)
    scope = Scope(cells)
    for number in range(draw(st.integers(0, 2))):
        scope = replace(scope, helpers=(*scope.helpers, helper(draw, scope, number)))
    initially = replace(scope, safe=True)
    setup = parameters(draw, initially, 1)
    started = initially.having(*(p.name for p in setup))
    return TransitionSystem(
        name="random",
        parameters=(),
        state=tuple(named),
        variables=cells,
        setup=setup,
        setup_body=block(draw, started, 1, 2) if draw(st.booleans()) else (),
        actions=tuple(action(draw, scope, n) for n in range(draw(st.sampled_from((2, 3, 1))))),
        helpers=scope.helpers,
        guarantees=tuple(guarantee(draw, scope, n) for n in range(draw(st.integers(0, 3)))),
    )
