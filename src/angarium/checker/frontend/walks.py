"""What a model says about random walks: `@goal`, `@observation` and `@rate`.

They are compiled last, when the system is finished: they name its steps and label their figures as it does,
and nothing that is made for them can change what the system is called by its hash. An observation with
arguments is compiled once for each combination of them, with the arguments as constants.

What is counted along a walk stands in an observation as a word, and becomes a *tally*, which the observation
reads like a variable. Two that count the same are one tally.

    times(self.release, q=q)     the steps of an action
    steps(), steps_until(c)      all steps, or those before a condition is true
    time_until(c)                the time until then

What a tally counts is settled before any walk begins, so what stands in these words must be known when the
model is compiled: arguments of the observation are, variables of comprehensions and names bound before are
not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from angarium.checker.frontend.context import Compiler, Context, Scope
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.fit import type_name
from angarium.checker.frontend.functions import returned
from angarium.checker.frontend.step_names import Named, Step, StepNames, parameters_of
from angarium.checker.frontend.values import NUMBER, ScalarValue, Value
from angarium.checker.ir import types
from angarium.checker.ir.fold import ZERO, binary
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.syntax import Const, Expr, Local, Read, Within
from angarium.checker.ir.transition import Observation, Parameter, Tally, TallyKind, TransitionSystem, Walks
from angarium.checker.language.declarations import OF_WALKS, FunctionDecl
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


def walks(context: Context, system: TransitionSystem, steps: StepNames) -> Walks | None:
    """All that a model says about walks, without the helpers; None if it says nothing."""
    functions = [f for f in context.model.decl.functions if f.role in OF_WALKS]
    if not functions:
        return None
    _refuse_arguments(context, functions)
    goal = _goal(context, [f for f in functions if f.role == "goal"])
    rates = _rates(context, steps, [f for f in functions if f.role == "rate"])
    tallies, labels = Tallies(steps), Labels(system)
    observed = [_observation(context, tallies, labels, f) for f in functions if f.role == "observation"]
    return Walks(
        goal=_compiled(context, goal, {}, (types.Bool,), "True or False") if goal else None,
        goal_name=goal.guarantee if goal else "",
        goal_description=goal.description if goal else "",
        observations=tuple(observed),
        tallies=tuple(tallies),
        rates=tuple((action.name, rates[action.name]) for action in system.actions if action.name in rates),
    )


def _refuse_arguments(context: Context, functions: list[FunctionDecl]) -> None:
    for function in functions:
        if function.role != "rate" and function.decorator is not None:
            what = f"@{function.role} takes nothing: {ast.unparse(function.decorator)}"
            raise context.module.error("ANG104", function.decorator, what, "", f"write @{function.role}")


def expressions_in(walks: Walks) -> Iterator[Expr]:
    """Every expression that is evaluated for walks."""
    if walks.goal is not None:
        yield walks.goal
    for observation in walks.observations:
        yield from (expr for _, expr in observation.instances)
    yield from (tally.condition for tally in walks.tallies if tally.condition is not None)
    yield from (rate for _, rate in walks.rates)


def _compiled(
    context: Context,
    function: FunctionDecl,
    arguments: dict[str, Value],
    kinds: tuple[type[types.Scalar], ...],
    needed: str,
    taken: set[str] | None = None,
) -> Expr:
    """What a function returns for some arguments."""
    assert isinstance(function.node, ast.FunctionDef)
    scope = Scope(context.module, dict(arguments), taken or set())
    value = returned(Expressions(context, scope), function.node)
    if isinstance(value, ScalarValue) and isinstance(value.type, kinds):
        return value.expr
    what = f"{function.name} returns {type_name(value)}, where {needed} is needed"
    raise context.module.error("ANG106", function.node, what)


# --- the goal ---------------------------------------------------------------------------------------


def _goal(context: Context, functions: list[FunctionDecl]) -> FunctionDecl | None:
    if not functions:
        return None
    goal, *more = functions
    if more:
        what = f"there is already a goal, {goal.name}"
        remedy = "join them: return self.one() or self.other()"
        raise context.module.error("ANG107", more[0].node, what, "possible: one goal a model", remedy)
    if goal.arguments:
        what = f"the goal {goal.name} cannot have arguments"
        raise context.module.error("ANG107", goal.arguments[0], what, "", "use all(...) or any(...)")
    return goal


# --- observations -----------------------------------------------------------------------------------


def _observation(context: Context, tallies: Tallies, labels: Labels, function: FunctionDecl) -> Observation:
    parameters = parameters_of(context, function)
    ranges = [range(each.type.low, each.type.high + 1) for each in parameters]
    instances = []
    for numbers in product(*ranges):
        arguments: dict[str, Value] = {
            each.name: ScalarValue(each.type, Const(number))
            for each, number in zip(parameters, numbers, strict=True)
        }
        with context.counting_with(tallies.counted):
            expr = _compiled(context, function, arguments, (types.Int, types.Bool), "a number or a truth")
        instances.append((", ".join(map(_label, [labels] * len(numbers), parameters, numbers)), expr))
    return Observation(function.guarantee, function.description, tuple(instances))


def _label(labels: Labels, parameter: Parameter, number: int) -> str:
    """What people call an argument; a type that nothing else in the system has is called by its name."""
    type_ = parameter.type
    item = type_.item if isinstance(type_, types.Option) else type_
    if isinstance(item, types.Index) and item.name not in labels.prefixes:
        return f"{item.label or item.name.lower()}{number + 1}" if number >= item.low else "None"
    return labels.text(type_, number)


# --- rates ------------------------------------------------------------------------------------------


def _rates(context: Context, steps: StepNames, functions: list[FunctionDecl]) -> dict[str, Expr]:
    """The rate of each action that has one; that of the step itself goes before that of a group."""
    meant = [(function, _named(context, steps, function)) for function in functions]
    rates: dict[str, Expr] = {}
    for single in (False, True):
        taken: dict[int, FunctionDecl] = {}
        for function, named in meant:
            for step in named.steps if named.single is single else ():
                other = taken.setdefault(id(step.action), function)
                if other is not function:
                    raise _two_rates(context, function, other, step)
                expr = _rate(context, function, named, step)
                rates |= {step.name: expr} if step.name is not None else {}
    return rates


def _named(context: Context, steps: StepNames, function: FunctionDecl) -> Named:
    """What the decorator names, whose arguments the function has, or none."""
    given = function.decorator
    if given is None or len(given.args) != 1 or given.keywords:
        what = f"@rate of {function.name} must name one action, process or fault budget"
        raise context.module.error("ANG107", given or function.node, what, "", "write @rate(deliver)")
    named = steps.named(given.args[0], context.module)
    own = {each.name: each.type for each in parameters_of(context, function)}
    theirs = {each.name: each.type for each in named.parameters}
    if own and own != theirs:
        listed = ", ".join(f"{name}: {type_}" for name, type_ in theirs.items())
        possible = f"possible: no arguments{f', or {listed}' if listed else ''}"
        what = f"{function.name} must have the arguments of {named.name}, or none"
        raise context.module.error("ANG106", function.node, what, possible)
    return named


def _two_rates(context: Context, function: FunctionDecl, other: FunctionDecl, step: Step) -> ModelError:
    what = f"{step.name or step.action.name} has two rates: {other.name} and {function.name}"
    remedy = f'leave one out, or name the step itself: @rate("{step.name or step.action.name}")'
    return context.module.error("ANG107", function.node, what, "possible: one rate a step", remedy)


def _rate(context: Context, function: FunctionDecl, named: Named, step: Step) -> Expr:
    names = [parameter.name for parameter in step.action.parameters]
    arguments: dict[str, Value] = {
        each.name: ScalarValue(each.type, Local(names[step.places[each.name]])) for each in named.parameters
    }
    own = {arg.arg: arguments[arg.arg] for arg in function.arguments}
    expr = _compiled(context, function, own, (types.Int,), "a whole number", set(names))
    if isinstance(expr, Const) and expr.value < 0:
        what = f"the rate {function.name} is {expr.value}"
        raise context.module.error("ANG107", function.node, what, "possible: 0 and more")
    return expr
