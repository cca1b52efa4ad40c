"""Loops over interchangeable values: what they do must not depend on the order of the values.

A round of such a loop may change only what its variable selects, and may look at what the loop changes only
there. Otherwise renaming the values would change what the loop does, and symmetry would merge states that
behave differently.
"""

from __future__ import annotations

import ast

from angarium.compile.frontend.context import Context, Scope
from angarium.compile.frontend.scan import expressions, selects, statements, writes
from angarium.model import types
from angarium.model.transition import Call, Let, Read, Stmt, Write


def check_order(
    context: Context,
    scope: Scope,
    node: ast.For,
    type_: types.Scalar,
    name: str,
    body: list[Stmt],
    outer: frozenset[str],
) -> None:
    """A loop over interchangeable values must not depend on their order."""
    if not isinstance(type_, types.Index) or not type_.symmetric:
        return
    written = writes(tuple(body))
    for statement in statements(tuple(body)):
        if not _independent(context, statement, name, written, outer):
            raise scope.error(
                "ANG109",
                node,
                f"this loop over {type_} may depend on the order of interchangeable values",
                "possible in such a loop: changes of parts of the state that the loop's variable selects",
                "write a comprehension, or remove symmetric=True from the index",
            )


def _independent(
    context: Context, statement: Stmt, name: str, written: set[str], outer: frozenset[str]
) -> bool:
    """Whether a statement of a loop neither sees nor changes what other rounds of the loop change."""
    if isinstance(statement, Let) and statement.name in outer:
        return False
    if isinstance(statement, Write) and not selects(statement.index, name):
        return False
    for each in expressions(statement):
        if isinstance(each, Read) and each.variable in written and not selects(each.index, name):
            return False
        if isinstance(each, Call) and written & context.reads_of_helper(each.helper):
            return False
    return True
