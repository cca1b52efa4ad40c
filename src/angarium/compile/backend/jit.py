"""From LLVM IR text to addresses of machine code, by way of the object cache.

LLVM's ready-made pipelines spend most of their time on what a kernel does not need. Loops over queues or
consumers are short, so what counts is to unroll them early and to simplify what is left, once: less than half
the time of LLVM's O1, for code that is a fifth slower. NewGVN would gain half of that back, but on some
kernels (`kafka-delivery` was one) it fails an assertion of LLVM's own, and that ends the process.

Code that will run for long can be compiled *thoroughly*: LLVM's O2, which takes three times as long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from angarium.compile.backend import cache as objects

LEVEL = 2
"""How hard LLVM's code generator works."""
PASSES = (
    "always_inliner",
    "sroa",
    "simplify_cfg",
    "instruction_combine",
    "loop_rotate",
    "loop_unroll",
    "sccp",
    "instruction_combine",
    "simplify_cfg",
    "aggressive_dce",
)
"""What is done to the text before it, by llvmlite's names."""
THOROUGH = 2
"""The level of LLVM's own pipeline for code that will run for long."""


@dataclass(frozen=True)
class Library:
    """Loaded machine code; it stays in memory as long as this object lives."""

    engine: Any
    addresses: dict[str, int]

    def call(self, name: str, *arguments: int | NDArray[np.generic]) -> int:
        """Call a function on words, without the interpreter's lock; an array stands for its address."""
        given = [each if isinstance(each, int) else int(each.ctypes.data) for each in arguments]
        prototype = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * len(given))
        return int(prototype(self.addresses[name])(*given))


def build(text: str, names: Iterable[str], *, thorough: bool = False) -> Library:
    """Compile a module, or take it from the cache, and find its functions."""
    way = f"O{THOROUGH}" if thorough else " ".join(PASSES)
    name = objects.key(text, *_processor(), str(llvm.llvm_version_info), f"{LEVEL} {way}")
    code = objects.load(name)
    if code is None:
        code = _compile(text, thorough)
        objects.store(name, code)
    return _load(code, names)


@cache
def _processor() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine() -> Any:  # noqa: ANN401 - llvmlite has no types
    """A target machine; an execution engine takes possession of the one it is given."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(opt=LEVEL, cpu=name, features=features, jit=True)


def _compile(text: str, thorough: bool = False) -> bytes:
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_process_triple(), str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=THOROUGH)
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager() if thorough else _quick_passes()
    passes.run(module, builder)
    return bytes(machine.emit_object(module))


def _quick_passes() -> Any:  # noqa: ANN401 - llvmlite has no types
    passes = llvm.create_new_module_pass_manager()
    for name in PASSES:
        getattr(passes, f"add_{name}_pass")()
    return passes


def _load(code: bytes, names: Iterable[str]) -> Library:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Library(engine, {name: engine.get_function_address(name) for name in names})
