"""Processes and channels as actions.

Every site of every process gives actions: one for each thing it waits for, guarded by the program counter.
A buffered channel is a sequence. A rendezvous is one action of two processes: the value is taken first, then
the sender goes on to its next await, then the receiver, all in one atomic step; and also the receiver first,
if the order can be seen.

The arguments of an awaited operation are evaluated when it happens, as in CSP, not when it begins to wait.
A process starts at its first await: what stands before it belongs to the initial step (`starts.py`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from angarium.checker.frontend.collections import SequenceOperations, require
from angarium.checker.frontend.context import END, Context
from angarium.checker.frontend.control import Step
from angarium.checker.frontend.declared import ChannelSpec
from angarium.checker.frontend.intruder import overheard
from angarium.checker.frontend.liveness import Live, Liveness, Tracked, analyse
from angarium.checker.frontend.process import Done, Process, Site, restart
from angarium.checker.frontend.starts import Row, Start, check_starts, in_conflict
from angarium.checker.frontend.steps import Draft, Meeting, Part, budget_place, nothing
from angarium.checker.frontend.values import (
    NUMBER,
    Place,
    Value,
    bind,
    in_range,
    leaf_expressions,
    load,
    spend,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import Known, binary, pruned
from angarium.checker.ir.syntax import (
    Block,
    Check,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    Local,
    Require,
    Stmt,
    Write,
)
from angarium.checker.ir.transition import Action, Lifeline, Message, Parameter, Variable
from angarium.checker.ir.traversal import expressions
from angarium.checker.ir.types import Type, leaves, size

UNKNOWN_COUNTER = 1 << 20


@dataclass(slots=True)
class Processes:
    """All processes of a model, from syntax trees to actions."""

    context: Context
    processes: list[Process]
    _liveness: dict[str, Liveness] = field(default_factory=dict)

    def explore(self) -> None:
        """Find every site of every process, and what matters there."""
        crashing = [p.name for p in self.processes if p.decl.decorator is not None]
        # Not known yet, but not a constant that would hide code behind crashed(...) either.
        self.context.crash_counters.update(dict.fromkeys(crashing, UNKNOWN_COUNTER))
        for process in self.processes:
            steps: list[tuple[int, Block]] = [(-1, self.prologue(process)[1])]
            for site in process.sites:  # grows while it is walked over
                for alternative in site.alternatives:
                    steps.append((site.counter, self._draft(Meeting(process, site, alternative))))
            self._liveness[process.name] = self._analysed(process, steps)
            if process.decl.decorator is not None:
                self.context.crash_counters[process.name] = len(process.sites) + 1

    def prologue(self, process: Process) -> tuple[Step, Block]:
        """What a process does before its first await."""
        draft = Draft(self.context)
        part = draft.part(Meeting(process, Site(-1, "", 0, []), nothing()))
        block = part.step.run(tuple(process.decl.node.body), Done())
        if draft.choices.parameters:
            raise self.context.module.error(
                "ANG104",
                process.decl.node,
                f"{process.name} chooses before its first await",
                "",
                "put `await until(True)` before it, or choose in a function marked @initial",
            )
        return part.step, tuple(block)

    def _draft(self, meeting: Meeting) -> Block:
        """One process's whole part in a step, as far as liveness is concerned."""
        part = Draft(self.context).part(meeting)
        match meeting.alternative.kind:
            case "until":
                return (*part.condition(), *part.go_on(None))
            case "send":
                place, spec = part.channel(self.context)
                uses = (place.index, *leaf_expressions(part.sent(spec)))
                return (*(Let("used", each) for each in uses), *part.go_on(None))
            case "receive":
                place, spec = part.channel(self.context)
                names, value = bind(load(Place(spec.item, place.name, Const(0))), "received")
                lets = [Let("used", place.index), *(Let(name, Const(0)) for name, _ in names)]
                return (*lets, *part.go_on(value))

    def _analysed(self, process: Process, steps: list[tuple[int, Block]]) -> Liveness:
        tracked = {}
        for name, local in process.locals.items():
            if types.is_plain(local.type):  # what has a length of its own is kept whole
                for leaf in leaves(local.type):
                    tracked[f"{process.name}.{name}{leaf.suffix}"] = _tracked(leaf.type)
        liveness = analyse(process.counter, tracked, steps)
        for name, local in process.locals.items():
            variables = {f"{process.name}.{name}{leaf.suffix}" for leaf in leaves(local.type)}
            if variables & liveness.at[-1]:
                raise self.context.module.error(
                    "ANG105",
                    local.node,
                    f"{name} may be used before it has a value",
                    "",
                    "assign it first",
                )
            if local.type == NUMBER and variables & liveness.kept:
                raise self._unranged(name, local.node)
        return liveness

    def _unranged(self, name: str, node: ast.AST) -> Exception:
        return self.context.module.error(
            "ANG107",
            node,
            f"nothing says which values {name} can have, and it is kept over an await",
            "",
            f"declare it with its range: {name}: int = integer(0, 3)",
        )

    # --- state --------------------------------------------------------------------------------------

    def state(self, process: Process) -> tuple[Type, list[Variable]]:
        """The structured type of a process's part of the state, and its variables."""
        labels = ["finished", *_labels(process.sites)]
        if process.decl.decorator is not None:
            labels.append("crashed")
        fields: list[tuple[str, Type]] = [("pc", types.Enumeration(process.counter, tuple(labels)))]
        starts: list[tuple[tuple[int, ...], ...]] = [((END,),)]
        liveness = self._liveness[process.name]
        for name, local in process.locals.items():
            variables = [f"{process.name}.{name}{leaf.suffix}" for leaf in leaves(local.type)]
            if any(v in liveness.kept or v not in liveness.tracked for v in variables):
                pruned = _pruned(local.type, f"{process.name}.{name}", liveness.kept)
                start = dict(zip((leaf.suffix for leaf in leaves(local.type)), local.start, strict=True))
                for variable, leaf in zip(variables, leaves(local.type), strict=True):
                    if variable in liveness.tracked:
                        start[leaf.suffix] = (liveness.tracked[variable].dead,)
                fields.append((name, pruned))
                starts.append(tuple(start[leaf.suffix] for leaf in leaves(pruned)))
        type_: Type = types.Record(process.name, tuple(fields))
        count = 1
        for key in reversed(process.keys):
            type_ = types.Array(key, type_)
            count *= size(key)
        cells = [cells * count for start in starts for cells in start]
        return type_, [
            Variable(process.name + leaf.suffix, leaf.type, leaf.dims, leaf.keys, start)
            for leaf, start in zip(leaves(type_), cells, strict=True)
        ]

    def dead(self, process: Process) -> dict[str, tuple[str, ...]]:
        """At each place where a process waits, its variables of the state that do not matter there."""
        liveness, prefix = self._liveness[process.name], f"{process.name}."
        counters = {label: number for number, label in enumerate(_labels(process.sites), 1)}
        places = {"finished": END, **counters, "crashed": len(process.sites) + 1}
        return {
            label: tuple(
                sorted(v.removeprefix(prefix) for v in liveness.kept - liveness.at.get(number, frozenset()))
            )
            for label, number in places.items()
        }

    def setup(self) -> list[Stmt]:
        """Every instance of every process comes to its first await."""
        statements: list[Stmt] = []
        starts = [Start(process, *self.prologue(process)) for process in self.processes]
        check_starts(self.context, starts)
        for start in starts:
            body = self.finish_prologue(start.process, start.block)
            for name, key in reversed(list(zip(start.step.instance, start.process.keys, strict=True))):
                body = (For(name, Const(key.low), Const(key.high + 1), body),)
            statements += body
        return statements

    # --- actions ------------------------------------------------------------------------------------

    def actions(self) -> Iterator[Action]:
        """Every step that processes can make, alone or by meeting."""
        meetings = self.meetings()
        for meeting in meetings:
            if meeting.alternative.kind == "until":
                yield self._until(meeting)
            elif self._capacity(meeting):
                yield self._buffered(meeting)
            elif meeting.alternative.kind == "send":
                yield from self._rendezvous(meeting, meetings)

    def meetings(self) -> list[Meeting]:
        """Every thing that some process waits for somewhere."""
        return [
            Meeting(process, site, alternative)
            for process in self.processes
            for site in process.sites
            for alternative in site.alternatives
        ]

    def channel_of(self, meeting: Meeting) -> ChannelSpec | None:
        """The channel of a send or receive; None for a condition."""
        if meeting.alternative.kind == "until":
            return None
        return Draft(self.context).part(meeting).channel(self.context)[1]

    def _capacity(self, meeting: Meeting) -> int:
        spec = self.channel_of(meeting)
        return spec.capacity if spec else 0

    def _channel(self, meeting: Meeting) -> str:
        return Draft(self.context).part(meeting).channel(self.context)[0].name

    def finish(self, part: Part, block: list[Stmt]) -> list[Stmt]:
        """A process's part in a step, with what does not matter any more reset."""
        liveness = self._liveness[part.meeting.process.name]
        return list(liveness.finish(tuple(block), part.meeting.site.counter))

    def at(self, meeting: Meeting) -> int:
        """Where what a process waits for stands in the source."""
        return self.context.at(meeting.alternative.node)

    def _until(self, meeting: Meeting) -> Action:
        draft = Draft(self.context)
        part = draft.part(meeting)
        body = self.finish(part, [part.here(), *part.condition(), *part.go_on(None)])
        name = f"{meeting.process.name}_{meeting.alternative.name}"
        return draft.finish(name, body, self.at(meeting), actor=part.lifeline())

    def _buffered(self, meeting: Meeting) -> Action:
        draft = Draft(self.context)
        part = draft.part(meeting)
        place, spec = part.channel(self.context)
        queue = SequenceOperations(part.step.statements.expressions, place, self.at(meeting))
        if meeting.alternative.kind == "send":
            given = part.sent(spec)
            pairs, value = bind(given, part.step.scope.fresh("sent"))
            lets: list[Stmt] = [Let(name, expr) for name, expr in pairs]
            body = [*require(queue.not_full()), *lets, *queue.append_unchecked(value), *part.go_on(None)]
            message = message_on(place, spec, given, part.lifeline(), None)
        else:
            take, value = queue.take(Const(0))
            body = [*require(queue.not_empty()), *take, *part.go_on(value)]
            first = load(place.element(Const(0)))
            message = message_on(place, spec, first, None, part.lifeline())
        name = f"{meeting.process.name}_{meeting.alternative.kind}_{place.name}"
        whole = self.finish(part, [part.here(), *body])
        return draft.finish(name, whole, self.at(meeting), actor=part.lifeline(), messages=(message,))

    def _rendezvous(self, sender: Meeting, meetings: list[Meeting]) -> Iterator[Action]:
        channel = self._channel(sender)
        for receiver in meetings:
            if receiver.alternative.kind == "receive" and self._channel(receiver) == channel:
                yield self._meet(sender, receiver)
        spec = self.context.model.state[channel].channel
        budget = dict(spec.faults).get("loses") if spec is not None else None
        if budget is not None:
            yield self._lost(sender, budget)

    def _meet(self, sender: Meeting, receiver: Meeting) -> Action:
        draft = Draft(self.context)
        giving, taking = draft.part(sender), draft.part(receiver)
        place, spec = giving.channel(self.context)
        other, _ = taking.channel(self.context)
        pairs, value = bind(giving.sent(spec), draft.scope.fresh("sent"))
        lets: list[Stmt] = [Let(name, expr) for name, expr in pairs]
        guards = [giving.here(), taking.here(), *on_a_channel(place), *on_a_channel(other)]
        guards += require(binary("==", place.index, other.index))
        if sender.process is receiver.process:
            guards.append(Require(binary("!=", giving.step.index, taking.step.index)))
        at = self.at(sender)
        sent = [*lets, *in_range(value, spec.item, at), *overheard(self.context, spec, value, at)]
        first = self.finish(giving, giving.go_on(None))
        second = self.finish(taking, taking.go_on(value))
        rows = (Row(sender.process, giving.step.index), Row(receiver.process, taking.step.index))
        known = {name: expr for name, expr in pairs if isinstance(expr, Const)}
        both = self._in_any_order(draft, tuple(first), tuple(second), rows, known)
        message = message_on(place, spec, giving.sent(spec), giving.lifeline(), taking.lifeline())
        name = f"{place.name}_{sender.process.name}_to_{receiver.process.name}"
        body = [*guards, *sent, *both]
        return draft.finish(name, body, at, actor=giving.lifeline(), messages=(message,))

    def _in_any_order(
        self, draft: Draft, first: Block, second: Block, rows: tuple[Row, Row], known: Known
    ) -> Block:
        """Two processes that go on after they have met: the sender first, or any if that can be seen."""
        alone = isinstance(rows[0].index, Const) and rows[0] == rows[1]  # nobody meets himself
        if alone or not in_conflict(self.context, first, pruned(second, known), rows):
            return (*first, *second)
        order = Parameter(draft.scope.fresh("receiver_first"), types.Bool(), internal=True)
        draft.choices.parameters.append(order)
        return (If(Local(order.name), (*second, *first), (*first, *second)),)

    def _lost(self, sender: Meeting, budget: str) -> Action:
        draft = Draft(self.context)
        part = draft.part(sender)
        place, spec = part.channel(self.context)
        checks = [*on_a_channel(place), *in_range(part.sent(spec), spec.item, self.at(sender))]
        heard = overheard(self.context, spec, part.sent(spec), self.at(sender))
        body = [part.here(), *checks, *spend(budget_place(budget)), *heard, *part.go_on(None)]
        message = message_on(place, spec, part.sent(spec), part.lifeline(), None)
        return draft.finish(
            f"lose_{place.name}",
            self.finish(part, body),
            self.at(sender),
            actor=part.lifeline(),
            messages=(message,),
            fault=True,
        )

    def reset(self, process: Process, step: Step) -> list[Stmt]:
        """Forget all local variables that belong to the state."""
        liveness = self._liveness[process.name]
        statements: list[Stmt] = []
        for name, local in process.locals.items():
            place = Place(local.type, f"{process.name}.{name}", step.index)
            for write in restart(place, local):
                known = liveness.tracked.get(write.variable)
                if known is None:
                    statements.append(write)
                elif write.variable in liveness.kept:
                    statements.append(Write(write.variable, write.index, Const(known.dead)))
        return statements

    def finish_prologue(self, process: Process, block: Block) -> Block:
        """The statements of a prologue, with dead variables reset."""
        return self._liveness[process.name].finish(block, -1)


