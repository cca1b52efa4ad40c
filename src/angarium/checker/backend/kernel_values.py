"""Numbers and cells at run time: the bricks of which expressions and statements are built.

Each operation emits its instructions and computes the interval of its result. What can fail (an
index, a divisor, a written value) is checked unless the interval proves the check needless; a
failure jumps to the emitter's `fail` label at once, so nothing is evaluated after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from angarium.checker.backend.layout import Field
from angarium.checker.ir import intervals
from angarium.checker.ir.intervals import COMPARISONS, Interval, exactly
from angarium.checker.ir.syntax import BinaryOp
from angarium.native.llvm import Function, constant

FAILED = str(-(2**63))
"""The number that no model computes: the result of a helper that fails."""
COMPARE = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
ARITHMETIC: dict[BinaryOp, tuple[str, Callable[[Interval, Interval], Interval]]] = {
    "+": ("add", intervals.add),
    "-": ("sub", intervals.subtract),
    "*": ("mul", intervals.multiply),
}


@dataclass(frozen=True, slots=True)
class Value:
    """A number at run time: a register or a literal, and what is known of it."""

    text: str
    range: Interval

    @staticmethod
    def of(number: int) -> Value:
        return Value(constant(number), exactly(number))


@dataclass(frozen=True, slots=True)
class Slot:
    """A local in memory, and what is known of its present content."""

    pointer: str
    range: Interval


@dataclass(frozen=True, slots=True)
class View:
    """A state to be read: the one before the step (with its memo) or one being written."""

    state: str
    memo: str | None = None

    @property
    def parameters(self) -> str:
        return f"ptr {self.state}" + (f", ptr {self.memo}" if self.memo else "")


class Values:
    """Emits operations on numbers and cells into a function."""

    def __init__(self, function: Function, view: View, fail: str) -> None:
        self.function, self.view, self.fail = function, view, fail
        self.failed = False
        """Whether anything that was emitted can jump to `fail`."""

    def fail_if(self, wrong: str) -> None:
        """Emit a check: the evaluation fails if the bit is set."""
        fine = self.function.label("fine")
        self.function.branch(wrong, self.fail, fine)
        self.function.begin(fine)
        self.failed = True

    # --- numbers ----------------------------------------------------------------------

    def local(self, local: Value | Slot) -> Value:
        """The value that a name stands for."""
        if isinstance(local, Value):
            return local
        if local.range.single:
            return Value.of(local.range.low)
        return Value(self.function.load(local.pointer), local.range)

    def computed(self, op: BinaryOp, left: Value, right: Value) -> Value:
        """What an operation gives that is no comparison."""
        return (self.arithmetic if op in ARITHMETIC else self.divide)(op, left, right)

    def arithmetic(self, op: BinaryOp, left: Value, right: Value) -> Value:
        instruction, ranged = ARITHMETIC[op]
        known = ranged(left.range, right.range)
        if intervals.overflows(op, left.range, right.range):
            return Value(self._checked(instruction, left.text, right.text), known)
        if known.single:
            return Value.of(known.low)
        return Value(self.function.let(f"{instruction} i64 {left.text}, {right.text}"), known)

    def _checked(self, instruction: str, left: str, right: str) -> str:
        """An operation that fails where its result needs more than 64 bits."""
        let, both = self.function.let, "{i64, i1}"
        pair = let(f"call {both} @llvm.s{instruction}.with.overflow.i64(i64 {left}, i64 {right})")
        result = let(f"extractvalue {both} {pair}, 0")
        lost = let(f"extractvalue {both} {pair}, 1")
        self.fail_if(let(f"or i1 {lost}, {let(f'icmp eq i64 {result}, {FAILED}')}"))
        return result

    def divide(self, op: BinaryOp, left: Value, right: Value) -> Value:
        """Floor division or its remainder."""
        if right.range.holds(0):
            self.fail_if(self.function.let(f"icmp eq i64 {right.text}, 0"))
        known = (intervals.floor_divide if op == "//" else intervals.modulo)(left.range, right.range)
        if left.range.low >= 0 and right.range.low >= 0:
            instruction = "udiv" if op == "//" else "urem"
            return Value(self.function.let(f"{instruction} i64 {left.text}, {right.text}"), known)
        return Value(self._signed_divide(op, left.text, right.text), known)

    def _signed_divide(self, op: str, left: str, right: str) -> str:
        """Python's division from the processor's, which rounds towards 0."""
        let = self.function.let
        rest = let(f"srem i64 {left}, {right}")
        opposite = let(f"icmp slt i64 {let(f'xor i64 {rest}, {right}')}, 0")
        adjust = let(f"and i1 {opposite}, {let(f'icmp ne i64 {rest}, 0')}")
        if op == "//":
            quotient = let(f"sdiv i64 {left}, {right}")
            return let(f"sub i64 {quotient}, {let(f'zext i1 {adjust} to i64')}")
        return let(f"add i64 {rest}, {let(f'select i1 {adjust}, i64 {right}, i64 0')}")

    def within(self, value: Value, allowed: Interval) -> Value:
        """A value that must lie in an interval."""
        if value.range.inside(allowed.low, allowed.high):
            return value
        let = self.function.let
        raw = let(f"sub i64 {value.text}, {allowed.low}") if allowed.low else value.text
        self.fail_if(let(f"icmp ugt i64 {raw}, {allowed.high - allowed.low}"))
        return Value(value.text, value.range.meet(allowed))

    def compare(self, op: str, left: Value, right: Value, yes: str, no: str) -> Interval:
        """Go one of two ways; what is known of the outcome."""
        known = COMPARISONS[op](left.range, right.range)
        if known.single:
            self.function.jump(yes if known.low else no)
        else:
            truth = self.function.let(f"icmp {COMPARE[op]} i64 {left.text}, {right.text}")
            self.function.branch(truth, yes, no)
        return known

    # --- cells ------------------------------------------------------------------------

    def read(self, place: Field, index: Value) -> Value:
        """One cell of the state."""
        let = self.function.let
        self._check_index(place, index)
        if not place.bits:
            return Value.of(place.low)
        word, shift = self._locate(place, index)
        raw = let(f"lshr i64 {self.function.load(self.view.state, word)}, {shift}")
        cell = let(f"and i64 {raw}, {constant(place.mask)}")
        shifted = let(f"add i64 {cell}, {place.low}") if place.low else cell
        return Value(shifted, Interval(place.low, place.high))

    def write(self, place: Field, index: Value, value: Value) -> None:
        """Set one cell of the state."""
        let = self.function.let
        self._check_index(place, index)
        raw = let(f"sub i64 {value.text}, {place.low}") if place.low else value.text
        if not value.range.inside(place.low, place.high):
            self.fail_if(let(f"icmp ugt i64 {raw}, {place.high - place.low}"))
        if not place.bits:
            return
        word, shift = self._locate(place, index)
        hole = let(f"xor i64 {let(f'shl i64 {constant(place.mask)}, {shift}')}, -1")
        rest = let(f"and i64 {self.function.load(self.view.state, word)}, {hole}")
        whole = let(f"or i64 {rest}, {let(f'shl i64 {raw}, {shift}')}")
        self.function.store(whole, self.view.state, word)

    def _check_index(self, place: Field, index: Value) -> None:
        if not index.range.inside(0, place.cells - 1):
            self.fail_if(self.function.let(f"icmp uge i64 {index.text}, {place.cells}"))

    def _locate(self, place: Field, index: Value) -> tuple[str, str]:
        """The word and the shift of a cell, both as operands."""
        let = self.function.let
        if index.range.single and 0 <= index.range.low < place.cells:
            word, shift = place.place(index.range.low)
            return str(word), str(shift)
        if not place.spans:
            scaled = let(f"mul i64 {index.text}, {place.bits}")
            return str(place.word), let(f"add i64 {scaled}, {place.shift}")
        row = let(f"udiv i64 {index.text}, {place.per_word}")
        column = let(f"urem i64 {index.text}, {place.per_word}")
        return let(f"add i64 {row}, {place.word}"), let(f"mul i64 {column}, {place.bits}")
