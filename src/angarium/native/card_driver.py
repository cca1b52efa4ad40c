"""Whether the driver of a graphics card is there: every search may ask, so nothing is loaded for it."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

LIBRARIES = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
WANTED = "ANGARIUM_GPU"
"""The variable of the environment that can ask for a card that is not there: `emulated`."""


def library() -> ctypes.CDLL | None:
    """The driver's library; None if there is none."""
    for name in LIBRARIES:
        with suppress(OSError):
            return ctypes.CDLL(name)
    return None


def is_emulated() -> bool:
    """Whether a card is wanted that is not there."""
    return os.environ.get(WANTED) == "emulated"


def may_have_card() -> bool:
    """Whether there may be a card; who wants to know for certain opens it."""
    return is_emulated() or library() is not None
