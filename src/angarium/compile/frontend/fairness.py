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

from angarium.compile.frontend.context import Context
from angarium.errors import ModelError, UsageError, did_you_mean
from angarium.model.declare import FunctionDecl, word_of
from angarium.model.formula import Fairness

Per = Literal["all", "process", "action", "instance"]
PER: tuple[Per, ...] = get_args(Per)
_TEXT = re.compile(r"(weak|strong)\s+(?:by\s+(\w+)|(of the whole))(?:\s+of\s+(\w+(?:\s+and\s+\w+)*))?")


def demands(context: Context, function: FunctionDecl) -> tuple[Fairness, ...]:
    """What the decorator of a guarantee demands."""
    given = function.decorator
    if given is None:
        return ()
    if given.args or [keyword.arg for keyword in given.keywords] not in (["fairness"], []):
        raise _wrong(context, given, f"{ast.unparse(given)} is not understood")
    return tuple(_demand(context, item) for keyword in given.keywords for item in _items(keyword.value))


def _items(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.List | ast.Tuple) else [node]


def _demand(context: Context, node: ast.expr) -> Fairness:
    strength = _strength(context, node)
    if not isinstance(node, ast.Call) or strength is None or not node.args or node.keywords:
        raise _wrong(context, node, f"{ast.unparse(node)} does not say what must happen")
    first, *rest = node.args
    if isinstance(first, ast.Constant):
        names = tuple(_name(context, each) for each in rest)
        return Fairness(strength, _per(context, first), names)
    return Fairness(strength, "action", tuple(_name(context, each) for each in node.args))


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


def _name(context: Context, node: ast.expr) -> str:
    known = _known(context)
    if isinstance(node, ast.Name) and node.id in known:
        return node.id
    possible = did_you_mean(ast.unparse(node), known)
    raise context.module.error("ANG105", node, f"{ast.unparse(node)} is no action or process", possible)


def _known(context: Context) -> set[str]:
    return {f.name for f in context.model.decl.functions if f.role in ("action", "process")}


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
