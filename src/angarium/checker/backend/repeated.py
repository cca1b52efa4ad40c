"""Loops that stand word for word in several steps, such as what follows from a term that is heard.

Each of them becomes one function of the kernel, which works on the state that is being written: LLVM's time
grows faster than the code that it is given. Only a loop around other loops is worth a call, and only one that
stands for itself: it mentions no name from around it, leaves none behind, and cannot end the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from angarium.checker.ir.syntax import Block, Call, Check, For, If, Let, Local, Reduce, Require, Write
from angarium.checker.ir.transition import Action


def repeated_loops(actions: Iterable[Action]) -> frozenset[For]:
    """The loops that are found more than once and can stand alone."""
    counts = Counter(loop for action in actions for loop in _loops(action.body))
    return frozenset(loop for loop, count in counts.items() if count > 1)


def _loops(block: Block) -> Iterator[For]:
    """The outermost loops that can stand alone."""
    for statement in block:
        match statement:
            case For() if _stands_alone(statement):
                yield statement
            case For(_, _, _, body):
                yield from _loops(body)
            case If(_, then, otherwise):
                yield from _loops((*then, *otherwise))


def _stands_alone(loop: For) -> bool:
    parts = list(_parts(loop))
    kinds = {type(part) for part in parts}
    bound = {part.name for part in parts if isinstance(part, For | Reduce)}
    used = {part.name for part in parts if isinstance(part, Local)}
    is_nested = sum(isinstance(part, For) for part in parts) > 1
    return is_nested and Write in kinds and used <= bound and not kinds & {Let, Require, Check, Call}


def _parts(node: object) -> Iterator[object]:
    """A statement and everything inside it."""
    if isinstance(node, tuple):
        for each in node:
            yield from _parts(each)
    elif is_dataclass(node):
        yield node
        for each in fields(node):
            yield from _parts(getattr(node, each.name))
