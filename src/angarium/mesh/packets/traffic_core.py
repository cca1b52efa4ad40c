"""When packets are sent, in the low-level language: compiled, never run by Python."""

from __future__ import annotations

from angarium.checker.walks.walk_core import exponential
from angarium.native.lowlevel import Words

UNIT = 32
"""Bits of a fraction, of exponential variates."""
FRACTION = (1 << UNIT) - 1
LOW = 20
LOW_MASK = (1 << LOW) - 1


def poisson(own: Words, interval: int, until: int, times: Words, most: int) -> int:
    """Write when packets are sent that come at random, so far apart on average; how many there are."""
    now = 0
    for number in range(most):
        now += times_share(interval, exponential(own))
        if now >= until:
            return number
        times[number] = now
    return most


def times_share(interval: int, share: int) -> int:
    """An interval times a number with a fraction; multiplied in parts, since a word is too short for all."""
    fraction = share & FRACTION
    high = (fraction * (interval >> LOW)) >> (UNIT - LOW)
    return (share >> UNIT) * interval + high + ((fraction * (interval & LOW_MASK)) >> UNIT)
