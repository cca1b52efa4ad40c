"""For whom a run without end breaks a formula: who never gets what the formula promises.

A formula promises what should come true: `p` in `eventually p`, `q` in `p until q`. If a promised condition
is false in every state that is repeated for ever, those for whom it is false in all of them are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.checker.explore.culprits import blamed_throughout
from angarium.checker.explore.engine import Cells
from angarium.checker.ir.formula import Atom, Conjunction, Disjunction, Formula, Implies, Over
from angarium.checker.ir.transition import TransitionSystem


def for_whom(system: TransitionSystem, formula: Formula, repeated: Sequence[Cells]) -> str:
    """` for m1 and m3`, behind the sentence on how a formula is broken; empty if nobody can be named.

    Only a formula with one promise is sure to have broken that one.
    """
    promised = list(dict.fromkeys(_promised(formula)))
    return blamed_throughout(system, promised[0].condition, repeated) if len(promised) == 1 else ""


def _promised(formula: Formula) -> Iterator[Atom]:
    """The conditions that a formula claims to come true."""
    match formula:
        case Over("F" | "U", (*_, Atom() as promise)):
            yield promise
        case Implies(_, right):
            yield from _promised(right)
        case Conjunction(inside) | Disjunction(inside) | Over(operands=inside):
            yield from (atom for part in inside for atom in _promised(part))
