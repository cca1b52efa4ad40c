"""When an expression has a value, and what is known where it is evaluated.

Evaluation fails at a cell that is not there, at a divisor that is 0 and at a `Within` that is outside. The
condition under which it does not follows the expression from left to right, and stands behind the same
guards: `x != 0 and y // x` always has a value. Once that condition is known to hold where an expression is
evaluated, `simplify` may use every fact about the values: drop what cannot matter, and divide in a way in
which all languages agree (they differ for negative numbers, so the dividend is moved up by a multiple of the
divisor).

A guard that was passed need not be asked again: behind `n != 0` the division by n needs no check. *Facts*
are conditions known to be true; they are recognised by their form only, and `given` says what is left of a
condition.
"""

from __future__ import annotations

from collections.abc import Set

from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.intervals import Fixed, Interval, Scope, fixed
from angarium.checker.ir.normal_form import (
    binary,
    choose,
    conjunction,
    disjunction,
    is_truth,
    negate,
    rebuild,
)
from angarium.checker.ir.syntax import (
    Binary,
    BinaryOp,
    Call,
    Const,
    Expr,
    IfElse,
    LetIn,
    Local,
    Not,
    Read,
    Within,
    Write,
)
from angarium.checker.ir.traversal import parts

Facts = Set[Expr]


def facts_of(condition: Expr) -> Facts:
    """What is known once a condition is true."""
    match condition:
        case Const():
            return frozenset()
        case Binary("and", left, right):
            return facts_of(left) | facts_of(right)
        case Not(Binary("or", left, right)):
            return facts_of(negate(left)) | facts_of(negate(right))
    return frozenset([condition])


def given(facts: Facts, condition: Expr) -> Expr:
    """A condition with the same truth wherever the facts hold and it has a value."""
    if not is_truth(condition):
        return condition
    if condition in facts:
        return TRUE
    if negate(condition) in facts:
        return FALSE
    match condition:
        case Binary("and", left, right):
            second = given(facts | facts_of(left), right)
            return FALSE if second == FALSE else conjunction(given(facts, left), second)
        case Binary("or", left, right):
            second = given(facts | facts_of(negate(left)), right)
            return TRUE if second == TRUE else disjunction(given(facts, left), second)
        case Not(operand):
            return negate(given(facts, operand))
        case LetIn(name, value, body):
            return LetIn(name, value, given(facts, body))
        case IfElse(test, then, otherwise):
            yes = given(facts | facts_of(test), then)
            no = given(facts | facts_of(negate(test)), otherwise)
            return yes if yes == no else choose(given(facts, test), yes, no)
    return condition


FEW = 64
"""Divisors up to this are told apart where a language cannot divide by what might be 0."""


