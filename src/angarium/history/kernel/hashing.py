"""Hashes of a column's names, computed once for each list of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel.library import KERNEL

Hashes = NDArray[np.uint64]
_NONE = np.zeros(1, np.uint64)


def hashes(values: Sequence[str], seed: int) -> Hashes:
    """The hash of each name, and of no name at the end."""
    return hash_table(values, seed)[1:]


def hash_table(values: Sequence[str], seed: int) -> Hashes:
    """The hash of each name, with that of no name in front and at the end."""
    known: Any = _LAST.get(seed)
    if known is not None and known[0] is values:
        return known[1]  # type: ignore[no-any-return]
    found = np.concatenate([_NONE, of_texts(values, seed), _NONE])
    _LAST.clear()
    _LAST[seed] = (values, found)
    return found


def of_texts(values: Sequence[str], seed: int) -> Hashes:
    """The hash of each of some texts."""
    data, ends = bytes_of(values)
    found = np.zeros(len(values), np.uint64)
    KERNEL.call("hash_names", data, ends, len(values), seed, found)
    return found


_LAST: dict[int, tuple[Sequence[str], Hashes]] = {}
"""What was hashed last: batches of one file share their names."""


def bytes_of(values: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """All names behind each other, and where each begins; the last entry is where they end."""
    if hasattr(values, "utf8"):
        return values.utf8()  # type: ignore[no-any-return]
    encoded = [each.encode() for each in values]
    lengths = np.fromiter(map(len, encoded), np.uint32, len(encoded))
    ends = np.zeros(len(encoded) + 1, np.uint32)
    np.cumsum(lengths, out=ends[1:])
    return np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends
