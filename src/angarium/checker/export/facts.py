"""What is known where a condition is evaluated, and what is left of the condition then.

A guard that was passed need not be asked again: behind `n != 0` the division by n needs no check.
Facts are conditions known to be true; they are recognised by their form only.
"""

from __future__ import annotations

from collections.abc import Set

from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.normal_form import choose, conjunction, disjunction, is_truth, negate
from angarium.checker.ir.syntax import Binary, Const, Expr, IfElse, LetIn, Not

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
