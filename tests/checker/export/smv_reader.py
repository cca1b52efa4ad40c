"""Reads the SMV text that the exporter writes, and says what it means in a state.

Only as much of SMV as is needed to compare the text with the interpreter. It is stricter than SMV:
both branches of a choice are evaluated and dividing by zero is an error. The quotient of negative
numbers, on which tools do not agree, is a number that nobody expects.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

State = Mapping[str, int]
Meaning = Callable[[State], int]

_TOKEN = re.compile(r"\d+|[A-Za-z_]\w*|->|<=|>=|!=|[-+*/&|!=<>?:()]")


def _divide(left: int, right: int) -> int:
    assert right != 0, "division by zero"
    return left // right if left >= 0 and right > 0 else 10**9


def _remainder(left: int, right: int) -> int:
    return left - right * _divide(left, right)


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "mod": _remainder,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": lambda left, right: bool(left) and bool(right),
    "|": lambda left, right: bool(left) or bool(right),
    "->": lambda left, right: not left or bool(right),
}


class Smv:
    """A module's variables, definitions, steps and specifications."""

    def __init__(self, text: str) -> None:
        self.cells = re.findall(r"^VAR ((?!stands_still)\w+) :", text, re.M)
        self.can_stand_still = "VAR stands_still" in text
        self._defines = dict(re.findall(r"^DEFINE (\w+) := (.*);$", text, re.M))
        self._meanings: dict[str, Meaning] = {}
        (initial,) = re.findall(r"^INIT (\(.*);$", text, re.M)
        self.initial = self._parse(initial)
        self._steps = [self._step(*found) for found in re.findall(_TRANS, text, re.M)]
        found = re.findall(r"^\w+SPEC NAME ((?:inv|rest|reach|stays)_\w+) := (?:EF )?(.*);$", text, re.M)
        self.specs = {name: self._parse(condition) for name, condition in found}
        over_time = re.findall(r"^(LTL|CTL)SPEC NAME ((?:ltl|ctl)_\w+) := (.*);$", text, re.M)
        self.over_time = {name: (logic, formula) for logic, name, formula in over_time}
        self.justice = [self._parse(each) for each in re.findall(r"^JUSTICE (.*);$", text, re.M)]

    def state(self, values: tuple[int, ...]) -> State:
        return dict(zip(self.cells, values, strict=True))

    def targets(self, state: State) -> Iterator[tuple[int, ...]]:
        """The next state of every step that can happen, other than resting."""
        for step in self._steps:
            if step.name != "at_rest" and step.can(state):
                yield tuple(step.after[cell](state) for cell in self.cells)

    def moments(self, state: State, *, still: bool) -> Iterator[tuple[State, State]]:
        """Each step that a run can take, resting too: the state with the step's name, and the next state.

        Who stands still although a fault could happen does so for ever.
        """
        numbers = {step.name: number for number, step in enumerate(self._steps)}
        for step in self._steps:
            if step.can(state) and (not still or step.name == "at_rest"):
                after = {cell: step.after[cell](state) for cell in self.cells}
                yield {**state, **numbers, "action": numbers[step.name]}, after

    def is_resting(self, moment: State) -> bool:
        return moment["action"] == moment["at_rest"]

    def named(self, name: str) -> Meaning:
        """What a variable or a DEFINE means."""
        return self._name(name)

    def _step(self, name: str, can: str, after: str) -> _Step:
        pairs = re.findall(r"& next\((\w+)\) = (.*?)(?=\n|$)", after)
        return _Step(name, self._parse(can), {cell: self._parse(text) for cell, text in pairs})

    def _parse(self, text: str) -> Meaning:
        return _Parser(_TOKEN.findall(text), self._name).whole()

    def _name(self, name: str) -> Meaning:
        if name not in self._defines:
            return lambda state: state[name]
        if name not in self._meanings:
            self._meanings[name] = self._parse(self._defines[name])
        return self._meanings[name]


_TRANS = r"^TRANS action = (\w+) -> \((\w+)((?:\n  & next.*)*)\);$"


@dataclass(frozen=True)
class _Step:
    name: str
    can: Meaning
    after: dict[str, Meaning]


class _Parser:
    def __init__(self, tokens: list[str], name: Callable[[str], Meaning]) -> None:
        self._tokens, self._name = [*tokens, ""], name

    def whole(self) -> Meaning:
        meaning = self._chain()
        assert self._tokens == [""], self._tokens
        return meaning

    def _chain(self) -> Meaning:
        left = self._unit()
        while self._tokens[0] in _OPERATORS:
            left = _apply(_OPERATORS[self._tokens.pop(0)], left, self._unit())
        if self._tokens[0] != "?":
            return left
        self._expect("?")
        then = self._chain()
        self._expect(":")
        return _choose(left, then, self._chain())

    def _unit(self) -> Meaning:
        token = self._tokens.pop(0)
        if token == "(":
            inner = self._chain()
            self._expect(")")
            return inner
        if token in ("!", "-"):
            operand, change = self._unit(), operator.not_ if token == "!" else operator.neg
            return lambda state: change(operand(state))
        if token in ("TRUE", "FALSE") or token.isdigit():
            value = int(token) if token.isdigit() else int(token == "TRUE")
            return lambda state: value
        return self._name(token)

    def _expect(self, token: str) -> None:
        assert self._tokens.pop(0) == token


def _apply(function: Callable[[int, int], int], left: Meaning, right: Meaning) -> Meaning:
    def meaning(state: State) -> int:
        one, other = left(state), right(state)
        return int(function(one, other))

    return meaning


def _choose(condition: Meaning, then: Meaning, otherwise: Meaning) -> Meaning:
    def meaning(state: State) -> int:
        one, other = then(state), otherwise(state)
        return one if condition(state) else other

    return meaning
