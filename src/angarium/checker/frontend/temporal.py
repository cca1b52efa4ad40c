"""Guarantees over time, from Python's syntax tree to formulas.

What has no word of time in it is an atom, compiled like any condition. Words of time, and `and`, `or`, `not`,
`implies` around them, become formulas; `all` and `any` around them are unrolled over their domain, which is
known before the search; a condition on the state is asked at that moment of the run. What stands at a place
of a sequence is another thing at another moment, so sequences are no such domain.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from angarium.checker.frontend.domains import Domain, domain
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.values import ScalarValue, Value, leaf_expressions
from angarium.checker.ir.fold import conjunction
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TimeOp,
    Truth,
)
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.traversal import reads_state
from angarium.checker.language.declarations import word_of
from angarium.checker.language.time_words import ALONG_A_RUN, ON_THE_TREE
from angarium.checker.language.trees import inside
from angarium.core.errors import ModelError

LTL_WORDS: dict[str, TimeOp] = {
    "next_": "X",
    "eventually": "F",
    "always": "G",
    "until": "U",
    "weak_until": "W",
    "release": "R",
}
BINARY: tuple[TimeOp, ...] = ("U", "W", "R")
CTL_WORDS: dict[str, tuple[Literal["A", "E"], TimeOp]] = {
    **{f"A{op}": ("A", op) for op in LTL_WORDS.values()},
    **{f"E{op}": ("E", op) for op in LTL_WORDS.values()},
}
WORDS_OF_TIME = {*ALONG_A_RUN, *ON_THE_TREE}


def over(op: TimeOp, *operands: Formula) -> Formula:
    """An operator along the run."""
    return Over(op, operands)


def leads_to(cause: Formula, effect: Formula, *, branching: bool, at: int = 0) -> Formula:
    """Always, after the cause comes the effect."""
    if branching:
        return Quantified("A", "G", (Implies(cause, Quantified("A", "F", (effect,)), at),))
    return over("G", Implies(cause, over("F", effect), at))


@dataclass(frozen=True, slots=True)
class Formulas:
    """Compiles formulas of one logic in one scope."""

    expressions: Expressions
    labels: Labels
    branching: bool
    """Whether the logic is CTL, not LTL."""

    def formula(self, node: ast.expr) -> Formula:
        """What an expression claims."""
        if self._word(node) == "implies":
            return self._implies(node)
        if not self._is_joined(node):
            return self.atom(node)
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Negation(self.formula(operand))
            case ast.BoolOp(op=op, values=values):
                parts = tuple(map(self.formula, values))
                return Conjunction(parts) if isinstance(op, ast.And) else Disjunction(parts)
            case ast.Call(func=ast.Name(id=("all" | "any") as name), args=[ast.GeneratorExp() as inside]):
                kind = Conjunction if name == "all" else Disjunction
                return kind(tuple(self._unrolled(name, inside.elt, inside.generators)))
            case ast.Call() if self._word(node) in WORDS_OF_TIME:
                return self._timed(node)
        raise self._error(
            node,
            f"{ast.unparse(node)} has words of time where they mean nothing",
            "possible around them: and, or, not, implies, all(... for ...), any(... for ...)",
        )

    def atom(self, node: ast.expr) -> Formula:
        """A condition on one state."""
        condition = self.expressions.condition(node)
        if isinstance(condition, Const):
            return Truth(bool(condition.value))
        return Atom(condition, self._text(node))

    def _is_joined(self, node: ast.expr) -> bool:
        """Whether an expression has words of time in it, or an implication that claims something."""
        calls = [self._word(each) for each in inside(node) if isinstance(each, ast.Call)]
        if WORDS_OF_TIME & set(calls):
            return True
        simple = isinstance(node, ast.BoolOp) or (isinstance(node, ast.Call) and _is_quantifier(node))
        return simple and "implies" in calls

    # --- words ----------------------------------------------------------------------------------------

    def _word(self, node: ast.expr) -> str | None:
        return word_of(self.expressions.scope.module, node) if isinstance(node, ast.Call) else None

    def _implies(self, node: ast.expr) -> Formula:
        left, right = self._operands(node, 2)
        return Implies(left, right, self._at(node))

    def _timed(self, node: ast.Call) -> Formula:
        word = self._word(node) or ""
        if word == "leads_to":
            cause, effect = self._operands(node, 2)
            return leads_to(cause, effect, branching=self.branching, at=self._at(node))
        if (word in CTL_WORDS) != self.branching:
            raise self._other_logic(node, word)
        quantifier, op = CTL_WORDS[word] if self.branching else (None, LTL_WORDS[word])
        operands = self._operands(node, 2 if op in BINARY else 1)
        return Quantified(quantifier, op, operands) if quantifier else Over(op, operands)

    def _at(self, node: ast.AST) -> int:
        return self.expressions.context.at(node, self.expressions.scope.module)

    def _operands(self, node: ast.expr, count: int) -> tuple[Formula, ...]:
        assert isinstance(node, ast.Call)
        if len(node.args) != count or node.keywords:
            what = f"{ast.unparse(node.func)} takes {count} plain argument{'s' if count > 1 else ''}"
            raise self._error(node, f"{what}: {ast.unparse(node)}")
        return tuple(map(self.formula, node.args))

    def _other_logic(self, node: ast.Call, word: str) -> ModelError:
        if self.branching:
            words, remedy = ", ".join(CTL_WORDS), "write AF(x) for eventually(x), or mark the function @ltl"
            return self._error(node, f"{word} is a word of LTL", f"possible in @ctl: {words}", remedy)
        words, remedy = ", ".join(LTL_WORDS), "mark the function @ctl"
        return self._error(node, f"{word} is a word of CTL", f"possible in @ltl: {words}, leads_to", remedy)

    def _error(self, node: ast.AST, what: str, possible: str = "", remedy: str = "") -> ModelError:
        return self.expressions.scope.error("ANG110", node, what, possible, remedy)

    # --- domains --------------------------------------------------------------------------------------

    def _unrolled(
        self, name: str, element: ast.expr, generators: list[ast.comprehension]
    ) -> Iterator[Formula]:
        if not generators:
            yield self.formula(element)
            return
        first, *rest = generators
        for inner, where in self._each(first):
            if where == Const(0):
                continue
            parts = tuple(inner._unrolled(name, element, rest))
            whole = Conjunction(parts) if name == "all" else Disjunction(parts)
            yield whole if where == Const(1) else _if(name, Atom(where, "it is there"), whole)

    def _each(self, generator: ast.comprehension) -> Iterator[tuple[Formulas, Expr]]:
        """The scope for each value of a domain, and whether the value counts."""
        target, over_ = generator.target, domain(self.expressions, generator.iter)
        if not isinstance(target, ast.Name) or generator.is_async:
            raise self._error(generator.target, "this must be one plain name", "possible: for x in ...")
        for number in self._numbers(generator.iter, over_):
            scope = self.expressions.scope.inner()
            scope.names[target.id] = self._fixed(over_.value(Const(number)), generator.iter)
            inner = Formulas(Expressions(self.expressions.context, scope), self.labels, self.branching)
            conditions = [over_.counts(Const(number)), *map(inner.expressions.condition, generator.ifs)]
            yield inner, conjunction(conditions)

    def _fixed(self, value: Value, node: ast.expr) -> Value:
        """A value that is the same at every moment."""
        if any(reads_state(each) for each in leaf_expressions(value)):
            raise self._error(
                node,
                f"what {ast.unparse(node)} holds is another thing at another moment",
                "possible around words of time: an Index, an Enum, numbers, a set",
                "loop over all values: all(... for x in Item if x in self.line)",
            )
        return value

    def _numbers(self, node: ast.expr, over_: Domain) -> range:
        if isinstance(over_.low, Const) and isinstance(over_.high, Const):
            return range(over_.low.value, over_.high.value)
        what = f"{ast.unparse(node)} is not known before the search"
        raise self._error(node, what, "possible: an Index, an Enum, range of numbers, a sequence, a set")

    # --- words for people -----------------------------------------------------------------------------

    def _text(self, node: ast.expr) -> str:
        """The condition as written, with labels for the names that loops bind."""
        names = self.expressions.scope.names
        text = ast.unparse(_Labelled(lambda name: self._label(names.get(name))).visit(_copy(node)))
        return text.replace("self.", "")

    def _label(self, value: object) -> str | None:
        match value:
            case ScalarValue(type_, Const(number)):
                return self.labels.text(type_, number)
        return None


def _is_quantifier(node: ast.Call) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp(generators=generators)]):
            return all(isinstance(each.iter, ast.Name) for each in generators)
    return False


def _if(name: str, condition: Formula, whole: Formula) -> Formula:
    """A part of all or any whose value may not be there."""
    if name == "all":
        return Disjunction((Negation(condition), whole))
    return Conjunction((condition, whole))


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Labelled(ast.NodeTransformer):
    def __init__(self, label: Callable[[str], str | None]) -> None:
        self.label = label

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.label(node.id) or node.id, node.ctx)
