"""Hashes of names, from the bytes of a column as Arrow lays them out."""

from __future__ import annotations

from angarium.history.kernel.store_core import mix
from angarium.native.lowlevel import Words, address_of, byte, half, words


def hash_names(data: Words, ends: Words, count: int, seed: int, hashes: Words) -> int:
    """The hash of each of some names, which lie behind each other; `ends`: halves of words, one more."""
    for number in range(count):
        start, end = half(ends, number), half(ends, number + 1)
        hashes[number] = hash_bytes(words(address_of(data) + start), end - start, seed)
    return count


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
