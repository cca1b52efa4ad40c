"""Steps of one or two processes while they are put together.

A *meeting* is a process at one thing that it waits for; a *part* is what it contributes to a step; a *draft*
is the step, to which one or two parts are added.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from angarium.checker.frontend.choices import Choices
from angarium.checker.frontend.collections import require
from angarium.checker.frontend.context import Context, Scope
from angarium.checker.frontend.control import Step
from angarium.checker.frontend.declared import ChannelSpec
from angarium.checker.frontend.process import Alternative, Done, Process, Site
from angarium.checker.frontend.values import Place, Value
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary
from angarium.checker.ir.syntax import Const, Local, Read, Require, Stmt
from angarium.checker.ir.transition import Action, Lifeline, Message, Parameter
from angarium.checker.language.declarations import FunctionDecl


@dataclass(frozen=True, slots=True)
class Meeting:
    """One process at one alternative of one site."""

    process: Process
    site: Site
    alternative: Alternative


@dataclass(slots=True)
class Part:
    """What one process contributes to a step."""

    meeting: Meeting
    step: Step

    def here(self) -> Stmt:
        """The process is at its site."""
        at_site = binary(
            "==",
            Read(self.meeting.process.counter, self.step.index),
            Const(self.meeting.site.counter),
        )
        return Require(at_site)

    def condition(self) -> list[Stmt]:
        call = self.meeting.alternative.node
        return require(self.step.statements.expressions.condition(call.args[0]))

    def channel(self, context: Context) -> tuple[Place, ChannelSpec]:
        """The channel of a send or receive."""
        call = self.meeting.alternative.node
        assert isinstance(call.func, ast.Attribute)
        place = self.step.statements.expressions.place(call.func.value)
        shape = context.model.state.get(place.name)
        if shape is None or shape.channel is None:
            raise self.step.scope.error(
                "ANG106",
                call,
                f"{ast.unparse(call.func.value)} is not a channel",
                "",
                "declare it: inbox = channel(Message, 2)",
            )
        return place, shape.channel

    def sent(self, spec: ChannelSpec) -> Value:
        argument = self.meeting.alternative.node.args[0]
        expressions = self.step.statements.expressions
        return expressions.fitted(expressions.value(argument), spec.item, argument)

    def go_on(self, received: Value | None) -> list[Stmt]:
        """From the site to the next one."""
        alternative = self.meeting.alternative
        taken: list[Stmt] = []
        if isinstance(alternative.target, ast.Name) and received is not None:
            taken = self.step.statements.bind(alternative.target, received)
        return [*taken, *self.step.run(alternative.body, alternative.then)]

    def lifeline(self) -> Lifeline:
        names = tuple(Local(name) for name in self.step.instance)
        return Lifeline(self.meeting.process.name, names, self.meeting.process.keys)


@dataclass(slots=True)
class Draft:
    """An action while it is put together."""

    context: Context
    choices: Choices = field(default_factory=Choices)
    parameters: list[Parameter] = field(default_factory=list)
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.scope = Scope(self.context.module)

    def part(self, meeting: Meeting) -> Part:
        """Add a process to the step."""
        names = []
        for parameter in meeting.process.parameters:
            name = self.scope.fresh(parameter.name)
            self.parameters.append(Parameter(name, parameter.type))
            names.append(name)
        scope = Scope(self.context.module, {}, self.scope.taken)
        step = Step(self.context, meeting.process, scope, self.choices, tuple(names))
        return Part(meeting, step)

    def finish(
        self,
        name: str,
        body: list[Stmt],
        at: int,
        *,
        actor: Lifeline,
        messages: tuple[Message, ...] = (),
        fault: bool = False,
    ) -> Action:
        whole = (*self.choices.before(), *body, *self.choices.after())
        parameters = (*self.parameters, *self.choices.parameters)
        is_fault = fault or self.choices.spends
        return Action(name, parameters, tuple(whole), actor, messages, is_fault, at)


def make_process(context: Context, decl: FunctionDecl) -> Process:
    """A process with its instances, before its body is looked at."""
    parameters = []
    for arg in decl.arguments:
        type_ = context.model.annotated(arg.annotation, context.module).type if arg.annotation else None
        if not isinstance(type_, types.Index | types.Enumeration | types.Bool):
            raise context.module.error(
                "ANG107",
                arg,
                f"the argument {arg.arg} does not say which instances of {decl.name} there are",
                "possible: an Index, an Enum or bool",
                f"write {arg.arg}: Consumer",
            )
        parameters.append(Parameter(arg.arg, type_))
    context.processes[decl.name] = tuple(p.type for p in parameters if not isinstance(p.type, types.Option))
    return Process(decl, tuple(parameters))


def nothing() -> Alternative:
    """What a process waits for that has not begun, or is down."""
    return Alternative("until", ast.Call(ast.Name("until"), [], []), None, (), Done())


def budget_place(name: str) -> Place:
    """Where a fault budget is kept."""
    return Place(types.Int(0, 0), name, Const(0))
