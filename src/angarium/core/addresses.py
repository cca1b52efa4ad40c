"""Addresses: how many a process may still take where it may not have as many as it likes (`ulimit -v`); and
how much memory stands behind those that it has.

Whatever is reserved, loaded or started takes addresses: memory, a library, the stack of a thread. Each fails
in words of its own when there are none left, and OpenBLAS, which comes with NumPy, ends the process with 1.
"""

from __future__ import annotations

import mmap
import resource
from pathlib import Path


def addresses_left() -> int | None:
    """How many bytes of addresses this process may still take; None if nobody has set a limit."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if most == resource.RLIM_INFINITY else most - _figure(0)


def resident() -> int:
    """How many bytes of memory this process has; 0 if the system does not say."""
    return _figure(1)


def _figure(place: int) -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[place])
    except OSError:
        return 0
    return pages * mmap.PAGESIZE
