"""Actions and guarantees to LLVM functions.

An action is a function that loops over its parameters, one loop inside the other, runs the body
for each combination and writes the successors. The leading statements of the body that only
compute (`Let`, `Require`, `Check`) run in the outermost loop that binds the names they mention:
a guard on the first parameter is decided once, not once for each value of the second. That keeps
the order of the statements, and what they compute is the same for every inner combination, so
failures are the same too.

Where the first guards of the body can be evaluated without branches, all instances are looked at
first, into a bit mask, and only those whose bit is set are visited: one badly predictable branch
for an action instead of one for each instance.

Up to the first `Write` the body reads the state before the step, with its remembered helpers.
From there on it reads its own copy.

A name bound by `Let` stands for a register. Where control flow joins (after an `If`, around a
`For`) the names that are bound inside go through memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass

from angarium.checker.backend.kernel_expressions import Expressions, Module
from angarium.checker.backend.kernel_values import Slot, Value, View
from angarium.checker.ir.intervals import ANY, Interval
from angarium.checker.ir.syntax import Binary, Block, Check, Expr, For, If, Let, Local, Require, Stmt, Write
from angarium.checker.ir.transition import Action, Guarantee, Parameter, combinations
from angarium.checker.ir.types import size
from angarium.native.llvm import Function

FAILURE = str(-(1 << 63))
"""Bit 63, as LLVM writes it."""
NOW = View("%state", "%memo")
FEW_WORDS = 4
"""A copy of at most so many words is made on the stack, where LLVM finds registers for it; a longer one is
made where the successor goes."""
VISIT_BUDGET = 1200
"""How much the guards of all instances of an action may cost if all are looked at."""
Names = dict[str, Value | Slot]


def compile_guarantee(module: Module, name: str, guarantee: Guarantee) -> None:
    """A function that gives 0 or 1, the condition's truth, or 2 if its evaluation fails."""
    function = Function(name, [NOW.parameters])
    body = Expressions(module, function, NOW, function.label("fail"))
    yes, no = function.label("true"), function.label("false")
    body.branch(guarantee.condition, yes, no)
    for label, result in ((yes, "1"), (no, "0"), (body.fail, "2")):
        function.begin(label)
        function.give(result)
    module.add(function)


def compile_action(module: Module, name: str, action: Action) -> None:
    """A function that writes the successors and gives their number, with bit 63 for a failure."""
    function = Function(name, [NOW.parameters, "ptr noalias %out"])
    emitter = Statements(module, function)
    emitter.instances(action.parameters, tuple(_split(action.body)))
    count, failure = function.load(emitter.count), function.load(emitter.failure)
    function.give(function.let(f"or i64 {count}, {failure}"))
    module.add(function)


def compile_loop(module: Module, loop: For) -> str:
    """A function that runs a loop on a state, and gives 0, or 1 if it fails; its name."""
    function = Function(f"loop.{len(module.loops)}", [View(NOW.state).parameters])
    Statements(module, function).alone(loop)
    module.add(function)
    return function.name


