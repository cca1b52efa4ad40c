"""Expressions as text, and names for a model's names: a table of templates for each language, one walk for
all.

A model has only integers; TLA+ and SMV keep truth values apart. So each expression is written either as a
number or as a truth, whichever its place needs, and a pair of templates leads from one to the other.
Promela, where they are the same, has templates that do nothing.

A model's names have dots (`waiting.len`) and may be words that the target keeps for itself (`len` in
Promela). A name keeps its letters, digits and underscores; what would then be empty, reserved or taken gets
a number. So two names never become one, and the same model always gets the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
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


class Names:
    """The names given out so far, for one exported text."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)
        self._given: dict[Hashable, str] = {}

    def __call__(self, key: Hashable, wish: str) -> str:
        """The name of a thing: as near to the wish as is free, and the same whenever asked."""
        if key not in self._given:
            self._given[key] = self.fresh(wish)
        return self._given[key]

    def fresh(self, wish: str) -> str:
        """A name that nothing has yet."""
        stem = _identifier(wish)
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def instance(name: str, arguments: Iterable[int]) -> str:
    """What to wish for a thing with its arguments: for `release`, 0 and -1, `release_0_m1`."""
    return "_".join([name, *(f"m{-each}" if each < 0 else str(each) for each in arguments)])


def _identifier(wish: str) -> str:
    name = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_") or "x"
    return f"x{name}" if name[0].isdigit() else name


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
