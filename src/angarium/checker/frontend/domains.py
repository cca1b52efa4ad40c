"""What can be looped over, quantified over or chosen from, and what is computed over it: comprehensions.

A domain is a bounded run of integers, each with a meaning:

    for q in Queue                   every value of an index, an enumeration or bool
    for i in range(n)                numbers
    for item in self.waiting[q]      the items of a sequence, in order
    for cost in COST                 the values of a constant table
    for a in self.members            the elements of a set
    for x in (a, b, c)               these values

sum, any, all, min and max run over it, and `x in y` asks whether a value is among them:

    sum(self.active[q] == a for q in Queue)     ->  Reduce("sum", q, 0, queues, 1, active[q] == a)
    a in self.waiting[q]                        ->  Reduce("any", i, 0, capacity, i < len, at[i] == a)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from angarium.checker.frontend.alternatives import alike, picked
from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.evaluation import Bindings, evaluated, held, let_in, strictly, there
from angarium.checker.frontend.fit import comparable, number, type_name
from angarium.checker.frontend.sets import as_computed, compared, comprehended, elements, refuse_many, subset
from angarium.checker.frontend.sets import contains as is_in
from angarium.checker.frontend.values import (
    NUMBER,
    Place,
    ScalarValue,
    SetValue,
    TableValue,
    Value,
    bind,
    equal,
    load,
    lowest_value,
    may_be_in,
    read,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import FALSE, TRUE, binary, conjunction, disjunction, if_else, negation
from angarium.checker.ir.syntax import Const, Expr, LetIn, Local, Reduce, ReduceOp
from angarium.checker.ir.types import size
from angarium.checker.language.declarations import word_of


@dataclass(frozen=True, slots=True)
class Domain:
    """The integers low .. high - 1; which of them count, and what each stands for."""

    low: Expr
    high: Expr
    type: types.Scalar
    """Of the integer itself, for labels."""
    counts: Callable[[Expr], Expr]
    value: Callable[[Expr], Value]
    before: Bindings = field(default_factory=list)
    """What is evaluated before the first of them."""
    place: Place | None = None
    """The sequence or set, if it is one."""
    members: SetValue | None = None
    """The set of the state or the computed one, if it is one."""
    subset_of: types.Scalar | None = None
    """For all subsets of the values of a type."""


_ITEM = "item of it"
"""What a function runs with over a domain that is given alone: no name of a model can be that."""


def _always(_: Expr) -> Expr:
    return TRUE


def domain(expressions: Compiler, node: ast.expr, *, lasting: bool = False) -> Domain:
    """The domain that an expression after `in` stands for; lasting if the state may change meanwhile."""
    match node:
        case ast.Name(id=name) if name not in expressions.scope.names:
            type_ = expressions.context.model.named_type(name, node, expressions.scope.module)
            if isinstance(type_, types.Index | types.Enumeration | types.Bool):
                return of_type(type_)
        case ast.Call(func=ast.Name(id="range"), args=args) if 1 <= len(args) <= 2:
            return _range(expressions, args)
        case ast.Tuple(elts=[_, *_] as items) | ast.List(elts=[_, *_] as items):
            return of_values(expressions, items, lasting=lasting)
        case ast.Call(args=[whole]) if word_of(expressions.scope.module, node) == "subsets":
            return _subsets(expressions, domain(expressions, whole), whole)
    value = expressions.try_value(node)
    if isinstance(value, TableValue) and value.items:
        return _of_row(value.items, [])
    if isinstance(value, SetValue) and not lasting:
        return _of_members(value)
    if isinstance(value, Place) and isinstance(value.type, types.Seq | types.SetOf):
        before, place = held(expressions, value) if lasting else ([], value)
        if isinstance(value.type, types.Seq) and value.type.capacity == 0:
            before = there(expressions, value)  # no round looks at it
        members = as_computed(expressions, place, node) if isinstance(place.type, types.SetOf) else None
        over = _of_members(members) if members else _of_place(place)
        return replace(over, before=before, place=place)
    possible = "possible: an Index, an Enum, range(...), a sequence, a set, or values in parentheses"
    remedy = "loop over all values and ask for each: for x in Item: if x in ..."
    what = f"{ast.unparse(node)} cannot be looped over"
    raise expressions.scope.error("ANG104", node, what, possible, remedy * isinstance(value, SetValue))


def _of_members(of: SetValue) -> Domain:
    """The elements of a set, in the order of all values that they could be."""
    run, meant = elements(of.item)
    low, high = Const(run.low), Const(run.high + 1)
    return Domain(low, high, run, lambda i: of.has(meant(i)), meant, list(of.before), members=of)


def _subsets(expressions: Compiler, whole: Domain, node: ast.expr) -> Domain:
    """All subsets of the values of a type, or of a set."""
    item = whole.members.item if whole.members else whole.type
    scalar = refuse_many(expressions, node, item)
    if whole.members is None and isinstance(scalar, types.Int):  # positions, not what stands there
        what = f"{ast.unparse(node)} is no type and no set"
        raise expressions.scope.error("ANG104", node, what, "possible: an Index, an Enum, bool, or a set")
    counts: Callable[[Expr], Expr] = _always
    if whole.members is not None:
        of = whole.members
        counts = lambda i: compared(expressions, ast.LtE(), subset(scalar, i), replace(of, before=()))  # noqa: E731
    last = (1 << size(scalar)) - 1
    return Domain(
        Const(0),
        Const(last + 1),
        types.Int(0, last),
        counts,
        lambda i: subset(scalar, i),
        whole.before,
        subset_of=scalar,
    )


def of_type(type_: types.Scalar) -> Domain:
    """Every value of a scalar type."""
    return Domain(
        Const(type_.low),
        Const(type_.high + 1),
        type_,
        _always,
        lambda i: ScalarValue(type_, i),
    )


def _range(expressions: Compiler, args: list[ast.expr]) -> Domain:
    bounds = [number(expressions.value(arg), expressions.scope, arg) for arg in args]
    low, high = bounds if len(bounds) == 2 else (Const(0), bounds[0])
    type_ = NUMBER
    if isinstance(low, Const) and isinstance(high, Const):
        type_ = types.Int(low.value, max(high.value - 1, low.value))
    return Domain(low, high, type_, _always, lambda i: ScalarValue(type_, i))


def of_values(expressions: Compiler, items: list[ast.expr], *, lasting: bool = False) -> Domain:
    """These values, one after the other."""
    given = [load(expressions.value(item)) for item in items]
    before, values = _bound(expressions, given) if lasting else evaluated(expressions, given)
    encoded = alike(values)
    if encoded is None:
        unlike = (item for item, v in zip(items, values, strict=True) if alike((values[0], v)) is None)
        wrong = next(unlike, items[-1])
        what = f"{ast.unparse(wrong)} does not fit the first of the values"
        raise expressions.scope.error("ANG106", wrong, what)
    return _of_row(encoded, before)


def _of_row(values: Sequence[Value], before: Bindings) -> Domain:
    """These values, all encoded alike."""
    last = types.Int(0, max(len(values) - 1, 0))
    return Domain(Const(0), Const(len(values)), last, _always, lambda i: picked(values, i), before)


def _bound(expressions: Compiler, given: list[Value]) -> tuple[Bindings, list[Value]]:
    """Names for all of the values."""
    bound = [bind(value, expressions.scope.fresh("item")) for value in given]
    return [pair for pairs, _ in bound for pair in pairs], [value for _, value in bound]


def _of_place(place: Place) -> Domain:
    """The items of a sequence."""
    assert isinstance(place.type, types.Seq)
    if place.type.capacity == 0:
        never = lowest_value(place.type.item)
        return Domain(Const(0), Const(0), types.Int(0, 0), lambda _: FALSE, lambda _: never)
    capacity, length = place.type.capacity, read(place.length).expr
    return Domain(
        Const(0),
        Const(capacity),
        types.Int(0, capacity - 1),
        lambda i: binary("<", i, length),
        lambda i: load(place.element(i)),
    )


OPERATIONS: dict[str, ReduceOp] = {
    "sum": "sum",
    "any": "any",
    "all": "all",
    "min": "min",
    "max": "max",
}


def comprehension(expressions: Compiler, node: ast.Call) -> Value:
    """`sum(... for x in ...)` and its siblings."""
    assert isinstance(node.func, ast.Name)
    generator = _generator(expressions, node)
    op = OPERATIONS[node.func.id]
    bindings, empty = _default(expressions, node, op)
    expr = _reduce(expressions, node, op, generator.elt, generator.generators, empty)
    if isinstance(node.args[0], ast.ListComp) and expressions.context.may_fail(expr):
        expr = _all_evaluated(op, expr, len(generator.generators))
    type_: types.Scalar = types.Bool() if op in ("any", "all") else NUMBER
    return ScalarValue(type_, let_in(bindings, expr))


def _generator(expressions: Compiler, node: ast.Call) -> ast.GeneratorExp:
    """What a function runs over: `sum(COST)` is `sum(item for item in COST)`."""
    match node.args:
        case [ast.GeneratorExp() as generator]:
            return generator
        case [ast.ListComp(elt, generators) as given]:
            return ast.copy_location(ast.GeneratorExp(elt, generators), given)
        case [ast.Name() | ast.Attribute() | ast.Subscript() | ast.Tuple() | ast.List() as whole]:
            item = ast.copy_location(ast.Name(_ITEM), whole)
            each = ast.comprehension(item, whole, [], 0)
            return ast.copy_location(ast.GeneratorExp(item, [each]), whole)
    assert isinstance(node.func, ast.Name)
    raise expressions.scope.error(
        "ANG104",
        node,
        f"{ast.unparse(node)} is not part of the language",
        f"possible: {node.func.id}(expression for name in domain if condition), {node.func.id}(domain)",
    )


def _all_evaluated(op: ReduceOp, expr: Expr, depth: int) -> Expr:
    """`any([...])` and `all([...])` evaluate every item before they look at the first: they count."""
    if op not in ("any", "all"):
        return expr
    count = _counting(op, expr, depth)
    return binary("!=" if op == "any" else "==", count, Const(0))


def _counting(op: ReduceOp, expr: Expr, depth: int) -> Expr:
    """How often the innermost body is true for `any`, or false for `all`."""
    if depth == 0:
        return if_else(expr, TRUE, FALSE) if op == "any" else negation(expr)
    match expr:
        case LetIn(name, value, body):
            return LetIn(name, value, _counting(op, body, depth))
        case Reduce(body=body):
            return replace(expr, op="sum", body=_counting(op, body, depth - 1))
    raise AssertionError(expr)


def _default(expressions: Compiler, node: ast.Call, op: ReduceOp) -> tuple[Bindings, Expr | None]:
    """What stands for nothing, which is evaluated before anything else is."""
    for keyword in node.keywords:
        if keyword.arg == "default" and op in ("min", "max"):
            given = ScalarValue(NUMBER, expressions.number(keyword.value))
            bindings, (value,) = evaluated(expressions, [given])
            assert isinstance(value, ScalarValue)
            return bindings, value.expr
        raise expressions.scope.error("ANG104", node, f"{keyword.arg}= is not part of the language here")
    return [], None


def _reduce(
    expressions: Compiler,
    node: ast.Call,
    op: ReduceOp,
    element: ast.expr,
    generators: list[ast.comprehension],
    empty: Expr | None,
) -> Expr:
    if not generators:
        return expressions.condition(element) if op in ("any", "all") else _number(expressions, element)
    first, *rest = generators
    if op in ("min", "max") and rest:
        raise expressions.scope.error(
            "ANG104",
            node,
            f"{op} over two domains is not part of the language",
            "",
            "nest two of them",
        )
    inner, name, over, where = _bound_item(expressions, first)
    body = _reduce(inner, node, op, element, rest, empty)
    at = expressions.context.at(node, expressions.scope.module)
    return let_in(over.before, Reduce(op, name, over.low, over.high, where, body, empty, at))


def _number(expressions: Compiler, node: ast.expr) -> Expr:
    return number(expressions.value(node), expressions.scope, node)


def _bound_item(expressions: Compiler, generator: ast.comprehension) -> tuple[Compiler, str, Domain, Expr]:
    """The scope inside one `for x in domain if condition`, its name, its domain and what counts of it."""
    if not isinstance(generator.target, ast.Name) or generator.is_async:
        raise expressions.scope.error(
            "ANG104",
            generator.target,
            "a comprehension binds one plain name",
            "possible: for x in ...",
        )
    over = domain(expressions, generator.iter)
    name = expressions.scope.fresh(generator.target.id)
    inner = expressions.inside()
    inner.scope.names[generator.target.id] = over.value(Local(name))
    conditions = [over.counts(Local(name)), *(inner.condition(c) for c in generator.ifs)]
    return inner, name, over, conjunction(conditions)


def set_of(expressions: Compiler, node: ast.SetComp) -> SetValue:
    """`{x for x in domain if condition}`."""
    if len(node.generators) != 1:
        what = f"{ast.unparse(node)} runs over two domains, which is not part of the language"
        raise expressions.scope.error("ANG104", node, what, "", "write a loop that adds what it finds")
    inner, name, over, where = _bound_item(expressions, node.generators[0])
    run = Reduce("any", name, over.low, over.high, where, TRUE)
    found = comprehended(inner, node, inner.value(node.elt), run)
    return replace(found, before=(*over.before, *found.before))


def contains(expressions: Compiler, item: ast.expr, container: ast.expr) -> Expr:
    """`item in container`."""
    value = load(expressions.value(item))
    if isinstance(container, ast.SetComp | ast.BinOp | ast.Name):
        whole = expressions.try_value(container)
        if isinstance(whole, SetValue):
            fitted = expressions.fitted(value, whole.item, item)
            found = strictly(expressions, (fitted,), lambda of: is_in(whole, of[0]))
            return let_in(list(whole.before), found)
        if isinstance(whole, TableValue):
            return _is_one_of(expressions, value, [(each, container) for each in whole.items])
    if isinstance(container, ast.Tuple | ast.List | ast.Set):
        options = [(load(expressions.value(option)), option) for option in container.elts]
        return _is_one_of(expressions, value, options)
    place = expressions.place(container)
    if isinstance(place.type, types.SetOf):
        fitted = expressions.fitted(value, place.type.item, item)
        return strictly(expressions, (fitted, place), lambda of: _set_contains(place, of[0]))
    if isinstance(place.type, types.Seq):
        expressions.fitted(value, place.type.item, item)
        position = expressions.scope.fresh("position")
        return strictly(expressions, (value, place), lambda of: seq_contains(place, of[0], position))
    raise expressions.scope.error(
        "ANG106", container, f"{ast.unparse(container)} is {place.type}: nothing can be in it"
    )


def _is_one_of(expressions: Compiler, value: Value, options: Sequence[tuple[Value, ast.expr]]) -> Expr:
    """Whether a value is among others, each with how it is written."""
    for option, node in options:
        if not comparable(value, option):
            what = f"{type_name(value)} cannot be compared with {type_name(option)}"
            raise expressions.scope.error("ANG106", node, what)
    every = (value, *(option for option, _ in options))
    return strictly(expressions, every, lambda of: disjunction(equal(of[0], each) for each in of[1:]))


def _set_contains(place: Place, value: Value) -> Expr:
    assert isinstance(place.type, types.SetOf)
    return binary("and", may_be_in(value, place.type.item), read(place.member(value)).expr)


def seq_contains(place: Place, value: Value, name: str) -> Expr:
    """Whether a sequence has an item equal to the value."""
    assert isinstance(place.type, types.Seq)
    if place.type.capacity == 0:
        return FALSE
    within = binary("<", Local(name), read(place.length).expr)
    same = equal(place.element(Local(name)), value)
    capacity = Const(place.type.capacity)
    return Reduce("any", name, Const(0), capacity, TRUE, binary("and", within, same))
