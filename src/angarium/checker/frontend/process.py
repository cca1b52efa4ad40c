"""What a process is while it is compiled: its instances, sites and local variables, and what follows what."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

from angarium.checker.frontend.fold import binary
from angarium.checker.frontend.values import Place
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Const, Write
from angarium.checker.ir.transition import Parameter
from angarium.checker.ir.types import Type
from angarium.checker.language.declarations import FunctionDecl


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing follows: the process is finished."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Statements follow, and then something else."""

    body: tuple[ast.stmt, ...]
    then: Continuation


@dataclass(frozen=True, slots=True)
class Loop:
    """The next round of a loop follows."""

    node: ast.While | ast.For
    then: Continuation


Continuation = Done | Rest | Loop


@dataclass(frozen=True, slots=True)
class Alternative:
    """One thing that a process waits for at a site, and what it does then."""

    kind: Literal["send", "receive", "until"]
    node: ast.Call
    target: ast.expr | None
    """Where a received item goes."""
    body: tuple[ast.stmt, ...]
    then: Continuation
    name: str = "until"
    """What it is called: in `either(timeout=until(...))`, timeout."""


@dataclass(slots=True)
class Site:
    """An await: its program counter, and what is waited for."""

    counter: int
    label: str
    line: int
    alternatives: list[Alternative]


@dataclass(slots=True)
class ProcessLocal:
    """A local variable of a process."""

    type: Type
    start: tuple[tuple[int, ...], ...]
    node: ast.AST
    counts: bool = False
    """Whether it is the variable of a loop, which nothing else may assign."""


@dataclass(slots=True)
class Process:
    """A process while it is compiled."""

    decl: FunctionDecl
    parameters: tuple[Parameter, ...]
    locals: dict[str, ProcessLocal] = field(default_factory=dict)
    sites: list[Site] = field(default_factory=list)
    _site_of: dict[int, Site] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.decl.name

    @property
    def keys(self) -> tuple[types.Scalar, ...]:
        return tuple(p.type for p in self.parameters if not isinstance(p.type, types.Option))

    @property
    def counter(self) -> str:
        """The variable that holds the program counters."""
        return f"{self.name}.pc"

    def site(self, node: ast.stmt, alternatives: list[Alternative]) -> Site:
        """The site of an await, made when it is first come to."""
        if id(node) not in self._site_of:
            label = " or ".join(_describe(a.node) for a in alternatives)
            site = Site(len(self.sites) + 1, label, node.lineno, alternatives)
            self._site_of[id(node)] = site
            self.sites.append(site)
        return self._site_of[id(node)]


def _describe(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(value=channel, attr=operation):
            return f"{operation} {ast.unparse(channel).removeprefix('self.')}"
    return f"until {', '.join(ast.unparse(a) for a in call.args)}".replace("self.", "")


def restart(place: Place, local: ProcessLocal) -> list[Write]:
    """Give a local variable its start value."""
    statements: list[Write] = []
    for leaf, cells in zip(types.leaves(local.type), local.start, strict=True):
        for offset, cell in enumerate(cells):
            index = binary("+", binary("*", place.index, Const(leaf.cells)), Const(offset))
            statements.append(Write(place.name + leaf.suffix, index, Const(cell)))
    return statements
