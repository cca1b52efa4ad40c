"""Functions of the low-level language, as machine code."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import ModuleType

from angarium.native.jit import Library, build
from angarium.native.lowlevel import Constants, translate


def compile_functions(
    modules: tuple[ModuleType, ...], exported: Mapping[str, Constants], *, thorough: bool = False
) -> Library:
    """The exported functions of some modules, which may call each other's; see `lowlevel.translate`."""
    source = "\n".join(map(inspect.getsource, modules))
    made_from = repr((source, [(name, dict(constants)) for name, constants in exported.items()]))
    return build(lambda: translate(source, exported), exported, made_from=made_from, thorough=thorough)
