"""Walking over Python's syntax trees.

A model is walked over several times before it is compiled: which names does it bind, how deep is it, where
does it wait? `ast.walk` visits every field of every node, and of three nodes one only says whether a name is
loaded or stored. Here such nodes, and operators, are passed over: nothing is looked for in them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

_NO_NODES = frozenset("arg attr conversion ctx id is_async kind level module op ops rest simple".split())
"""Fields that hold words or numbers, and those that say how their node is meant."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _NO_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""The fields of each kind of node that may hold others."""


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes of which a node is made, as they are written."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += [each for each in part if isinstance(each, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def inside(node: ast.AST, parts: Callable[[ast.AST], list[ast.AST]] = children) -> list[ast.AST]:
    """A node and all nodes inside it, each before those inside it; or those that `parts` gives of a node."""
    found, waiting = [], [node]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += reversed(parts(each))
    return found