class Definedness:
    """Conditions under which the expressions of an unrolled system have values."""

    def __init__(self, unroller: Unroller) -> None:
        self._unroller, self._ranges = unroller, unroller.ranges

    def of(self, expr: Expr, scope: Scope) -> Expr:
        """The condition under which an unrolled expression has a value, simplified."""
        here = fixed(scope)
        return given(frozenset(), self.simplify(self._of(expr, here), here))

    def write(self, write: Write, scope: Scope) -> Expr:
        """The condition under which a write does not fail."""
        variable = self._unroller.system.variable[write.variable.partition("~")[0]]
        return conjunction(
            self.of(write.index, scope),
            self.of(write.value, scope),
            self.within(write.index, Interval(0, variable.cells - 1), scope),
            self.within(write.value, Interval(variable.low, variable.high), scope),
        )

    def within(self, expr: Expr, interval: Interval, scope: Scope) -> Expr:
        """The condition under which a value lies in an interval."""
        scope, (low, high) = fixed(scope), interval
        terms = binary(">=", expr, Const(low)), binary("<=", expr, Const(high))
        return conjunction(*(self.simplify(term, scope) for term in terms))

    def _of(self, expr: Expr, scope: Fixed) -> Expr:
        match expr:
            case Read(variable, index):
                cells = self._unroller.system.variable[variable.partition("~")[0]].cells
                return conjunction(self._of(index, scope), self.within(index, Interval(0, cells - 1), scope))
            case Binary("and", left, right):
                return conjunction(self._of(left, scope), self._if(left, right, TRUE, scope))
            case Binary("or", left, right):
                return conjunction(self._of(left, scope), self._if(left, TRUE, right, scope))
            case Binary("//" | "%", left, right):
                both = self._of(left, scope), self._of(right, scope)
                return conjunction(*both, self.simplify(binary("!=", right, FALSE), scope))
            case IfElse(condition, then, otherwise):
                return conjunction(self._of(condition, scope), self._if(condition, then, otherwise, scope))
            case LetIn(name, value, body):
                inner = Fixed({**scope, name: self._ranges.of(value, scope)})
                return conjunction(self._of(value, scope), let(name, value, self._of(body, inner)))
            case Call():
                return self._call(expr, scope)
            case Within(value, low, high):
                return conjunction(self._of(value, scope), self.within(value, Interval(low, high), scope))
        return conjunction(*(self._of(part, scope) for part in parts(expr)))

    def _if(self, condition: Expr, then: Expr, otherwise: Expr, scope: Fixed) -> Expr:
        first, second = self._of(then, scope), self._of(otherwise, scope)
        if first == second == TRUE:
            return TRUE
        if second == TRUE:
            return disjunction(negate(condition), first)
        return disjunction(condition, second) if first == TRUE else choose(condition, first, second)

    def _call(self, call: Call, scope: Fixed) -> Expr:
        intervals = tuple(self._ranges.of(each, scope) for each in call.arguments)
        if self.of(*self._unroller.helper(call.helper, intervals)) == TRUE:
            return conjunction(*(self._of(each, scope) for each in call.arguments))
        return self._of(self._unroller.inline(call, scope), scope)

    # --- what is certain --------------------------------------------------------------

    def simplify(self, expr: Expr, scope: Scope) -> Expr:
        """An expression with the same value wherever the given one has a value."""
        here = fixed(scope)
        if (known := here.simple.get(id(expr))) is None:
            known = here.simple[id(expr)] = (expr, self._simplified(expr, here))
        return known[1]

    def _simplified(self, expr: Expr, scope: Fixed) -> Expr:
        match expr:
            case LetIn(name, value, body):
                simple = self.simplify(value, scope)
                inner = Fixed({**scope, name: self._ranges.of(simple, scope)})
                return let(name, simple, self.simplify(body, inner))
            case Binary("//" | "%"):
                return self._divide(expr, scope)
        made = rebuild(expr, lambda part: self.simplify(part, scope))
        low, high = self._ranges.of(made, scope)
        if low == high:
            return Const(low)
        match made:
            case IfElse(_, then, otherwise) if then == otherwise:
                return then
            case Within(value) if self._ranges.of(value, scope) == (low, high):
                return value
        return made

    def _divide(self, expr: Binary, scope: Fixed) -> Expr:
        left, right = self.simplify(expr.left, scope), self.simplify(expr.right, scope)
        (least, _), (low, high) = self._ranges.of(left, scope), self._ranges.of(right, scope)
        if low == high == 0:
            return FALSE
        positive = _floor(expr.op, left, right, least) if high > 0 else FALSE
        if low >= 0:
            return self._point(positive, scope)
        minus = binary("-", FALSE, left)
        mirrored = _floor(expr.op, minus, binary("-", FALSE, right), self._ranges.of(minus, scope)[0])
        negative = mirrored if expr.op == "//" else binary("-", FALSE, mirrored)
        return choose(binary(">", right, FALSE), positive, negative) if high > 0 else negative

    def _point(self, expr: Expr, scope: Fixed) -> Expr:
        low, high = self._ranges.of(expr, scope)
        return Const(low) if low == high else expr

    def total(self, expr: Expr, scope: Scope) -> Expr:
        """An expression that never divides by 0, not even where its value does not matter.

        NuSMV takes `2 / (n = 0 ? 1 : n)` for a division by 0, so few divisors are told apart. Simplified
        expressions divide by positive numbers only.
        """
        inner = scope
        if isinstance(expr, LetIn):
            inner = {**scope, expr.name: self._ranges.of(expr.value, scope)}
        made = rebuild(expr, lambda part: self.total(part, inner))
        match made:
            case Binary("//" | "%" as op, left, right) if not isinstance(right, Const):
                low, high = self._ranges.of(right, scope)
                if high <= FEW:
                    return _by_each(op, left, right, range(max(low, 1), high + 1))
                if low <= 0:
                    return Binary(op, left, choose(binary("==", right, FALSE), TRUE, right))
        return made


def _by_each(op: BinaryOp, left: Expr, right: Expr, divisors: range) -> Expr:
    """A division in which each divisor is a constant."""
    result: Expr = FALSE
    for divisor in reversed(divisors):
        divided = binary(op, left, Const(divisor))
        last = divisor == divisors[-1]
        result = divided if last else choose(binary("==", right, Const(divisor)), divided, result)
    return result


def _floor(op: BinaryOp, left: Expr, right: Expr, least: int) -> Expr:
    """Division by a positive number, of a dividend that is not below `least`, without negatives."""
    lift = max(0, -least)
    lifted = binary("+", left, binary("*", right, Const(lift))) if lift else left
    divided = binary(op, lifted, right)
    return binary("-", divided, Const(lift)) if op == "//" else divided


def let(name: str, value: Expr, body: Expr) -> Expr:
    """A name in an expression, if the expression uses it."""
    return LetIn(name, value, body) if _uses(body, name) else body


def _uses(expr: Expr, name: str) -> bool:
    """Whether an unrolled expression uses a local name that it does not bind."""
    match expr:
        case Local(used):
            return used == name
        case LetIn(bound, value, body):
            return _uses(value, name) or (bound != name and _uses(body, name))
    return any(_uses(part, name) for part in parts(expr))


def free(expr: Expr) -> set[str]:
    """The local names that an unrolled expression uses and does not bind."""
    match expr:
        case Local(name):
            return {name}
        case LetIn(name, value, body):
            return free(value) | (free(body) - {name})
    return set[str]().union(*map(free, parts(expr)))
