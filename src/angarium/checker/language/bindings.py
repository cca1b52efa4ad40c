"""Which names a piece of Python binds, by whatever construct.

A model is read and never run, so a name can stand for one thing only: the one that its single binding gives
it. Python has many ways to bind a name again (a tuple on the left, `for`, `with`, `except ... as`, `match`,
`:=`, `del`, imports, `global` in some function); a reader that knows some of them and passes over the others
would keep the first value, and check another model than the one that was written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from angarium.checker.language.trees import children, inside

DYNAMIC = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr", "delattr", "__import__"})
"""Functions that can bind any name: where one is called, no name of the file is certain."""
HARMLESS = frozenset({"print"})
"""Functions that change nothing of what they are given."""


def evaluated(node: ast.AST) -> list[ast.AST]:
    """A node and all that is evaluated in its scope: not what stands in functions and classes inside."""
    return inside(node, _evaluated_children)


def _evaluated_children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args, *((node.returns,) if node.returns else ())]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    return [node.args] if isinstance(node, ast.Lambda) else children(node)


def bound(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every name that a statement binds or deletes in its own scope, and where."""
    for each in inside(node, _binding_children):
        yield from ((name, each) for name in _bound_by(each))


def _binding_children(node: ast.AST) -> list[ast.AST]:
    """The variables of comprehensions are theirs; `:=` inside of one binds a name around it."""
    if isinstance(node, ast.comprehension):
        return [node.iter, *node.ifs]
    return _evaluated_children(node)


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
    return []


def called_values(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.AST]]:
    """Names that a function binds and calls: `max = 3` and then `max(a, b)`, which Python cannot call."""
    parts = inside(function)
    own = {each.arg for each in parts if isinstance(each, ast.arg)}
    own |= {each.id for each in parts if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    own |= {each.name for each in parts if isinstance(each, ast.MatchAs) and each.name}
    for each in parts:
        match each:
            case ast.Call(func=ast.Name(id=name)) if name in own:
                yield name, each


def changed(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """The names whose things a statement may change without binding them: `E.A = 2`, `register(E)`."""
    for each in evaluated(node):
        match each:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from ((name, each) for name in _mentioned(each))
            case ast.Expr(value=ast.Call(func=ast.Name(id=function))) if function in HARMLESS:
                pass
            case ast.Expr(value=value) if any(isinstance(part, ast.Call) for part in evaluated(value)):
                yield from ((name, each) for name in _mentioned(value))


def _mentioned(node: ast.AST) -> set[str]:
    return {each.id for each in evaluated(node) if isinstance(each, ast.Name)}


def bound_from_inside(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The names of a file that some function or class in it declares `global`, to bind them."""
    for each in inside(tree):
        if isinstance(each, ast.Global):
            yield from ((name, each) for name in each.names)


def binds_anything(node: ast.stmt) -> ast.AST | None:
    """Where a statement may bind names that nobody can see: `from x import *`, `exec(...)`."""
    for each in evaluated(node):
        match each:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                return None if each.level == 0 and each.module == "angarium" else each
            case ast.Call(func=ast.Name(id=name)) if name in DYNAMIC:
                return each
    return None


def is_main(node: ast.stmt) -> bool:
    """Whether a statement is what a file does when it is run: `if __name__ == "__main__":`."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()]), orelse=[]):
            return True
    return False


def for_types_only(node: ast.stmt) -> bool:
    """Whether a statement is for type checkers: `if TYPE_CHECKING:`."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=[]):
            return True
    return False
