"""Hashes of names, from the bytes of a column as Arrow lays them out."""

from __future__ import annotations

from angarium.native.hash_core import hash_bytes
from angarium.native.lowlevel import Words, address_of, half, words


def hash_names(data: Words, ends: Words, count: int, seed: int, hashes: Words) -> int:
    """The hash of each of some names, which lie behind each other; `ends`: halves of words, one more."""
    for number in range(count):
        start, end = half(ends, number), half(ends, number + 1)
        hashes[number] = hash_bytes(words(address_of(data) + start), end - start, seed)
    return count
