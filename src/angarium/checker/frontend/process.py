"""What a process is while it is compiled: its instances, sites and local variables, and what follows what."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Literal

from angarium.checker.frontend.context import Scope
from angarium.checker.frontend.values import Place
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary
from angarium.checker.ir.syntax import Const, Write
from angarium.checker.ir.transition import Parameter
from angarium.checker.ir.types import Type
from angarium.checker.language.declarations import FunctionDecl, word_of
from angarium.core.errors import ModelError


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


# --- what a process can wait for --------------------------------------------------------------------


def await_site(
    process: Process, scope: Scope, node: ast.Expr | ast.Assign, call: ast.expr, then: Continuation
) -> Site:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if target is not None and not isinstance(target, ast.Name):
        raise unsupported(scope, node)
    alternative = _alternative(scope, call, target, (), then)
    if target is not None and alternative.kind != "receive":
        raise scope.error("ANG106", node, f"{ast.unparse(call)} gives nothing to assign")
    return process.site(node, [alternative])


def _alternative(
    scope: Scope,
    call: ast.expr,
    target: ast.expr | None,
    body: tuple[ast.stmt, ...],
    then: Continuation,
) -> Alternative:
    if isinstance(call, ast.Call):
        if word_of(scope.module, call) == "until" and len(call.args) == 1:
            return Alternative("until", call, target, body, then)
        match call.func:
            case ast.Attribute(attr="send") if len(call.args) == 1:
                return Alternative("send", call, target, body, then)
            case ast.Attribute(attr="receive") if not call.args:
                return Alternative("receive", call, target, body, then)
    raise scope.error(
        "ANG104",
        call,
        f"{ast.unparse(call)} cannot be awaited",
        "possible: channel.send(x), channel.receive(), until(condition), and in a match: either(...)",
    )


def either_site(process: Process, scope: Scope, node: ast.Match, call: ast.expr, then: Continuation) -> Site:
    """The site of several operations, of which one happens."""
    if not isinstance(call, ast.Call) or word_of(scope.module, call) != "either" or call.args:
        raise unsupported(scope, node)
    cases = {name: (target, case) for case in node.cases for name, target in [_case(scope, case)]}
    awaited = {k.arg: k.value for k in call.keywords if k.arg}
    if set(cases) != set(awaited):
        wrong = ", ".join(sorted(set(cases) ^ set(awaited)))
        raise scope.error(
            "ANG106",
            node,
            f"the cases do not fit the alternatives: {wrong}",
            "",
            "one case for each",
        )
    alternatives = [
        replace(_alternative(scope, each, cases[name][0], tuple(cases[name][1].body), then), name=name)
        for name, each in awaited.items()
    ]
    return process.site(node, alternatives)


def _case(scope: Scope, case: ast.match_case) -> tuple[str, ast.Name | None]:
    match case.pattern:
        case ast.MatchSequence(
            patterns=[
                ast.MatchValue(value=ast.Constant(value=str() as name)),
                ast.MatchAs() as bound,
            ]
        ) if case.guard is None and bound.pattern is None:
            if bound.name is None:
                return name, None
            return name, ast.copy_location(ast.Name(bound.name, ast.Store()), bound)
    raise scope.error(
        "ANG104",
        case.pattern,
        "this case is not supported",
        'possible: case "name", item: or case "name", _:',
    )


def unsupported(scope: Scope, node: ast.AST) -> ModelError:
    """The error for what cannot stand in a process."""
    return scope.error(
        "ANG104",
        node,
        f"{ast.unparse(node).splitlines()[0]} is not part of the language in a process",
        "possible: await x, y = await x, match await either(...), if, while, for, break, continue, return",
        "await must stand alone or on the right of an assignment to a name",
    )
