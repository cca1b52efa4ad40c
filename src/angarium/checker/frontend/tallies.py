"""What is counted along a walk: the words that stand in observations.

    times(self.release, q=q)     the steps of an action
    steps(), steps_until(c)      all steps, or those before a condition is true
    time_until(c)                the time until then

Each becomes a tally, which the observation reads like a variable. Two that count the same are one tally. What
a tally counts is settled before any walk begins, so what stands in these words must be known when the model
is compiled: arguments of the observation are, variables of comprehensions and names bound before are not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.fold import ZERO, binary
from angarium.checker.frontend.step_names import Named, Step, StepNames
from angarium.checker.frontend.values import NUMBER, ScalarValue, Value
from angarium.checker.ir.syntax import Const, Expr, Read, Within
from angarium.checker.ir.transition import Tally, TallyKind
from angarium.checker.language.trees import inside
from angarium.core.errors import ModelError

KINDS: dict[str, TallyKind] = {
    "times": "times",
    "steps": "steps",
    "steps_until": "steps",
    "time_until": "time",
}


@dataclass(slots=True)
class Tallies:
    """What the observations of one model count."""

    steps: StepNames
    _names: dict[Tally, str] = field(default_factory=dict)
    """The name of each tally, which is written here without it."""

    def read(self, tally: Tally) -> Expr:
        """What a tally has come to."""
        return Read(self._names.setdefault(tally, f"(tally {len(self._names)})"), Const(0))

    def counted(self, expressions: Compiler, node: ast.Call, word: str) -> Value:
        """What a word of observations counts."""
        if word == "times":
            return ScalarValue(NUMBER, _times(expressions, node, self))
        _expect(expressions, node, 0 if word == "steps" else 1)
        condition = _condition(expressions, node.args[0]) if node.args else None
        return ScalarValue(NUMBER, self.read(Tally("", KINDS[word], condition=condition)))

    def __iter__(self) -> Iterator[Tally]:
        return (replace(tally, name=name) for tally, name in self._names.items())


def _expect(expressions: Compiler, node: ast.Call, count: int) -> None:
    if len(node.args) != count or node.keywords:
        given, taken = ast.unparse(node), ("nothing", "one condition")[count]
        raise expressions.scope.error("ANG106", node, f"{ast.unparse(node.func)} takes {taken}: {given}")


def _condition(expressions: Compiler, node: ast.expr) -> Expr:
    """A condition that is asked in every state of a walk."""
    bound = expressions.scope.names
    for each in inside(node):
        if isinstance(each, ast.Name) and each.id in bound and _constant(bound[each.id]) is None:
            raise _not_known(expressions, each)
    with expressions.context.counting_with(None):
        return expressions.condition(node)


def _constant(value: Value) -> int | None:
    """The number that a value is, if it is known now: one that is out of range is what no step has."""
    match value:
        case ScalarValue(_, Const(number) | Within(Const(number))):
            return number
    return None


def _not_known(expressions: Compiler, node: ast.expr) -> ModelError:
    return expressions.scope.error(
        "ANG104",
        node,
        f"{ast.unparse(node)} is not known when the model is compiled, and what is counted must be",
        "possible: arguments of the observation, parameters, constants",
        "make it an argument of the observation: there is then one figure for each of its values",
    )


# --- times ------------------------------------------------------------------------------------------


def _times(expressions: Compiler, node: ast.Call, tallies: Tallies) -> Expr:
    if len(node.args) != 1:
        what = f"times takes one step, and its arguments by name: {ast.unparse(node)}"
        raise expressions.scope.error("ANG106", node, what, "", "write times(self.release, q=q)")
    named = tallies.steps.named(node.args[0], expressions.scope.module)
    wanted = _wanted(expressions, node, named)
    found = dict.fromkeys(tally for step in named.steps for tally in _of_step(step, wanted))
    total: Expr = ZERO
    for tally in found:
        total = binary("+", total, tallies.read(tally))
    return total


def _wanted(expressions: Compiler, node: ast.Call, named: Named) -> dict[str, int]:
    """The arguments that a step must have to count."""
    types = {parameter.name: parameter.type for parameter in named.parameters}
    wanted = {}
    for keyword in node.keywords:
        if keyword.arg not in types:
            what = f"{named.name} has no argument {keyword.arg!r}" if keyword.arg else "** is not supported"
            possible = f"possible: {', '.join(types) or 'no arguments'}"
            raise expressions.scope.error("ANG105", keyword.value, what, possible)
        type_ = types[keyword.arg]
        value = expressions.fitted(expressions.value(keyword.value), type_, keyword.value)
        known = _constant(value)
        if known is None:
            raise _not_known(expressions, keyword.value)
        wanted[keyword.arg] = known
    return wanted


def _of_step(step: Step, wanted: dict[str, int]) -> Iterator[Tally]:
    """What counts of a step; nothing if it never happens, or never with these arguments."""
    parameters = step.action.parameters
    arguments: list[int | None] = [None] * len(parameters)
    for name, value in wanted.items():
        arguments[step.places[name]] = value
    possible = all(
        value is None or parameter.type.low <= value <= parameter.type.high
        for value, parameter in zip(arguments, parameters, strict=True)
    )
    if step.name is not None and possible:
        yield Tally("", "times", step.name, tuple(arguments))
