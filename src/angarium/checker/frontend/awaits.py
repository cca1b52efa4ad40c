"""What a process can wait for: an operation on a channel, a condition, or one of several of them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.checker.frontend.process import Alternative, Continuation, Site
from angarium.checker.language.declarations import word_of

if TYPE_CHECKING:
    from angarium.checker.frontend.control import Step


def await_site(step: Step, node: ast.Expr | ast.Assign, call: ast.expr, then: Continuation) -> Site:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if target is not None and not isinstance(target, ast.Name):
        raise step.unsupported(node)
    alternative = _alternative(step, call, target, (), then)
    if target is not None and alternative.kind != "receive":
        raise step.scope.error("ANG106", node, f"{ast.unparse(call)} gives nothing to assign")
    return step.process.site(node, [alternative])


def _alternative(
    step: Step,
    call: ast.expr,
    target: ast.expr | None,
    body: tuple[ast.stmt, ...],
    then: Continuation,
) -> Alternative:
    if isinstance(call, ast.Call):
        if word_of(step.scope.module, call) == "until" and len(call.args) == 1:
            return Alternative("until", call, target, body, then)
        match call.func:
            case ast.Attribute(attr="send") if len(call.args) == 1:
                return Alternative("send", call, target, body, then)
            case ast.Attribute(attr="receive") if not call.args:
                return Alternative("receive", call, target, body, then)
    raise step.scope.error(
        "ANG104",
        call,
        f"{ast.unparse(call)} cannot be awaited",
        "possible: channel.send(x), channel.receive(), until(condition), and in a match: either(...)",
    )


def either_site(step: Step, node: ast.Match, call: ast.expr, then: Continuation) -> Site:
    if not isinstance(call, ast.Call) or word_of(step.scope.module, call) != "either" or call.args:
        raise step.unsupported(node)
    cases = {name: (target, case) for case in node.cases for name, target in [_case(step, case)]}
    awaited = {k.arg: k.value for k in call.keywords if k.arg}
    if set(cases) != set(awaited):
        wrong = ", ".join(sorted(set(cases) ^ set(awaited)))
        raise step.scope.error(
            "ANG106",
            node,
            f"the cases do not fit the alternatives: {wrong}",
            "",
            "one case for each",
        )
    alternatives = [
        replace(_alternative(step, each, cases[name][0], tuple(cases[name][1].body), then), name=name)
        for name, each in awaited.items()
    ]
    return step.process.site(node, alternatives)


def _case(step: Step, case: ast.match_case) -> tuple[str, ast.Name | None]:
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
    raise step.scope.error(
        "ANG104",
        case.pattern,
        "this case is not supported",
        'possible: case "name", item: or case "name", _:',
    )
