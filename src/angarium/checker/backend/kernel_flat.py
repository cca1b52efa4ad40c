"""Conditions without branches.

A branch that the processor guesses wrong costs as much as some twenty plain instructions, and
guards over many states are hard to guess. So what is behind an `and` is evaluated all the same
where nobody can notice: where it cannot fail and is cheap, with the helpers that it calls. A
comprehension over a few values whose number depends on the state (the items of a sequence)
becomes a loop over all the values there can be, each taken if it is in the range: LLVM unrolls
that into straight code.

This is an attempt: `NotFlatError` says that the expression needs branches after all, and what
was emitted up to there must be taken back.

Whether a value is among the items of a sequence, and how often, without looking at one after the other.

The cells of a sequence lie side by side in a word or two. So one operation on words compares them all at
once: exclusive-or with the sought value in every place makes those places 0 where it stands. A place is 0 if
its highest bit is not set, and is not set by a carry either when all lower bits are added to it. What is left
is one bit for each item that is equal; those behind the sequence's end are cut off, and the rest is counted.

`row_of` recognises the comprehensions that this serves: any or sum of `item == value` for a position below a
length, in the forms in which the front end writes `value in sequence` and `sum(item == value for item in
sequence)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass

from angarium.checker.backend.kernel_values import COMPARE, Slot, Value, Values, View
from angarium.checker.backend.layout import WORD, Field, Layout
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
from angarium.native.llvm import Function, constant

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


# --- kernel packed --------------------------------------------------------------------------------


SHORTEST = 4
"""Fewer cells are looked at one by one."""
CHARGE = 10
"""What a word full of cells costs, in the currency of `kernel_flat`."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells side by side among which a value is sought."""

    variable: str
    base: Expr
    """The first cell."""
    sought: Expr
    bounds: tuple[Expr, ...]
    """Only so many cells count."""


def row_of(node: Reduce) -> Row | None:
    """What a comprehension looks for, if it has such a form."""
    terms = [*_terms(node.where), *_terms(node.body)]
    bounds = [term.right for term in terms if _is_bound(term, node.name)]  # type: ignore[union-attr]
    found = [each for term in terms if (each := _sought(term, node.name))]
    if node.op not in ("any", "sum") or node.low != Const(0) or len(found) != 1:
        return None
    if len(bounds) + len(found) != len(terms):
        return None
    cell, sought = found[0]
    base = _base(cell.index, node.name)
    outside = (*bounds, sought, *([] if base is None else [base]))
    if base is None or any(_mentions(each, node.name) for each in outside):
        return None
    return Row(cell.variable, base, sought, (node.high, *bounds))


def _terms(condition: Expr) -> Iterator[Expr]:
    """What all must be true; nothing where a 1 says so already: any other number weighs what is summed."""
    match condition:
        case Binary("and", left, right):
            yield from _terms(left)
            yield from _terms(right)
        case Const(1):
            return
        case _:
            yield condition


def _is_bound(term: Expr, name: str) -> bool:
    return isinstance(term, Binary) and term.op == "<" and term.left == Local(name)


def _sought(term: Expr, name: str) -> tuple[Read, Expr] | None:
    """A comparison of a cell that the name decides with something else."""
    match term:
        case Binary("==", Read() as cell, other) if _mentions(cell.index, name):
            return cell, other
        case Binary("==", other, Read() as cell) if _mentions(cell.index, name):
            return cell, other
        case _:
            return None


def _base(index: Expr, name: str) -> Expr | None:
    """Where the row begins, if the name counts its cells."""
    match index:
        case Local(n) if n == name:
            return Const(0)
        case Binary("+", base, Local(n)) if n == name:
            return base
        case _:
            return None


def _mentions(node: object, name: str) -> bool:
    if isinstance(node, Local):
        return node.name == name
    if isinstance(node, tuple):
        return any(_mentions(each, name) for each in node)
    return is_dataclass(node) and any(_mentions(getattr(node, each.name), name) for each in fields(node))


