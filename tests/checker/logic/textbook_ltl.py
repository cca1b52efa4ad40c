"""LTL decided as in the first textbooks, slowly and without automata: a second opinion.

A *view* is a state together with a guess of the truth of every formula over time inside the one in question
(Lichtenstein and Pnueli, *Checking that finite state concurrent programs satisfy their linear
specification*, 1985). Views follow each other as the expansion laws say. A set of views that can all reach
each other fulfils itself if each promise that is made in it is kept in it. A formula can be true if a view
in which it is leads to such a set. Nothing here is shared with what is tested, apart from the graph and the
syntax of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Literal

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import (
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


@dataclass(frozen=True)
class View:
    """A state with a guess, and what the expansion laws say of the views that can follow."""

    state: int
    true: Callable[[Formula], bool]
    says: tuple[bool, ...]
    """Of each formula over time: what a view before this one may ask about it."""
    asks: tuple[bool | None, ...]
    """What the next view must say; None where both is right."""


def holds(where: World, formula: Formula) -> bool:
    """Whether a formula is true of every run."""
    timed = list(dict.fromkeys(_timed(formula)))
    of_state = {state: list(_views(where, state, timed)) for state in where.following}
    found = [view for state in where.initial for view in of_state[state] if not view.true(formula)]
    number = {id(view): n for n, view in enumerate(found)}
    following = []
    for view in found:
        after = [
            each for state in where.following[view.state] for each in of_state[state] if _fits(view, each)
        ]
        for each in after:
            if id(each) not in number:
                number[id(each)] = len(found)
                found.append(each)
        following.append(sum(1 << number[id(each)] for each in after))
    reach = _closure(following)
    return not any(_fulfils(reach, n, found, timed) for n in range(len(found)))


def _timed(formula: Formula) -> list[Over]:
    inside = [each for part in parts(formula) for each in _timed(part)]
    return [*inside, formula] if isinstance(formula, Over) else inside


def _views(where: World, state: int, timed: list[Over]) -> Iterator[View]:
    """The views of a state that do not contradict themselves."""
    for guess in product((False, True), repeat=len(timed)):
        true = cache(partial(_true, where, state, dict(zip(timed, guess, strict=True))))
        asks = [_asks(each, true) for each in timed]
        if "nothing" not in asks:
            says = tuple(true(each.operands[0] if each.op == "X" else each) for each in timed)
            yield View(state, true, says, tuple(each for each in asks if each != "nothing"))


def _true(where: World, state: int, guess: Mapping[Over, bool], formula: Formula) -> bool:
    def inside(part: Formula) -> bool:
        return _true(where, state, guess, part)

    match formula:
        case Atom():
            return where.true(state, formula)
        case Truth(value):
            return value
        case Negation(operand):
            return not inside(operand)
        case Conjunction(conjuncts):
            return all(map(inside, conjuncts))
        case Disjunction(disjuncts):
            return any(map(inside, disjuncts))
        case Implies(left, right):
            return not inside(left) or inside(right)
        case Over():
            return guess[formula]
        case _:
            raise TypeError(formula)


def _asks(formula: Over, true: Callable[[Formula], bool]) -> bool | Literal["nothing"] | None:
    """What a formula must be at the next moment to be what it is now; `nothing` if it cannot be that."""
    one, other, now = true(formula.operands[0]), true(formula.operands[-1]), true(formula)
    match formula.op:
        case "X":
            return now
        case "F":
            return _either(one, True, now)
        case "G":
            return _both(one, now)
        case "U" | "W":
            return _either(other, one, now)
        case "R":
            return _both(other, now) if not one else (None if now == other else "nothing")


def _either(here: bool, may_wait: bool, now: bool) -> bool | Literal["nothing"] | None:
    """now = here or (may_wait and later)."""
    if here or not may_wait:
        return None if now == here else "nothing"
    return now


def _both(here: bool, now: bool) -> bool | Literal["nothing"] | None:
    """now = here and later."""
    if not here:
        return "nothing" if now else None
    return now


def _fits(view: View, after: View) -> bool:
    return all(ask is None or ask == say for ask, say in zip(view.asks, after.says, strict=True))


def _closure(following: list[int]) -> list[int]:
    """Which views can be reached from each in one or more steps (Warshall)."""
    reach = list(following)
    for middle in range(len(reach)):
        for start in range(len(reach)):
            if reach[start] >> middle & 1:
                reach[start] |= reach[middle]
    return reach


def _fulfils(reach: list[int], number: int, views: list[View], timed: list[Over]) -> bool:
    """Whether a view lies among views that reach each other and keep all promises made among them."""
    if not reach[number] >> number & 1:
        return False
    together = [n for n in range(len(reach)) if reach[number] >> n & 1 and reach[n] >> number & 1]
    return all(any(_keeps(views[n], each) for n in together) for each in timed)


def _keeps(view: View, formula: Over) -> bool:
    """Whether a formula promises nothing here, or keeps its promise."""
    one, other, now = (view.true(each) for each in (formula.operands[0], formula.operands[-1], formula))
    match formula.op:
        case "X":
            return True
        case "F" | "U":
            return not now or other
        case "G" | "R":
            return now or not other
        case "W":
            return now or not (one or other)
