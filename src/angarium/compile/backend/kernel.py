"""From a transition system to its kernel: native code that expands packed states.

    successors(in, n, out, ends, masks) -> count

For each of the n states at `in` it writes the successors to `out`, one after the other.
`ends[i]` is the number of successors written up to and including those of state i. `masks[i]`
says what state i *hits*: a bit for each guarantee (an invariant that is false, a `reaches`
condition that is true, an `at_rest` condition that is false where no step is possible), and
bit 63 for a failure.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from angarium.compile.backend.jit import Library, build
from angarium.compile.backend.kernel_actions import FAILURE, compile_action, compile_guarantee
from angarium.compile.backend.kernel_expressions import Module, combinations
from angarium.compile.backend.layout import Layout, Words
from angarium.compile.backend.llvm import Function
from angarium.compile.backend.symmetry import Symmetry
from angarium.errors import LimitError
from angarium.model.transition import STAYS_IN_RANGE, Guarantee, TransitionSystem

MAX_INSTANCES = 1 << 18
"""All successors of a state stand in memory at once."""
DECLARATIONS = (
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare i64 @llvm.ctpop.i64(i64)",
    *(f"declare {{i64, i1}} @llvm.s{op}.with.overflow.i64(i64, i64)" for op in ("add", "sub", "mul")),
)
MAX_GUARANTEES = 63
FAILURE_BIT = 63
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
        """The number of action instances: no state has more successors."""
        return sum(combinations(action.parameters) for action in self.system.actions)

    @cached_property
    def bits(self) -> dict[str, int]:
        """The bit of each guarantee in a mask."""
        declared = {each.name: bit for bit, each in enumerate(self.system.guarantees)}
        return {**declared, STAYS_IN_RANGE: FAILURE_BIT}

    def successors(self, states: Words) -> Expansion:
        """Expand a batch of packed states, one row each."""
        given = np.ascontiguousarray(states, np.uint64)
        count = len(given)
        out = np.empty((count * self.fan_out, self.layout.words), np.uint64)
        ends, masks = np.empty(count, np.int64), np.empty(count, np.uint64)
        function = _SUCCESSORS(self.address)
        written = function(*(_address(given), count, *map(_address, (out, ends, masks))))
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
    _check_instances(system)
    kept = len(system.variables) - apart
    layout = Layout(system.variables[:kept], apart=system.variables[kept:])
    group = Symmetry(system, layout) if symmetry else None
    return Kernel(system, layout, _library(_without_beginning(system), apart, thorough), group)


def _without_beginning(system: TransitionSystem) -> TransitionSystem:
    """What a kernel depends on: steps and guarantees, wherever a search begins."""
    variables = tuple(replace(each, initial=(each.low,) * each.cells) for each in system.variables)
    begin = replace(system, parameters=(), variables=variables, setup=(), setup_body=())
    return replace(begin, temporal=(), known_hash="")


@lru_cache(maxsize=16)
def _library(system: TransitionSystem, apart: int, thorough: bool) -> Library:
    kept = len(system.variables) - apart
    layout = Layout(system.variables[:kept], apart=system.variables[kept:])
    made_from = repr((system, apart))
    return build(lambda: kernel_text(system, layout), ["successors"], made_from=made_from, thorough=thorough)


def kernel_text(system: TransitionSystem, layout: Layout) -> str:
    """The kernel as LLVM IR."""
    _check_guarantees(system.guarantees)
    module = Module(system, layout)
    for number, action in enumerate(system.actions):
        compile_action(module, f"action.{number}", action)
    for number, guarantee in enumerate(system.guarantees):
        compile_guarantee(module, f"guarantee.{number}", guarantee)
    return "\n".join([*DECLARATIONS, *module.functions, _successors(module)])


def _check_instances(system: TransitionSystem) -> None:
    for action in system.actions:
        if combinations(action.parameters) > MAX_INSTANCES:
            raise LimitError(
                "ANG050",
                f"the action {action.name} has {combinations(action.parameters):,} combinations of arguments",
                possible=f"at most {MAX_INSTANCES:,}",
                remedy="give the action fewer arguments, or the model smaller parameters",
            )


def _check_guarantees(guarantees: Sequence[Guarantee]) -> None:
    if len(guarantees) > MAX_GUARANTEES:
        raise LimitError(
            "ANG050",
            f"in each state {len(guarantees)} guarantees and conditions are to be looked at",
            possible=f"at most {MAX_GUARANTEES}",
            remedy="check some of them at a time",
        )


def _successors(module: Module) -> str:
    """The loop over the states of a batch."""
    parameters = ["ptr noalias readonly %in", "i64 %n", "ptr noalias %out"]
    parameters += ["ptr noalias %ends", "ptr noalias %masks"]
    function = Function("successors", parameters, linkage="dso_local")
    words, written, hits = module.layout.words, function.slot(), function.slot()
    memo = function.slot(f"[{max(1, module.memo_words)} x i64]")
    function.store("0", written)
    with function.counting("0", "%n") as loop:
        position = function.let(f"mul i64 {loop.index}, {words}")
        context = f"ptr {function.element('%in', position)}, ptr {memo}"
        _expand(module, function, context, memo, written, hits)
        function.store(function.load(written), "%ends", loop.index)
        function.store(function.load(hits), "%masks", loop.index)
    function.give(function.load(written))
    return function.text()


def _expand(module: Module, function: Function, context: str, memo: str, written: str, hits: str) -> None:
    """Everything about one state: forget, take all steps, look at the guarantees."""
    for word in range(module.memo_masks):
        function.store("0", memo, str(word))
    function.store("0", hits)
    before = function.load(written)
    for number in range(len(module.system.actions)):
        _take(module, function, f"@action.{number}({context}", written, hits)
    none = function.let(f"icmp eq i64 {before}, {function.load(written)}")
    fine = function.let(f"icmp eq i64 {function.load(hits)}, 0")
    rest = function.let(f"and i1 {none}, {fine}")
    for number, guarantee in enumerate(module.system.guarantees):
        _look(function, f"@guarantee.{number}({context})", number, guarantee, rest, hits)


def _take(module: Module, function: Function, call: str, written: str, hits: str) -> None:
    """Call an action and account for what it gives."""
    count = function.load(written)
    position = function.let(f"mul i64 {count}, {module.layout.words}")
    target = function.element("%out", position)
    given = function.let(f"call i64 {call}, ptr {target})")
    failure = function.let(f"and i64 {given}, {FAILURE}")
    fresh = function.let(f"xor i64 {given}, {failure}")
    function.store(function.let(f"add i64 {count}, {fresh}"), written)
    _hit(function, failure, hits)


def _look(function: Function, call: str, bit: int, guarantee: Guarantee, rest: str, hits: str) -> None:
    """Evaluate a guarantee, if it is about this state, and account for what it gives."""
    done = function.label("looked")
    if guarantee.kind == "at_rest":
        look = function.label("look")
        function.branch(rest, look, done)
        function.begin(look)
    truth = function.let(f"call i64 {call}")
    hit = function.let(f"icmp eq i64 {truth}, {1 if guarantee.kind == 'reaches' else 0}")
    _hit(function, function.let(f"select i1 {hit}, i64 {1 << bit}, i64 0"), hits)
    failed = function.let(f"icmp eq i64 {truth}, 2")
    _hit(function, function.let(f"select i1 {failed}, i64 {FAILURE}, i64 0"), hits)
    function.begin(done)


def _hit(function: Function, mask: str, hits: str) -> None:
    function.store(function.let(f"or i64 {function.load(hits)}, {mask}"), hits)
