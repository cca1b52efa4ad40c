"""What may happen beside what the model's steps do: faults, each time at the cost of a budget, and an
intruder.

    channel(Msg, 3, loses=losses)         any message in the buffer may vanish
    channel(Msg, 3, duplicates=copies)    any message in the buffer may stand once more at its end
    channel(Msg, 3, reorders=swaps)       any two neighbours in the buffer may change places
    @crashes(deaths, restarts=revivals)   a process may stop at any await, forgetting its local variables,
                                          and may begin again from its first line
    intercept_wire      somebody's send is done, but nobody receives: only the intruder hears it
    fake_wire           somebody's receive is done, with any term that the intruder can derive

A message without a buffer (a rendezvous) that is lost leaves its sender believing that it was received. What
two processes give each other on an intruder's channel is heard as well (see `processes`). So the intruder
may listen, hold back, say again and make up. Nobody owes that any of this happens: see `Action.optional`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from angarium.checker.frontend.alternatives import assigned_twice, settled
from angarium.checker.frontend.collections import SequenceOperations, require
from angarium.checker.frontend.context import END, Context, Scope
from angarium.checker.frontend.declared import ChannelSpec
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.intruder import overheard
from angarium.checker.frontend.process import Done, Process
from angarium.checker.frontend.processes import Processes, message_on, on_a_channel
from angarium.checker.frontend.statements import Statements
from angarium.checker.frontend.steps import Draft, Meeting, budget_place, nothing
from angarium.checker.frontend.values import (
    Place,
    ScalarValue,
    Value,
    bind,
    in_range,
    leaf_expressions,
    load,
    read,
    row,
    spend,
    store,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary, conjunction
from angarium.checker.ir.syntax import Const, Expr, Let, Local, Read, Require, Stmt, Write
from angarium.checker.ir.transition import INTRUDER, Action, Lifeline, Message, Parameter
from angarium.checker.language.declarations import FunctionDecl


def channel_faults(context: Context) -> Iterator[Action]:
    """What the buffered channels of a model may do wrong."""
    build: dict[str, tuple[str, Callable[[SequenceOperations, Expr], list[Stmt]]]] = {
        "loses": ("lose", _lose),
        "duplicates": ("duplicate", _duplicate),
        "reorders": ("reorder", _reorder),
    }
    for name, shape in context.model.state.items():
        if shape.channel is None or shape.channel.capacity == 0:
            continue
        for fault, budget in shape.channel.faults:
            verb, body = build[fault]
            yield _channel_fault(context, name, f"{verb}_{name}", budget, body)


def _channel_fault(
    context: Context,
    name: str,
    action: str,
    budget: str,
    body: Callable[[SequenceOperations, Expr], list[Stmt]],
) -> Action:
    spec = context.model.state[name].channel
    assert spec is not None
    scope = Scope(context.module)
    parameters = [Parameter(scope.fresh(f"{name}_{n}"), key) for n, key in enumerate(spec.keys, 1)]
    index = row(spec.keys, [Local(parameter.name) for parameter in parameters])
    position = Parameter(scope.fresh("position"), types.Int(0, spec.capacity - 1))
    place = Place(types.Seq(spec.item, spec.capacity), name, index)
    queue = SequenceOperations(Expressions(context, scope), place, 0)
    used = Require(binary("<", Local(position.name), queue.length))
    value = load(place.element(Local(position.name)))
    message = Message(
        name,
        tuple(Local(p.name) for p in parameters),
        spec.keys,
        leaf_expressions(value),
        spec.item,
        None,
        None,
    )
    whole = [used, *spend(budget_place(budget)), *body(queue, Local(position.name))]
    return Action(action, (*parameters, position), tuple(whole), None, (message,), fault=True)


def _lose(queue: SequenceOperations, position: Expr) -> list[Stmt]:
    return queue.take(position)[0]


def _duplicate(queue: SequenceOperations, position: Expr) -> list[Stmt]:
    copy = load(queue.place.element(position))
    return [*require(queue.not_full()), *queue.append_unchecked(copy)]


def _reorder(queue: SequenceOperations, position: Expr) -> list[Stmt]:
    after = binary("+", position, Const(1))
    here, there = queue.place.element(position), queue.place.element(after)
    pairs, first = bind(load(here), queue.expressions.scope.fresh("first"))
    lets: list[Stmt] = [Let(name, expr) for name, expr in pairs]
    swap = [*lets, *store(here, load(there), 0), *store(there, first, 0)]
    return [Require(binary("<", after, queue.length)), *swap]


def crashes(
    context: Context, processes: Processes, process: Process, hooks: list[FunctionDecl]
) -> Iterator[Action]:
    """What happens to a process that may crash."""
    decorator = process.decl.decorator
    if decorator is None:
        return
    if not process.sites:
        what = f"{process.name} never awaits anything, so there is nowhere that it could crash"
        raise context.module.error("ANG107", decorator, what)
    budgets = _budgets(context, decorator)
    yield _crash(context, processes, process, budgets["crashes"], hooks)
    if "restarts" in budgets:
        yield _restart(context, processes, process, budgets["restarts"])


def _budgets(context: Context, decorator: ast.Call) -> dict[str, str]:
    given = dict(zip(("crashes",), decorator.args, strict=False))
    given |= {k.arg: k.value for k in decorator.keywords if k.arg}
    if "budget" in given:
        given["crashes"] = given.pop("budget")
    budgets = {}
    for name, node in given.items():
        if not isinstance(node, ast.Name) or node.id not in context.model.budgets:
            raise context.module.error(
                "ANG107",
                node,
                f"{ast.unparse(node)} is not a fault budget",
                f"budgets: {', '.join(sorted(context.model.budgets)) or 'none'}",
                "declare one before the process: deaths = budget(1)",
            )
        budgets[name] = node.id
    if "crashes" not in budgets or set(budgets) - {"crashes", "restarts"}:
        raise context.module.error("ANG107", decorator, "crashes takes a budget, and restarts=budget")
    return budgets


def _crash(
    context: Context, processes: Processes, process: Process, budget: str, hooks: list[FunctionDecl]
) -> Action:
    draft = Draft(context)
    part = draft.part(Meeting(process, process.sites[0], nothing()))
    counter = Read(process.counter, part.step.index)
    crashed = context.crash_counters[process.name]
    running = conjunction((binary("!=", counter, Const(END)), binary("!=", counter, Const(crashed))))
    body: list[Stmt] = [
        Require(running),
        *spend(budget_place(budget)),
        *processes.reset(process, part.step),
        Write(process.counter, part.step.index, Const(crashed)),
    ]
    for hook in hooks:
        body += _hook(context, draft, part.step.instance, process, hook)
    at = context.at(process.decl.node)
    return draft.finish(f"crash_{process.name}", body, at, actor=part.lifeline(), fault=True)


def _hook(
    context: Context, draft: Draft, instance: tuple[str, ...], process: Process, hook: FunctionDecl
) -> list[Stmt]:
    """What a function marked @on_crash adds to the step."""
    if len(hook.arguments) != len(instance):
        raise context.module.error(
            "ANG106", hook.node, f"{hook.name} must have the arguments of {process.name}"
        )
    rebound = assigned_twice(hook.node.body, [arg.arg for arg in hook.arguments])
    scope = Scope(context.module, {}, draft.scope.taken)
    for arg, name, parameter in zip(hook.arguments, instance, process.parameters, strict=True):
        value: Value = ScalarValue(parameter.type, Local(name))
        scope.names[arg.arg] = settled(value) if arg.arg in rebound else value
    return Statements(context, scope, draft.choices, rebound=rebound).block(hook.node.body)


def _restart(context: Context, processes: Processes, process: Process, budget: str) -> Action:
    draft = Draft(context)
    part = draft.part(Meeting(process, process.sites[0], nothing()))
    down = binary("==", Read(process.counter, part.step.index), Const(context.crash_counters[process.name]))
    begin = part.step.run(tuple(process.decl.node.body), Done())
    body = [Require(down), *spend(budget_place(budget)), *processes.finish_prologue(process, tuple(begin))]
    at = context.at(process.decl.node)
    return draft.finish(f"restart_{process.name}", body, at, actor=part.lifeline(), fault=True)


def intruder_steps(context: Context, processes: Processes) -> Iterator[Action]:
    """What an intruder can do with the sends and receives of all processes."""
    for meeting in processes.meetings():
        spec = processes.channel_of(meeting)
        if spec is None or spec.intruder is None:
            continue
        _refuse_namesake(context)
        if meeting.alternative.kind == "send":
            yield _intercept(context, processes, meeting)
        else:
            yield _fake(context, processes, meeting, spec)


def _refuse_namesake(context: Context) -> None:
    if INTRUDER in context.processes:
        function = context.model.decl.function(INTRUDER)
        node = function.node if function else context.model.decl.node
        what = f"a process cannot be called {INTRUDER}: one sits on the channels already"
        raise context.module.error("ANG107", node, what, "", "rename the process")


def _intercept(context: Context, processes: Processes, sender: Meeting) -> Action:
    draft, at = Draft(context), processes.at(sender)
    part = draft.part(sender)
    place, spec = part.channel(context)
    pairs, value = bind(part.sent(spec), draft.scope.fresh("sent"))
    lets: list[Stmt] = [Let(name, expr) for name, expr in pairs]
    checks = [*on_a_channel(place), *lets, *in_range(value, spec.item, at)]
    body = [part.here(), *checks, *overheard(context, spec, value, at), *part.go_on(None)]
    message = message_on(place, spec, part.sent(spec), part.lifeline(), Lifeline(INTRUDER))
    whole = processes.finish(part, body)
    name = f"intercept_{place.name}"
    return draft.finish(name, whole, at, actor=Lifeline(INTRUDER), messages=(message,))


def _fake(context: Context, processes: Processes, receiver: Meeting, spec: ChannelSpec) -> Action:
    draft, at = Draft(context), processes.at(receiver)
    part = draft.part(receiver)
    place, _ = part.channel(context)
    assert isinstance(spec.item, types.Enumeration)
    assert spec.intruder is not None
    given = Parameter(draft.scope.fresh("term"), spec.item)
    draft.parameters.append(given)
    value = ScalarValue(spec.item, Local(given.name))
    known = Place(context.model.state[spec.intruder].type, spec.intruder, Const(0)).member(value)
    body = [part.here(), *on_a_channel(place), Require(read(known).expr), *part.go_on(value)]
    message = message_on(place, spec, value, Lifeline(INTRUDER), part.lifeline())
    whole = processes.finish(part, body)
    return draft.finish(f"fake_{place.name}", whole, at, actor=Lifeline(INTRUDER), messages=(message,))
