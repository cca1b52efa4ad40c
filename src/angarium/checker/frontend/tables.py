"""Constant tables: rows of values at the top of a file, looked up by what is known during the search only.

    COST = (3, 1, 2)
    NEXT = ((1, 2), (2, 0), (0, 1))

    COST[i]         ->  3 if i == 0 else (1 if i == 1 else 2), where i is within 0 .. 2
    NEXT[i][j]      ->  the same, for each row
    len(COST)       ->  3
    x in COST, for x in COST, sum(COST), max(COST)    as of values in parentheses

A table is a tuple, which nobody can change. What stands in it is known before the search starts.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from angarium.checker.frontend.alternatives import alike, picked
from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.declared import Static
from angarium.checker.frontend.evaluation import evaluated, wrapped
from angarium.checker.frontend.values import ScalarValue, TableValue, Value
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Const, Within
from angarium.checker.language.source import Module


def table(expressions: Compiler, node: ast.Tuple, module: Module) -> TableValue:
    """The table that a constant of a file is: all of its values are of one kind."""
    rows = [each for each in node.elts if isinstance(each, ast.Tuple)]
    if rows:
        return TableValue(tuple(table(expressions, each, module) for each in _alike_rows(node, rows, module)))
    known = [expressions.context.model.static(each, module) for each in node.elts]
    given = _in_one_range(known)
    items = alike(given)
    if items is None:
        unlike = next(at for at, each in enumerate(given) if alike((given[0], each)) is None)
        what = f"{ast.unparse(node.elts[unlike])} does not fit the first value of the table"
        raise module.error("ANG106", node.elts[unlike], what)
    return TableValue(tuple(items))


def _alike_rows(node: ast.Tuple, rows: Sequence[ast.Tuple], module: Module) -> Sequence[ast.Tuple]:
    """Rows of one length, and nothing beside them."""
    for each in node.elts:
        if not isinstance(each, ast.Tuple) or len(each.elts) != len(rows[0].elts):
            what = f"{ast.unparse(each)} is no row of {len(rows[0].elts)} values, as the first one is"
            raise module.error("ANG106", each, what)
    return rows


def _in_one_range(known: Sequence[Static]) -> list[Value]:
    """Numbers of a table are between its least and its greatest."""
    numbers = [each.value for each in known if isinstance(each.type, types.Int)]
    if len(numbers) < len(known):
        return [ScalarValue(each.type, Const(each.value)) for each in known]
    return [ScalarValue(types.Int(min(numbers), max(numbers)), Const(each)) for each in numbers]


def looked_up(expressions: Compiler, whole: TableValue, node: ast.Subscript) -> Value:
    """`TABLE[i]`: one of its values; out of range where there is no such one."""
    position, count = expressions.number(node.slice), len(whole.items)
    if isinstance(position, Const):
        if not -count <= position.value < count:
            what = f"{ast.unparse(node.value)} has no item {position.value}"
            raise expressions.scope.error("ANG107", node, what, f"possible: 0 .. {count - 1}")
        return whole.items[position.value]
    if not count:
        raise expressions.scope.error("ANG107", node, f"{ast.unparse(node.value)} has no items")
    at = expressions.context.at(node, expressions.scope.module)
    inside = Within(position, 0, count - 1, ast.unparse(node.slice), at)
    before, (chosen,) = evaluated(expressions, [ScalarValue(types.Int(0, count - 1), inside)])
    assert isinstance(chosen, ScalarValue)
    return wrapped(before, picked(whole.items, chosen.expr))
