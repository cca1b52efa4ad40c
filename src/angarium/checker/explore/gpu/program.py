"""What runs on a card for one system: its kernel and the search loop, as one text for one target.

On the card there are no addresses of functions to call, and LLVM is to see all at once: so the loop calls the
kernel by name, and the kernel becomes a part of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Protocol

from angarium.checker.backend import symmetry as renaming
from angarium.checker.backend.kernel import (
    Kernel,
    check_instances,
    compile_system,
    fan_out,
    guarantee_bits,
    layout_of,
    without_beginning,
    written,
)
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.backend.symmetry import Symmetry
from angarium.checker.explore import core
from angarium.checker.explore.gpu import card_core
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.labelled import labelled
from angarium.checker.ir.transition import TransitionSystem
from angarium.native import jit, ptx
from angarium.native.jit import Library
from angarium.native.llvm import Function
from angarium.native.lowlevel import Constants, constants_in, translate
from angarium.native.targets import CARD, PROCESSOR, Target

MOST_OF_ITS_OWN = 8192
"""Bytes of a thread for the successors of a state: a driver takes them for all threads that there can be."""
STARTED = {"expand_states": 3, "enter_states": 3, "find_parent": 4}
LINKING = {"count_steps": 5, "link_states": 7}
"""The functions that a launch can start, and how many arguments they have behind `thread, threads`; more of
them where the graph is wished for."""


class Compiled(Protocol):
    """What a card can start functions of."""

    def library(self) -> Library:
        """Compiled for this machine's processor."""

    def ptx(self, capability: tuple[int, int]) -> bytes:
        """Compiled for a card."""


@dataclass(frozen=True)
class Program:
    """A system and how it is to be searched, ready to be compiled for a target."""

    system: TransitionSystem
    layout: Layout
    symmetry: Symmetry | None
    wish: Wish | None = None
    """What the graph is to tell, if it is wished for: then successors tell which step leads to them."""

    @cached_property
    def fan_out(self) -> int:
        return fan_out(self.system)

    @cached_property
    def bits(self) -> dict[str, int]:
        """The bit of each guarantee in a mask."""
        return guarantee_bits(self.system)

    @property
    def bytes_per_thread(self) -> int:
        """Memory for the successors of a state."""
        return 8 * max(1, self.fan_out) * self._stride

    @property
    def is_roomy(self) -> bool:
        """Whether that is more than a thread should have of its own."""
        return self.bytes_per_thread > MOST_OF_ITS_OWN

    @cached_property
    def kernel(self) -> Kernel:
        """The same for this machine's processor, for what is asked of single states."""
        return compile_system(self.system, symmetry=self.symmetry is not None)

    def canonical(self, states: Words) -> Words:
        """The representatives of packed states: the states themselves if there is no symmetry."""
        return self.symmetry.canonical(states) if self.symmetry else states

    # --- compiled ---------------------------------------------------------------------

    def library(self) -> Library:
        """Compiled for this machine's processor."""
        return jit.build(lambda: self._text(PROCESSOR), self._started, made_from=self._made_from)

    def ptx(self, capability: tuple[int, int]) -> bytes:
        """Compiled for a card."""
        return ptx.build(lambda: self._text(CARD), self._started, capability, made_from=self._made_from)

    @property
    def _started(self) -> dict[str, int]:
        return STARTED | LINKING if self.wish else STARTED

    @property
    def _apart(self) -> int:
        """How many words tell of a step."""
        return 0 if self.wish is None else 2 if self.wish.events else 1

    @property
    def _stride(self) -> int:
        """Words of a successor."""
        return self.layout.words + self._apart

    @cached_property
    def _told(self) -> TransitionSystem:
        """The system whose kernel it is."""
        return without_beginning(labelled(self.system, self.wish) if self.wish else self.system)

    @cached_property
    def _constants(self) -> dict[str, int]:
        words = self.layout.words
        return {
            **constants_in(vars(core)),
            **constants_in(vars(card_core)),
            "WORDS": words,
            "STRIDE": self._stride,
            "WIDE": int(words > 1 or self.wish is not None),
            "EVENTFUL": int(self._apart > 1),
            "TOGETHER": 1,
            "SYMMETRIC": int(self.symmetry is not None),
            "ROOM": self.bytes_per_thread // 8,
            "OWN": 1 if self.is_roomy else self.bytes_per_thread // 8,
            "SCRATCH": int(self.is_roomy),
        }

    @property
    def _made_from(self) -> str:
        sources = [inspect.getsource(module) for module in (core, card_core)]
        renamed = self.symmetry.constants if self.symmetry else {}
        return repr((self._told, sources, self._constants, renamed))

    def _text(self, target: Target) -> str:
        constants = {**self._constants, "RELAXED": int(target is CARD)}
        loop = translated((core, card_core), dict.fromkeys(self._started, constants), target)
        if self.symmetry:
            loop += "\n" + translated((renaming,), {"canonicalise": self.symmetry.constants}, target)
        return one_text(self._told, self._apart, loop)


def compile_program(system: TransitionSystem, *, symmetry: bool = False, wish: Wish | None = None) -> Program:
    """A system's program."""
    check_instances(system)
    layout = layout_of(system, 0)
    return Program(system, layout, Symmetry(system, layout) if symmetry else None, wish)


def translated(modules: tuple[ModuleType, ...], exported: Mapping[str, Constants], target: Target) -> str:
    """Functions of low-level modules that are one program."""
    return translate("\n".join(map(inspect.getsource, modules)), exported, target)


def one_text(system: TransitionSystem, apart: int, loop: str) -> str:
    """A loop that calls `expand_one`, with the kernel of a system; so many variables tell of the step."""
    return _declared_once("\n".join([written(system, layout_of(system, apart)), _expand_one(), loop]))


def _declared_once(text: str) -> str:
    """Parts that are put together declare the same."""
    declared = [line for line in text.splitlines() if line.startswith("declare ")]
    others = [line for line in text.splitlines() if not line.startswith("declare ")]
    return "\n".join([*dict.fromkeys(declared), *others])


def _expand_one() -> str:
    """The kernel for one state, as the loop calls it."""
    given = ["i64 %state", "i64 %found", "i64 %mask"]
    function = Function("expand_one", given, attributes="nounwind alwaysinline")
    state, found, mask = (
        function.let(f"inttoptr i64 {each} to ptr") for each in ("%state", "%found", "%mask")
    )
    places = f"ptr {state}, i64 1, ptr {found}, ptr {function.slot()}, ptr {mask}"
    function.give(function.let(f"call i64 @successors({places})"))
    return function.text()
