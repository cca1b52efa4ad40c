"""What an intruder does on the channels on which it sits, as steps.

    intercept_wire      somebody's send is done, but nobody receives: only the intruder hears it
    fake_wire           somebody's receive is done, with any term that the intruder can derive

What two processes give each other there is heard as well (see `processes`). So the intruder may listen, hold
back, say again and make up. Nobody owes that it does anything: see `Action.optional`.
"""

from __future__ import annotations

from collections.abc import Iterator

from angarium.checker.frontend.context import Context
from angarium.checker.frontend.declared import ChannelSpec
from angarium.checker.frontend.intruder import overheard
from angarium.checker.frontend.processes import Processes, message_on, on_a_channel
from angarium.checker.frontend.steps import Draft, Meeting
from angarium.checker.frontend.values import Place, ScalarValue, bind, in_range, read
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Const, Let, Local, Require, Stmt
from angarium.checker.ir.transition import INTRUDER, Action, Lifeline, Parameter


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
    known = Place(context.model.state[spec.intruder].type, spec.intruder, Const(0)).member(value.expr)
    body = [part.here(), *on_a_channel(place), Require(read(known).expr), *part.go_on(value)]
    message = message_on(place, spec, value, Lifeline(INTRUDER), part.lifeline())
    whole = processes.finish(part, body)
    return draft.finish(f"fake_{place.name}", whole, at, actor=Lifeline(INTRUDER), messages=(message,))
