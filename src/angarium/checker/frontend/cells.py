"""Which cells of a variable an index selects, as far as one can see without running.

Cells lie row by row, so an index is the sum of what stands at each position, times a stride. From that sum
one can read back at which positions a certain name stands; two parts of a model that have different values at
one position never touch the same cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from angarium.checker.frontend.context import Context
from angarium.checker.frontend.scan import expressions
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Binary, Const, Expr, IfElse, Let, Local, Stmt
from angarium.checker.ir.types import leaves


def names_of(name: str, inside: Iterable[Stmt]) -> frozenset[str]:
    """A name, and names that are bound to nothing else: arguments of functions to which it was given."""
    bound: dict[str, list[Expr]] = {}
    for each in inside:
        if isinstance(each, Let):
            bound.setdefault(each.name, []).append(each.value)
    own = {name}
    for alias, values in bound.items():  # in the order of the text: an alias stands behind its origin
        if len(values) == 1 and isinstance(values[0], Local) and values[0].name in own:
            own.add(alias)
    return frozenset(own)


def fits(context: Context, variable: str, value: int) -> bool:
    """Whether a variable of the declared state can hold a number."""
    leaf = _leaf(context, variable)
    return leaf is not None and leaf.type.low <= value <= leaf.type.high


def _leaf(context: Context, variable: str) -> types.Leaf | None:
    """What a variable is in the declared state; None for what processes keep."""
    name = variable.partition(".")[0]
    shape = context.model.state.get(name)
    found = leaves(shape.type) if shape is not None else ()
    return next((leaf for leaf in found if name + leaf.suffix == variable), None)


def strides_of(context: Context, variable: str, type_: types.Scalar) -> dict[int, int]:
    """For each index position of this type, how far apart neighbours are; none for what processes keep."""
    leaf = _leaf(context, variable)
    if leaf is None:
        return {}
    strides = {at: prod(leaf.dims[at + 1 :]) for at in range(len(leaf.dims))}
    return {at: stride for at, stride in strides.items() if leaf.keys[at] == type_}


def selected(
    index: Expr, own: frozenset[str], strides: dict[int, int], *, is_plain: bool = False
) -> set[int]:
    """The positions of an index at which one of these names itself stands.

    How often the name counts in the sum is a sum of strides; and as every position of its type has at least
    two values, only one set of positions has that sum. Where something can be computed with the name
    (`i + 1`), the index is one that may be wrong, so that `is_plain` asks for one that cannot.
    """
    if is_plain and any(isinstance(each, IfElse) for each in expressions(index)):
        return set()
    times = sum(count for part, count in _terms(index) if isinstance(part, Local) and part.name in own)
    found: set[int] = set()
    for position, stride in sorted(strides.items(), key=lambda each: -each[1]):
        if stride and times >= stride:
            times -= stride
            found.add(position)
    return found if times == 0 else set()


def _terms(expr: Expr, times: int = 1) -> Iterator[tuple[Expr, int]]:
    """An expression as a sum; an index that may be wrong is taken as right, as the other fails."""
    match expr:
        case Binary("+", left, right):
            yield from _terms(left, times)
            yield from _terms(right, times)
        case Binary("-", left, right):
            yield from _terms(left, times)
            yield from _terms(right, -times)
        case Binary("*", left, Const(value)):
            yield from _terms(left, times * value)
        case IfElse(_, whole, Const(-1)):
            yield from _terms(whole, times)
        case _:
            yield expr, times
