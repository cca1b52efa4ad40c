"""The low-level language computes what it says."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from angarium.native import jit
from angarium.native.jit import build
from angarium.native.lowlevel import constants_in, translate

SOURCE = """
def gcd(a, b):
    while b:
        rest = a % b
        a = b
        b = rest
    return a

def total(p, n):
    result = 0
    for i in range(n):
        if p[i] == SKIP:
            continue
        if p[i] > 100 or not p[i]:
            break
        result += twice(p[i])
    return result

def twice(x):
    if TRIPLE:
        return x * 3
    return x + x

def memory(p):
    scratch = local(4)
    scratch[3] = atomic_add(p, 0, 5)
    atomic_or(p, 1, 6)
    swap_if(p, 2, 7, 8)
    atomic_store(offset(p, 1), 2, ~scratch[3])
    prefetch(p, 0)
    return atomic_load(p, 0) if swap_if(p, 2, 7, 9) == 8 else 0

def parts(p):
    put_half(p, 3, half(p, 0) + half(p, 1))
    put_byte(p, 17, byte(p, 0) + 1)
    return half(p, 3)
"""


def run(name: str, *arguments: int, **constants: int) -> int:
    exported = {name: {"SKIP": 3, "TRIPLE": 0, **constants}}
    library = build(lambda: translate(SOURCE, exported), exported, made_from=repr((SOURCE, exported)))
    prototype = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * len(arguments))
    return int(prototype(library.addresses[name])(*arguments))


def test_loops_and_arithmetic() -> None:
    assert run("gcd", 84, 36) == 12
    assert run("gcd", 2**64 - 1, 15) == 15


def test_halves_and_bytes_touch_nothing_else() -> None:
    memory = np.array([0xFFFFFFFF_000000FF, 0x1111111122222222, 0x3333333333333333], np.uint64)

    total = run("parts", int(memory.ctypes.data))

    assert total == (0xFF + 0xFFFFFFFF) & 0xFFFFFFFF
    assert [hex(word) for word in memory] == ["0xffffffff000000ff", "0xfe22222222", "0x3333333333330033"]


@pytest.mark.parametrize(("triple", "expected"), [(0, 6), (1, 9)])
def test_control_flow_calls_and_constants(triple: int, expected: int) -> None:
    words = np.array([1, 3, 2, 0, 50], np.uint64)
    assert run("total", words.ctypes.data, len(words), TRIPLE=triple) == expected


def test_variants_live_side_by_side() -> None:
    exported = {"total": {"SKIP": 3, "TRIPLE": 0}, "total.more": {"SKIP": 3, "TRIPLE": 1}}
    library = build(lambda: translate(SOURCE, exported), exported, made_from=repr((SOURCE, exported)))
    words = np.array([5], np.uint64)
    prototype = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)
    results = [prototype(library.addresses[name])(words.ctypes.data, 1) for name in exported]
    assert results == [10, 15]


def test_functions_of_the_module_are_inlined() -> None:
    text = translate(SOURCE, {"total": {"SKIP": 3, "TRIPLE": 0}})
    assert "call i64 @total.twice" in text
    assert b"twice" not in jit._compile(text)


def test_memory_and_atomics() -> None:
    words = np.array([10, 1, 7, 0], np.uint64)
    assert run("memory", words.ctypes.data) == 15
    assert words.tolist() == [15, 7, 8, 2**64 - 1 - 10]


def test_constants_are_the_names_in_capitals() -> None:
    assert constants_in({"ONE": 1, "two": 2, "THREE": "3"}) == {"ONE": 1}


@pytest.mark.parametrize("line", ["x = [1]", "import os", "x = nobody(1)", "(a, b) = 1"])
def test_other_python_is_refused(line: str) -> None:
    with pytest.raises(SyntaxError):
        translate(f"def f(a):\n    {line}\n", {"f": {}})
