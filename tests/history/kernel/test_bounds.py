"""The kernel stays within its arrays, on random histories and lines."""

from __future__ import annotations

import signal
import sys

from tests.effort import is_thorough
from tests.processes import ending

HISTORIES, SOUPS = (12, 3000) if is_thorough() else (1, 10)
BEHIND = """
import ctypes, numpy as np
from tests.history.kernel.guarded import guarded
last = guarded(np.zeros(10, np.uint64)).ctypes.data + 9 * 8
assert ctypes.c_uint64.from_address(last).value == 0
ctypes.c_uint8.from_address(last + 8).value
"""


def test_nothing_behind_an_array_is_touched() -> None:
    command = [sys.executable, "-m", "tests.history.kernel.guarded", str(HISTORIES), str(SOUPS)]
    with ending(command) as process:
        said, problem = process.communicate()
    assert process.returncode == 0, problem
    assert said.endswith("lines, too\n")


def test_what_is_behind_an_array_cannot_be_touched() -> None:
    with ending([sys.executable, "-c", BEHIND]) as process:
        process.communicate()
    assert process.returncode == -signal.SIGSEGV
