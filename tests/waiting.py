"""Waiting for something to happen: tests look whether it has, and never take a time for it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

PATIENCE = 600.0
"""Seconds after which something hangs, on a machine however busy: a bound, and never a measure."""


def wait_until(what: str, is_so: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Looks again and again, and fails when it takes too long."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} s in vain: {what}")
        time.sleep(0.02)
