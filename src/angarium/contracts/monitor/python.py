"""Expressions as the Python that means the same on real values.

The elements of an order are whole numbers from 0, and what is fixed of a thing, such as the number of a
message, is an attribute of the object. `all(... for m in self.contents)` walks through a set; if what it says
is not about `m`, it only asks whether the set is empty, so that the question takes no longer on a long queue.

What has no finite meaning cannot be run: `every(Message)` is a set without end, and of a ring nobody knows
how many slots it has.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    Symbol,
    Variable,
    walk,
)
from angarium.core.errors import ConformError, Place

_RING = "a ring has a number of slots that only its implementation knows"
_WITHOUT_END = "it asks about everything of a sort, of which there is no end"
_REMEDY = "write all(... for m in self.contents) about what is in a relation of the state"


def python(expr: Expr, place: Place) -> str:
    """The expression as Python; `place` is the line on which it stands, for errors."""
    match expr:
        case Literal(value=value):
            return str(value)
        case Variable(name=name):
            return local(name)
        case First():
            return "0"
        case Next(of=of) if expr.sort.kind is Kind.ORDER:
            return f"({python(of, place)} + 1)"
        case Apply(symbol=symbol, arguments=arguments):
            return _applied(symbol, arguments, place)
        case Equal(left=left, right=right):
            return f"({python(left, place)} == {python(right, place)})"
        case Less(left=left, right=right):
            return f"({python(left, place)} < {python(right, place)})"
        case Quantified():
            return _quantified(expr, place)
        case Next() | Between():
            raise cannot_be_watched(_RING, place)
        case _:
            return _connected(expr, place)


def local(name: str) -> str:
    """A variable's name in Python: no two variables have the same, and no name of ours is among them.

    Variables that were told apart by a number are called `m#1`, which Python cannot read.
    """
    return "v_" + name.replace("_", "__").replace("#", "_n")


def key(expressions: Iterable[Expr], place: Place) -> str:
    """Arguments as a set or a dictionary holds them: one thing as it is, several as a tuple."""
    texts = [python(each, place) for each in expressions]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def variables(bound: tuple[Variable, ...]) -> str:
    """What a loop over a relation binds."""
    return key(bound, Place("", 0, 0))


def stored(symbol: Symbol) -> str:
    """Where the value of a symbol is."""
    return f"state[{symbol.name!r}]"


def walked(domain: Symbol | None, place: Place) -> str:
    """The set that a loop walks through."""
    if domain is None or domain.fixed:
        raise cannot_be_watched(_WITHOUT_END, place)
    return stored(domain)


def cannot_be_watched(why: str, place: Place) -> ConformError:
    return ConformError(
        "ANG090",
        f"this line can be proved, but not be watched on real values: {why}",
        possible="relations of the state, fields of one thing, orders, and all or any over a relation",
        remedy=_REMEDY,
        place=place,
    )


def _connected(expr: Expr, place: Place) -> str:
    match expr:
        case Not(of=of):
            return f"(not {python(of, place)})"
        case And(parts=parts):
            return f"({' and '.join(python(each, place) for each in parts) or 'True'})"
        case Or(parts=parts):
            return f"({' or '.join(python(each, place) for each in parts) or 'False'})"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            yes, no = python(then, place), python(otherwise, place)
            return f"({yes} if {python(condition, place)} else {no})"
    raise AssertionError(expr)


def _applied(symbol: Symbol, arguments: tuple[Expr, ...], place: Place) -> str:
    if symbol.fixed:
        return _field(symbol, arguments, place)
    if not arguments:
        return stored(symbol)
    if symbol.result == TRUTH:
        return f"({key(arguments, place)} in {stored(symbol)})"
    return f"{stored(symbol)}[{key(arguments, place)}]"


def _field(symbol: Symbol, arguments: tuple[Expr, ...], place: Place) -> str:
    if len(arguments) != 1:
        raise cannot_be_watched(f"{symbol.name} is fixed, but is not a field of one thing", place)
    return f"{python(arguments[0], place)}.{symbol.name}"


def _quantified(expr: Quantified, place: Place) -> str:
    domain, body = walked(expr.domain, place), python(expr.body, place)
    is_all = expr.quantifier is Quantifier.ALL
    if not set(expr.variables) & set(walk(expr.body)):
        return f"(not {domain} or {body})" if is_all else f"(bool({domain}) and {body})"
    return f"{'all' if is_all else 'any'}({body} for {variables(expr.variables)} in {domain})"
