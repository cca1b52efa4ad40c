"""Names that a function assigns more than once.

Such a name keeps one place in the transition system, so that branches and loops can change it; and as its
numbers can be anything later, none of them proves an index to be in range.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from angarium.checker.frontend.alternatives import as_declared
from angarium.checker.frontend.values import NUMBER, RecordValue, ScalarValue, Value
from angarium.checker.ir import types
from angarium.checker.language.trees import inside


def settled(value: Value) -> Value:
    """A value for a name that is assigned again: its numbers can be anything later."""
    match value:
        case ScalarValue(types.Int(), expr) | ScalarValue(types.Index(symmetric=False), expr):
            return ScalarValue(NUMBER, expr)
        case RecordValue(type_, fields):
            declared = dict(type_.fields)
            return RecordValue(
                type_, tuple((name, settled(as_declared(item, declared[name]))) for name, item in fields)
            )
    return value


def assigned_twice(body: list[ast.stmt], given: Iterable[str] = ()) -> frozenset[str]:
    """Names that a function assigns more than once, counting what it is given, or by an operator."""
    seen: set[str] = set(given)
    twice: set[str] = set()
    for node in (n for statement in body for n in inside(statement)):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                twice |= {name} & seen
                seen.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                twice.add(name)
    return frozenset(twice)
