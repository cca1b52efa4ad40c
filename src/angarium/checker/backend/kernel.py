"""From a transition system to its kernel: native code that expands packed states.

    successors(in, n, out, ends, masks) -> count

For each of the n states at `in` it writes the successors to `out`, one after the other.
`ends[i]` is the number of successors written up to and including those of state i. `masks[i]`
says what state i *hits*: a bit for each guarantee (an invariant that is false, a `reaches`
condition that is true, an `at_rest` condition that is false where no step is possible), and
bit 63 for a failure.

A loop that may run for long can be halted. What was computed then is worth nothing, and the count is -1.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.layout import Layout, Words
from angarium.checker.backend.symmetry import Symmetry
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem, combinations
from angarium.core.control import aside
from angarium.core.errors import LimitError
from angarium.native.jit import Library, build

MAX_INSTANCES = 1 << 18
"""All successors of a state stand in memory at once."""
FAILURE_BIT = 63
HALTED = -1
_SUCCESSORS = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 3])


@dataclass(frozen=True)
class Expansion:
    """What a kernel says of a batch of states."""

    successors: Words
    ends: NDArray[np.int64]
    masks: Words


@dataclass(frozen=True)
class Kernel:
    """A compiled transition system."""

    system: TransitionSystem
    layout: Layout
    library: Library
    symmetry: Symmetry | None = None

    @property
    def address(self) -> int:
        """Where the native `successors` is."""
        return self.library.addresses["successors"]

    @cached_property
    def fan_out(self) -> int:
        return fan_out(self.system)

    @cached_property
    def bits(self) -> dict[str, int]:
        return guarantee_bits(self.system)

    def successors(self, states: Words) -> Expansion:
        """Expand a batch of packed states, one row each."""
        given = np.ascontiguousarray(states, np.uint64)
        count = len(given)
        out = np.empty((count * self.fan_out, self.layout.words), np.uint64)
        ends, masks = np.empty(count, np.int64), np.empty(count, np.uint64)
        function = _SUCCESSORS(self.address)
        places = (_address(given), count, *map(_address, (out, ends, masks)))
        with self.library.halting() as halt:
            written = (
                aside(lambda: function(*places), halt) if self.library.may_be_long else function(*places)
            )
        while written == HALTED:  # by somebody else, who has the same kernel
            written = function(*places)
        return Expansion(out[:written], ends, masks)

    def canonical(self, states: Words) -> Words:
        """The representatives of packed states: the states themselves if there is no symmetry."""
        return states if self.symmetry is None else self.symmetry.canonical(states)


def _address(array: NDArray[np.generic]) -> int:
    return int(array.ctypes.data)


def compile_system(
    system: TransitionSystem, *, symmetry: bool = False, apart: int = 0, thorough: bool = False
) -> Kernel:
    """The kernel of a system, from the object cache if it was compiled before.

    So many of the last variables are kept apart from the others. A kernel that will run for long is worth
    compiling thoroughly.
    """
    check_instances(system)
    layout = layout_of(system, apart)
    group = Symmetry(system, layout) if symmetry else None
    return Kernel(system, layout, _library(without_beginning(system), apart, thorough), group)


def layout_of(system: TransitionSystem, apart: int) -> Layout:
    """The layout of states and of what is told of steps."""
    kept = len(system.variables) - apart
    return Layout(system.variables[:kept], apart=system.variables[kept:])


def guarantee_bits(system: TransitionSystem) -> dict[str, int]:
    """The bit of each guarantee in a mask."""
    declared = {each.name: bit for bit, each in enumerate(system.guarantees)}
    return {**declared, STAYS_IN_RANGE: FAILURE_BIT}


def fan_out(system: TransitionSystem) -> int:
    """The number of action instances: no state has more successors."""
    return sum(combinations(action.parameters) for action in system.actions)


def without_beginning(system: TransitionSystem) -> TransitionSystem:
    """What a kernel depends on: steps and guarantees, wherever a search begins."""
    variables = tuple(replace(each, initial=(each.low,) * each.cells) for each in system.variables)
    begin = replace(system, parameters=(), variables=variables, setup=(), setup_body=())
    return replace(begin, temporal=(), known_hash="")


@lru_cache(maxsize=16)
def _library(system: TransitionSystem, apart: int, thorough: bool) -> Library:
    made_from = repr((system, apart))
    return build(
        lambda: written(system, layout_of(system, apart)),
        ["successors"],
        made_from=made_from,
        thorough=thorough,
    )


def written(system: TransitionSystem, layout: Layout) -> str:
    """What is compiled if it was not before; only then is loaded what writes it."""
    from angarium.checker.backend.kernel_text import kernel_text

    return kernel_text(system, layout)


def check_instances(system: TransitionSystem) -> None:
    for action in system.actions:
        if combinations(action.parameters) > MAX_INSTANCES:
            raise LimitError(
                "ANG050",
                f"the action {action.name} has {combinations(action.parameters):,} combinations of arguments",
                possible=f"at most {MAX_INSTANCES:,}",
                remedy="give the action fewer arguments, or the model smaller parameters",
            )
