"""Mutants: a model broken on purpose, in one place each, as a tired programmer would break it.

A guarantee that no mutant can violate may be guarding nothing. The operators below are applied everywhere
they fit in the actions and processes of a model, and in helpers that no guarantee uses (a mutant must break
the system, not the claim about it).

    drop action      @action def release       ->  nothing
    drop guard       require(a and b)          ->  require(a)         (also until)
    drop update      self.x = y, s.append(y)   ->  pass
    drop send        await channel.send(x)     ->  pass
    always, never    if c: ...                 ->  if True: ...       (and if False)
    off by one       a < b                     ->  a <= b             (and the others)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import (
    GUARANTEES,
    OF_WALKS,
    FunctionDecl,
    ModelDecl,
    declare,
    word_of,
)
from angarium.checker.language.source import Module
from angarium.core.errors import InputError
from angarium.core.result import Parameters

MUTATED_ROLES = ("action", "process", "initial", "on_crash", "helper")
BOUNDARY: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken model: what was done, where, and what it means now."""

    name: str
    description: str
    function: str
    line: int
    system: TransitionSystem


Edit = tuple[str, ast.AST]
"""What is done to a node, in words, and what stands there instead."""


def mutants(decl: ModelDecl, settings: Parameters | None = None) -> Iterator[Mutant]:
    """Every mutant that is still a model and means something else than the original."""
    original = build(decl, settings)
    seen = {original.hash}
    for function in decl.functions:
        if function.role not in MUTATED_ROLES or function.name in _claimed_helpers(decl):
            continue
        for operator, description, line, broken in _broken(decl.module, function):
            system = _build(decl, function.node, broken, settings)
            if system is not None and system.hash not in seen:
                seen.add(system.hash)
                yield Mutant(operator, description, function.name, line, system)


def _build(
    decl: ModelDecl, function: ast.stmt, broken: ast.stmt, settings: Parameters | None
) -> TransitionSystem | None:
    node = deepcopy(decl.node)
    # What is said about walks would name an action that was dropped, and nobody walks in a mutant.
    walks = [f.node for f in decl.functions if f.role in OF_WALKS]
    node.body = [broken if old is function else old for old in decl.node.body if old not in walks]
    try:
        return build(declare(decl.module, node), settings)
    except InputError:
        return None


def _claimed_helpers(decl: ModelDecl) -> set[str]:
    """Helpers that a guarantee uses, directly or through others."""
    found: set[str] = set()
    waiting = [f.node for f in decl.functions if f.role in GUARANTEES]
    while waiting:
        for name in _called(waiting.pop()) - found:
            function = decl.function(name)
            if function is not None and function.role == "helper":
                found.add(name)
                waiting.append(function.node)
    return found


def _called(node: ast.AST) -> set[str]:
    return {
        each.func.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
    }


def _broken(module: Module, function: FunctionDecl) -> Iterator[tuple[str, str, int, ast.stmt]]:
    if function.role == "action":
        gone = ast.copy_location(ast.Pass(), function.node)
        yield "drop action", f"{function.name} never happens", function.node.lineno, gone
    for position, node in enumerate(ast.walk(function.node)):
        for operator, edits in OPERATORS.items():
            for description, replacement in edits(module, node):
                line = getattr(node, "lineno", 0)
                yield operator, description, line, _replaced(function.node, position, replacement)


def _replaced(function: ast.stmt, position: int, replacement: ast.AST) -> ast.stmt:
    copy = deepcopy(function)
    target = list(ast.walk(copy))[position]
    ast.copy_location(replacement, target)
    _Replace(target, deepcopy(replacement)).visit(copy)
    return ast.fix_missing_locations(copy)


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, replacement: ast.AST) -> None:
        self.target, self.replacement = target, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.target else self.generic_visit(node)


# --- operators --------------------------------------------------------------------------------------


def _drop_guard(module: Module, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or word_of(module, node) not in ("require", "until"):
        return
    condition = node.args[0]
    match condition:
        case ast.BoolOp(op=ast.And(), values=parts):
            pass
        case _:
            parts = [condition]
    for dropped in parts:
        rest = [part for part in parts if part is not dropped]
        weaker = ast.BoolOp(ast.And(), rest) if len(rest) > 1 else rest[0] if rest else ast.Constant(True)
        yield f"without the guard {_short(dropped)}", ast.Call(node.func, [weaker], [])


def _drop_update(module: Module, node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) if not isinstance(target, ast.Name):
            yield f"without {_short(node)}", ast.Pass()
        case ast.Expr(value=ast.Call(func=ast.Attribute())):
            yield f"without {_short(node)}", ast.Pass()


def _drop_send(module: Module, node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Expr(value=ast.Await(value=ast.Call(func=ast.Attribute(attr="send")))):
            yield f"without {_short(node)}", ast.Pass()


def _always(module: Module, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.If):
        yield (
            f"always, not only if {_short(node.test)}",
            ast.If(ast.Constant(True), node.body, node.orelse),
        )


def _never(module: Module, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.If):
        yield (
            f"never, even if {_short(node.test)}",
            ast.If(ast.Constant(False), node.body, node.orelse),
        )


def _off_by_one(module: Module, node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in BOUNDARY:
            moved = ast.Compare(left, [BOUNDARY[type(op)]], [right])
            yield f"{_short(moved)} instead of {_short(node)}", moved


OPERATORS = {
    "drop guard": _drop_guard,
    "drop update": _drop_update,
    "drop send": _drop_send,
    "always": _always,
    "never": _never,
    "off by one": _off_by_one,
}


def _short(node: ast.AST) -> str:
    return ast.unparse(node).replace("self.", "").splitlines()[0]
