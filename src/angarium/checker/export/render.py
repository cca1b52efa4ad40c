"""Expressions as text: a table of templates for each language, and one walk over the expression.

A model has only integers; TLA+ and SMV keep truth values apart. So each expression is written
either as a number or as a truth, whichever its place needs, and a pair of templates leads from
one to the other. Promela, where they are the same, has templates that do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from angarium.checker.ir.syntax import (
    Binary,
    BinaryOp,
    Call,
    Const,
    Expr,
    IfElse,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    Within,
)


@dataclass(frozen=True)
class Syntax:
    """A language's templates; {0}, {1}, {2} are the parts."""

    arithmetic: Mapping[BinaryOp, str]
    """Numbers to a number."""
    comparison: Mapping[BinaryOp, str]
    """Numbers to a truth."""
    logic: Mapping[BinaryOp, str]
    """Truths to a truth."""
    negation: str
    choice: str
    as_number: str
    """A truth as a number."""
    as_truth: str
    """A number as a truth."""
    true: str
    false: str


@dataclass(frozen=True)
class Writer:
    """Writes expressions; the functions say how this target names what an expression refers to."""

    syntax: Syntax
    read: Callable[[str, Expr], str]
    local: Callable[[str], tuple[str, bool]]
    call: Callable[[Call], tuple[str, bool]]
    """The text of a local or a call, and whether it is a truth."""
    let: Callable[[LetIn, Callable[[Expr], str]], str]
    """The text of a `LetIn`, given how to write its body."""

    def number(self, expr: Expr) -> str:
        """The expression where a number is needed."""
        match expr:
            case Const(value):
                return str(value) if value >= 0 else f"({value})"
            case Read(variable, index):
                return self.read(variable, index)
            case Binary("+", left, Const(value)) if value < 0:
                return self.syntax.arithmetic["-"].format(self.number(left), -value)
            case Binary(op, left, right) if op in self.syntax.arithmetic:
                return self.syntax.arithmetic[op].format(self.number(left), self.number(right))
            case IfElse(condition, then, otherwise):
                parts = self.truth(condition), self.number(then), self.number(otherwise)
                return self.syntax.choice.format(*parts)
            case LetIn():
                return self.let(expr, self.number)
            case Within(value):
                return self.number(value)  # wherever that is written, it is known to be so
            case Local() | Call():
                text, is_truth = self._named(expr)
                return self.syntax.as_number.format(text) if is_truth else text
        return self.syntax.as_number.format(self.truth(expr))

    def truth(self, expr: Expr) -> str:
        """The expression where a truth is needed."""
        match expr:
            case Const(value):
                return self.syntax.true if value else self.syntax.false
            case Binary("!=", left, Const(0)):
                return self.truth(left)
            case Binary(op, left, right) if op in self.syntax.comparison:
                return self.syntax.comparison[op].format(self.number(left), self.number(right))
            case Binary(op) if op in self.syntax.logic:
                return self._chain(op, expr)
            case Not(operand):
                return self.syntax.negation.format(self.truth(operand))
            case IfElse(condition, then, otherwise):
                parts = self.truth(condition), self.truth(then), self.truth(otherwise)
                return self.syntax.choice.format(*parts)
            case LetIn():
                return self.let(expr, self.truth)
            case Local() | Call():
                text, is_truth = self._named(expr)
                return text if is_truth else self.syntax.as_truth.format(text)
            case Reduce():
                raise TypeError("a comprehension is unrolled before it is written")
        return self.syntax.as_truth.format(self.number(expr))

    def _named(self, expr: Local | Call) -> tuple[str, bool]:
        return self.local(expr.name) if isinstance(expr, Local) else self.call(expr)

    def _chain(self, op: BinaryOp, expr: Expr) -> str:
        """`a and b and c` in one pair of parentheses."""
        terms: list[str] = []
        while isinstance(expr, Binary) and expr.op == op:
            terms.append(self.truth(expr.right))
            expr = expr.left
        terms.append(self.truth(expr))
        return f"({self.syntax.logic[op].join(reversed(terms))})"
