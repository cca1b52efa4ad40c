"""Fairness demands, from Python's syntax tree or from text.

@ltl(fairness=weak("process"))
@ltl(fairness=[weak("all"), strong("instance", release)])
--fairness "weak by process, strong by instance of release"
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Literal, get_args

from angarium.checker.frontend.context import Context
from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import FunctionDecl, ModelDecl, word_of
from angarium.core.errors import ModelError, UsageError, did_you_mean

Per = Literal["all", "process", "action", "instance"]
PER: tuple[Per, ...] = get_args(Per)
_TEXT = re.compile(r"(weak|strong)\s+(?:by\s+(\w+)|(of the whole))(?:\s+of\s+(\w+(?:\s+and\s+\w+)*))?")


def demands(context: Context, function: FunctionDecl, known: Collection[str]) -> tuple[Fairness, ...]:
    """What the decorator of a guarantee demands; `known` are the actions and processes that can be named."""
    given = function.decorator
    if given is None:
        return ()
    if given.args or [keyword.arg for keyword in given.keywords] not in (["fairness"], []):
        raise _wrong(context, given, f"{ast.unparse(given)} is not understood")
    return tuple(
        _demand(context, item, known) for keyword in given.keywords for item in _items(keyword.value)
    )


def _items(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.List | ast.Tuple) else [node]


def _demand(context: Context, node: ast.expr, known: Collection[str]) -> Fairness:
    strength = _strength(context, node)
    if not isinstance(node, ast.Call) or strength is None or not node.args or node.keywords:
        raise _wrong(context, node, f"{ast.unparse(node)} does not say what must happen")
    first, *rest = node.args
    if isinstance(first, ast.Constant):
        names = tuple(_name(context, each, known) for each in rest)
        return Fairness(strength, _per(context, first), names)
    return Fairness(strength, "action", tuple(_name(context, each, known) for each in node.args))


def _strength(context: Context, node: ast.expr) -> Literal["weak", "strong"] | None:
    match word_of(context.module, node):
        case "weak":
            return "weak"
        case "strong":
            return "strong"
    return None


def _per(context: Context, node: ast.Constant) -> Per:
    for per in PER:
        if node.value == per:
            return per
    raise _wrong(context, node, f"{node.value!r} is no class of steps")


def _name(context: Context, node: ast.expr, known: Collection[str]) -> str:
    """A function by its name; a step that has no function of its own, such as a restart, in quotes."""
    match node:
        case ast.Name(id=name) | ast.Constant(value=str(name)) if name in known:
            return name
    given = ast.unparse(node).strip("'\"")
    what = f"{given} is no action or process"
    raise context.module.error("ANG105", node, what, did_you_mean(given, known))


def nameable(decl: ModelDecl, system: TransitionSystem) -> set[str]:
    """What fairness can name: actions and processes as declared, and the steps that come of them."""
    functions = {f.name for f in decl.functions if f.role in ("action", "process")}
    processes = [f.name for f in decl.functions if f.role == "process"]
    crashes = {f"{what}_{name}" for name in processes for what in ("crash", "restart")}
    return functions | crashes | {action.name for action in system.actions}


def _wrong(context: Context, node: ast.expr, what: str) -> ModelError:
    return context.module.error(
        "ANG110",
        node,
        what,
        'possible: weak(per) or strong(per), per "all", "process", "action" or "instance", or a list of such',
        'for example fairness=weak("process"), or fairness=strong("instance", release)',
    )


def demands_from_text(text: str, known: Collection[str]) -> tuple[Fairness, ...]:
    """What `--fairness` demands; `known` are the actions and processes that can be named."""
    if text.strip() in ("", "none"):
        return ()
    return tuple(_from_text(part.strip(), known) for part in text.split(","))


def _from_text(text: str, known: Collection[str]) -> Fairness:
    match = _TEXT.fullmatch(text)
    per: Per | None = None
    if match:
        per = "all" if match[3] else next((each for each in PER if each == match[2]), None)
    if match is None or per is None:
        raise UsageError(
            "ANG013",
            f"--fairness {text!r} is not understood",
            possible="none, or weak or strong by all, process, action or instance, "
            "perhaps of some actions or processes; several with commas between them",
            remedy='for example --fairness "weak by process, strong by instance of release"',
        )
    names = tuple(re.split(r"\s+and\s+", match[4])) if match[4] else ()
    for name in names:
        if name not in known:
            possible = did_you_mean(name, known)
            raise UsageError("ANG013", f"--fairness: {name} is no action or process", possible=possible)
    return Fairness("weak" if match[1] == "weak" else "strong", per, names)
