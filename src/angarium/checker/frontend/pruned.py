"""What is left of a block once some of its names are known to be numbers.

    known: sent = 2
    If(sent == 1, (Write("x", ...),))        ->  nothing: this branch is never taken

Only used to ask what a block can touch, never as the block that runs.
"""

from __future__ import annotations

from angarium.checker.frontend.fold import binary, negation
from angarium.checker.frontend.scan import statements
from angarium.checker.ir.syntax import Binary, Block, Const, Expr, For, If, Let, Local, Not, Stmt

Known = dict[str, Const]


def pruned(block: Block, known: Known) -> Block:
    """The statements that may run, given what is known; what a `Let` binds to a number becomes known."""
    return tuple(left for statement in block for left in _pruned(statement, known))


def _pruned(statement: Stmt, known: Known) -> Block:
    match statement:
        case Let(name, value):
            known.pop(name, None)
            settled = _settled(value, known)
            if isinstance(settled, Const):
                known[name] = settled
        case If(condition, then, otherwise):
            settled = _settled(condition, known)
            if isinstance(settled, Const):
                return pruned(then if settled.value else otherwise, known)
            _forget(known, (*then, *otherwise))
            return (If(condition, pruned(then, dict(known)), pruned(otherwise, dict(known))),)
        case For(name, low, high, body):
            _forget(known, body)
            return (For(name, low, high, pruned(body, dict(known))),)
    return (statement,)


def _forget(known: Known, block: Block) -> None:
    for statement in statements(block):
        if isinstance(statement, Let):
            known.pop(statement.name, None)


def _settled(expr: Expr, known: Known) -> Expr:
    """An expression with what is known filled in, as far as it can be computed."""
    match expr:
        case Local(name):
            return known.get(name, expr)
        case Binary(op, left, right, at):
            return binary(op, _settled(left, known), _settled(right, known), at)
        case Not(operand):
            return negation(_settled(operand, known))
    return expr
