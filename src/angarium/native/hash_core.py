"""Hashes of words and of bytes, for whoever looks something up in native code."""

from __future__ import annotations

from angarium.native.lowlevel import Words, address_of, byte, half, words


def mix(value: int) -> int:
    """A word that depends on all bits of a word, reversibly."""
    mixed = value ^ (value >> 32)
    mixed *= 0xD6E8FEB86659FD93
    mixed ^= mixed >> 32
    mixed *= 0xD6E8FEB86659FD93
    return mixed ^ (mixed >> 32)


def hash_bytes(data: Words, length: int, seed: int) -> int:
    """The hash of some bytes."""
    found, place = mix(seed + length), 0
    while place + 8 <= length:
        here = words(address_of(data) + place)
        found = mix(found ^ (half(here, 0) | (half(here, 1) << 32)))
        place += 8
    last, shift = 0, 0
    while place < length:
        last |= byte(data, place) << shift
        shift += 8
        place += 1
    return mix(found ^ last)
