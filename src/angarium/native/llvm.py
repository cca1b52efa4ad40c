"""A small emitter of LLVM IR as text: registers, blocks, local slots and counting loops.

Text, because it needs no object tree, is what people read when they debug a kernel, and is the
key of the object cache. Locals are `alloca` slots in the entry block; LLVM's first pass turns
them into registers, so nobody here computes SSA form. Pointers are opaque (`ptr`). Integers are
`i64` unless said otherwise.

A block ends with a jump, a branch or a return. What is emitted after that, up to the next
`begin`, can never run and is dropped, so that callers need not ask whether the code before them
falls through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

WORD_BITS = 64
LONG = 1 << 22
"""So many instructions run for some milliseconds. A loop of more looks in each round whether it is to end."""
HALTED = "@halted"
"""Two words: how many want the loops to end, and how many loops have ended so."""
HALTED_DEFINITION = f"{HALTED} = dso_local global [2 x i64] zeroinitializer"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop being emitted: its counter, and where `continue` and `break` go."""

    index: str
    next: str
    done: str


Mark = tuple[int, int, bool, int]


def constant(value: int) -> str:
    """An i64 literal; unsigned values from 2**63 are written as LLVM reads them, negative."""
    assert -(2**63) <= value < 2**64, value
    return str(value if value < 2**63 else value - 2**64)


class Function:
    """One function being emitted."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
        *,
        result: str = "i64",
        linkage: str = "internal",
        attributes: str = "nounwind",
    ) -> None:
        self.name = name
        self._head = f"define {linkage} {result} @{name}({', '.join(parameters)}) {attributes} {{"
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._registers = self._labels = 0
        self._open = True
        self.work = 0
        """How many instructions a call runs, at most, as far as that is known."""

    # --- instructions -----------------------------------------------------------------

    def let(self, instruction: str) -> str:
        """Emit an instruction; the register that holds its result."""
        self._registers += 1
        self.do(f"%r{self._registers} = {instruction}")
        return f"%r{self._registers}"

    def do(self, instruction: str) -> None:
        """Emit an instruction without a result."""
        if self._open:
            self._lines.append(f"  {instruction}")
            self.work += 1

    def slot(self, type_: str = "i64") -> str:
        """A local variable: a pointer to memory that lives as long as the call."""
        self._registers += 1
        self._entry.append(f"  %s{self._registers} = alloca {type_}")
        return f"%s{self._registers}"

    def load(self, pointer: str, index: str = "0") -> str:
        """The word at a pointer."""
        return self.let(f"load i64, ptr {self.element(pointer, index)}")

    def store(self, value: str, pointer: str, index: str = "0") -> None:
        """Set the word at a pointer."""
        self.do(f"store i64 {value}, ptr {self.element(pointer, index)}")

    def element(self, pointer: str, index: str) -> str:
        """A pointer to a word further on."""
        if index == "0":
            return pointer
        return self.let(f"getelementptr i64, ptr {pointer}, i64 {index}")

    def copy(self, source: str, target: str, words: int) -> None:
        """Copy a few words."""
        for word in range(words):
            self.store(self.load(source, str(word)), target, str(word))

    def mark(self) -> Mark:
        """A point to come back to."""
        return len(self._entry), len(self._lines), self._open, self.work

    def rewind(self, mark: Mark) -> None:
        """Take back what was emitted since then."""
        slots, lines, self._open, self.work = mark
        del self._entry[slots:], self._lines[lines:]

    # --- control flow -----------------------------------------------------------------

    def label(self, hint: str = "block") -> str:
        """A fresh name for a block."""
        self._labels += 1
        return f"{hint}{self._labels}"

    def begin(self, label: str) -> None:
        """Start a block; the code before it falls through."""
        self.jump(label)
        self._lines.append(f"{label}:")
        self._open = True

    def jump(self, label: str) -> None:
        self._end(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self._end(f"br i1 {condition}, label %{yes}, label %{no}")

    def give(self, value: str) -> None:
        """Return an i64."""
        self._end(f"ret i64 {value}")

    def leave(self) -> None:
        """Return nothing."""
        self._end("ret void")

    def _end(self, instruction: str) -> None:
        self.do(instruction)
        self._open = False

    @contextmanager
    def counting(self, low: str, high: str, *, compare: str = "slt", most: int = 1) -> Iterator[Loop]:
        """The code emitted inside runs once for each index in low .. high - 1, at `most` so many times."""
        counter, head, body = self.slot(), self.label("head"), self.label("body")
        following, done = self.label("next"), self.label("done")
        self.store(low, counter)
        self.begin(head)
        index = self.load(counter)
        self.branch(self.let(f"icmp {compare} i64 {index}, {high}"), body, done)
        self.begin(body)
        before, self.work = self.work, 0
        yield Loop(index, following, done)
        self.begin(following)
        self.work = before + self.work * max(1, most)
        if self.work - before > LONG:
            self._go_on_unless_halted(done)
        self.store(self.let(f"add i64 {index}, 1"), counter)
        self.jump(head)
        self.begin(done)

    def _go_on_unless_halted(self, done: str) -> None:
        """Leave a loop that is to end, and note that it did not come to its own end."""
        halted, further = self.label("halted"), self.label("further")
        wanted = self.let(f"load volatile i64, ptr {HALTED}")
        self.branch(self.let(f"icmp eq i64 {wanted}, 0"), further, halted)
        self.begin(halted)
        self.do(f"atomicrmw add ptr {self.element(HALTED, '1')}, i64 1 monotonic")
        self.jump(done)
        self.begin(further)

    def text(self) -> str:
        """The finished function."""
        self.do("unreachable")
        return "\n".join([self._head, "entry:", *self._entry, *self._lines, "}\n"])
