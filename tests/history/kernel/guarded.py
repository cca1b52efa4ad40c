"""The kernel with bounds that are checked: arrays that lie between pages that nobody may touch.

Whoever reads or writes a word behind the end of an array, or a page before it, ends the process.
`python -m tests.history.kernel.guarded HISTORIES SOUPS` audits random histories so, whole and in small
pieces, and reads lines so; it says how much it found.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import tempfile
import weakref
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake import flat, json_lines, text
from angarium.history.intake.text import Lines
from angarium.history.kernel import (
    crew,
    encoding,
    facts,
    folding,
    hashing,
    interning,
    memory,
    tally,
)
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from tests.history.every import rows
from tests.history.intake.test_flat import lines, rows_of
from tests.history.kernel.test_agrees import source

GUARDED = (memory, encoding, interning, tally, facts, hashing, folding, crew, flat)
_C = ctypes.CDLL(None, use_errno=True)
_C.mmap.restype = ctypes.c_void_p
_C.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_C.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_C.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_NOBODY = 0


def guarded(values: NDArray[Any]) -> NDArray[Any]:
    """An array with the same values that ends where a page begins that nobody may touch."""
    size = max(values.nbytes, 1)
    pages = -(-size // mmap.PAGESIZE)
    whole = (pages + 2) * mmap.PAGESIZE
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = _C.mmap(None, whole, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    end = start + (pages + 1) * mmap.PAGESIZE
    for page in (start, end):
        assert _C.mprotect(page, mmap.PAGESIZE, _NOBODY) == 0
    there = (ctypes.c_char * size).from_address(end - values.nbytes)
    weakref.finalize(there, _C.munmap, start, whole)
    found = np.frombuffer(there, values.dtype, values.size).reshape(values.shape)
    found[...] = values
    return found


class Guarded:
    """NumPy, but for what makes arrays."""

    MAKING = ("zeros", "empty", "full", "array", "ascontiguousarray", "concatenate", "frombuffer")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever NumPy has)
        plain = getattr(np, name)
        if name not in self.MAKING:
            return plain
        return lambda *given, **named: guarded(plain(*given, **named))


def main(histories: int, soups: int) -> None:
    for module in GUARDED:
        vars(module)["np"] = Guarded()
    vars(memory)["_pages"] = lambda count: guarded(np.zeros(count, np.uint64))
    given = rows(histories, soups)
    for size, part, threads in ((1 << 16, 1 << 14, 1), (997, 64, 2)):
        memory.PART = part
        found = audit(source(given, size), Parameters(), threads=threads, mend=False)
        sys.stdout.write(f"{len(given)} rows, {len(found.violations)} violations\n")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(histories * 20):
            random, path = Random(seed), Path(folder) / "a.jsonl"
            text.ROWS = random.choice((1, 2, 5, 1000))
            path.write_bytes(lines(random))
            told = path, 0, 0, json_lines.row_of
            assert rows_of(flat.FlatLines(*told)) == rows_of(Lines(*told))
    sys.stdout.write("lines, too\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
