"""Calling the functions of a low-level module, which are compiled when the first of them is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType, ModuleType

import numpy as np
from numpy.typing import NDArray

from angarium.native.functions import compile_functions
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Native:
    """Functions of a module, as machine code."""

    module: ModuleType
    names: tuple[str, ...]
    variants: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """More functions, by `name.variant`, with the constants that make the difference."""
    also: tuple[ModuleType, ...] = ()
    """Low-level modules whose functions it calls: it imports them for its readers and the type checker."""
    thorough: bool = False
    """Whether it runs for so long that it is worth to be compiled for long."""

    @cached_property
    def library(self) -> Library:
        modules = (*self.also, self.module)
        constants = constants_in(_names(modules))
        exported = dict.fromkeys(self.names, constants)
        exported |= {name: {**constants, **other} for name, other in self.variants.items()}
        return compile_functions(modules, exported, thorough=self.thorough)

    def call(self, name: str, *arguments: int | Array) -> int:
        """Call a function on words; an array stands for its address."""
        return self.library.call(name, *arguments)


def _names(modules: Iterable[ModuleType]) -> dict[str, object]:
    """The constants and functions of modules, each of which must be the same thing in all of them."""
    found: dict[str, object] = {}
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, int | FunctionType) and found.setdefault(name, value) != value:
                raise SyntaxError(f"{name} of {module.__name__} is something else in a module that it uses")
    return found
