"""CTL formulas as people write them, and what it means that one is true or false, as a sentence."""

from __future__ import annotations

from angarium.model.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    Truth,
)

_TRUTH = {True: "true", False: "false"}
_SENTENCES: dict[tuple[str, str, bool], str] = {
    ("A", "X", True): "after every step {0} is true",
    ("E", "X", False): "after no step {0} is true",
    ("A", "F", True): "{0} becomes true in every run",
    ("E", "F", False): "{0} can never become true",
    ("A", "G", True): "{0} stays true in every run",
    ("E", "G", False): "{0} cannot stay true",
    ("A", "U", True): "{1} becomes true in every run, and {0} is true until then",
    ("E", "U", False): "{1} cannot become true with {0} true until then",
    ("A", "W", True): "{0} is true in every run as long as {1} has not been",
    ("E", "W", False): "{0} cannot stay true as long as {1} has not been",
    ("A", "R", True): "{1} is true in every run up to the moment at which {0} is",
    ("E", "R", False): "{1} cannot stay true up to the moment at which {0} is",
}
"""What is said of all runs, and shown by none."""


def text(formula: Formula) -> str:
    """A formula on one line."""
    match formula:
        case Atom(text=words):
            return words or "the condition"
        case Truth(value):
            return _TRUTH[value]
        case Negation(operand):
            return f"not {_inside(operand)}"
        case Conjunction(parts) | Disjunction(parts):
            word = "and" if isinstance(formula, Conjunction) else "or"
            return f" {word} ".join(map(_inside, parts)) or _TRUTH[isinstance(formula, Conjunction)]
        case Implies(left, right):
            return f"{_inside(left)} -> {_inside(right)}"
        case Quantified(quantifier, op, (operand,)):
            return f"{quantifier}{op} {_inside(operand)}"
        case Quantified(quantifier, op, (left, right)):
            return f"{quantifier}[{text(left)} {op} {text(right)}]"
        case Over() | Quantified():
            raise TypeError(f"{formula.op} without A or E, or without operands, is no CTL")


def _inside(formula: Formula) -> str:
    """A formula as a part of another."""
    compound = isinstance(formula, Conjunction | Disjunction | Implies)
    return f"({text(formula)})" if compound else text(formula)


def sentence(formula: Formula, truth: bool) -> str:
    """That a formula is true, or that it is false."""
    match formula:
        case Negation(operand):
            return sentence(operand, not truth)
        case Quantified(quantifier, op, operands) if (quantifier, op, truth) in _SENTENCES:
            return _SENTENCES[quantifier, op, truth].format(*map(quoted, operands))
        case _:
            return f"{quoted(formula)} is {_TRUTH[truth]}"


def quoted(formula: Formula) -> str:
    """A formula in the middle of a sentence."""
    return f"`{text(formula)}`"
