"""What a search needs of a card; and the emulated grid, which does the same with this machine's processor.

An address is a number on either. The grid runs the same functions, compiled for the processor, in a few
threads that stand for the thousands of a card: for tests, and for machines without a card.
"""

from __future__ import annotations

import ctypes
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.gpu.program import Compiled
from angarium.checker.explore.native_memory import WORD, address, physical_memory, reserve
from angarium.native.cuda import CudaCard, Found

Array = NDArray[np.generic]
EMULATED_SHARE = 0.5
"""The part of this machine's memory that counts as that of an emulated card."""


class Card(Protocol):
    """Memory by address, and functions that are started in many threads."""

    name: str
    threads: int
    """How many it can have in flight."""

    @property
    def free_memory(self) -> int:
        """Bytes."""

    def prepare(self, program: Compiled) -> None:
        """Compile what is to be started."""

    def allocate(self, size: int) -> int: ...

    def free(self, address: int) -> None: ...

    def clear(self, address: int, size: int) -> None: ...

    def write(self, address: int, values: Array) -> None: ...

    def read(self, address: int, values: Array) -> None: ...

    def copy(self, source: int, target: int, size: int) -> None: ...

    def start(self, name: str, count: int, *arguments: int) -> None: ...

    def is_done(self, seconds: float) -> bool: ...

    def halt(self, wanted: int) -> None: ...

    def close(self) -> None: ...


class RealCard(CudaCard):
    """A graphics card."""

    def __init__(self, about: Found) -> None:
        super().__init__(about)

    def prepare(self, program: Compiled) -> None:
        self.load(program.ptx)


def emulated_memory() -> int:
    """Bytes of a card that is emulated."""
    return int(WORD * physical_memory() * EMULATED_SHARE)


class EmulatedGrid:
    """A card that is not there."""

    name = "an emulated grid"

    def __init__(self, threads: int = 2) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads)
        self._memory: dict[int, NDArray[np.uint64]] = {}
        self._running: list[Future[int]] = []
        self._halting = ExitStack()

    @property
    def free_memory(self) -> int:
        return emulated_memory()

    def prepare(self, program: Compiled) -> None:
        self._library = program.library()

    def allocate(self, size: int) -> int:
        memory = reserve(-(-size // WORD))
        self._memory[address(memory)] = memory
        return address(memory)

    def free(self, address: int) -> None:
        del self._memory[address]

    def clear(self, address: int, size: int) -> None:
        ctypes.memset(address, 0, size)

    def write(self, address: int, values: Array) -> None:
        ctypes.memmove(address, values.ctypes.data, values.nbytes)

    def read(self, address: int, values: Array) -> None:
        ctypes.memmove(values.ctypes.data, address, values.nbytes)

    def copy(self, source: int, target: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def start(self, name: str, count: int, *arguments: int) -> None:
        """A grid has no more threads than there are things to do."""
        threads = min(self.threads, count)
        self._running = [
            self._pool.submit(self._library.call, name, thread, threads, *arguments)
            for thread in range(threads)
        ]

    def is_done(self, seconds: float) -> bool:
        if wait(self._running, timeout=seconds).not_done:
            return False
        for each in self._running:
            each.result()
        return True

    def halt(self, wanted: int) -> None:
        if wanted:
            self._halting.enter_context(self._library.halting())()
        else:
            self._halting.close()

    def close(self) -> None:
        """Let no thread go on when the memory is given back."""
        self._pool.shutdown()
        self._halting.close()
        self._memory.clear()
