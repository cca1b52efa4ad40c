"""Formulas that are asked on the command line."""

from __future__ import annotations

from angarium.checker.ir import formula
from angarium.checker.ir.formula import Question
from angarium.core.errors import UsageError


def questions(ltl: tuple[str, ...], ctl: tuple[str, ...], fairness: str | None) -> tuple[Question, ...]:
    """The questions of `--ltl` and `--ctl`, with their fairness."""
    found = formula.questions(ltl, ctl, fairness or "none")
    if fairness is not None and not found:
        what = "--fairness says which runs count for --ltl and --ctl, and there is neither"
        raise UsageError("ANG013", what, remedy="a model's own guarantees say it themselves")
    return found
