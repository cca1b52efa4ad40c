"""Comprehensions and membership: sum, any, all, min and max over bounded domains; `x in y`.

sum(self.active[q] == a for q in Queue)     ->  Reduce("sum", q, 0, queues, 1, active[q] == a)
a in self.waiting[q]                        ->  Reduce("any", i, 0, capacity, i < len, at[i] == a)
"""

from __future__ import annotations

import ast
from dataclasses import replace

from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.domains import Domain, domain
from angarium.checker.frontend.evaluation import Bindings, evaluated, let_in, strictly
from angarium.checker.frontend.fit import comparable, number, type_name
from angarium.checker.frontend.fold import (
    FALSE,
    TRUE,
    between,
    binary,
    conjunction,
    disjunction,
    if_else,
    negation,
)
from angarium.checker.frontend.values import NUMBER, Place, ScalarValue, Value, equal, is_inside, load, read
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Const, Expr, LetIn, Local, Reduce, ReduceOp

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
    generator = node.args[0] if len(node.args) == 1 else None
    if isinstance(generator, ast.ListComp):
        generator = ast.copy_location(ast.GeneratorExp(generator.elt, generator.generators), generator)
    if not isinstance(generator, ast.GeneratorExp):
        raise expressions.scope.error(
            "ANG104",
            node,
            f"{ast.unparse(node)} is not part of the language",
            f"possible: {node.func.id}(expression for name in domain if condition)",
        )
    op = OPERATIONS[node.func.id]
    bindings, empty = _default(expressions, node, op)
    expr = _reduce(expressions, node, op, generator.elt, generator.generators, empty)
    if isinstance(node.args[0], ast.ListComp) and expressions.context.may_fail(expr):
        expr = _all_evaluated(op, expr, len(generator.generators))
    type_: types.Scalar = types.Bool() if op in ("any", "all") else NUMBER
    return ScalarValue(type_, let_in(bindings, expr))


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
    inner, name, over, where = _bound(expressions, first)
    body = _reduce(inner, node, op, element, rest, empty)
    at = expressions.context.at(node, expressions.scope.module)
    return let_in(over.before, Reduce(op, name, over.low, over.high, where, body, empty, at))


def _number(expressions: Compiler, node: ast.expr) -> Expr:
    return number(expressions.value(node), expressions.scope, node)


def _bound(expressions: Compiler, generator: ast.comprehension) -> tuple[Compiler, str, Domain, Expr]:
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


def contains(expressions: Compiler, item: ast.expr, container: ast.expr) -> Expr:
    """`item in container`."""
    value = load(expressions.value(item))
    if isinstance(container, ast.Tuple | ast.List | ast.Set):
        options = [load(expressions.value(option)) for option in container.elts]
        for option, node in zip(options, container.elts, strict=True):
            if not comparable(value, option):
                raise expressions.scope.error(
                    "ANG106",
                    node,
                    f"{type_name(value)} cannot be compared with {type_name(option)}",
                )
        every = (value, *options)
        return strictly(expressions, every, lambda of: disjunction(equal(of[0], each) for each in of[1:]))
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


def _set_contains(place: Place, value: Value) -> Expr:
    assert isinstance(place.type, types.SetOf)
    assert isinstance(value, ScalarValue)
    inside = read(place.member(value.expr)).expr
    item = place.type.item
    return inside if is_inside(value, item) else binary("and", between(value.expr, item), inside)


def seq_contains(place: Place, value: Value, name: str) -> Expr:
    """Whether a sequence has an item equal to the value."""
    assert isinstance(place.type, types.Seq)
    if place.type.capacity == 0:
        return FALSE
    within = binary("<", Local(name), read(place.length).expr)
    same = equal(place.element(Local(name)), value)
    capacity = Const(place.type.capacity)
    return Reduce("any", name, Const(0), capacity, TRUE, binary("and", within, same))
