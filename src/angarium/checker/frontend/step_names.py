"""What a model calls its steps when it speaks about walks: `times(self.release)`, `@rate(losses_left)`.

A name may stand for one step (a declared action; in quotes any step, by the name that stories show) or for
several: those in which a process takes part, or those that spend a fault budget. A crash is a step of its
budget, not of the process that it happens to. Steps that these parameters make impossible can still be
named, so that a model is right or wrong for all parameters alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from angarium.checker.frontend.context import Context
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Local
from angarium.checker.ir.transition import Action, Lifeline, Parameter
from angarium.checker.ir.traversal import writes
from angarium.checker.language.declarations import FunctionDecl
from angarium.checker.language.source import Module
from angarium.core.errors import ModelError, did_you_mean


def parameters_of(context: Context, function: FunctionDecl) -> list[Parameter]:
    """What an action, a process or an observation has an instance for; a record is one for each leaf."""
    return [
        Parameter(name + leaf.suffix, leaf.type)
        for name, type_ in arguments_of(context, function)
        for leaf in types.leaves(type_)
    ]


def arguments_of(context: Context, function: FunctionDecl) -> Iterator[tuple[str, types.Type]]:
    """The arguments of a function that has an instance for each of their values."""
    records = function.role == "action"
    for arg in function.arguments:
        type_ = context.model.annotated(arg.annotation, context.module).type if arg.annotation else None
        if type_ is None or not (types.is_scalar(type_) or (records and types.is_flat(type_))):
            raise context.module.error(
                "ANG107",
                arg,
                f"the argument {arg.arg} does not say which values it can have",
                f"possible: an Index, an Enum, bool, or one of these with | None{', a record' * records}",
                f"write {arg.arg}: App",
            )
        yield arg.arg, type_


@dataclass(frozen=True, slots=True)
class Step:
    """A step that a name stands for."""

    action: Action
    name: str | None
    """What it is called in the system; None if it is impossible there."""
    places: Mapping[str, int]
    """Where among the action's parameters those stand that the model knows by name."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a name stands for."""

    name: str
    parameters: tuple[Parameter, ...]
    """What can be said about such a step: the arguments of the action or of the process."""
    steps: tuple[Step, ...]
    single: bool
    """Whether the name is a step's own, not that of a process or a budget."""


@dataclass(frozen=True, slots=True)
class StepNames:
    """The steps of one system, each as it was called at first and as it is called in the system."""

    context: Context
    actions: tuple[tuple[Action, str | None], ...]

    def named(self, node: ast.expr, module: Module) -> Named:
        """What `release`, `self.release` or `"release"` stands for."""
        match node:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
                found = self._declared(name)
            case ast.Constant(value=str(name)):
                found = self._declared(name) or self._quoted(name)
            case _:
                raise self._unknown(node, module)
        if found is None:
            raise self._unknown(node, module)
        return found

    def _declared(self, name: str) -> Named | None:
        function = self.context.model.decl.function(name)
        if function is not None and function.role in ("action", "process"):
            parameters = tuple(parameters_of(self.context, function))
            own = self._own if function.role == "action" else self._taken_part_in
            steps = tuple(own(function, [each.name for each in parameters]))
            return Named(name, parameters, steps, single=function.role == "action")
        if name in self.context.model.budgets:
            spending = [each for each in self.actions if each[0].fault and name in writes(each[0].body)]
            return Named(name, (), tuple(Step(action, final, {}) for action, final in spending), single=False)
        return None

    def _own(self, function: FunctionDecl, names: list[str]) -> Iterator[Step]:
        places = {name: place for place, name in enumerate(names)}
        at = self.context.at(function.node)
        for action, final in self.actions:
            if action.name == function.name and action.at == at:
                yield Step(action, final, places)

    def _taken_part_in(self, function: FunctionDecl, names: list[str]) -> Iterator[Step]:
        for action, final in self.actions:
            for lifeline in _lifelines(action):
                if lifeline.process == function.name and not action.fault:
                    yield Step(action, final, dict(zip(names, _places(action, lifeline), strict=True)))

    def _quoted(self, name: str) -> Named | None:
        """Steps that have no function of their own; their arguments are those of the process that acts."""
        found = [(action, final) for action, final in self.actions if name in (action.name, final)]
        if not found:
            return None
        parameters = self._parameters_of_actor([action for action, _ in found])
        names = [each.name for each in parameters]
        steps = [Step(action, final, _places_by(names, action)) for action, final in found]
        return Named(name, parameters, tuple(steps), single=True)

    def _parameters_of_actor(self, actions: Iterable[Action]) -> tuple[Parameter, ...]:
        """The arguments of the process that takes all these steps; none if several processes do."""
        actors = {action.actor.process if action.actor else "" for action in actions}
        acting = self.context.model.decl.function(actors.pop()) if len(actors) == 1 else None
        return tuple(parameters_of(self.context, acting)) if acting else ()

    def _unknown(self, node: ast.expr, module: Module) -> ModelError:
        given = ast.unparse(node).removeprefix("self.").strip("'\"")
        functions = (f.name for f in self.context.model.decl.functions if f.role in ("action", "process"))
        known = {*functions, *self.context.model.budgets}
        if isinstance(node, ast.Constant):
            known |= {action.name for action, _ in self.actions}
        what = f"{given} is no action, process or fault budget"
        return module.error("ANG105", node, what, did_you_mean(given, known), _QUOTES)


_QUOTES = "a step that has no function of its own is named in quotes, as stories show it"


def _lifelines(action: Action) -> Iterable[Lifeline]:
    """The processes that take part in a step, the acting one first."""
    ends = (end for message in action.messages for end in (message.sender, message.receiver))
    return dict.fromkeys(each for each in (action.actor, *ends) if each is not None)


def _places(action: Action, lifeline: Lifeline) -> list[int]:
    """Where among an action's parameters those of a process stand."""
    names = [parameter.name for parameter in action.parameters]
    return [names.index(each.name) for each in lifeline.arguments if isinstance(each, Local)]


def _places_by(names: list[str], action: Action) -> dict[str, int]:
    return dict(zip(names, _places(action, action.actor), strict=True)) if action.actor and names else {}
