"""What it means that a formula of CTL is true or false, as a sentence."""

from __future__ import annotations

from angarium.checker.ir.formula import Formula, Negation, Quantified
from angarium.checker.logic.wording import quoted

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


def sentence(formula: Formula, truth: bool) -> str:
    """That a formula is true, or that it is false."""
    match formula:
        case Negation(operand):
            return sentence(operand, not truth)
        case Quantified(quantifier, op, operands) if (quantifier, op, truth) in _SENTENCES:
            return _SENTENCES[quantifier, op, truth].format(*map(quoted, operands))
        case _:
            return f"{quoted(formula)} is {_TRUTH[truth]}"
