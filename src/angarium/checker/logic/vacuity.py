"""Formulas that hold because nothing was asked.

If a formula holds as well with what an implication asks for replaced by false, then what it asks for does
not matter (Beer et al., *Efficient detection of vacuity in temporal model checking*, 2001). Only
implications that are claimed count: those in the scope of no negation, or of two. Replacing makes the
formula stronger, so it is decided again; but what is claimed always, or at the start, of a plain condition
is seen in the states' atoms.

That no fair run exists need not be feared. From every state a run can go to a component that cannot be left
and take all its steps again and again: what is possible there then happens. So every finite run is the
beginning of a fair one, and a condition that is true in a reachable state is true on some fair run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import takewhile
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    Truth,
    parts,
)
from angarium.checker.logic.normal import FALSE, normal
from angarium.checker.logic.sentences import quoted

Letters = NDArray[np.uint64]
"""What is true in each of some states, as bits."""
PIECE = 1 << 18
Place = Literal["start", "always", "inside"]
"""Where an implication is claimed: at the start, in every state, or somewhere inside other operators."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An implication in a formula, and the formula with nothing allowed to follow it."""

    implication: Implies
    place: Place
    stronger: Formula


def vacuous(
    graph: Graph, formula: Formula, positions: Mapping[Atom, int], holds: Callable[[Formula], bool]
) -> str | None:
    """Why a formula that holds says nothing; None if it says something.

    What is claimed of every queue says something if it says something of one.
    """
    groups: dict[object, list[Claim]] = {}
    for claim in claims(formula):
        groups.setdefault(claim.implication.at or id(claim), []).append(claim)
    for group in groups.values():
        reasons = list(takewhile(bool, (_why(graph, claim, positions, holds) for claim in group)))
        if len(reasons) == len(group):
            return reasons[0]
    return None


def _why(
    graph: Graph, claim: Claim, positions: Mapping[Atom, int], holds: Callable[[Formula], bool]
) -> str | None:
    asked = graph.atoms[: graph.initial] if claim.place == "start" else graph.atoms
    ever = _ever(asked, claim.implication.left, positions) if claim.place != "inside" else None
    if ever is None:
        return _sentence(claim) if holds(claim.stronger) else None
    return None if ever else _sentence(claim)


def _ever(atoms: Letters, formula: Formula, positions: Mapping[Atom, int]) -> bool | None:
    """Whether a plain condition is true in some of these states; in pieces, for they may fill the memory."""
    for start in range(0, len(atoms), PIECE):
        true = true_states(atoms[start : start + PIECE], formula, positions)
        if true is None or true.any():
            return None if true is None else True
    return False


def _sentence(claim: Claim) -> str:
    left, right = quoted(claim.implication.left), quoted(claim.implication.right)
    sentences: dict[Place, str] = {
        "start": f"{left} is not true at the start",
        "always": f"{left} is never true",
        "inside": f"it holds whatever {right} is",
    }
    return sentences[claim.place]


def true_states(atoms: Letters, formula: Formula, positions: Mapping[Atom, int]) -> NDArray[np.bool_] | None:
    """In which states a plain condition is true, by their atoms; None if it has words of time."""
    match formula:
        case Atom():
            bits: NDArray[np.bool_] = (atoms >> np.uint64(positions[formula])) & np.uint64(1) != 0
            return bits
        case Truth(value):
            return np.full(len(atoms), value)
        case Over() | Quantified():
            return None
    inside = [true_states(atoms, part, positions) for part in parts(formula)]
    known = [each for each in inside if each is not None]
    return _combined(formula, known, len(atoms)) if len(known) == len(inside) else None


def _combined(formula: Formula, parts: list[NDArray[np.bool_]], states: int) -> NDArray[np.bool_]:
    match formula:
        case Negation():
            return ~parts[0]
        case Implies():
            return ~parts[0] | parts[1]
        case Conjunction():
            return reduce(np.logical_and, parts, np.ones(states, np.bool_))
        case _:
            return reduce(np.logical_or, parts, np.zeros(states, np.bool_))


# --- implications that are claimed ----------------------------------------------------------------


def claims(formula: Formula, place: Place = "start", *, positive: bool = True) -> Iterator[Claim]:
    """Each implication that is claimed."""
    if isinstance(formula, Implies) and positive and not _is_never(formula.right):
        yield Claim(formula, place, Implies(formula.left, FALSE))
    for position, part in enumerate(parts(formula)):
        turned = isinstance(formula, Negation) or (isinstance(formula, Implies) and position == 0)
        for claim in claims(part, _inside(formula, place), positive=positive != turned):
            yield replace(claim, stronger=_with_part(formula, position, claim.stronger))


def _is_never(formula: Formula) -> bool:
    """Whether a formula is plainly false: then what implies it is claimed not to happen."""
    return formula == FALSE or (not _branches(formula) and normal(formula) == FALSE)


def _branches(formula: Formula) -> bool:
    return isinstance(formula, Quantified) or any(map(_branches, parts(formula)))


def _inside(formula: Formula, place: Place) -> Place:
    match formula:
        case Conjunction():
            return place
        case Over("G") | Quantified("A", "G"):
            return "inside" if place == "inside" else "always"
        case _:
            return "inside"


def _with_part(formula: Formula, position: int, part: Formula) -> Formula:
    """A formula with another part in one place."""
    changed = (*parts(formula)[:position], part, *parts(formula)[position + 1 :])
    match formula:
        case Negation():
            return Negation(part)
        case Implies():
            return replace(formula, left=changed[0], right=changed[1])
        case Conjunction() | Disjunction():
            return replace(formula, parts=changed)
        case Over() | Quantified():
            return replace(formula, operands=changed)
        case _:
            raise TypeError(f"{formula} has no parts")
