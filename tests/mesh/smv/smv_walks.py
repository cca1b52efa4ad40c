"""Judges the CTL specifications of an SMV module, by sets of states.

Reads the part of SMV that describes walks: ranges, definitions, `init` and `next` of variables, `case`, and
CTL over comparisons. Shares nothing with what writes it, and judges as NuSMV does: a specification is true
if it is true in every initial state.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

State = tuple[int, ...]
States = frozenset[State]
Term = Callable[[dict[str, int]], int]

_TOKEN = re.compile(r"->|!=|:=|[A-Za-z_]\w*|\d+|[-+&|!=():;]")


class Walks:
    """A module with its states and its specifications."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"--.*", "", text)
        self._defined = {name: int(value) for name, value in re.findall(r"DEFINE (\w+) := (\d+);", text)}
        ranges = re.findall(r"VAR (\w+) : (\d+)\.\.(\d+);", text)
        frozen = re.findall(r"FROZENVAR (\w+)", text)
        self._variables = [name for name, _, _ in ranges]
        self._states = frozenset(product(*(range(int(low), int(high) + 1) for _, low, high in ranges)))
        self._next = {name: _number([name]) for name in frozen}
        self._next |= {name: self._rule(body) for name, body in _assigned("next", text).items()}
        starts = {name: self._rule(body) for name, body in _assigned("init", text).items()}
        self._initial = frozenset(state for state in self._states if self._begins(state, starts))
        self._after = {state: self._successor(state) for state in self._reached()}
        self.verdicts = {
            name: self._initial <= _Formula(_TOKEN.findall(formula), self).states()
            for name, formula in re.findall(r"CTLSPEC NAME (\w+) := (.*);", text)
        }

    @property
    def states(self) -> States:
        """Those that can be reached."""
        return frozenset(self._after)

    def values(self, state: State) -> dict[str, int]:
        return {**self._defined, **dict(zip(self._variables, state, strict=True))}

    def before(self, states: States) -> States:
        """The states from which the next one is one of these; there is one next state."""
        return frozenset(state for state, after in self._after.items() if after in states)

    def _begins(self, state: State, starts: dict[str, Term]) -> bool:
        values = self.values(state)
        return all(values[name] == start(values) for name, start in starts.items())

    def _reached(self) -> set[State]:
        found, new = set(self._initial), set(self._initial)
        while new:
            new = {self._successor(state) for state in new} - found
            found |= new
        return found

    def _successor(self, state: State) -> State:
        values = self.values(state)
        after = tuple(self._next[name](values) for name in self._variables)
        assert after in self._states, (state, after)
        return after

    def _rule(self, body: str) -> Term:
        rules = re.fullmatch(r"case(.*)esac", body.strip(), re.S)
        if rules is None:
            return _number(_TOKEN.findall(body))
        choices = [rule.split(":") for rule in rules[1].split(";") if rule.strip()]
        parsed = [(_condition(_TOKEN.findall(when)), _number(_TOKEN.findall(then))) for when, then in choices]
        return lambda values: next(then(values) for when, then in parsed if when(values))


def _assigned(word: str, text: str) -> dict[str, str]:
    found = re.findall(rf"{word}\((\w+)\) := (case.*?esac|[^;]*);", text, re.S)
    return dict(found)


def _number(tokens: list[str]) -> Term:
    match tokens:
        case [one] if one.isdigit():
            return lambda values: int(one)
        case [name]:
            return lambda values: values[name]
        case [name, "+", more]:
            return lambda values: values[name] + int(more)
    raise AssertionError(tokens)


def _condition(tokens: list[str]) -> Term:
    """Comparisons joined by one kind of operator, or TRUE."""
    for joint, judge in (("|", any), ("&", all)):
        if joint in tokens:
            place = tokens.index(joint)
            parts = [_condition(tokens[:place]), _condition(tokens[place + 1 :])]
            return lambda values: judge([part(values) for part in parts])
    if tokens == ["TRUE"]:
        return lambda values: True
    left, operator, right = tokens
    assert operator in ("=", "!=")
    one, other = _number([left]), _number([right])
    return lambda values: (one(values) == other(values)) == (operator == "=")


class _Formula:
    """The states in which a formula is true; `->` binds least, then `|`, then `&`."""

    def __init__(self, tokens: list[str], walks: Walks) -> None:
        self._tokens, self._walks = tokens, walks

    def states(self) -> States:
        found = self._implication()
        assert not self._tokens
        return found

    def _implication(self) -> States:
        left = self._joined("|")
        if not self._takes("->"):
            return left
        return (self._walks.states - left) | self._implication()

    def _joined(self, joint: str) -> States:
        below = self._unit if joint == "&" else lambda: self._joined("&")
        found = below()
        while self._takes(joint):
            other = below()
            found = found | other if joint == "|" else found & other
        return found

    def _unit(self) -> States:
        if self._takes("("):
            inner = self._implication()
            assert self._takes(")")
            return inner
        for word, until in (("AF", self._some_day), ("AG", self._for_ever)):
            if self._takes(word):
                return until(self._unit())
        comparison, self._tokens = self._tokens[:3], self._tokens[3:]
        holds = _condition(comparison)
        return frozenset(state for state in self._walks.states if holds(self._walks.values(state)))

    def _some_day(self, wanted: States) -> States:
        while (more := wanted | self._walks.before(wanted)) != wanted:
            wanted = more
        return wanted

    def _for_ever(self, kept: States) -> States:
        while (fewer := kept & self._walks.before(kept)) != kept:
            kept = fewer
        return kept

    def _takes(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        self._tokens = self._tokens[1:]
        return True
