"""A graphics card of NVIDIA's, through the library of its driver, which compiles PTX for the card it has.

Only the driver is needed, no toolkit. What it says it cannot do becomes an error of ours in one line; that
there is no memory is a MemoryError, as everywhere.

All calls are made by the thread that opened the card.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import CardError
from angarium.native import card_driver
from angarium.native.ptx import OLDEST, THREADS_IN_BLOCK

OUT_OF_MEMORY, NO_DEVICE, NOT_READY = 2, 100, 600
_MAJOR, _MINOR, _MULTIPROCESSORS, _THREADS = 75, 76, 16, 39
"""The driver's numbers for what can be asked of a card."""
_NON_BLOCKING = 1
_LOG_BUFFER, _LOG_SIZE, _LOG = 5, 6, 8192
"""Where the driver writes what it does not like about a program: its numbers for that, and how many bytes."""
_SPIN, _NAP = 200e-6, 50e-6
"""How many seconds a launch is waited for without sleeping, and how long each sleep is."""
Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Found:
    """A card that is there."""

    number: int
    name: str
    capability: tuple[int, int]
    memory: int
    """Bytes."""
    threads: int
    """How many it can have in flight."""

    @property
    def is_new_enough(self) -> bool:
        return self.capability >= OLDEST


def found() -> list[Found]:
    """The cards of this machine; an error says why it has none."""
    driver = _driver()
    count = ctypes.c_int()
    driver("cuDeviceGetCount", ctypes.byref(count))
    return [_described(driver, number) for number in range(count.value)]


