"""What a model claims of whole runs, and what is asked of it from outside.

Formulas are compiled last: they use the labels of the finished system, so that a claim about every queue can
be told of `q1`, and a question can name `q1`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from angarium.checker.frontend.context import Context, Scope
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.fairness import demands, demands_from_text, nameable
from angarium.checker.frontend.formula_text import Parser
from angarium.checker.frontend.guards import guarded
from angarium.checker.frontend.temporal import Formulas, over
from angarium.checker.frontend.values import ScalarValue, Value
from angarium.checker.ir.formula import Formula, Logic, Question, TemporalGuarantee
from angarium.checker.ir.labels import Labels, index_types
from angarium.checker.ir.syntax import Const
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import FunctionDecl
from angarium.checker.language.source import Definition, Module, Word
from angarium.checker.language.vocabulary import WORDS
from angarium.core.errors import did_you_mean

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


def asked(context: Context, system: TransitionSystem, question: Question, name: str) -> TemporalGuarantee:
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
