"""Pairs of numbers with a number for each, in the order in which they come: a table that is found by hashing.

A number is one less than it is kept; so is each number of a pair, which may be -1: none.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.native.lowlevel import Words, words

P_MASK, P_SLOTS, P_PAIRS, P_COUNT, P_TABLE = range(5)
"""Words of a table: how many slots there are, less one; where they are; where the pairs are, in order; how
many pairs there are. A slot has the pair in one word, and its number, one larger."""


def pair(table: Words, one: int, other: int) -> int:
    """The number of a pair; a new one is entered, and there is room for it."""
    key = ((one + 1) << 32) | ((other + 1) & at.ROW)
    mask, slots = table[P_MASK], words(table[P_SLOTS])
    place = (key * 0xD6E8FEB86659FD93 >> 32) & mask
    while slots[2 * place + 1] != 0:
        if slots[2 * place] == key:
            return slots[2 * place + 1] - 1
        place = (place + 1) & mask
    number, pairs = table[P_COUNT], words(table[P_PAIRS])
    slots[2 * place] = key
    slots[2 * place + 1] = number + 1
    pairs[2 * number] = one
    pairs[2 * number + 1] = other
    table[P_COUNT] = number + 1
    return number


def number_pairs(table: Words, ones: Words, others: Words, count: int, found: Words) -> int:
    """The numbers of the pairs in two columns; how many pairs there are."""
    for row in range(count):
        found[row] = pair(table, ones[row], others[row])
    return table[P_COUNT]
