"""From LLVM IR text to PTX, the assembly that a card's driver compiles for the card it has.

LLVM writes it, so nothing but the driver is needed. PTX is written for a generation of cards, and every later
one understands it. It is kept as object code is. Each exported function becomes one that a launch can start:
it finds out which thread it is, and how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import llvmlite.binding as llvm

from angarium.native import object_cache as objects
from angarium.native.jit import writers_digest, writers_unchanged
from angarium.native.llvm import Function

TRIPLE = "nvptx64-nvidia-cuda"
GENERATIONS = (((9, 0), "sm_90", "+ptx80"), ((8, 0), "sm_80", "+ptx71"), ((7, 0), "sm_70", "+ptx64"))
"""From which capability on a card understands what is written so, the newest first."""
OLDEST = GENERATIONS[-1][0]
LEVEL = 3
THREADS_IN_BLOCK = 128
_INDICES = {"tid": "thread in its block", "ctaid": "block", "ntid": "threads in a block", "nctaid": "blocks"}
_DECLARATIONS = [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in _INDICES]


def build(
    text: Callable[[], str], arguments: Mapping[str, int], capability: tuple[int, int], *, made_from: str
) -> bytes:
    """The PTX of a module whose functions of these names take so many arguments behind `thread, threads`."""
    _, processor, features = generation(capability)
    name = objects.key(
        made_from, writers_digest(), str(llvm.llvm_version_info), f"{processor} {features} O{LEVEL}"
    )
    code = objects.load(name)
    if code is None:
        code = _compile(text(), arguments, processor, features)
        if writers_unchanged():
            objects.store(name, code)
    return code


def generation(capability: tuple[int, int]) -> tuple[tuple[int, int], str, str]:
    """What a card of this capability is written for."""
    return next(each for each in GENERATIONS if each[0] <= capability)


def _compile(text: str, arguments: Mapping[str, int], processor: str, features: str) -> bytes:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu=processor, features=features, opt=LEVEL)
    started = [*_DECLARATIONS, *(_started(name, count) for name, count in arguments.items())]
    about = f'target triple = "{TRIPLE}"\ntarget datalayout = "{machine.target_data}"'
    inner = text.replace("define dso_local", "define internal").replace(" dso_local ", " ")
    module: Any = llvm.parse_assembly("\n".join([about, inner, *started]))
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return str(machine.emit_assembly(module)).encode()


def _started(name: str, count: int) -> str:
    """A function that is started in all threads at once."""
    given = [f"i64 %given.{number}" for number in range(count)]
    function = Function(
        f"start_{name}",
        given,
        result="void",
        linkage="ptx_kernel",
        attributes=f'nounwind "nvvm.maxntid"="{THREADS_IN_BLOCK}"',
    )
    let = function.let
    tid, block, size, blocks = (
        let(f"zext i32 {let(f'call i32 @llvm.nvvm.read.ptx.sreg.{name}.x()')} to i64") for name in _INDICES
    )
    thread = let(f"add i64 {let(f'mul i64 {block}, {size}')}, {tid}")
    threads = let(f"mul i64 {blocks}, {size}")
    function.let(f"call i64 @{name}({', '.join([f'i64 {thread}', f'i64 {threads}', *given])})")
    function.leave()
    return function.text()
