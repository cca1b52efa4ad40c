"""Time and chance in simulations: the same on every machine.

Times are whole nanoseconds, so that sums are exact. Random numbers are drawn by name: each use has its own
stream, so that no use disturbs another. The numbers are those of SplitMix64, as in `checker.walks`: a
beginning and an increment, both made of the seed and of what the numbers are for, by a hash of the words that
is not Python's own.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks import walk_core

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
NEVER = (1 << 62) - 1
"""Later than everything."""
LONGEST = 366 * 24 * 3600 * SECOND
"""A simulation takes at most a year."""


def from_milliseconds(time: float) -> int:
    """Nanoseconds, of the times of a mesh."""
    return round(time * MILLISECOND)


def in_words(time: int) -> str:
    """A time that somebody gave, as people say it: 30 ms, 4.2125 s."""
    return _with_unit(time, 9)


def about(time: int) -> str:
    """A time that was measured: 31.42 ms, 4.213 s."""
    return _with_unit(time, 4)


def _with_unit(time: int, digits: int) -> str:
    if 0 < time < SECOND:
        return f"{time / MILLISECOND:.{digits}g} ms"
    return f"{time / SECOND:.{digits}g} s"


def _word(seed: int, *purpose: object) -> int:
    words = "\0".join(map(str, (seed, *purpose)))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "little")


def stream(seed: int, *purpose: object) -> NDArray[np.uint64]:
    """What the compiled functions of `walk_core` draw from."""
    own = np.zeros(walk_core.OWN_SIZE, np.uint64)
    own[walk_core.RANDOM] = _word(seed, "first", *purpose)
    own[walk_core.GAMMA] = _word(seed, "step", *purpose) | 1
    return own


def below(limit: int, seed: int, *purpose: object) -> int:
    """One whole number from 0, less than the limit."""
    return _word(seed, *purpose) * limit >> 64
