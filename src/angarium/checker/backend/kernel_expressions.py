"""Expressions to LLVM IR.

One walk emits the code of an expression and computes its interval. Conditions become branches,
so what stands behind a false `and` is never evaluated; LLVM turns the harmless ones back into
plain logic.

Helpers become functions, one *instance* for each way they are called. An instance that looks at
the state before the step remembers its results: the memo holds a word for each combination of
arguments, and bit masks that say which are known; the masks are cleared for every state. So
`ideal(a)` is computed once for each state and `a`, however many actions ask. An instance that
looks at a state being written does not. A helper that fails returns `FAILED`, a number that no
model computes.

Loops that stand word for word in several steps, such as what follows from a term that is heard.

Each of them becomes one function of the kernel, which works on the state that is being written: LLVM's time
grows faster than the code that it is given. Only a loop around other loops is worth a call, and only one that
stands for itself: it mentions no name from around it, leaves none behind, and cannot end the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import accumulate

from angarium.checker.backend.kernel_flat import Flat, NotFlatError
from angarium.checker.backend.kernel_values import ARITHMETIC, COMPARE, FAILED, Slot, Value, Values, View
from angarium.checker.backend.layout import Layout
from angarium.checker.ir import intervals
from angarium.checker.ir.intervals import ANY, TRUTH, Interval
from angarium.checker.ir.syntax import (
    Binary,
    Block,
    Call,
    Check,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    Require,
    Within,
    Write,
)
from angarium.checker.ir.transition import Action, Helper, Parameter, TransitionSystem, combinations
from angarium.checker.ir.types import size
from angarium.native.llvm import Function, Loop

MEMO_LIMIT = 64
SAFE_ITEM, SAFE_SUM = 2**31, 2**62
"""Sums of items as small as this are never too large: nobody adds up so many."""
FLAT_BUDGET = 60
"""How much an expression may cost that is evaluated without branches."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A helper compiled for one way of calling it."""

    name: str
    range: Interval
    fails: bool


InstanceKey = tuple[str, bool, tuple[Interval, ...]]


