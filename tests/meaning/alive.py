"""Which local variables of a process may still be read: the others are forgotten, or there were too many states.

The textbook's rule, read off the text backwards: what is read is alive before, what is bound is not. Where
control can go two ways, what is alive on either is. Loops are gone round until nothing is added.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class Ways:
    """What is alive where `break` and `continue` lead to."""

    out: Names = NONE
    again: Names = NONE


def read(node: ast.AST | None) -> Names:
    """The names that a statement or an expression reads."""
    found = ast.walk(node) if node is not None else ()
    return frozenset(
        each.id for each in found if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    )


def before(statements: Sequence[ast.stmt], after: Names, ways: Ways) -> Names:
    """What is alive before some statements, if so much is alive behind them."""
    for each in reversed(statements):
        after = _before_one(each, after, ways)
    return after


def _before_one(node: ast.stmt, after: Names, ways: Ways) -> Names:
    match node:
        case ast.Return():
            return NONE
        case ast.Break():
            return ways.out
        case ast.Continue():
            return ways.again
        case ast.If():
            return read(node.test) | before(node.body, after, ways) | before(node.orelse, after, ways)
        case ast.Match():
            return read(node.subject).union(*(_case(each, after, ways) for each in node.cases))
        case ast.While():
            return in_loop(node, after)
        case ast.For():
            return read(node.iter) | in_loop(node, after)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return (after - {name}) | read(node.value)
        case ast.AugAssign(target=ast.Name(id=name)):
            return after | {name} | read(node.value)
    return after | read(node)


def _case(case: ast.match_case, after: Names, ways: Ways) -> Names:
    bound = {each.name for each in ast.walk(case.pattern) if isinstance(each, ast.MatchAs) and each.name}
    return before(case.body, after, ways) - bound


def in_loop(node: ast.While | ast.For, after: Names) -> Names:
    """What is alive where a loop decides whether it goes on; that is decided by the name of a `for`, too."""
    deciding = read(node.test) if isinstance(node, ast.While) else frozenset({ast.unparse(node.target)})
    return _steady(after | deciding, lambda alive: alive | before(node.body, alive, Ways(after, alive)))


def _steady(names: Names, more: Callable[[Names], Names]) -> Names:
    while (following := more(names)) != names:
        names = following
    return names
