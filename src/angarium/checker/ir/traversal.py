"""Walking over expressions and statements: what do they mention, read and write?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import get_args

from angarium.checker.ir.syntax import (
    Binary,
    Block,
    Call,
    Const,
    Expr,
    For,
    If,
    Local,
    Read,
    Reduce,
    Stmt,
    Within,
    Write,
)

PARTS: dict[type, tuple[str, ...]] = {
    kind: tuple(each.name for each in fields(kind) if "Expr" in str(each.type))
    for kind in (*get_args(Expr), *get_args(Stmt))
}
"""The fields of each kind of node that hold an expression, several in a tuple, or perhaps None."""


def expressions(node: Expr | Stmt) -> list[Expr]:
    """An expression and all expressions inside it; all expressions inside a statement, not its blocks."""
    found: list[Expr] = []
    waiting = [node] if isinstance(node, Expr) else parts(node)[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(parts(found[-1]))
    return found


def parts(node: Expr | Stmt) -> list[Expr]:
    """The expressions of which a node is made, not those inside them."""
    found: list[Expr] = []
    for name in PARTS[type(node)]:
        part = getattr(node, name)
        if isinstance(part, tuple):
            found += part
        elif part is not None:
            found.append(part)
    return found


def statements(block: Block) -> Iterator[Stmt]:
    """All statements of a block, those inside others too."""
    for statement in block:
        yield statement
        match statement:
            case If(_, then, otherwise):
                yield from statements(then)
                yield from statements(otherwise)
            case For(_, _, _, body):
                yield from statements(body)


def selects(index: Expr, name: str) -> bool:
    """Whether a name takes part in an index itself, not only in what is read to compute it."""
    if isinstance(index, Read | Call):
        return False
    if isinstance(index, Local):
        return index.name == name
    return any(selects(part, name) for part in parts(index))


def reads_state(expr: Expr) -> bool:
    """Whether the value of an expression can change when the state does."""
    return any(isinstance(each, Read | Call) for each in expressions(expr))


def may_fail(expr: Expr, helper_fails: Callable[[str], bool]) -> bool:
    """Whether an expression of the front end may have no value.

    An index that may be wrong is -1 where it is (an `IfElse`, or just that); any other is known to be inside.
    """
    return any(_may_fail_here(each, helper_fails) for each in expressions(expr))


def _may_fail_here(expr: Expr, helper_fails: Callable[[str], bool]) -> bool:
    match expr:
        case Read(_, index):
            return any(isinstance(each, Const) and each.value < 0 for each in expressions(index))
        case Binary("//" | "%", _, right):
            return not isinstance(right, Const) or right.value == 0
        case Reduce("min" | "max", empty=None):
            return True
        case Call(helper):
            return helper_fails(helper)
    return isinstance(expr, Within)


def reads(node: Expr | Stmt) -> set[str]:
    """The variables that an expression or a statement (not its blocks) reads directly."""
    return {each.variable for each in expressions(node) if isinstance(each, Read)}


def writes(block: Block) -> set[str]:
    """The variables that a block may write."""
    return {each.variable for each in statements(block) if isinstance(each, Write)}
