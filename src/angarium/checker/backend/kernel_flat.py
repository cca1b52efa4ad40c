"""Conditions without branches.

A branch that the processor guesses wrong costs as much as some twenty plain instructions, and
guards over many states are hard to guess. So what is behind an `and` is evaluated all the same
where nobody can notice: where it cannot fail and is cheap, with the helpers that it calls. A
comprehension over a few values whose number depends on the state (the items of a sequence)
becomes a loop over all the values there can be, each taken if it is in the range: LLVM unrolls
that into straight code.

This is an attempt: `NotFlatError` says that the expression needs branches after all, and what
was emitted up to there must be taken back.
"""

from __future__ import annotations

from angarium.checker.backend.kernel_packed import CHARGE, Packed, Row, row_of
from angarium.checker.backend.kernel_values import COMPARE, Slot, Value, Values, View
from angarium.checker.backend.layout import Layout
from angarium.checker.ir import intervals
from angarium.checker.ir.intervals import TRUTH, Interval
from angarium.checker.ir.syntax import (
    Binary,
    BinaryOp,
    Call,
    Const,
    Expr,
    IfElse,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    Within,
)
from angarium.checker.ir.transition import TransitionSystem
from angarium.native.llvm import Function

LONGEST = 8
"""The most values of a comprehension that are all looked at."""


class NotFlatError(Exception):
    """The expression can fail or costs too much."""


class Flat(Values):
    """Emits expressions without branches."""

    def __init__(
        self,
        system: TransitionSystem,
        layout: Layout,
        function: Function,
        view: View,
        names: dict[str, Value | Slot],
        budget: int,
    ) -> None:
        super().__init__(function, view, "")
        self._system, self._layout, self._names = system, layout, names
        self._budget, self._times = budget, 1

    def fail_if(self, wrong: str) -> None:
        raise NotFlatError

    def value(self, expression: Expr) -> Value:
        """Emit an expression; where its value is."""
        self._pay()
        match expression:
            case Const(number):
                return Value.of(number)
            case Local(name):
                return self.local(self._names[name])
            case Read(variable, index):
                return self.read(self._layout.fields[variable], self.value(index))
            case Binary(op, left, right):
                return self._binary(op, self.value(left), self.value(right))
            case Not(operand) | Within(operand):
                return self._unary(expression, self.value(operand))
            case IfElse(condition, then, otherwise):
                return self._select(*map(self.value, (condition, then, otherwise)))
            case LetIn(name, bound, body):
                return self._bound(name, self.value(bound), body)
            case Call(helper, arguments):
                return self._inline(helper, [self.value(each) for each in arguments])
            case Reduce():
                return self._reduce(expression)

    def _unary(self, expression: Not | Within, operand: Value) -> Value:
        if isinstance(expression, Within):
            return self.within(operand, Interval(expression.low, expression.high))
        return self._compare("==", operand, Value.of(0))

    def _pay(self) -> None:
        self._budget -= self._times
        if self._budget < 0:
            raise NotFlatError

    def _truth(self, value: Value) -> Value:
        """0 or 1."""
        known = value.range.inside(0, 1)
        return value if known else self._compare("!=", value, Value.of(0))

    def _binary(self, op: BinaryOp, left: Value, right: Value) -> Value:
        if op in COMPARE:
            return self._compare(op, left, right)
        if op in ("and", "or"):
            return self._logic(op, self._truth(left), self._truth(right))
        return self.computed(op, left, right)

    def _logic(self, op: str, left: Value, right: Value) -> Value:
        return Value(self.function.let(f"{op} i64 {left.text}, {right.text}"), TRUTH)

    def _compare(self, op: str, left: Value, right: Value) -> Value:
        known = intervals.COMPARISONS[op](left.range, right.range)
        if known.single:
            return Value.of(known.low)
        bit = self.function.let(f"icmp {COMPARE[op]} i64 {left.text}, {right.text}")
        return Value(self.function.let(f"zext i1 {bit} to i64"), TRUTH)

    def _select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        bit = self.function.let(f"icmp ne i64 {condition.text}, 0")
        chosen = self.function.let(f"select i1 {bit}, i64 {then.text}, i64 {otherwise.text}")
        return Value(chosen, then.range.join(otherwise.range))

    def _bound(self, name: str, value: Value, body: Expr) -> Value:
        outer = self._names
        self._names = {**outer, name: value}
        result = self.value(body)
        self._names = outer
        return result

    def _inline(self, name: str, arguments: list[Value]) -> Value:
        """A helper's body in place of its call."""
        helper, outer = self._system.helper[name], self._names
        names = (parameter.name for parameter in helper.parameters)
        self._names = dict(zip(names, arguments, strict=True))
        result = self.value(helper.body)
        self._names = outer
        return result

    # --- comprehensions ---------------------------------------------------------------

    def _reduce(self, node: Reduce) -> Value:
        row = row_of(node)
        return (row and self._packed(row, node.op)) or self._one_by_one(node)

    def _packed(self, row: Row, op: str) -> Value | None:
        """All items of a row at once, if they lie so that this is possible."""
        mark, budget = self.function.mark(), self._budget
        field = self._layout.fields[row.variable]
        base, sought, *bounds = (self.value(each) for each in (row.base, row.sought, *row.bounds))
        packed = Packed(self.function, self.view, field, base, sought, bounds)
        if not packed.is_possible:
            self.function.rewind(mark)
            self._budget = budget
            return None
        for _ in range(CHARGE * packed.parts):
            self._pay()
        return packed.emit(op)

    def _one_by_one(self, node: Reduce) -> Value:
        low, high = self.value(node.low), self.value(node.high)
        times = high.range.high - low.range.low
        if not 0 < times <= LONGEST or node.op in ("min", "max"):
            raise NotFlatError
        result, function = self.function.slot(), self.function
        function.store("1" if node.op == "all" else "0", result)
        self._times *= times
        with function.counting(str(low.range.low), str(high.range.high), most=times) as loop:
            index = Value(loop.index, Interval(low.range.low, high.range.high - 1))
            taken = self._logic("and", *self._within(index, low, high))
            where = self._bound(node.name, index, node.where)
            taken = self._logic("and", taken, self._truth(where))
            known = self._combine(node, taken, self._bound(node.name, index, node.body), result)
        self._times //= times
        total = intervals.repeated(known, times) if node.op == "sum" else TRUTH
        return Value(function.load(result), total)

    def _within(self, index: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """Whether an index is in the range of this state."""
        return self._compare(">=", index, low), self._compare("<", index, high)

    def _combine(self, node: Reduce, taken: Value, body: Value, result: str) -> Interval:
        """Take one more value into the result, if it counts; what is known of the value."""
        function, let = self.function, self.function.let
        before = function.load(result)
        if node.op == "sum":
            counts = let(f"icmp ne i64 {taken.text}, 0")
            if not body.range.inside(-(2**59), 2**59):
                raise NotFlatError  # the sum of LONGEST of them may be too large
            amount = let(f"select i1 {counts}, i64 {body.text}, i64 0")
            function.store(let(f"add i64 {before}, {amount}"), result)
            return body.range
        truth = self._truth(body)
        if node.op == "any":
            found = self._logic("and", taken, truth)
            function.store(let(f"or i64 {before}, {found.text}"), result)
        else:
            missing = self._logic("and", taken, self._compare("==", truth, Value.of(0)))
            function.store(let(f"and i64 {before}, {let(f'xor i64 {missing.text}, 1')}"), result)
        return TRUTH
