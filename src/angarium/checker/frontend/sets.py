"""Sets that are computed: `a | b`, `{x for x in a if c}`, and the subsets of what there is.

Such a set is no part of the state. It is what decides whether an element is in it, as an expression over the
integers of the element:

    self.a | self.b                  e in a or e in b
    {x for x in Item if c(x)}        any(x == e for x in Item if c(x))
    one of subsets(Item)             the bit of e in a number 0 .. 2**items - 1

So nothing is stored until it is assigned. Then every possible element is asked for; and where the set reads
more of what it is assigned to than the element itself, all are asked for before any is written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.evaluation import Bindings, let_in, there
from angarium.checker.frontend.fit import told_apart, type_name
from angarium.checker.frontend.values import (
    Display,
    Place,
    RecordValue,
    ScalarValue,
    SetValue,
    Value,
    equal,
    leaf_expressions,
    load,
    made_of,
    may_be_in,
    numbered_element,
    read,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import TRUE, binary, disjunction, if_else, negation
from angarium.checker.ir.syntax import Call, Const, Expr, For, Let, Local, Read, Reduce, ReduceOp, Stmt, Write
from angarium.checker.ir.traversal import expressions as inside
from angarium.checker.ir.types import element_cells, universe

JOINED: dict[type[ast.operator], Callable[[Expr, Expr], Expr]] = {
    ast.BitOr: lambda left, right: binary("or", left, right),
    ast.BitAnd: lambda left, right: binary("and", left, right),
    ast.Sub: lambda left, right: binary("and", left, negation(right)),
}
"""Whether an element is in `a | b`, `a & b` and `a - b`."""
MOST_SUBSETS = 16
"""Of how many elements all subsets are looked at: a step may ask for 65,536."""
MANY = 4096
"""How many values a number can have that is an element."""
MOST_AT_ONCE = 256
"""How many elements are asked for before any is written."""


def is_set(value: Value) -> bool:
    """Whether a value is a set: of the state, written down, or computed."""
    match value:
        case SetValue() | Place(types.SetOf()):
            return True
        case Display():
            return value.kind is types.SetOf
    return False


def as_computed(
    expressions: Compiler, value: Value, node: ast.expr, like: types.Element | None = None
) -> SetValue:
    """A set as what decides what is in it; one that is written down has elements like those of another."""
    match value:
        case SetValue():
            return value
        case Place(types.SetOf(item)) as place:
            return SetValue(item, lambda e: read(place.member(e)).expr, tuple(there(expressions, place)))
        case Display(items) if like is not None:
            fitted = [load(expressions.fitted(each, like, node)) for each in items]
            return SetValue(like, lambda e: disjunction(equal(e, each) for each in fitted))
    raise expressions.scope.error(
        "ANG106",
        node,
        f"{ast.unparse(node)} is {type_name(value)}, where a set is needed whose elements are known",
        "possible: a set of the state, {x for x in ...}, and {a, b} beside one of these",
    )


def both(
    expressions: Compiler, left: tuple[Value, ast.expr], right: tuple[Value, ast.expr]
) -> tuple[SetValue, SetValue]:
    """Two sets of elements of one type."""
    known = next((v for v, _ in (left, right) if isinstance(v, SetValue | Place)), None)
    like = known.type.item if known is not None and isinstance(known.type, types.SetOf) else None
    first, second = (as_computed(expressions, value, node, like) for value, node in (left, right))
    item = _common(first.item, second.item)
    if item is None:
        what = f"{first.type} and {second.type} have elements of different types"
        raise expressions.scope.error("ANG106", right[1], what)
    return _widened(first, item), _widened(second, item)


def _common(left: types.Element, right: types.Element) -> types.Element | None:
    """The type of the elements of both; whole numbers may have different ranges."""
    if isinstance(left, types.Int) and isinstance(right, types.Int):
        return types.Int(min(left.low, right.low), max(left.high, right.high))
    return left if left == right else None


def _widened(of: SetValue, item: types.Element) -> SetValue:
    return of if of.item == item else replace(of, item=item, has=lambda e: contains(of, e))


def contains(of: SetValue, value: Value) -> Expr:
    """Whether a value, which may be none of the possible elements, is in a set."""
    return binary("and", may_be_in(value, of.item), of.has(value))


def joined(op: type[ast.operator], left: SetValue, right: SetValue) -> SetValue:
    """`a | b`, `a & b` or `a - b`."""
    together = JOINED[op]
    has = lambda e: together(left.has(e), right.has(e))  # noqa: E731
    return SetValue(left.item, has, (*left.before, *right.before))


# --- what is asked of a set -------------------------------------------------------------------------


def elements(of: types.Element) -> tuple[types.Int | types.Scalar, Callable[[Expr], Value]]:
    """All possible elements as a run of numbers, and what each number stands for."""
    if isinstance(of, types.Record):
        return types.Int(0, universe(of) - 1), lambda number: numbered_element(of, number)
    return of, lambda number: ScalarValue(of, number)


def counted(
    expressions: Compiler, of: SetValue, op: ReduceOp, what: Callable[[Value], Expr] | None = None
) -> Expr:
    """`sum`, `any` or `all` over all possible elements, by default of whether they are in the set."""
    run, meant = elements(of.item)
    name = expressions.scope.fresh("element")
    body = (what or of.has)(meant(Local(name)))
    return Reduce(op, name, Const(run.low), Const(run.high + 1), TRUE, body)


def length(expressions: Compiler, of: SetValue) -> Expr:
    """`len(a)`."""
    return let_in(list(of.before), counted(expressions, of, "sum"))


def is_not_empty(expressions: Compiler, of: SetValue) -> Expr:
    """A set as a condition."""
    return let_in(list(of.before), counted(expressions, of, "any"))


def compared(expressions: Compiler, op: ast.cmpop, left: SetValue, right: SetValue) -> Expr:
    """`==`, `!=`, and `<=` for being a subset, with its siblings."""
    if isinstance(op, ast.Gt | ast.GtE):
        left, right = right, left
    within = lambda e: binary("or", negation(left.has(e)), right.has(e))  # noqa: E731
    same = lambda e: binary("==", left.has(e), right.has(e))  # noqa: E731
    match op:
        case ast.Eq() | ast.NotEq():
            found = counted(expressions, left, "all", same)
            found = found if isinstance(op, ast.Eq) else negation(found)
        case _:
            found = counted(expressions, left, "all", within)
            if isinstance(op, ast.Lt | ast.Gt):
                found = binary("and", found, negation(counted(expressions, left, "all", same)))
    return let_in([*left.before, *right.before], found)


# --- comprehensions and subsets ---------------------------------------------------------------------


def comprehended(expressions: Compiler, node: ast.SetComp, element: Value, over: Reduce) -> SetValue:
    """`{element for name in ... if ...}`, of which `over` is the run with its condition."""
    element = load(element)
    item = _item(element)
    if item is None:
        raise expressions.scope.error(
            "ANG106",
            node.elt,
            f"{ast.unparse(node.elt)} is {type_name(element)}, whose values are not known to be few",
            "possible: indices, members, bools, numbers of a declared range, and records of these",
            "write a loop that adds what it finds: for x in ...: self.a.add(...)",
        )
    parts = leaf_expressions(element)
    fallible = any(map(expressions.context.may_fail, (over.where, *parts)))
    before = [(expressions.scope.fresh("all"), replace(over, op="sum", body=each)) for each in parts]
    return SetValue(item, lambda e: replace(over, body=equal(element, e)), tuple(before if fallible else ()))


def _item(value: Value) -> types.Element | None:
    match value:
        case RecordValue(type_) if types.is_flat(type_):
            return type_
        case ScalarValue(types.Bool() | types.Enumeration() | types.Index() as type_):
            return type_
        case ScalarValue(types.Int(low, high) as type_) if high - low < MANY:
            return type_
    return None


def subset(item: types.Scalar, number: Expr) -> SetValue:
    """One of all subsets of the values of a type: the one with a number, of which each element is a bit."""

    def has(value: Value) -> Expr:
        assert isinstance(value, ScalarValue)
        position = binary("-", value.expr, Const(item.low))
        weight: Expr = Const(1)
        for each in range(1, types.size(item)):
            weight = if_else(binary("==", position, Const(each)), Const(1 << each), weight)
        return binary("==", binary("%", binary("//", number, weight), Const(2)), Const(1))

    return SetValue(item, has, is_chosen=True)


def refuse_many(expressions: Compiler, node: ast.expr, item: types.Element) -> types.Scalar:
    """The type of the elements of which all subsets are wanted."""
    if isinstance(item, types.Index) and item.symmetric:
        raise told_apart(expressions.scope, node, item)
    if isinstance(item, types.Record) or types.size(item) > MOST_SUBSETS:
        raise expressions.scope.error(
            "ANG107",
            node,
            f"there are too many subsets of {item}, which has {universe(item):,} values",
            f"possible: subsets of at most {MOST_SUBSETS} values",
        )
    return item


# --- assignment -------------------------------------------------------------------------------------


def store(expressions: Compiler, place: Place, of: SetValue, node: ast.AST, at: int) -> list[Stmt]:
    """Statements that put a computed set into a place, which may have room for more elements."""
    assert isinstance(place.type, types.SetOf)
    of = _widened(of, place.type.item)
    lets: list[Stmt] = [Let(name, expr) for name, expr in of.before]
    names = [f".element{number}" for number, _ in enumerate(element_cells(of.item))]
    each = made_of(of.item, iter([Local(name) for name in names]))
    cell, has = place.member(each), of.has(each)
    if _reads_only(expressions, has, cell):
        body: Stmt = Write(cell.name, cell.index, has, at)
        for name, type_ in reversed(list(zip(names, element_cells(of.item), strict=True))):
            body = For(name, Const(type_.low), Const(type_.high + 1), (body,))
        return [*lets, body]
    return [*lets, *_all_at_once(expressions, place, of, node, at)]


def _reads_only(expressions: Compiler, has: Expr, cell: Place) -> bool:
    """Whether an element is asked for itself alone, of all that is in the set that is assigned to."""
    for each in inside(has):
        match each:
            case Read(variable, index) if variable == cell.name and index != cell.index:
                return False
            case Call(helper) if cell.name in expressions.context.reads_of_helper(helper):
                return False
    return True


def _all_at_once(expressions: Compiler, place: Place, of: SetValue, node: ast.AST, at: int) -> Iterable[Stmt]:
    run, meant = elements(of.item)
    if universe(of.item) > MOST_AT_ONCE:
        raise expressions.scope.error(
            "ANG107",
            node,
            f"this set, of {universe(of.item):,} possible elements, is made of what it is assigned to",
            f"possible: at most {MOST_AT_ONCE} elements",
            "write a loop: for x in ...: self.a.add(x)",
        )
    numbers = range(run.low, run.high + 1)
    names = {number: expressions.scope.fresh("element") for number in numbers}
    bound: Bindings = [(name, of.has(meant(Const(number)))) for number, name in names.items()]
    cells = ((place.member(meant(Const(number))), name) for number, name in names.items())
    return [
        *(Let(name, expr) for name, expr in bound),
        *(Write(cell.name, cell.index, Local(name), at) for cell, name in cells),
    ]