class Statements(Expressions):
    """Emits the statements of one action."""

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function, NOW, "")
        self.skip = ""
        """Where a step that is not enabled goes."""
        self.words = module.layout.words
        self.in_place = self.words > FEW_WORDS
        self.next = View("" if self.in_place else function.slot(f"[{self.words} x i64]"))
        self.count, self.failure = function.slot(), function.slot()
        self._slots: dict[str, str] = {}
        for slot in (self.count, self.failure):
            function.store("0", slot)

    # --- parameters -------------------------------------------------------------------

    def instances(self, parameters: tuple[Parameter, ...], body: Block) -> None:
        """Run the body for each combination of the parameters that are not bound yet."""
        function, outer, names = self.function, (self.fail, self.skip), dict(self.names)
        self.fail, self.skip = function.label("fail"), function.label("skip")
        early = _prefix(body, parameters)
        self.block(body[:early])
        if not parameters:
            self._write_successor()
        elif not self._visit(parameters, body[early:]):
            self._each(parameters[0], parameters[1:], body[early:])
        function.jump(self.skip)
        function.begin(self.fail)
        function.store(FAILURE, self.failure)
        function.begin(self.skip)
        self.fail, self.skip = outer
        self.names, self.view = names, NOW

    def _each(self, first: Parameter, inner: tuple[Parameter, ...], body: Block) -> None:
        known = Interval(first.type.low, first.type.high)
        low, end = known.low, known.high + 1
        with self.function.counting(str(low), str(end), most=end - low) as loop:
            self.names[first.name] = Value(loop.index, known)
            self.instances(inner, body)

    def _visit(self, parameters: tuple[Parameter, ...], body: Block) -> bool:
        """The same by way of a bit mask of the instances whose first guards hold, if they are flat."""
        if not 1 < combinations(parameters) <= 64:
            return False
        function, mark, mask = self.function, self.function.mark(), self.function.slot()
        guards = self._mark_instances(parameters, body, mask)
        if not guards:
            function.rewind(mark)
            return False
        head, visit, done = (function.label(hint) for hint in ("visit", "instance", "visited"))
        function.begin(head)
        left = function.load(mask)
        function.branch(function.let(f"icmp eq i64 {left}, 0"), done, visit)
        function.begin(visit)
        number = function.let(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
        function.store(function.let(f"and i64 {left}, {function.let(f'sub i64 {left}, 1')}"), mask)
        self._bind_instance(parameters, number)
        self.instances((), body[guards:])
        function.jump(head)
        function.begin(done)
        return True

    def _mark_instances(self, parameters: tuple[Parameter, ...], body: Block, mask: str) -> int:
        """Set a bit for each instance whose first guards hold; how many guards were looked at."""
        function, names, number = self.function, dict(self.names), self.function.slot()
        function.store("0", mask)
        function.store("0", number)
        with ExitStack() as loops:
            for each in parameters:
                known = Interval(each.type.low, each.type.high)
                loop = function.counting(str(known.low), str(known.high + 1))
                self.names[each.name] = Value(loops.enter_context(loop).index, known)
            guards, enabled = self._flat_guards(body, combinations(parameters))
            bit = function.let(f"shl i64 {enabled}, {function.load(number)}")
            function.store(function.let(f"or i64 {function.load(mask)}, {bit}"), mask)
            function.store(function.let(f"add i64 {function.load(number)}, 1"), number)
        self.names = names
        return guards

    def _flat_guards(self, body: Block, times: int) -> tuple[int, str]:
        """As many leading guards as can be evaluated without branches; their number and truth."""
        guards, enabled, budget = 0, "1", VISIT_BUDGET // times
        for statement in body:
            flat = isinstance(statement, Require) and self.flat(statement.condition, budget)
            if not flat:
                break
            truth = self.function.let(f"icmp ne i64 {flat.text}, 0")
            bit = self.function.let(f"zext i1 {truth} to i64")
            guards, enabled = guards + 1, self.function.let(f"and i64 {enabled}, {bit}")
        return guards, enabled

    def _bind_instance(self, parameters: tuple[Parameter, ...], number: str) -> None:
        """The parameters of an instance from its number; the last one changes fastest."""
        let = self.function.let
        for each in reversed(parameters):
            known, extent = Interval(each.type.low, each.type.high), size(each.type)
            place = let(f"urem i64 {number}, {extent}")
            self.names[each.name] = Value(let(f"add i64 {place}, {known.low}"), known)
            number = let(f"udiv i64 {number}, {extent}")

    def _write_successor(self) -> None:
        function = self.function
        if self.view is NOW or not self.in_place:
            function.copy(self.view.state, self._place(), self.words)
        count = function.load(self.count)
        function.store(function.let(f"add i64 {count}, 1"), self.count)

    def _place(self) -> str:
        """Where the next successor goes."""
        position = self.function.let(f"mul i64 {self.function.load(self.count)}, {self.words}")
        return self.function.element("%out", position)

    # --- statements -------------------------------------------------------------------

    def block(self, statements: Block) -> None:
        """Emit statements in order."""
        for statement in _merged(statements):
            self._statement(statement)

    def _statement(self, statement: Stmt) -> None:
        match statement:
            case Let(name, value):
                self.names[name] = self.value(value)
            case Write(variable, index, value):
                self._write(variable, index, value)
            case If():
                self._if(statement)
            case For():
                self._for(statement)
            case Require(condition):
                self._demand(condition, self.skip)
            case Check(condition):
                self._demand(condition, self.fail)

    def _demand(self, condition: Expr, otherwise: str) -> None:
        fine = self.function.label("fine")
        self.branch(condition, fine, otherwise)
        self.function.begin(fine)

    def _write(self, variable: str, index: Expr, value: Expr) -> None:
        where, what = self.value(index), self.value(value)
        self._start_writing()
        self.write(self.module.layout.fields[variable], where, what)

    def _start_writing(self) -> None:
        if self.view is NOW:
            self._copy_state()
            self.view = self.next

    def _copy_state(self) -> None:
        """Make the copy that the step writes to; one that is not enabled leaves it to the next step."""
        if self.in_place:
            self.next = View(self._place())
        self.function.copy(NOW.state, self.next.state, self.words)

    def _if(self, statement: If) -> None:
        function = self.function
        yes, no, done = (function.label(hint) for hint in ("then", "else", "joined"))
        bound, writes = _bound_in((statement,)), _writes((statement,))
        if writes and self.view is NOW:
            self._copy_state()
        self.branch(statement.condition, yes, no)
        if writes:
            self.view = self.next
        ends = [
            self._arm(label, arm, bound, done)
            for label, arm in ((yes, statement.then), (no, statement.otherwise))
        ]
        function.begin(done)
        self.names = _joined(*ends)

    def _arm(self, label: str, arm: Block, bound: set[str], done: str) -> Names:
        """One way through an `If`; the names at its end, those bound inside in memory."""
        before = dict(self.names)
        self.function.begin(label)
        self.block(arm)
        self._to_memory(bound)
        self.function.jump(done)
        after, self.names = self.names, before
        return after

    def _for(self, statement: For) -> None:
        if statement not in self.module.repeated:
            self._loop(statement)
            return
        if statement not in self.module.loops:
            self.module.loops[statement] = compile_loop(self.module, statement)
        self._start_writing()
        self.function.work += self.module.work[self.module.loops[statement]]
        call = f"call i64 @{self.module.loops[statement]}({self.view.parameters})"
        self.fail_if(self.function.let(f"icmp ne i64 {self.function.let(call)}, 0"))

    def alone(self, statement: For) -> None:
        """Emit a loop that works on the state that the function is given, and give whether it failed."""
        self.fail = self.function.label("fail")
        self.view = self.next = View(NOW.state)
        self._loop(statement)
        self.function.give("0")
        self.function.begin(self.fail)
        self.function.give("1")

    def _loop(self, statement: For) -> None:
        low, high = self.value(statement.low), self.value(statement.high)
        bound = _bound_in(statement.body)
        if _writes(statement.body):
            self._start_writing()
        self._to_memory(bound)
        self.names |= {name: Slot(self._slot(name), ANY) for name in sorted(bound)}
        before = dict(self.names)
        most = high.range.high - low.range.low
        with self.function.counting(low.text, high.text, most=most) as loop:
            last = max(low.range.low, high.range.high - 1)
            self.names[statement.name] = Value(loop.index, Interval(low.range.low, last))
            self.block(statement.body)
            self._to_memory(bound)
        self.names = before

    def _to_memory(self, bound: set[str]) -> None:
        """Move names from registers to their slots."""
        for name in sorted(bound & self.names.keys()):
            value = self.local(self.names[name])
            self.function.store(value.text, self._slot(name))
            self.names[name] = Slot(self._slot(name), value.range)

    def _slot(self, name: str) -> str:
        if name not in self._slots:
            self._slots[name] = self.function.slot()
        return self._slots[name]


# --- what statements do ---------------------------------------------------------------


def _split(body: Block) -> Iterator[Stmt]:
    """The same statements, with each `and` at the top of a `Require` made two."""
    for statement in body:
        match statement:
            case Require(Binary("and", left, right)):
                yield from _split((Require(left), Require(right)))
            case _:
                yield statement


def _merged(body: Block) -> list[Stmt]:
    """The same statements, with each row of `Require`s made one."""
    merged: list[Stmt] = []
    for statement in body:
        match merged[-1:], statement:
            case [Require(left)], Require(right):
                merged[-1] = Require(Binary("and", left, right))
            case _:
                merged.append(statement)
    return merged


def _prefix(body: Block, unbound: tuple[Parameter, ...]) -> int:
    """How many statements can run before those parameters are bound."""
    if not unbound:
        return len(body)
    if any(size(parameter.type) < 1 for parameter in unbound):
        return 0
    names = {parameter.name for parameter in unbound}
    movable = (isinstance(each, Let | Require | Check) and not names & _mentioned(each) for each in body)
    return next((position for position, can in enumerate(movable) if not can), len(body))


def _mentioned(node: object) -> set[str]:
    """All names that a statement or an expression reads or binds."""
    if not is_dataclass(node):
        return set().union(*map(_mentioned, node)) if isinstance(node, tuple) else set()
    own = {str(node.name)} if isinstance(node, Local | Let | For) else set()
    return own.union(*(_mentioned(getattr(node, each.name)) for each in fields(node)))


def _inner(statement: Stmt) -> Block:
    match statement:
        case If(_, then, otherwise):
            return then + otherwise
        case For(_, _, _, body):
            return body
        case _:
            return ()


def _bound_in(body: Block) -> set[str]:
    """The names that `Let` binds somewhere inside."""
    own = {statement.name for statement in body if isinstance(statement, Let)}
    return own.union(*(_bound_in(_inner(statement)) for statement in body))


def _writes(body: Block) -> bool:
    return any(isinstance(each, Write) or _writes(_inner(each)) for each in body)


def _joined(left: Names, right: Names) -> Names:
    """The names after control flow joins: what is known of them both ways."""
    joined = left | right
    for name in left.keys() & right.keys():
        one, other = left[name], right[name]
        if isinstance(one, Slot) and isinstance(other, Slot):
            joined[name] = Slot(one.pointer, one.range.join(other.range))
    return joined
