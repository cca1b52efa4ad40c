"""Formulas as people write them, on one line, as they can be given on the command line."""

from __future__ import annotations

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

_WORDS: dict[TimeOp, str] = {
    "X": "next", "F": "eventually", "G": "always", "U": "until", "W": "weak_until", "R": "release",
}  # fmt: skip


def text(formula: Formula) -> str:
    """A formula on one line."""
    match formula:
        case Atom(text=words):
            return words or "the condition"
        case Truth(value):
            return str(value)
        case Negation(operand):
            return f"not {_inside(operand)}"
        case Conjunction(parts) | Disjunction(parts):
            word = "and" if isinstance(formula, Conjunction) else "or"
            return f" {word} ".join(map(_inside, parts)) or str(isinstance(formula, Conjunction))
        case Implies(left, right):
            return f"{_inside(left)} -> {_inside(right)}"
        case Over(op, (operand,)):
            return f"{_WORDS[op]} {_inside(operand)}"
        case Over(op, (left, right)):
            return f"{_inside(left)} {_WORDS[op]} {_inside(right)}"
        case Quantified(quantifier, op, (operand,)):
            return f"{quantifier}{op} {_inside(operand)}"
        case Quantified(quantifier, op, (left, right)):
            return f"{quantifier}[{text(left)} {op} {text(right)}]"
    raise TypeError(f"no formula: {formula}")


def _inside(formula: Formula) -> str:
    """A formula as a part of another."""
    single = isinstance(formula, Over) and len(formula.operands) == 1
    simple = single or isinstance(formula, Truth | Negation | Quantified)
    return text(formula) if simple or _is_word(formula) else f"({text(formula)})"


def _is_word(formula: Formula) -> bool:
    return isinstance(formula, Atom) and text(formula).replace("_", "").isalnum()


def quoted(formula: Formula) -> str:
    """A formula in the middle of a sentence."""
    return f"`{text(formula)}`"