# --- code -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Packed:
    """Emits the search of a row of cells."""

    function: Function
    view: View
    field: Field
    base: Value
    sought: Value
    bounds: Sequence[Value]

    @property
    def most(self) -> int:
        """How many cells can count."""
        return min(bound.range.high for bound in self.bounds)

    @property
    def per_part(self) -> int:
        """How many cells are compared at once."""
        return WORD // self.field.bits

    @property
    def parts(self) -> int:
        return -(-self.most // self.per_part)

    @property
    def is_possible(self) -> bool:
        """Whether nothing can fail, and every number is one that a cell can hold."""
        if not self.field.bits or self.most < SHORTEST or any(bound.range.low < 0 for bound in self.bounds):
            return False
        known, low = self.base.range, self.field.low
        inside = known.low >= 0 and known.high + self.most <= self.field.cells
        return inside and self.sought.range.inside(low, low + self.field.mask)

    def emit(self, op: str) -> Value:
        """Whether the value is among the cells, or how often."""
        let, found = self.function.let, [self._equal(part) for part in range(self.parts)]
        if op == "any":
            some = found[0]
            for each in found[1:]:
                some = let(f"or i64 {some}, {each}")
            return Value(let(f"zext i1 {let(f'icmp ne i64 {some}, 0')} to i64"), TRUTH)
        counts = [let(f"call i64 @llvm.ctpop.i64(i64 {each})") for each in found]
        total = counts[0]
        for each in counts[1:]:
            total = let(f"add i64 {total}, {each}")
        return Value(total, Interval(0, self.most))

    def _equal(self, part: int) -> str:
        """The highest bit of each place of a part whose cell counts and is equal."""
        let, bits = self.function.let, self.field.bits
        everywhere = sum(1 << place * bits for place in range(self.per_part))
        highest = everywhere << bits - 1
        lower = (everywhere << bits) - everywhere - highest
        raw = let(f"sub i64 {self.sought.text}, {self.field.low}")
        pattern = let(f"mul i64 {raw}, {constant(everywhere)}")
        different = let(f"xor i64 {self._cells(part)}, {pattern}")
        filled = let(f"add i64 {let(f'and i64 {different}, {constant(lower)}')}, {constant(lower)}")
        some = let(f"or i64 {filled}, {different}")
        same = let(f"and i64 {let(f'xor i64 {some}, -1')}, {constant(highest)}")
        return let(f"and i64 {same}, {self._mask(part)}")

    # --- the cells of a part ----------------------------------------------------------

    def _cells(self, part: int) -> str:
        """The cells of a part, from bit 0 on; what stands behind them does not matter."""
        let, field = self.function.let, self.field
        first = let(f"add i64 {self.base.text}, {part * self.per_part}")
        if not field.spans:
            start = let(f"add i64 {let(f'mul i64 {first}, {field.bits}')}, {field.shift}")
            return let(f"lshr i64 {self.function.load(self.view.state, str(field.word))}, {start}")
        word = let(f"add i64 {let(f'udiv i64 {first}, {field.per_word}')}, {field.word}")
        before = let(f"mul i64 {let(f'urem i64 {first}, {field.per_word}')}, {field.bits}")
        here = let(f"lshr i64 {self.function.load(self.view.state, word)}, {before}")
        return let(f"or i64 {here}, {self._following(word, before)}")

    def _following(self, word: str, before: str) -> str:
        """The cells in the next word, behind those of this one; there may be none, then any will do."""
        let, field = self.function.let, self.field
        last = field.word + (field.cells - 1) // field.per_word
        has_next = let(f"icmp ult i64 {word}, {last}")
        following = let(f"add i64 {word}, {let(f'zext i1 {has_next} to i64')}")
        # In two steps: a shift by all 64 bits at once is undefined.
        room = let(f"sub i64 {field.per_word * field.bits - 1}, {before}")
        shifted = let(f"shl i64 {self.function.load(self.view.state, following)}, {room}")
        return let(f"shl i64 {shifted}, 1")

    def _mask(self, part: int) -> str:
        """All bits of the places of a part that count."""
        let, start, count = self.function.let, part * self.per_part, self._count(part)
        width = let(f"mul i64 {count.text}, {self.field.bits}")
        if min(self.per_part, self.most - start) * self.field.bits < WORD:
            return let(f"sub i64 {let(f'shl i64 1, {width}')}, 1")
        half = let(f"lshr i64 {width}, 1")
        above = let(f"shl i64 {let(f'shl i64 -1, {half}')}, {let(f'sub i64 {width}, {half}')}")
        return let(f"xor i64 {above}, -1")

    def _count(self, part: int) -> Value:
        """How many places of a part count."""
        start = part * self.per_part
        count = Value.of(min(self.per_part, self.most - start))
        for bound in self.bounds:
            count = self._least(count, self._behind(bound, start))
        return count

    def _behind(self, bound: Value, start: int) -> Value:
        """How much of a bound is left behind so many cells."""
        if not start:
            return bound
        let, known = self.function.let, bound.range
        left = let(f"sub i64 {bound.text}, {start}")
        some = let(f"icmp sgt i64 {left}, 0")
        least = Interval(max(0, known.low - start), max(0, known.high - start))
        return Value(let(f"select i1 {some}, i64 {left}, i64 0"), least)

    def _least(self, one: Value, other: Value) -> Value:
        if one.range.high <= other.range.low:
            return one
        if other.range.high <= one.range.low:
            return other
        let, low = self.function.let, min(one.range.low, other.range.low)
        fewer = let(f"icmp slt i64 {one.text}, {other.text}")
        chosen = let(f"select i1 {fewer}, i64 {one.text}, i64 {other.text}")
        return Value(chosen, Interval(low, min(one.range.high, other.range.high)))
