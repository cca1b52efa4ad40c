"""Leave out what an unrolled body computes and never uses.

After unrolling, most locals are constants or were put where they are used, and their `Let` has no
effect. The block is read backwards with the names that are still needed. An `If` without
statements goes too; whether its condition could fail is asked before.
"""

from __future__ import annotations

from angarium.checker.export.defined import free
from angarium.checker.ir.syntax import Block, Check, If, Let, Require, Stmt, Write


def without_dead_lets(block: Block) -> Block:
    """The block without the lets that nothing uses."""
    return _prune(block, set())[0]


def _prune(block: Block, live: set[str]) -> tuple[Block, set[str]]:
    kept: list[Stmt] = []
    for statement in reversed(block):
        more, live = _statement(statement, live)
        kept += reversed(more)
    return tuple(reversed(kept)), live


def _statement(statement: Stmt, live: set[str]) -> tuple[Block, set[str]]:
    match statement:
        case Let(name, value):
            return ((statement,), live - {name} | free(value)) if name in live else ((), live)
        case If(condition, then, otherwise):
            return _if(If(condition, then, otherwise), live)
        case Write(_, index, value):
            return (statement,), live | free(index) | free(value)
        case Require(condition) | Check(condition):
            return (statement,), live | free(condition)
    raise TypeError(f"{statement} is unrolled before it is pruned")


def _if(branch: If, live: set[str]) -> tuple[Block, set[str]]:
    then, first = _prune(branch.then, live)
    otherwise, second = _prune(branch.otherwise, live)
    if not then and not otherwise:
        return (), live
    return (If(branch.condition, then, otherwise),), first | second | free(branch.condition)
