"""Expressions in the middle of a run, said over the state at its start.

After some statements every symbol is a **lambda** over the symbols at the start. An expression is brought
back to the start by putting these lambdas in the place of symbols. Bound variables get new names each time,
so that nothing that is put in can be caught by a quantifier around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from angarium.contracts.obligations import Lambda
from angarium.contracts.terms import (
    And,
    Apply,
    Expr,
    Kind,
    Next,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
    implies,
    parts_of,
    with_parts,
)
from angarium.core.errors import LimitError

LONGEST = 2_000_000
"""Parts of all formulas of one operation."""

Store = Mapping[Symbol, Lambda]
Names = Mapping[Variable, Expr]


@dataclass(slots=True)
class Fresh:
    """Names that nothing else has."""

    _numbers: count[int] = field(default_factory=count)
    _spent: int = 0

    def spend(self) -> None:
        """Count a step of writing formulas out: a few lines of code can double them again and again."""
        self._spent += 1
        if self._spent > LONGEST:
            raise LimitError(
                "ANG055",
                f"the formulas for one operation have more than {LONGEST:,} parts",
                possible="each use of a changed set or dict writes out all its changes",
                remedy="do less in one operation, or give intermediate results names",
            )

    def variable(self, name: str, sort: Sort) -> Variable:
        return Variable(f"{name.partition('#')[0]}#{next(self._numbers)}", sort)

    def symbol(self, like: Symbol) -> Symbol:
        return Symbol(f"{like.name}#{next(self._numbers)}", like.arguments, like.result)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One moment of a run: what symbols and names stand for."""

    store: Store
    names: Names
    fresh: Fresh
    next_of: Callable[[Expr], Expr] | None = None
    """What the next element of an order is; None where code has no business to ask."""

    def of(self, expr: Expr) -> Expr:
        self.fresh.spend()
        match expr:
            case Variable():
                return self.names.get(expr, expr)
            case Next(of=of):
                return self._next(self.of(of))
            case Apply(symbol=symbol, arguments=arguments):
                return self._applied(symbol, tuple(self.of(each) for each in arguments))
            case Quantified():
                return self._quantified(expr)
        return with_parts(expr, tuple(self.of(each) for each in parts_of(expr)))

    def _next(self, of: Expr) -> Expr:
        if of.sort.kind is Kind.ORDER and self.next_of is not None:
            return self.next_of(of)
        return Next(of)

    def _applied(self, symbol: Symbol, arguments: tuple[Expr, ...]) -> Expr:
        found = self.store.get(symbol)
        if found is None:
            return Apply(symbol, arguments)
        return at(found, arguments, self.fresh)

    def _quantified(self, expr: Quantified) -> Expr:
        variables = tuple(self.fresh.variable(each.name, each.sort) for each in expr.variables)
        names = {**self.names, **dict(zip(expr.variables, variables, strict=True))}
        inside = Evaluation(self.store, names, self.fresh, self.next_of)
        body = inside.of(expr.body)
        if expr.domain is not None:
            member = inside.of(expr.domain(*expr.variables))
            is_all = expr.quantifier is Quantifier.ALL
            body = implies(member, body) if is_all else And((member, body))
        return Quantified(expr.quantifier, variables, None, body)


def at(value: Lambda, arguments: tuple[Expr, ...], fresh: Fresh) -> Expr:
    """A lambda at its arguments; without any it is shared, not copied."""
    if not arguments:
        return value.value
    return Evaluation({}, dict(zip(value.parameters, arguments, strict=True)), fresh).of(value.value)


def unchanged(symbol: Symbol, fresh: Fresh) -> Lambda:
    """A symbol as it was at the start."""
    parameters = tuple(fresh.variable("x", sort) for sort in symbol.arguments)
    return Lambda(parameters, symbol(*parameters))
