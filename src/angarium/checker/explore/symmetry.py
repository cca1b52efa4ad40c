"""Interchangeable values: all names for one state, by brute force.

Values of a symmetric `Index` type can be renamed without changing what a state means. A renaming is
one permutation for each symmetric type; it moves the cells of the dimensions that the type indexes,
and renames the cells that hold a value of it. Positions in a sequence behind its length, and the
parts of an absent option, hold the lowest value whatever it is called, so they are set back after
renaming. The least of all renamings of a state stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod

from angarium.checker.explore.engine import Cells
from angarium.checker.ir.labels import index_types
from angarium.checker.ir.transition import TransitionSystem, Variable
from angarium.checker.ir.types import Array, Index, Option, Record, Seq, Type, is_scalar
from angarium.core.errors import LimitError

Renaming = Mapping[str, Sequence[int]]
"""For each symmetric type's name, the new number of each value."""

MOST_RENAMINGS = 40_320


class Symmetry:
    """The renamings of a system's states."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._renamings = list(renamings(system))
        self._spare = [spare for name, type_ in system.state for spare in _spares(type_, name, 1)]

    def least(self, cells: Cells) -> Cells:
        """The state that stands for all renamings of this one."""
        return min(self.rename(cells, renaming) for renaming in self._renamings)

    def rename(self, cells: Cells, renaming: Renaming) -> Cells:
        """The same state with other names."""
        renamed = list(cells)
        for variable in self._system.variables:
            first = self._system.offset[variable.name]
            for index in range(variable.cells):
                moved = _move(index, variable, renaming)
                renamed[first + moved] = _rename(cells[first + index], variable.type, renaming)
        self._clear_spare(renamed)
        return tuple(renamed)

    def _clear_spare(self, cells: list[int]) -> None:
        for count, item, rows, capacity in self._spare:
            for variable in self._system.variables:
                if variable.name == item or variable.name.startswith(f"{item}."):
                    self._clear(cells, count, variable, rows, capacity)

    def _clear(self, cells: list[int], count: str, variable: Variable, rows: int, capacity: int) -> None:
        offset, row_size = self._system.offset, variable.cells // rows
        for row in range(rows):
            used = cells[offset[count] + row] * (row_size // capacity)
            for place in range(used, row_size):
                cells[offset[variable.name] + row * row_size + place] = variable.low


def renamings(system: TransitionSystem) -> Iterator[Renaming]:
    """All renamings; refuses if they are too many to try each on every state."""
    types = sorted({each for each in index_types(system) if each.symmetric}, key=lambda t: t.name)
    number = prod(factorial(each.size) for each in types)
    if number > MOST_RENAMINGS:
        sizes = ", ".join(f"{each.size} of {each.name}" for each in types)
        raise LimitError(
            "ANG051",
            f"interchangeable values can be renamed in {number:,} ways: {sizes}",
            possible=f"at most {MOST_RENAMINGS:,} ways",
            remedy="choose fewer of them, or search without symmetry",
        )
    for chosen in product(*(permutations(range(each.size)) for each in types)):
        yield {each.name: permutation for each, permutation in zip(types, chosen, strict=True)}


def _move(index: int, variable: Variable, renaming: Renaming) -> int:
    """Where a cell goes."""
    moved, stride = 0, 1
    for extent, key in zip(reversed(variable.dims), reversed(variable.keys), strict=True):
        index, position = divmod(index, extent)
        new = position if key is None else _rename(key.low + position, key, renaming) - key.low
        moved, stride = moved + new * stride, stride * extent
    return moved


def _rename(value: int, type_: Type, renaming: Renaming) -> int:
    item = type_.item if isinstance(type_, Option) else type_
    if isinstance(item, Index) and item.symmetric and value >= item.low:
        return renaming[item.name][value]
    return value


def _spares(type_: Type, name: str, rows: int) -> Iterator[tuple[str, str, int, int]]:
    """What may be unused: the variable that counts, the items' name, how often, how many."""
    match type_:
        case Record(_, fields):
            for field, item in fields:
                yield from _spares(item, f"{name}.{field}", rows)
        case Array(index, item):
            yield from _spares(item, name, rows * (index.high - index.low + 1))
        case Seq(item, capacity):
            yield f"{name}.len", f"{name}.at", rows, capacity
            yield from _spares(item, f"{name}.at", rows * capacity)
        case Option(item) if not is_scalar(type_):
            yield f"{name}.some", f"{name}.item", rows, 1
            yield from _spares(item, f"{name}.item", rows)
