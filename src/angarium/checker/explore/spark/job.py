"""What is searched, as every task knows it, and the native code that each process compiles for it once."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from angarium.checker.backend.kernel import compile_system
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.explore import core
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.labelled import compile_labelled
from angarium.checker.explore.native_memory import block_of, shared_fields
from angarium.checker.explore.spark import exchange_core
from angarium.checker.ir.transition import TransitionSystem
from angarium.native.functions import compile_functions
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in


@dataclass(frozen=True)
class Job:
    """One search."""

    name: str
    """Unlike that of any other search, also of the same model."""
    system: TransitionSystem
    owners: int
    """Among how many partitions the states are divided."""
    folder: Path
    """Where levels are kept; every machine can read and write it."""
    own: Path
    """A folder of this machine that is removed when the search ends."""
    wish: Wish | None = None
    symmetry: bool = False
    near: bool = True
    """Whether this machine is the one that searches."""

    @property
    def scratch(self) -> Path:
        """Where a machine keeps the visited states of the owners that it works for."""
        return self.own / "visited" if self.near else Path(tempfile.gettempdir()) / f"angarium-{self.name}"

    @property
    def code(self) -> Code:
        """The native code, compiled once in a process."""
        if self.name not in _compiled:
            _compiled.clear()
            _compiled[self.name] = Code(self.system, self.wish, self.symmetry)
        return _compiled[self.name]


class Code:
    """The kernel, and what is done with its successors."""

    def __init__(self, system: TransitionSystem, wish: Wish | None, symmetry: bool) -> None:
        self.layout = Layout(system.variables)
        self.kernel = compile_labelled(system, wish) if wish else compile_system(system, symmetry=symmetry)
        self.words, self.labelled = self.layout.words, wish is not None
        stride = self.kernel.layout.words
        self.record = stride + 1 if self.labelled else self.words
        """How many words are sent of a successor."""
        self.wide = self.words > 1 or self.labelled
        """Whether the table of visited states refers to a log of them."""
        self.block = block_of(self.kernel)
        symmetric = self.kernel.symmetry is not None
        self.library = _library(self.words, stride, self.record, symmetric)

    def shared(self) -> Words:
        """What the functions of `explore.core` share, with the kernel in its place."""
        return shared_fields(self.kernel, self.block)


_compiled: dict[str, Code] = {}


@cache
def _library(word_count: int, stride: int, record: int, symmetric: bool) -> Library:
    """The native functions for states of so many words."""
    constants = {
        **constants_in(vars(core)),
        **constants_in(vars(exchange_core)),
        "WORDS": word_count,
        "STRIDE": stride,
        "RECORD": record,
        "WIDE": int(word_count > 1 or stride > word_count),
        "LABELLED": int(stride > word_count),
        "SYMMETRIC": int(symmetric),
        "TOGETHER": 0,
    }
    # What arrives stands as it was sent, one record after the other.
    received = {**constants, "STRIDE": record}
    exported = {"insert": received, **dict.fromkeys(("route", "assign", "enter", "move"), constants)}
    return compile_functions((core, exchange_core), exported)
