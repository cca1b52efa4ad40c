"""LTL decided as in the first textbooks, slowly and without automata: a second opinion.

A *view* is a state together with a guess of the truth of every formula over time inside the one in question
(Lichtenstein and Pnueli, *Checking that finite state concurrent programs satisfy their linear specification*,
1985). Views follow each other as the expansion laws say. A set of views that can all reach each other fulfils
itself if each promise that is made in it is kept in it. A formula can be true if a view in which it is leads to such
a set. Nothing here is shared with what is tested, apart from the graph and the syntax of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from angarium.explore.graph import Graph
from angarium.model.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Truth,
    parts,
)

Guess = Mapping[Formula, bool]


@dataclass(frozen=True)
class World:
    """States, what follows each, and what is true in it."""

    following: Mapping[int, set[int]]
    initial: set[int]
    true: Callable[[int, Atom], bool]


def world(graph: Graph, positions: Mapping[Atom, int]) -> World:
    """A graph as the textbook sees it."""
    following = {
        state: {int(each) for each in graph.targets[int(graph.rows[state]) : int(graph.rows[state + 1])]}
        for state in range(graph.states)
    }
    bits = [int(each) for each in graph.atoms]
    initial = set(range(graph.initial))
    return World(following, initial, lambda state, atom: bool(bits[state] & 1 << positions[atom]))


def holds(where: World, formula: Formula) -> bool:
    """Whether a formula is true of every run."""
    timed = sorted(set(_timed(formula)), key=repr)
    guesses = [dict(zip(timed, each, strict=True)) for each in product((False, True), repeat=len(timed))]
    views = [(state, guess) for state in where.following for guess in guesses]
    truth = [_Truth(where, state, guess) for state, guess in views]
    following = [_following(where, views, truth, number, timed) for number in range(len(views))]
    reach = _closure(following)
    starts = [n for n, (state, _) in enumerate(views) if state in where.initial and not truth[n](formula)]
    return not any(_fulfils(reach, n, truth, timed) and _reaches(reach, starts, n) for n in range(len(views)))


def _timed(formula: Formula) -> list[Formula]:
    inside = [each for part in parts(formula) for each in _timed(part)]
    return [*inside, formula] if isinstance(formula, Over) else inside


@dataclass(frozen=True)
class _Truth:
    """What is true in a view."""

    where: World
    state: int
    guess: Guess

    def __call__(self, formula: Formula) -> bool:
        match formula:
            case Atom():
                return self.where.true(self.state, formula)
            case Truth(value):
                return value
            case Negation(operand):
                return not self(operand)
            case Conjunction(inside):
                return all(map(self, inside))
            case Disjunction(inside):
                return any(map(self, inside))
            case Implies(left, right):
                return not self(left) or self(right)
            case _:
                return self.guess[formula]


def _following(
    where: World, views: list[tuple[int, Guess]], truth: list[_Truth], number: int, timed: list[Formula]
) -> int:
    """The views that can come next, as a mask."""
    state, now = views[number][0], truth[number]
    return sum(
        1 << n
        for n, (target, _) in enumerate(views)
        if target in where.following[state] and all(_law(each, now, truth[n]) for each in timed)
    )


def _law(formula: Formula, now: _Truth, then: _Truth) -> bool:
    """Whether what a formula says now agrees with what it says of the next moment."""
    assert isinstance(formula, Over)
    one, other, later = formula.operands[0], formula.operands[-1], then(formula)
    match formula.op:
        case "X":
            return now(formula) == then(one)
        case "F":
            return now(formula) == (now(one) or later)
        case "G":
            return now(formula) == (now(one) and later)
        case "U" | "W":
            return now(formula) == (now(other) or (now(one) and later))
        case "R":
            return now(formula) == (now(other) and (now(one) or later))


def _closure(following: list[int]) -> list[int]:
    """Which views can be reached from each in one or more steps (Warshall)."""
    reach = list(following)
    for middle in range(len(reach)):
        for start in range(len(reach)):
            if reach[start] >> middle & 1:
                reach[start] |= reach[middle]
    return reach


def _reaches(reach: list[int], starts: list[int], end: int) -> bool:
    return any(start == end or reach[start] >> end & 1 for start in starts)


def _fulfils(reach: list[int], number: int, truth: list[_Truth], timed: list[Formula]) -> bool:
    """Whether a view lies among views that reach each other and keep all promises made among them."""
    if not reach[number] >> number & 1:
        return False
    together = [n for n in range(len(reach)) if reach[number] >> n & 1 and reach[n] >> number & 1]
    return all(any(_kept(each, truth[n]) for n in together) for each in timed)


def _kept(formula: Formula, now: _Truth) -> bool:
    """Whether a formula promises nothing here, or keeps its promise."""
    assert isinstance(formula, Over)
    one, other = formula.operands[0], formula.operands[-1]
    match formula.op:
        case "X":
            return True
        case "F" | "U":
            return not now(formula) or now(other)
        case "G" | "R":
            return now(formula) or not now(other)
        case "W":
            return now(formula) or not (now(one) or now(other))