def driver_version() -> str:
    """The newest version of CUDA that the driver knows."""
    version = ctypes.c_int()
    _driver()("cuDriverGetVersion", ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def _described(driver: Driver, number: int) -> Found:
    device, name, size = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
    driver("cuDeviceGet", ctypes.byref(device), number)
    driver("cuDeviceGetName", name, 256, device)
    driver("cuDeviceTotalMem_v2", ctypes.byref(size), device)
    about = [_attribute(driver, device, each) for each in (_MAJOR, _MINOR, _MULTIPROCESSORS, _THREADS)]
    threads = about[2] * about[3]
    return Found(number, name.value.decode(errors="replace"), (about[0], about[1]), size.value, threads)


def _attribute(driver: Driver, device: ctypes.c_int, which: int) -> int:
    value = ctypes.c_int()
    driver("cuDeviceGetAttribute", ctypes.byref(value), which, device)
    return value.value


# --- the driver -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Driver:
    """The driver's library."""

    library: Any

    def __call__(self, name: str, *arguments: object) -> int:
        """Call one of its functions; an error if it says so."""
        status = self.status(name, *arguments)
        if status == OUT_OF_MEMORY:
            raise MemoryError(f"{name}: out of memory")
        if status not in (0, NOT_READY):
            raise CardError("ANG161", f"the graphics card's driver says: {self.message(status)} ({name})")
        return status

    def status(self, name: str, *arguments: object) -> int:
        return int(getattr(self.library, name)(*arguments))

    def message(self, status: int) -> str:
        """What a status means."""
        text = ctypes.c_char_p()
        with suppress(AttributeError):
            self.library.cuGetErrorString(status, ctypes.byref(text))
        return (text.value or b"").decode() or f"error {status}"


@cache
def _driver() -> Driver:
    library = card_driver.library()
    if library is None:
        raise CardError(
            "ANG160",
            "no driver of a graphics card is installed here (libcuda.so.1)",
            remedy="install NVIDIA's driver, or leave out --engine gpu: the engine local needs no card",
        )
    return _initialised(Driver(library))


def _initialised(driver: Driver) -> Driver:
    status = driver.status("cuInit", 0)
    if status:
        raise CardError(
            "ANG160",
            f"the driver finds no graphics card: {driver.message(status)}",
            remedy="look at nvidia-smi, or leave out --engine gpu: the engine local needs no card",
        )
    return driver


# --- a card in use ----------------------------------------------------------------------------


class CudaCard:
    """One card, opened by this thread."""

    def __init__(self, about: Found) -> None:
        self.name, self.threads = about.name, about.threads
        self._about, self._driver = about, _driver()
        self._context, self._stream, self._other = (ctypes.c_void_p() for _ in range(3))
        self._module = ctypes.c_void_p()
        self._functions: dict[str, ctypes.c_void_p] = {}
        self._driver("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), about.number)
        self._driver("cuCtxSetCurrent", self._context)
        for stream in (self._stream, self._other):
            self._driver("cuStreamCreate", ctypes.byref(stream), _NON_BLOCKING)
        self._taken: set[int] = set()

    def load(self, ptx: Callable[[tuple[int, int]], bytes]) -> None:
        """Compile a program for this card."""
        code = ctypes.c_char_p(ptx(self._about.capability))
        log = ctypes.create_string_buffer(_LOG)
        options = (ctypes.c_int * 2)(_LOG_BUFFER, _LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG)
        status = self._driver.status(
            "cuModuleLoadDataEx", ctypes.byref(self._module), code, 2, options, values
        )
        if status == OUT_OF_MEMORY:
            raise MemoryError
        if status:
            says = log.value.decode(errors="replace").strip() or self._driver.message(status)
            raise CardError("ANG161", f"the graphics card's driver cannot compile the model: {says}")
        self._functions = {}

    def close(self) -> None:
        """Give everything back, even where the card failed."""
        for address in list(self._taken):
            self.free(address)
        if self._module:
            self._driver.status("cuModuleUnload", self._module)
        for stream in (self._stream, self._other):
            self._driver.status("cuStreamDestroy_v2", stream)
        self._driver.status("cuDevicePrimaryCtxRelease_v2", self._about.number)

    # --- memory -----------------------------------------------------------------------

    @property
    def free_memory(self) -> int:
        """Bytes that nobody has."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._driver("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size: int) -> int:
        """The address of so many bytes."""
        address = ctypes.c_uint64()
        self._driver("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 8)))
        self._taken.add(address.value)
        return address.value

    def free(self, address: int) -> None:
        self._taken.discard(address)
        self._driver.status("cuMemFree_v2", ctypes.c_uint64(address))

    def clear(self, address: int, size: int) -> None:
        """Make bytes 0."""
        self._driver("cuMemsetD8Async", ctypes.c_uint64(address), 0, ctypes.c_size_t(size), self._stream)
        self._driver("cuStreamSynchronize", self._stream)

    def write(self, address: int, values: Array) -> None:
        """Copy to the card."""
        source, size = ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes)
        self._driver("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address), source, size, self._other)
        self._driver("cuStreamSynchronize", self._other)

    def read(self, address: int, values: Array) -> None:
        """Copy from the card."""
        target, size = ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes)
        self._driver("cuMemcpyDtoHAsync_v2", target, ctypes.c_uint64(address), size, self._other)
        self._driver("cuStreamSynchronize", self._other)

    def copy(self, source: int, target: int, size: int) -> None:
        """Copy on the card."""
        places = (ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size))
        self._driver("cuMemcpyDtoDAsync_v2", *places, self._stream)
        self._driver("cuStreamSynchronize", self._stream)

    # --- launches ---------------------------------------------------------------------

    def start(self, name: str, count: int, *arguments: int) -> None:
        """Start a function in as many threads as there are things to do."""
        blocks = -(-count // THREADS_IN_BLOCK)
        values = [ctypes.c_uint64(each) for each in arguments]
        places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        shape = (blocks, 1, 1, THREADS_IN_BLOCK, 1, 1)
        self._driver("cuLaunchKernel", self._function(name), *shape, 0, self._stream, places, None)

    def is_done(self, seconds: float) -> bool:
        """Whether what was started has ended, or ends within so many seconds."""
        begin = time.perf_counter()
        while self._driver("cuStreamQuery", self._stream) == NOT_READY:
            waited = time.perf_counter() - begin
            if waited > seconds:
                return False
            if waited > _SPIN:
                time.sleep(_NAP)
        return True

    def halt(self, wanted: int) -> None:
        """Tell long loops of the kernel to end, or no longer."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        places = (ctypes.byref(address), ctypes.byref(size), self._module, b"halted")
        if self._driver.status("cuModuleGetGlobal_v2", *places) == 0:  # a kernel without such loops has none
            self.write(address.value, np.array([wanted], np.uint64))

    def _function(self, name: str) -> ctypes.c_void_p:
        if name not in self._functions:
            function = ctypes.c_void_p()
            self._driver(
                "cuModuleGetFunction", ctypes.byref(function), self._module, f"start_{name}".encode()
            )
            self._functions[name] = function
        return self._functions[name]
