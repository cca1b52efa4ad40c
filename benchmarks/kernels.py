"""From a model to its kernel: with nothing cached, and with the object of an earlier process.

The yardstick is what each such process must do before anything of ours begins: start Python, and load NumPy
and LLVM. It is measured in the same processes just before, so that a slow or busy machine changes both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.systems.registry import systems
from benchmarks.common.measure import middle, of_python
from benchmarks.common.row import Row

COLD, CACHED = 5.0, 1.0
"""How many times the yardstick it may take."""

COMPILE = """
import time
import numpy, llvmlite.binding
yardstick = time.process_time()
from angarium.systems.registry import load
from angarium.checker.backend.kernel import compile_system
import angarium.checker.frontend.build
import angarium.checker.explore.native
start = time.process_time()
compile_system(load({name!r}))
print(yardstick, time.process_time() - start)
"""


@dataclass(frozen=True, slots=True)
class Size:
    systems: tuple[str, ...]
    repeats: int


FULL = Size(tuple(systems()), repeats=3)
TINY = Size(("queue",), repeats=1)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What one process took to compile a model."""

    seconds: float
    yardstick: float


def rows(size: Size) -> Iterator[Row]:
    for name in size.systems:
        pairs = [cold_and_cached(name) for _ in range(size.repeats)]
        cold, cached = zip(*pairs, strict=True)
        yardstick = middle([each.yardstick for each in cold + cached])
        yield _row(f"{name}: model to kernel, cold", cold, yardstick, COLD)
        yield _row(f"{name}: model to kernel, cached", cached, yardstick, CACHED)


def cold_and_cached(name: str) -> tuple[Compiled, Compiled]:
    """A first process, and one that finds what the first has stored: that it does is asserted."""
    with TemporaryDirectory() as cache:
        cold = compiled(name, cache)
        stored = objects(cache)
        assert stored, f"{name}: nothing was stored"
        cached = compiled(name, cache)
        assert objects(cache) == stored, f"{name}: compiled anew, although it was cached"
    return cold, cached


def compiled(name: str, cache: str) -> Compiled:
    yardstick, seconds = of_python(COMPILE.format(name=name), env={"XDG_CACHE_HOME": cache}).split()
    return Compiled(float(seconds), float(yardstick))


def objects(cache: str) -> dict[str, int]:
    """What is in the cache, and when it was written: an object that is stored again is a new one."""
    return {str(path): path.stat().st_mtime_ns for path in Path(cache).rglob("*.o")}


def _row(what: str, some: tuple[Compiled, ...], yardstick: float, promise: float) -> Row:
    seconds = middle([each.seconds for each in some])
    ratio = seconds / yardstick
    return Row(what, f"{seconds:.3f} CPU s = {ratio:.2f} x", f"{promise:g} x", ratio < promise)
