"""What a model claims of whole runs, what is asked of it from outside, and what fairness is demanded.

Formulas are compiled last: they use the labels of the finished system, so that a claim about every queue can
be made of `q1`, and a question can name `q1`. Fairness is read from Python's syntax tree or from text:

    @ltl(fairness=weak("process"))
    @ltl(fairness=[weak("all"), strong("instance", release)])
    --fairness "weak by process, strong by instance of release"

The atoms of a formula are evaluated in every state, each for itself. But `implies(line, line[0] == x)` asks
for the first item only where there is one. So an atom that may fail is *guarded*: evaluated only where what
stands before it at the same moment lets it matter; elsewhere it counts as false, and the formula is the
same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from angarium.checker.frontend.context import Context, Scope
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.formula_text import Parser
from angarium.checker.frontend.temporal import Formulas, over
from angarium.checker.frontend.values import ScalarValue, Value
from angarium.checker.ir.fold import TRUE, binary, negation
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Logic,
    Negation,
    Over,
    Quantified,
    Question,
    TemporalGuarantee,
)
from angarium.checker.ir.labels import Labels, index_types
from angarium.checker.ir.syntax import Binary, Call, Const, Expr, Read, Reduce, Within
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.ir.traversal import expressions
from angarium.checker.language.declarations import FunctionDecl, ModelDecl, word_of
from angarium.checker.language.source import Definition, Module, Word
from angarium.checker.language.vocabulary import WORDS
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


def guarded(formula: Formula, guard: Expr = TRUE) -> Formula:
    """The formula, in which an atom is evaluated only where it matters."""
    match formula:
        case Atom(condition) if _may_fail(condition):
            return replace(formula, condition=binary("and", guard, condition))
        case Negation(operand):
            return Negation(guarded(operand, guard))
        case Conjunction(parts):
            return Conjunction(_in_order(parts, guard, lambda condition: condition))
        case Disjunction(parts):
            return Disjunction(_in_order(parts, guard, negation))
        case Implies(left, right):
            behind = binary("and", guard, left.condition) if isinstance(left, Atom) else guard
            return replace(formula, left=guarded(left, guard), right=guarded(right, behind))
        case Over(operands=operands) | Quantified(operands=operands):
            return replace(formula, operands=tuple(map(guarded, operands)))
        case _:
            return formula


def _in_order(
    parts: tuple[Formula, ...], guard: Expr, lets_pass: Callable[[Expr], Expr]
) -> tuple[Formula, ...]:
    found = []
    for part in parts:
        found.append(guarded(part, guard))
        if isinstance(part, Atom):
            guard = binary("and", guard, lets_pass(part.condition))
    return tuple(found)


def _may_fail(expr: Expr) -> bool:
    return any(_may_fail_here(each) for each in expressions(expr))


def _may_fail_here(expr: Expr) -> bool:
    match expr:
        case Read(_, index):
            return not isinstance(index, Const) or index.value < 0
        case Binary(op):
            return op in ("//", "%")
        case Reduce(op, empty=None):
            return op in ("min", "max")
    return isinstance(expr, Call | Within)


LOGIC_OF_ROLE: dict[str, Logic] = {
    "ltl": "ltl",
    "eventually": "ltl",
    "ctl": "ctl",
    "divergence_free": "divergence",
    "deterministic": "determinism",
}


def claimed(
    context: Context,
    system: TransitionSystem,
    body: Sequence[ast.stmt] | None,
    function: FunctionDecl,
) -> TemporalGuarantee | None:
    """The guarantee over time that a function makes; `body` is what of it stands behind its `require`."""
    if body is None:
        return None
    logic = LOGIC_OF_ROLE[function.role]
    formula = None
    if logic in ("ltl", "ctl"):
        formula = _formula(context, system, function, body, branching=logic == "ctl")
    elif any(not _says_nothing(statement) for statement in body):
        what = f"the guarantee {function.name} has no condition"
        raise context.module.error("ANG107", body[0], what, "possible: a docstring only")
    at = context.at(function.node)
    fairness = demands(context, function, nameable(context.model.decl, system))
    return TemporalGuarantee(function.guarantee, logic, formula, fairness, function.description, at)


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _formula(
    context: Context,
    system: TransitionSystem,
    function: FunctionDecl,
    body: Sequence[ast.stmt],
    *,
    branching: bool,
) -> Formula:
    match list(body):
        case [ast.Return(value=ast.expr() as value)]:
            expressions = Expressions(context, Scope(context.module))
            found = guarded(Formulas(expressions, Labels(system), branching).formula(value))
            return over("F", found) if function.role == "eventually" else found
    raise context.module.error(
        "ANG110",
        body[0] if body else function.node,
        f"the guarantee {function.name} must be one formula",
        "possible: return, and in front of it require(...) on parameters",
        "move what is computed into a helper: return eventually(self.all_delivered())",
    )


# --- questions --------------------------------------------------------------------------------------


@dataclass(slots=True)
class QuestionModule(Module):
    """A formula's text, in which names mean what they mean in the model's file."""

    model: Module | None = None

    def lookup(self, name: str, asked: frozenset[str] = frozenset()) -> Definition | Word | None:
        """What a name means; words of the language need no import here."""
        assert self.model is not None
        return self.model.lookup(name, asked) or (Word(name) if name in WORDS else None)


def guarantee_of(
    context: Context, system: TransitionSystem, question: Question, name: str
) -> TemporalGuarantee:
    """The guarantee that a question stands for."""
    source = f"--{question.logic}"
    module = QuestionModule(source, question.text, ast.Module([], []), model=context.module)
    labels = Labels(system)
    scope = Scope(module, dict(_labelled_values(system, labels)))
    formulas = Formulas(Expressions(context, scope), labels, branching=question.logic == "ctl")
    spelled = _Spelled(context, module, set(scope.names))
    parser = Parser(question.text, source, formulas.branching, lambda node: _atom(formulas, spelled, node))
    fairness = demands_from_text(question.fairness, nameable(context.model.decl, system))
    return TemporalGuarantee(name, question.logic, guarded(parser.formula()), fairness, question.text)


def _atom(formulas: Formulas, spelled: _Spelled, node: ast.expr) -> Formula:
    return formulas.atom(spelled.visit(node))


def _labelled_values(system: TransitionSystem, labels: Labels) -> Iterator[tuple[str, Value]]:
    for type_ in dict.fromkeys(index_types(system)):
        for number in range(type_.size):
            yield labels.text(type_, number), ScalarValue(type_, Const(number))


_TRUTHS = {"true": True, "false": False}
"""As other tools write them."""


class _Spelled(ast.NodeTransformer):
    """Writes `self.` before what belongs to the model, and calls functions that are only named."""

    def __init__(self, context: Context, module: Module, known: set[str]) -> None:
        self._model, self._module, self._labels = context.model, module, known
        self._bound: list[str] = []
        """The names that generators around bind."""

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        names = [g.target.id for g in node.generators if isinstance(g.target, ast.Name)]
        self._bound += names
        found = self.generic_visit(node)
        del self._bound[len(self._bound) - len(names) :]
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        arguments = [self.visit(argument) for argument in node.args]
        function = node.func
        if isinstance(function, ast.Name) and self._model.decl.function(function.id):
            function = self._own(function)
        elif not isinstance(function, ast.Name):
            function = self.visit(function)
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        return ast.copy_location(ast.Call(function, arguments, keywords), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        function = self._model.decl.function(node.id)
        if node.id in self._bound:
            return node
        if node.id in self._model.state or node.id in self._model.parameters:
            return self._own(node)
        if function is not None:
            own = self._own(node)
            is_process = function.role == "process"
            return own if is_process else ast.copy_location(ast.Call(own, [], []), node)
        if node.id in _TRUTHS:
            return ast.copy_location(ast.Constant(_TRUTHS[node.id]), node)
        if node.id in self._labels or node.id == "self" or self._module.lookup(node.id) is not None:
            return node
        raise self._unknown(node)

    def _own(self, node: ast.Name) -> ast.Attribute:
        this = ast.copy_location(ast.Name("self", ast.Load()), node)
        return ast.copy_location(ast.Attribute(this, node.id, ast.Load()), node)

    def _unknown(self, node: ast.Name) -> Exception:
        functions = (f.name for f in self._model.decl.functions if f.role == "helper")
        names = {*self._model.state, *self._model.parameters, *functions, *self._labels}
        what = f"{node.id!r} is not known in {self._model.decl.name}"
        return self._module.error("ANG105", node, what, did_you_mean(node.id, names))
