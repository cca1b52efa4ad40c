"""What the low-level language is compiled for: this machine's processor, or a graphics card.

A card has no order among its threads' accesses to memory unless it is asked for, and asking costs. So what
is atomic there is only that; who needs more says `fence`. All of it is seen by the whole card (`device`),
not by the machine around it. And a card's threads go in step, 32 *lanes* at a time: what each lane would do
alone, such as making room for one state, they do once together. On a processor a lane is alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from angarium.native.llvm import Function

Memory = Callable[[Function, str, list[str]], str]
"""Emits an access to the word at a pointer, with some arguments; what it gives."""
Lanes = Callable[[Function, list[str]], str]
ALL_LANES = "i32 -1"


@dataclass(frozen=True)
class Target:
    """How the functions of the low-level language are said in LLVM IR."""

    memory: Mapping[str, Memory]
    lanes: Mapping[str, Lanes]
    address: Callable[[Function, str], str]
    """A word that is the address of something that all threads share."""
    declarations: tuple[str, ...]


def _memory(load: str, store: str, change: str, scope: str = "") -> dict[str, Memory]:
    """Atomic accesses in these orders."""

    def put(function: Function, pointer: str, given: list[str]) -> str:
        function.do(f"store atomic i64 {given[0]}, ptr {pointer} {scope}{store}, align 8")
        return "0"

    def swap_if(function: Function, pointer: str, given: list[str]) -> str:
        orders = f"{scope}{change} {load}"
        pair = function.let(f"cmpxchg ptr {pointer}, i64 {given[0]}, i64 {given[1]} {orders}")
        return function.let(f"extractvalue {{i64, i1}} {pair}, 0")

    def changing(how: str) -> Memory:
        return lambda f, pointer, given: f.let(
            f"atomicrmw {how} ptr {pointer}, i64 {given[0]} {scope}{change}"
        )

    return {
        "atomic_load": lambda f, p, _: f.let(f"load atomic i64, ptr {p} {scope}{load}, align 8"),
        "atomic_store": put,
        "atomic_add": changing("add"),
        "atomic_or": changing("or"),
        "swap_if": swap_if,
    }


def _nothing(*_: object) -> str:
    return "0"


def _done(instruction: str) -> Lanes:
    def emit(function: Function, _: list[str]) -> str:
        function.do(instruction)
        return "0"

    return emit


def _prefetch(function: Function, pointer: str, _: list[str]) -> str:
    function.do(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")
    return "0"


_BITS: dict[str, Lanes] = {
    "ones": lambda f, given: f.let(f"call i64 @llvm.ctpop.i64(i64 {given[0]})"),
    "lowest": lambda f, given: f.let(f"call i64 @llvm.cttz.i64(i64 {given[0]}, i1 true)"),
}
_BIT_DECLARATIONS = ("declare i64 @llvm.ctpop.i64(i64)", "declare i64 @llvm.cttz.i64(i64, i1)")


# --- this machine's processor -----------------------------------------------------------------


def _alone(function: Function, given: list[str]) -> str:
    """The ballot of one."""
    return function.let(f"zext i1 {function.let(f'icmp ne i64 {given[0]}, 0')} to i64")


PROCESSOR = Target(
    memory={**_memory("acquire", "release", "acq_rel"), "prefetch": _prefetch},
    lanes={
        **_BITS,
        "fence": _nothing,
        "lane": _nothing,
        "ballot": _alone,
        "told_by": lambda _, given: given[1],
    },
    address=lambda _, value: value,
    declarations=("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", *_BIT_DECLARATIONS),
)


# --- a graphics card --------------------------------------------------------------------------


def _lane(function: Function, _: list[str]) -> str:
    return function.let(f"zext i32 {function.let('call i32 @llvm.nvvm.read.ptx.sreg.laneid()')} to i64")


def _ballot(function: Function, given: list[str]) -> str:
    yes = function.let(f"icmp ne i64 {given[0]}, 0")
    votes = function.let(f"call i32 @llvm.nvvm.vote.ballot.sync({ALL_LANES}, i1 {yes})")
    return function.let(f"zext i32 {votes} to i64")


def _told_by(function: Function, given: list[str]) -> str:
    """Lanes tell each other half a word at a time."""
    let = function.let
    lane = let(f"trunc i64 {given[0]} to i32")
    told = []
    for shift in (0, 32):
        half = let(f"trunc i64 {let(f'lshr i64 {given[1]}, {shift}')} to i32")
        heard = f"call i32 @llvm.nvvm.shfl.sync.idx.i32({ALL_LANES}, i32 {half}, i32 {lane}, i32 31)"
        told.append(let(f"zext i32 {let(heard)} to i64"))
    return let(f"or i64 {told[0]}, {let(f'shl i64 {told[1]}, 32')}")


def _global(function: Function, value: str) -> str:
    """The card's own memory, so that nobody need find out at run time which memory is meant."""
    let = function.let
    pointer = let(f"inttoptr i64 {value} to ptr addrspace(1)")
    return let(f"ptrtoint ptr {let(f'addrspacecast ptr addrspace(1) {pointer} to ptr')} to i64")


CARD = Target(
    memory={
        **_memory("monotonic", "release", "monotonic", 'syncscope("device") '),
        "prefetch": _nothing,
    },
    lanes={
        **_BITS,
        "fence": _done('fence syncscope("device") acq_rel'),
        "lane": _lane,
        "ballot": _ballot,
        "told_by": _told_by,
    },
    address=_global,
    declarations=(
        *_BIT_DECLARATIONS,
        "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()",
        "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)",
        "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)",
    ),
)
