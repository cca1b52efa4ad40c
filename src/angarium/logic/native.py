"""Calling the functions of a low-level module, which are compiled when the first of them is needed."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from angarium.compile.backend.jit import Library, build
from angarium.compile.backend.lowlevel import constants_in, translate

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Native:
    """Functions of a module, as machine code."""

    module: ModuleType
    names: tuple[str, ...]
    variants: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """More functions, by `name.variant`, with the constants that make the difference."""

    @cached_property
    def library(self) -> Library:
        constants = constants_in(vars(self.module))
        exported = dict.fromkeys(self.names, constants)
        exported |= {name: {**constants, **other} for name, other in self.variants.items()}
        return build(translate(inspect.getsource(self.module), exported), exported)

    def call(self, name: str, *arguments: int | Array) -> int:
        """Call a function on words; an array stands for its address."""
        return self.library.call(name, *arguments)
