"""Where each cell of a state lives in its packed form of 64-bit words.

A cell of range low .. high is stored as value - low in as many bits as high - low needs; a
variable with one possible value needs none. A cell never straddles two words, so reading it is a
shift and a mask. The cells of a variable lie side by side: in one word if they fit there, else
in whole words of their own, as many cells in each as fit, from bit 0. So the place of cell i is
a linear function of i, or needs one division by a constant. Variables are placed
first-fit-decreasing, which keeps states in few words.

A state of one word uses at most 63 bits: the visited set stores state + 1, and 0 means empty.

What is told of a step, not of a state, can be kept *apart*: each such variable has a word of its own behind
all the others, so that the words of the state itself are those in front, the same as without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.checker.ir.transition import Variable
from angarium.core.errors import LimitError

WORD = 64
MAX_WORDS = 64
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Field:
    """The place of a variable's cells."""

    word: int
    shift: int
    bits: int
    low: int
    high: int
    cells: int

    @property
    def per_word(self) -> int:
        return WORD // self.bits if self.bits else self.cells

    @property
    def spans(self) -> bool:
        """Whether the cells take more than one word."""
        return self.shift + self.bits * self.cells > WORD

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    def place(self, cell: int) -> tuple[int, int]:
        """The word and the shift of one cell."""
        if not self.spans:
            return self.word, self.shift + cell * self.bits
        return self.word + cell // self.per_word, cell % self.per_word * self.bits


class Layout:
    """The packed form of the states of a system."""

    def __init__(self, variables: Sequence[Variable], *, apart: Sequence[Variable] = ()) -> None:
        self._free: list[int] = []
        placed = {v.name: self._place(v) for v in sorted(variables, key=_room, reverse=True)}
        self.fields = {variable.name: placed[variable.name] for variable in variables}
        self.bits = sum(field.bits * field.cells for field in placed.values())
        self.words = max(len(self._free), 1 if self.bits < WORD else 2)
        for each in apart:
            self.fields[each.name] = Field(self.words, 0, _bits(each), each.low, each.high, 1)
            self.words += 1
        if self.words > MAX_WORDS:
            raise LimitError(
                "ANG050",
                f"a state needs {self.words} words of 64 bits",
                possible=f"at most {MAX_WORDS}",
                remedy="use smaller ranges, shorter sequences or fewer indices",
            )

    def _place(self, variable: Variable) -> Field:
        bits = _bits(variable)
        word, shift = self._allot(bits, variable.cells)
        return Field(word, shift, bits, variable.low, variable.high, variable.cells)

    def _allot(self, bits: int, cells: int) -> tuple[int, int]:
        """The first place with room; the words that are begun are added to the free list."""
        need = bits * cells
        for word, free in enumerate(self._free):
            if need <= free:
                self._free[word] -= need
                return word, WORD - free
        if need == 0:
            return 0, 0
        first, per_word = len(self._free), WORD // bits
        full, rest = divmod(cells, per_word) if need > WORD else (0, cells)
        self._free += [0] * full + ([WORD - rest * bits] if rest else [])
        return first, 0

    # --- between cells and words ------------------------------------------------------

    @cached_property
    def places(self) -> list[tuple[int, int, int, int]]:
        """Word, shift, mask and low of each cell, in the order of the variables."""
        return [
            (*field.place(cell), field.mask, field.low)
            for field in self.fields.values()
            for cell in range(field.cells)
        ]

    def pack(self, cells: Sequence[int]) -> tuple[int, ...]:
        """The words of one state."""
        words = [0] * self.words
        for (word, shift, _, low), cell in zip(self.places, cells, strict=True):
            words[word] |= (cell - low) << shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        """The cells of one state."""
        return tuple(
            ((int(words[word]) >> shift) & mask) + low if mask else low
            for word, shift, mask, low in self.places
        )

    def pack_all(self, states: Sequence[Sequence[int]] | NDArray[np.int64]) -> Words:
        """Many states at once: rows of cells to rows of words."""
        cells = np.asarray(states, np.int64).reshape(len(states), len(self.places))
        packed = np.zeros((len(cells), self.words), np.uint64)
        for column, (word, shift, mask, low) in enumerate(self.places):
            if mask:
                packed[:, word] |= (cells[:, column] - low).astype(np.uint64) << np.uint64(shift)
        return packed

    def unpack_all(self, packed: Words) -> NDArray[np.int64]:
        """Many states at once: rows of words to rows of cells."""
        cells = np.empty((len(packed), len(self.places)), np.int64)
        for column, (word, shift, mask, low) in enumerate(self.places):
            raw = packed[:, word] >> np.uint64(shift % WORD) & np.uint64(mask)
            cells[:, column] = raw.astype(np.int64) + low
        return cells


def _bits(variable: Variable) -> int:
    return (variable.high - variable.low).bit_length()


def _room(variable: Variable) -> int:
    return _bits(variable) * variable.cells
