"""The textbook meaning of expressions, in small worlds: slow, obvious, and without any solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from angarium.contracts.terms import (
    TRUTH,
    And,
    Apply,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Literal,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
)

Values = Mapping[Variable, int]
Tables = Mapping[Symbol, Mapping[tuple[int, ...], int]]
Sizes = Mapping[Sort, int]


def elements(sort: Sort, sizes: Sizes) -> range:
    return range(2 if sort == TRUTH else sizes[sort])


def value(expr: Expr, sizes: Sizes, tables: Tables, values: Values) -> int:  # noqa: C901 (one case a kind)
    """An element's number, or 1 for true and 0 for false."""

    def of(part: Expr) -> int:
        return value(part, sizes, tables, values)

    match expr:
        case Literal(value=known):
            return int(known)
        case Variable():
            return values[expr]
        case First():
            return 0
        case Next(of=inner):
            return following(of(inner), expr.sort, sizes)
        case Apply(symbol=symbol, arguments=arguments):
            return tables[symbol][tuple(map(of, arguments))]
        case Equal(left=left, right=right):
            return int(of(left) == of(right))
        case Less(left=left, right=right):
            return int(of(left) < of(right))
        case Between(start=start, slot=slot, end=end):
            return int(of(slot) in list(walk(of(start), of(end), sizes[slot.sort])))
        case Not(of=inner):
            return 1 - of(inner)
        case And(parts=parts):
            return int(all(map(of, parts)))
        case Or(parts=parts):
            return int(any(map(of, parts)))
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return of(then) if of(condition) else of(otherwise)
        case Quantified():
            return quantified(expr, sizes, tables, values)


class OutOfNumbersError(Exception):
    """A small order has no next element where an unbounded one would: what is evaluated says nothing."""


def following(element: int, sort: Sort, sizes: Sizes) -> int:
    """The next element: in a ring behind the last comes the first."""
    if sort.kind is not Kind.RING and element + 1 == sizes[sort]:
        raise OutOfNumbersError
    return (element + 1) % sizes[sort]


def walk(start: int, end: int, size: int) -> Iterator[int]:
    """The slots that a walk round a ring meets before its end."""
    while start != end:
        yield start
        start = (start + 1) % size


def quantified(expr: Quantified, sizes: Sizes, tables: Tables, values: Values) -> int:
    domains = [elements(variable.sort, sizes) for variable in expr.variables]
    inside = [each for each in product(*domains) if not expr.domain or tables[expr.domain][each]]
    bodies = [
        value(expr.body, sizes, tables, {**values, **dict(zip(expr.variables, each, strict=True))})
        for each in inside
    ]
    return int(all(bodies) if expr.quantifier is Quantifier.ALL else any(bodies))


def worlds(symbols: list[Symbol], variables: list[Variable], sizes: Sizes) -> Iterator[tuple[Tables, Values]]:
    """Every way to fill the tables, and every choice of the free variables."""
    cells = [
        (symbol, arguments)
        for symbol in symbols
        for arguments in product(*(elements(sort, sizes) for sort in symbol.arguments))
    ]
    results = [elements(symbol.result, sizes) for symbol, _ in cells]
    for contents in product(*results):
        tables: dict[Symbol, dict[tuple[int, ...], int]] = {symbol: {} for symbol in symbols}
        for (symbol, arguments), found in zip(cells, contents, strict=True):
            tables[symbol][arguments] = found
        for chosen in product(*(elements(variable.sort, sizes) for variable in variables)):
            yield tables, dict(zip(variables, chosen, strict=True))
