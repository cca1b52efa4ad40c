"""From LLVM IR text to addresses of machine code, by way of the object cache.

Writing the text takes as long as finding the object, or longer. So an object's key has what the text is *made
from*, a transition system or a source, and the sources of what writes it; the text itself is written only if
there is no object.

LLVM's ready-made pipelines spend most of their time on what a kernel does not need. Loops over queues or
consumers are short, so what counts is to unroll them early and to simplify what is left, once: less than half
the time of LLVM's O1, for code that is a fifth slower. NewGVN would gain half of that back, but on some
kernels (`kafka-delivery` was one) it fails an assertion of LLVM's own, and that ends the process.

LLVM cannot be interrupted. A long text is compiled by a process of its own, which can be ended.

Code that will run for long can be compiled *thoroughly*: LLVM's O2, which takes three times as long.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from threading import Lock
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from angarium.native import object_cache as objects
from angarium.native.llvm import HALTED

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
LONG_TEXT = 400_000
"""Characters of a text that takes seconds: all bundled systems have less."""
WRITERS = ("angarium.native", "angarium.checker.backend", "angarium.checker.ir")
"""The packages that decide what text is written."""


@dataclass(frozen=True)
class Library:
    """Loaded machine code; it stays in memory as long as this object lives."""

    engine: Any
    addresses: dict[str, int]
    halted: int = 0
    """Where `llvm.HALTED` is, if some loop looks there."""

    def call(self, name: str, *arguments: int | NDArray[np.generic]) -> int:
        """Call a function on words, without the interpreter's lock; an array stands for its address."""
        given = [each if isinstance(each, int) else int(each.ctypes.data) for each in arguments]
        prototype = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * len(given))
        return int(prototype(self.addresses[name])(*given))

    @property
    def may_be_long(self) -> bool:
        """Whether a call may take so long that it can be told to end."""
        return self.halted != 0

    @contextmanager
    def halting(self) -> Iterator[Callable[[], None]]:
        """A function that makes loops end which run for long, until the end of the block."""
        wanted = ctypes.c_int64.from_address(self.halted) if self.halted else ctypes.c_int64()
        halts = 0

        def halt() -> None:
            nonlocal halts
            with _HALTING:
                wanted.value += 1
                halts += 1

        try:
            yield halt
        finally:
            with _HALTING:
                wanted.value -= halts


_HALTING = Lock()
"""Several searches may have the same code, and count in it how many of them want it to halt."""


def build(
    text: Callable[[], str], names: Iterable[str], *, made_from: str, thorough: bool = False
) -> Library:
    """Compile a module, or take it from the cache, and find its functions.

    What the text is made from must determine it, together with the sources of the `WRITERS`.
    """
    name = _key(made_from, thorough)
    code = objects.load(name)
    if code is None:
        code = _compiled(text(), thorough)
        if writers_unchanged():
            objects.store(name, code)
    return _load(code, names)


def _key(made_from: str, thorough: bool) -> str:
    """The name of the object: a digest of all that determines it."""
    way = f"O{THOROUGH}" if thorough else " ".join(PASSES)
    return objects.key(made_from, _LOADED, *_processor(), str(llvm.llvm_version_info), f"{LEVEL} {way}")


def _writers() -> str:
    """A digest of the writers' sources as they are now."""
    found = [file for package in WRITERS for file in resources.files(package).iterdir()]
    sources = sorted((file for file in found if file.name.endswith(".py")), key=lambda file: str(file))
    return objects.key(*(file.read_text(encoding="utf-8") for file in sources))


_LOADED = _writers()
"""The same, of the code that runs. If a source is edited meanwhile, nobody knows which of the two wrote a
text, and its object is not kept."""


def writers_digest() -> str:
    """What a key has of the sources that write texts."""
    return _LOADED


def writers_unchanged() -> bool:
    """Whether nobody has edited them since they were loaded."""
    return _writers() == _LOADED


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


def _compiled(text: str, thorough: bool) -> bytes:
    if len(text) < LONG_TEXT or not sys.executable:
        return _compile(text, thorough)
    from angarium.native.apart import apart

    return apart(f"{__name__}:compile_apart", bytes([thorough]) + text.encode())


def compile_apart(given: bytes) -> bytes:
    """What a process of its own does with a long text."""
    return _compile(given[1:].decode(), bool(given[0]))


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
    addresses = {name: engine.get_function_address(name) for name in names}
    return Library(engine, addresses, engine.get_global_value_address(HALTED[1:]))