@dataclass
class Module:
    """What the functions of one kernel share: the system, the layout, the helpers' instances."""

    system: TransitionSystem
    layout: Layout
    functions: list[str] = field(default_factory=list)
    work: dict[str, int] = field(default_factory=dict)
    """How much each of these does, at most."""
    instances: dict[InstanceKey, Instance] = field(default_factory=dict)
    loops: dict[For, str] = field(default_factory=dict)
    """The functions of loops that stand in several steps, made on first use."""

    def __post_init__(self) -> None:
        self.repeated = repeated_loops(self.system.actions)
        remembered = [h for h in self.system.helpers if combinations(h.parameters) <= MEMO_LIMIT]
        ends = list(accumulate((combinations(h.parameters) for h in remembered), initial=0))
        self.memo_base = {h.name: base for h, base in zip(remembered, ends, strict=False)}
        self.memo_masks = -(-ends[-1] // 64)
        self.memo_words = self.memo_masks + ends[-1]

    def add(self, function: Function) -> None:
        """Take a function that is finished."""
        self.functions.append(function.text())
        self.work[function.name] = function.work

    def instance(self, name: str, view: View, ranges: tuple[Interval, ...]) -> Instance:
        """The helper for that view and those arguments, compiled when it is first asked for."""
        key = name, view.memo is not None, ranges
        if key not in self.instances:
            self.instances[key] = self._compile(self.system.helper[name], view, ranges)
        return self.instances[key]

    def _compile(self, helper: Helper, view: View, ranges: tuple[Interval, ...]) -> Instance:
        view = View("%state", "%memo" if view.memo else None)
        name = f"{helper.name}.{len(self.instances)}.{'now' if view.memo else 'next'}"
        arguments = [f"i64 %a{position}" for position in range(len(ranges))]
        function = Function(f'"{name}"', [view.parameters, *arguments])
        body = Expressions(self, function, view, function.label("fail"))
        for position, (parameter, known) in enumerate(zip(helper.parameters, ranges, strict=True)):
            body.names[parameter.name] = Value(f"%a{position}", known)
        result = body.value(helper.body)
        function.give(result.text)
        function.begin(body.fail)
        function.give(FAILED)
        self.add(function)
        return Instance(function.name, result.range, body.failed)


class Expressions(Values):
    """Emits expressions into a function."""

    def __init__(self, module: Module, function: Function, view: View, fail: str) -> None:
        super().__init__(function, view, fail)
        self.module = module
        self.names: dict[str, Value | Slot] = {}

    def value(self, expression: Expr) -> Value:
        """Emit an expression; where its value is."""
        match expression:
            case Const(number):
                return Value.of(number)
            case Local(name):
                return self.local(self.names[name])
            case Read(variable, index):
                return self.read(self.module.layout.fields[variable], self.value(index))
            case Binary(op, left, right) if op in (*ARITHMETIC, "//", "%"):
                return self.computed(op, self.value(left), self.value(right))
            case IfElse(condition, then, otherwise):
                return self._choose(condition, then, otherwise)
            case LetIn(name, bound, body):
                return self._bound(name, self.value(bound), body)
            case Call(helper, arguments):
                return self._call(helper, [self.value(each) for each in arguments])
            case Reduce():
                return self.flat(expression) or self._reduce(expression)
            case Within(number, low, high):
                return self.within(self.value(number), Interval(low, high))
            case _:
                return self.flat(expression) or self._choose(expression, Const(1), Const(0))

    def branch(self, condition: Expr, yes: str, no: str) -> Interval:
        """Emit a condition and go one of two ways; what is known of its truth."""
        flat = self.flat(condition)
        if flat:
            return self.compare("!=", flat, Value.of(0), yes, no)
        match condition:
            case Not(operand):
                return intervals.opposite(self.branch(operand, no, yes))
            case Binary("and", left, right):
                return self._both(left, right, yes, no)
            case Binary("or", left, right):
                return intervals.opposite(self._both(Not(left), Not(right), no, yes))
            case Binary(op, left, right) if op in COMPARE:
                return self.compare(op, self.value(left), self.value(right), yes, no)
            case _:
                return self.compare("!=", self.value(condition), Value.of(0), yes, no)

    def flat(self, expression: Expr, budget: int = FLAT_BUDGET) -> Value | None:
        """Emit an expression without branches, if that is possible."""
        mark = self.function.mark()
        flat = Flat(self.module.system, self.module.layout, self.function, self.view, self.names, budget)
        try:
            return flat.value(expression)
        except NotFlatError:
            self.function.rewind(mark)
            return None

    def _both(self, left: Expr, right: Expr, yes: str, no: str) -> Interval:
        between = self.function.label("and")
        first = self.branch(left, between, no)
        self.function.begin(between)
        second = self.branch(right, yes, no)
        return intervals.multiply(first, second)

    def _choose(self, condition: Expr, then: Expr, otherwise: Expr) -> Value:
        function, result = self.function, self.function.slot()
        yes, no, done = (function.label(hint) for hint in ("then", "else", "chosen"))
        known = self.branch(condition, yes, no)
        function.begin(yes)
        first = self.value(then)
        function.store(first.text, result)
        function.jump(done)
        function.begin(no)
        second = self.value(otherwise)
        function.store(second.text, result)
        function.begin(done)
        joined = first.range.join(second.range)
        if known.single:
            joined = first.range if known.low else second.range
        return Value.of(joined.low) if joined.single else Value(function.load(result), joined)

    def _bound(self, name: str, value: Value, body: Expr) -> Value:
        outer = self.names
        self.names = {**outer, name: value}
        result = self.value(body)
        self.names = outer
        return result

    # --- comprehensions ---------------------------------------------------------------

    def _reduce(self, node: Reduce) -> Value:
        function, outer = self.function, self.names
        low, high = self.value(node.low), self.value(node.high)
        result, found = function.slot(), function.slot()
        function.store("1" if node.op == "all" else "0", result)
        function.store("0", found)
        most = high.range.high - low.range.low
        with function.counting(low.text, high.text, most=most) as loop:
            index = Interval(low.range.low, max(low.range.low, high.range.high - 1))
            self.names = {**outer, node.name: Value(loop.index, index)}
            take = function.label("take")
            self.branch(node.where, take, loop.next)
            function.begin(take)
            body = self._combine(node, loop, result, found)
        self.names = outer
        if node.op == "sum":
            known = intervals.repeated(body, max(0, high.range.high - low.range.low))
            return Value(function.load(result), known)
        if node.op in ("any", "all"):
            return Value(function.load(result), TRUTH)
        return self._unless_empty(node, result, found, body)

    def _combine(self, node: Reduce, loop: Loop, result: str, found: str) -> Interval:
        """Take one more value into the result; what is known of the value."""
        function = self.function
        if node.op in ("any", "all"):
            decided = function.label("decided")
            ways = (decided, loop.next) if node.op == "any" else (loop.next, decided)
            known = self.branch(node.body, *ways)
            function.begin(decided)
            function.store("1" if node.op == "any" else "0", result)
            function.jump(loop.done)
            return known
        body, before = self.value(node.body), function.load(result)
        if node.op == "sum":
            so_far = Interval(-SAFE_SUM, SAFE_SUM) if body.range.inside(-SAFE_ITEM, SAFE_ITEM) else ANY
            function.store(self.arithmetic("+", Value(before, so_far), body).text, result)
            return body.range
        self._keep_best(node.op, body, before, result, found)
        return body.range

    def _keep_best(self, op: str, body: Value, before: str, result: str, found: str) -> None:
        function, let = self.function, self.function.let
        order = "slt" if op == "min" else "sgt"
        first = let(f"icmp eq i64 {function.load(found)}, 0")
        better = let(f"or i1 {first}, {let(f'icmp {order} i64 {body.text}, {before}')}")
        function.store(let(f"select i1 {better}, i64 {body.text}, i64 {before}"), result)
        function.store("1", found)

    def _unless_empty(self, node: Reduce, result: str, found: str, body: Interval) -> Value:
        """The least or greatest value; if there was none, the one for that case, or a failure."""
        function = self.function
        none = function.let(f"icmp eq i64 {function.load(found)}, 0")
        if node.empty is None:
            self.fail_if(none)
            return Value(function.load(result), body)
        missing, done = function.label("missing"), function.label("some")
        function.branch(none, missing, done)
        function.begin(missing)
        empty = self.value(node.empty)
        function.store(empty.text, result)
        function.begin(done)
        return Value(function.load(result), body.join(empty.range))

    # --- helpers ----------------------------------------------------------------------

    def _call(self, name: str, arguments: list[Value]) -> Value:
        parameters = self.module.system.helper[name].parameters
        declared = tuple(Interval(p.type.low, p.type.high) for p in parameters)
        expected = all(
            argument.range.inside(known.low, known.high)
            for argument, known in zip(arguments, declared, strict=True)
        )
        ranges = declared if expected else tuple(argument.range for argument in arguments)
        instance = self.module.instance(name, self.view, ranges)
        if expected and self.view.memo and name in self.module.memo_base:
            result = self._recall(instance, arguments, self._memo_slot(name, parameters, arguments))
        else:
            result = self._call_plainly(instance, arguments)
        if instance.fails:
            self.fail_if(self.function.let(f"icmp eq i64 {result}, {FAILED}"))
        known = instance.range
        return Value.of(known.low) if known.single else Value(result, known)

    def _call_plainly(self, instance: Instance, arguments: list[Value]) -> str:
        self.function.work += self.module.work[instance.name]
        listed = [self.view.parameters, *(f"i64 {argument.text}" for argument in arguments)]
        return self.function.let(f"call i64 @{instance.name}({', '.join(listed)})")

    def _recall(self, instance: Instance, arguments: list[Value], slot: str) -> str:
        """The remembered result, or the computed one, remembered."""
        function, memo = self.function, str(self.view.memo)
        word = function.let(f"lshr i64 {slot}, 6")
        bit = function.let(f"shl i64 1, {function.let(f'and i64 {slot}, 63')}")
        cell = function.let(f"add i64 {slot}, {self.module.memo_masks}")
        known = function.let(f"and i64 {function.load(memo, word)}, {bit}")
        compute, done = function.label("compute"), function.label("known")
        function.branch(function.let(f"icmp eq i64 {known}, 0"), compute, done)
        function.begin(compute)
        function.store(self._call_plainly(instance, arguments), memo, cell)
        function.store(function.let(f"or i64 {function.load(memo, word)}, {bit}"), memo, word)
        function.begin(done)
        return function.load(memo, cell)

    def _memo_slot(self, name: str, parameters: tuple[Parameter, ...], arguments: list[Value]) -> str:
        """Which combination of arguments this is, counted over all remembered helpers."""
        slot = Value.of(0)
        for parameter, argument in zip(parameters, arguments, strict=True):
            scaled = self.arithmetic("*", slot, Value.of(size(parameter.type)))
            offset = self.arithmetic("-", argument, Value.of(parameter.type.low))
            slot = self.arithmetic("+", scaled, offset)
        return self.arithmetic("+", slot, Value.of(self.module.memo_base[name])).text


# --- repeated -------------------------------------------------------------------------------------


def repeated_loops(actions: Iterable[Action]) -> frozenset[For]:
    """The loops that are found more than once and can stand alone."""
    counts = Counter(loop for action in actions for loop in _loops(action.body))
    return frozenset(loop for loop, count in counts.items() if count > 1)


def _loops(block: Block) -> Iterator[For]:
    """The outermost loops that can stand alone."""
    for statement in block:
        match statement:
            case For() if _stands_alone(statement):
                yield statement
            case For(_, _, _, body):
                yield from _loops(body)
            case If(_, then, otherwise):
                yield from _loops((*then, *otherwise))


def _stands_alone(loop: For) -> bool:
    parts = list(_parts(loop))
    kinds = {type(part) for part in parts}
    bound = {part.name for part in parts if isinstance(part, For | Reduce)}
    used = {part.name for part in parts if isinstance(part, Local)}
    is_nested = sum(isinstance(part, For) for part in parts) > 1
    return is_nested and Write in kinds and used <= bound and not kinds & {Let, Require, Check, Call}


def _parts(node: object) -> Iterator[object]:
    """A statement and everything inside it."""
    if isinstance(node, tuple):
        for each in node:
            yield from _parts(each)
    elif is_dataclass(node):
        yield node
        for each in fields(node):
            yield from _parts(getattr(node, each.name))
