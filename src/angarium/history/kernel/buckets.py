"""Histograms of times: buckets of an eighth of an octave, as `tables.LATENCY` has them."""

from __future__ import annotations

from bisect import bisect_left
from math import floor, log

import numpy as np

LOWEST = floor(log(1 / 1000) / log(2) * 8)
"""The bucket of the shortest time, a nanosecond."""
_DOUBT = 1e-12
"""By which part of it a time may be in another bucket than it seems to be."""
_HIGHEST = floor(log(2**62 / 1000) / log(2) * 8)


def bucket_of(time: int) -> int:
    """The bucket of a time in nanoseconds."""
    return floor(log(max(time, 1) / 1000) / log(2) * 8)


def _least(bucket: int) -> int:
    """The least time of a bucket, or of the next one that has a time; logarithms are not exact."""
    near = 1000 * 2 ** (bucket / 8)
    some = range(max(int(near * (1 - _DOUBT)) - 2, 1), int(near * (1 + _DOUBT)) + 3)
    return some[bisect_left(some, bucket, key=bucket_of)]


LEAST = np.array([0, *(_least(bucket) for bucket in range(LOWEST + 1, _HIGHEST + 1))], np.uint64)
"""The least time of each bucket, from the lowest on; what is shorter than a nanosecond is in the lowest."""
