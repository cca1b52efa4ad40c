"""Where the order of processes in one step could be seen: at their start, and after a rendezvous.

What stands before the first await of all processes belongs to the initial state (ADR 4). There they begin one
after the other, as they are written, and that order is nobody's claim about the system. So it must be
impossible to see: of what one instance changes, no other may change or read anything, unless all of them only
set it to the same value.

    async def first(self) -> None:      async def second(self) -> None:
        self.turn = 1                       if self.turn == 1: ...      # refused: who begins first decides

After a rendezvous both processes go on in the same step. If one of them changes what the other reads or
changes, both orders are explored.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from angarium.checker.frontend.context import Context
from angarium.checker.frontend.control import Step
from angarium.checker.frontend.order import names_of, selected, strides_of
from angarium.checker.frontend.process import Process
from angarium.checker.ir.syntax import Binary, Block, Call, Const, Expr, Read, Stmt, Write
from angarium.checker.ir.traversal import expressions, statements, writes
from angarium.checker.ir.types import size
from angarium.core.errors import ModelError, Place


@dataclass(frozen=True, slots=True)
class Row:
    """Where an instance keeps what is its own."""

    process: Process
    index: Expr

    def has(self, variable: str, index: Expr | None) -> bool:
        """Whether a cell is in the row: the variable is of the process, and at its index, or inside of it."""
        if not variable.startswith(f"{self.process.name}."):
            return False
        match index:
            case Binary("+", Binary("*", row, Const()), _) | Binary("*", row, Const()) if row == self.index:
                return True
        return index == self.index or isinstance(self.index, Const)


@dataclass(frozen=True, slots=True)
class Start:
    """What a process does before its first await."""

    process: Process
    step: Step
    block: Block

    @property
    def statements(self) -> list[Stmt]:
        return list(statements(self.block))

    @property
    def written(self) -> dict[str, list[Write]]:
        found: dict[str, list[Write]] = {}
        for each in self.statements:
            if isinstance(each, Write):
                found.setdefault(each.variable, []).append(each)
        return found

    def indices(self, context: Context, variable: str) -> Iterator[Expr | None]:
        """Where a variable is touched; None for anywhere."""
        for statement in self.statements:
            if isinstance(statement, Write) and statement.variable == variable:
                yield statement.index
            yield from reads_of(context, statement, variable)


def reads_of(context: Context, statement: Stmt, variable: str) -> Iterator[Expr | None]:
    """Where a statement reads a variable; None for anywhere."""
    for each in expressions(statement):
        if isinstance(each, Read) and each.variable == variable:
            yield each.index
        if isinstance(each, Call) and variable in context.reads_of_helper(each.helper):
            yield None


def in_conflict(context: Context, one: Block, other: Block, rows: tuple[Row, Row]) -> bool:
    """Whether the order of two blocks may be seen: one changes what the other reads or changes.

    `rows` are those in which the two instances keep what is theirs. Other cells are told apart only by
    numbers, so that the answer may be yes for nothing: then both orders end in one state.
    """
    return any(
        not _are_apart(variable, (first, second), rows)
        for variable in writes(one) | writes(other)
        for first in _touched(context, one, variable)
        for second in _touched(context, other, variable)
    )


def _touched(context: Context, block: Block, variable: str) -> set[Expr | None]:
    """Where a block touches a variable; None for anywhere."""
    found: set[Expr | None] = set()
    for statement in statements(block):
        if isinstance(statement, Write) and statement.variable == variable:
            found.add(statement.index)
        found |= set(reads_of(context, statement, variable))
    return found


def _are_apart(variable: str, indices: tuple[Expr | None, Expr | None], rows: tuple[Row, Row]) -> bool:
    first, second = indices
    if isinstance(first, Const) and isinstance(second, Const):
        return first != second
    return all(row.has(variable, index) for index, row in zip(indices, rows, strict=True))


def refuse_questions(context: Context, block: Block, node: ast.AST) -> None:
    """Whether a process is finished or has crashed has no answer before all processes have begun."""
    asked = {each for statement in statements(block) for each in context.reads(statement)}
    for name in context.processes:
        if f"{name}.pc" in asked:
            raise context.module.error(
                "ANG104",
                node,
                f"finished or crashed is asked here of {name} before all processes have begun",
                "",
                "put `await until(True)` before it",
            )


def check_starts(context: Context, starts: Sequence[Start]) -> None:
    """Refuse processes of which it can be seen which one begins first."""
    for start in starts:
        refuse_questions(context, start.block, start.process.decl.node)
    for start in starts:
        for variable, written in start.written.items():
            if _sets_one_value(context, starts, variable):
                continue
            others = [each for each in starts if each is not start]
            seen = [each for each in others if _meet(context, start, each, variable)]
            if seen or not _has_cells_of_its_own(context, start, variable):
                raise _seen(context, start, written[0], seen[0] if seen else start)


def _sets_one_value(context: Context, starts: Sequence[Start], variable: str) -> bool:
    """Whether a variable is read by nobody, and every write gives it the same number."""
    values = {write.value for start in starts for write in start.written.get(variable, ())}
    read = any(
        True for start in starts for each in start.statements for _ in reads_of(context, each, variable)
    )
    return not read and len(values) == 1 and isinstance(values.pop(), Const)


def _meet(context: Context, one: Start, other: Start, variable: str) -> bool:
    """Whether two processes may touch one cell; different numbers are different cells."""
    touched = [set(each.indices(context, variable)) for each in (one, other)]
    fixed = all(isinstance(index, Const) for indices in touched for index in indices)
    return bool(touched[0] & touched[1]) if fixed else bool(touched[0] and touched[1])


def _has_cells_of_its_own(context: Context, start: Start, variable: str) -> bool:
    """Whether no two instances of a process touch the same cell of a variable."""
    indices = list(start.indices(context, variable))
    if variable.startswith(f"{start.process.name}."):
        return all(Row(start.process, start.step.index).has(variable, index) for index in indices)
    for name, key in zip(start.step.instance, start.process.keys, strict=True):
        own, strides = names_of(name, start.statements), strides_of(context, variable, key)
        shared = set(strides)
        for index in indices:
            shared &= selected(index, own, strides, is_plain=True) if index is not None else set()
        if size(key) > 1 and not shared:
            return False
    return True


def _seen(context: Context, start: Start, write: Write, other: Start) -> ModelError:
    position = context.positions.get(write.at)
    place = (
        Place(position.file, position.line, position.column, position.text)
        if position is not None
        else context.module.place(start.process.decl.node)
    )
    who = "another instance of it" if other is start else other.process.name
    return ModelError(
        "ANG104",
        f"{start.process.name} changes {write.variable} before its first await, and {who} reads or changes "
        "it before its own: which of them begins first would decide",
        remedy="put `await until(True)` before it, or do it in a function marked @initial",
        place=place,
    )
