"""What LTLSPEC, CTLSPEC and JUSTICE mean, decided slowly on the text that the exporter writes.

A run is a sequence of *moments*: a state together with the step that is taken in it, because `action` may
stand in a formula. LTL is left to the textbook. CTL is decided by sets of states; a run among some
moments is just if these are strongly connected and each JUSTICE is true in one of them, and it is enough
to look at the largest such sets. Nothing here is shared with the analyses of the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
)
from angarium.checker.ir.syntax import Const, Read
from tests.checker.export.smv_reader import Smv, State
from tests.checker.logic.textbook_ltl import World, holds

Cells = tuple[int, ...]
"""The cells of a state, and whether it is repeated for ever."""
Moments = frozenset[int]
States = frozenset[Cells]

_TOKEN = re.compile(r"[A-Za-z_]\w*|->|[&|!()\[\]]")
_BETWEEN: dict[str, Callable[[Formula, Formula], Formula]] = {
    "&": lambda left, right: Conjunction((left, right)),
    "|": lambda left, right: Disjunction((left, right)),
    "->": Implies,
    "U": lambda left, right: Over("U", (left, right)),
    "V": lambda left, right: Over("R", (left, right)),
}


class Runs:
    """The runs of a module."""

    def __init__(self, module: Smv, initial: list[Cells]) -> None:
        self._module, self._initial = module, {(*cells, 0) for cells in initial}
        self._moments: list[State] = []
        self._at: list[Cells] = []
        self._next: list[Cells] = []
        found, waiting = set(self._initial), list(self._initial)
        while waiting:
            *values, still = cells = waiting.pop()
            for moment, after in module.moments(module.state(tuple(values)), still=bool(still)):
                rests = module.can_stand_still and module.is_resting(moment)
                target = (*after.values(), int(rests))
                self._moments.append(moment)
                self._at.append(cells)
                self._next.append(target)
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        self._states = frozenset(found)
        self._of = {cells: {n for n, at in enumerate(self._at) if at == cells} for cells in found}

    def true(self, name: str) -> bool:
        """Whether a specification is true."""
        logic, text = self._module.over_time[name]
        formula = _Parser(_TOKEN.findall(text)).whole()
        if logic == "LTL":
            assert not self._module.justice, "an LTL formula has its fairness as a premise"
            return self._ltl(formula)
        return self._initial <= self._where(formula)

    def _ltl(self, formula: Formula) -> bool:
        following = {n: set(self._of[target]) for n, target in enumerate(self._next)}
        starts = {n for n, cells in enumerate(self._at) if cells in self._initial}
        return holds(World(following, starts, lambda n, atom: self._is(atom, self._moments[n])), formula)

    def _is(self, atom: Atom, moment: State) -> bool:
        assert isinstance(atom.condition, Read)
        return bool(self._module.named(atom.condition.variable)(moment))

    # --- CTL --------------------------------------------------------------------------

    def _where(self, formula: Formula) -> States:
        match formula:
            case Atom():
                named = self._module.state
                return frozenset(cells for cells in self._states if self._is(formula, named(cells[:-1])))
            case Truth(value):
                return self._states if value else frozenset()
            case Negation(operand):
                return self._states - self._where(operand)
            case Conjunction((left, right)):
                return self._where(left) & self._where(right)
            case Disjunction((left, right)):
                return self._where(left) | self._where(right)
            case Implies(left, right):
                return (self._states - self._where(left)) | self._where(right)
            case Quantified("E", op, operands):
                return self._some(op, [self._where(each) for each in operands])
            case Quantified("A", op, operands):
                return self._states - self._some(
                    *_opposite(op, [self._where(each) for each in operands], self._states)
                )
        raise AssertionError(formula)

    def _some(self, op: str, sets: list[States]) -> States:
        just = self._just(self._states)
        match op, sets:
            case "X", [goal]:
                return frozenset(c for c in self._states if self._targets(c) & goal & just)
            case "F", [goal]:
                return self._until(self._states, goal & just)
            case "G", [inside]:
                return self._just(inside)
            case "U", [inside, goal]:
                return self._until(inside, goal & just)
            case "R", [release, inside]:
                return self._until(inside, inside & release & just) | self._just(inside)
        raise AssertionError(op)

    def _targets(self, cells: Cells) -> States:
        return frozenset(self._next[n] for n in self._of[cells])

    def _until(self, inside: States, goal: States) -> States:
        known: States = frozenset()
        while (more := goal | {c for c in inside if self._targets(c) & known}) != known:
            known = frozenset(more)
        return known

    def _just(self, inside: States) -> States:
        """The states from which a just run can stay inside some."""
        moments = frozenset(n for n, at in enumerate(self._at) if at in inside and self._next[n] in inside)
        behind = {n: self._behind(n, moments) for n in moments}
        ends = set[Cells]()
        for moment in moments:
            together = {n for n in behind[moment] if moment in behind[n]}
            if moment in behind[moment] and self._is_just(together):
                ends.add(self._at[moment])
        return self._until(inside, frozenset(ends))

    def _behind(self, moment: int, inside: Moments) -> Moments:
        """The moments that come behind one, among some."""
        found: set[int] = set()
        waiting = [moment]
        while waiting:
            for n in self._of[self._next[waiting.pop()]]:
                if n in inside and n not in found:
                    found.add(n)
                    waiting.append(n)
        return frozenset(found)

    def _is_just(self, moments: set[int]) -> bool:
        return all(any(demand(self._moments[n]) for n in moments) for demand in self._module.justice)


def _opposite(op: str, sets: list[States], everything: States) -> tuple[str, list[States]]:
    """What some run does if not all runs do the given."""
    return {"X": "X", "F": "G", "G": "F", "U": "R"}[op], [everything - each for each in sets]


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]

    def whole(self) -> Formula:
        formula = self._chain()
        assert self._tokens == [""], self._tokens
        return formula

    def _chain(self) -> Formula:
        left = self._unit()
        while self._tokens[0] in _BETWEEN:
            left = _BETWEEN[self._tokens.pop(0)](left, self._unit())
        return left

    def _unit(self) -> Formula:
        token = self._tokens.pop(0)
        match token:
            case "(":
                return self._closed(")")
            case "!":
                return Negation(self._unit())
            case "X" | "F" | "G":
                return Over(token, (self._unit(),))
            case "AX" | "AF" | "AG" | "EX" | "EF" | "EG":
                return Quantified(token[0], token[1], (self._unit(),))  # type: ignore[arg-type]
            case "A" | "E":
                assert self._tokens.pop(0) == "["
                until = self._closed("]")
                assert isinstance(until, Over)
                return Quantified(token, until.op, until.operands)
            case "TRUE" | "FALSE":
                return Truth(token == "TRUE")
        return Atom(Read(token, Const(0)), token)

    def _closed(self, end: str) -> Formula:
        inner = self._chain()
        assert self._tokens.pop(0) == end
        return inner
