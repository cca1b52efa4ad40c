"""Random numbers by name: each use has its own stream, so that no use disturbs another.

The numbers are those of SplitMix64, as in `simulate`: a beginning and an increment, both made of the seed and
of what the numbers are for. A hash of the words, not Python's own, makes them the same in every process.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks import walk_core


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