def on_a_channel(place: Place) -> list[Stmt]:
    """That there is such a channel: one without a buffer has no cells that would fail.

    An index that may be wrong is an `IfElse`, and -1 where it is.
    """
    if not any(isinstance(each, IfElse) for each in expressions(place.index)):
        return []
    inside = binary(">=", place.index, Const(0))
    return [Check(inside, f"there is no such channel in {place.name}", place.at)]


def _labels(sites: list[Site]) -> Iterator[str]:
    """Where a process can wait: by line, and by number where one line awaits twice."""
    seen: Counter[int] = Counter()
    for site in sites:
        seen[site.line] += 1
        again = f" ({seen[site.line]})" if seen[site.line] > 1 else ""
        yield f"line {site.line}{again}: {site.label}"


def _tracked(type_: types.Scalar | types.Option) -> Tracked:
    dead = type_.low - 1 if isinstance(type_, types.Index) and type_.symmetric else type_.low
    return Tracked(type_.low, type_.high, dead, type_ != NUMBER)


def _pruned(type_: Type, name: str, kept: Live) -> Type:
    """A record without the fields that matter nowhere; interchangeable values may be None (dead)."""
    if not isinstance(type_, types.Record):
        return _with_dead(type_)
    fields = []
    for field_name, field_type in type_.fields:
        path = f"{name}.{field_name}"
        if any(f"{path}{leaf.suffix}" in kept for leaf in leaves(field_type)):
            fields.append((field_name, _pruned(field_type, path, kept)))
    return types.Record(type_.name, tuple(fields))


def _with_dead(type_: Type) -> Type:
    """A type in which interchangeable values may be missing too: no value of theirs stands for a dead one."""
    match type_:
        case types.Index(symmetric=True):
            return types.Option(type_)
        case types.Record(name, fields):
            return types.Record(name, tuple((each, _with_dead(item)) for each, item in fields))
        case types.Option(item) if not types.is_scalar(type_):
            return types.Option(_with_dead(item))
    return type_


def message_on(
    place: Place,
    spec: ChannelSpec,
    value: Value,
    sender: Lifeline | None,
    receiver: Lifeline | None,
) -> Message:
    """What goes over a channel in a step, for diagrams."""
    indices: list[Expr] = []
    rest = place.index
    for key in reversed(spec.keys):
        count = Const(size(key))
        own = rest if len(spec.keys) == 1 else binary("%", rest, count)
        indices.insert(0, binary("+", own, Const(key.low)))
        rest = binary("//", rest, count)
    values = leaf_expressions(value)
    return Message(place.name, tuple(indices), spec.keys, values, spec.item, sender, receiver)
