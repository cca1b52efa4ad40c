"""How a thread of a card makes walks, in the low-level language; compiled with `walk_core`.

The 32 lanes of a warp go in step, and walks end at different times. So no lane has a walk as its loop: each
round of the one loop is a step of whatever walk a lane has, and a lane whose walk is over takes the next.
"""

from __future__ import annotations

from angarium.checker.walks.walk_core import (
    COUNT,
    FIRST,
    NEXT,
    ROOMS,
    STOP,
    STRIDE,
    TAKEN,
    WORDS,
    advance,
    begin,
    end,
)
from angarium.native.lowlevel import Words, atomic_add, atomic_load, local, offset, words

ROOM = OWN_ROOM = SCRATCH = 0
"""Words for all steps of a state, and how many of them a thread has of its own: all, or, as a variant, they
are so many that they lie in the card's memory."""
OWN_WORDS = TAKEN + 1


def walk_on_card(thread: int, threads: int, shared: Words) -> None:
    """Make walks until there are no more, or until told to stop."""
    own = local(OWN_WORDS)
    state = local(STRIDE)
    mask = local(1)
    for word in range(WORDS, STRIDE):
        state[word] = 0  # where a step tells what it is, a state tells nothing
    out = room_of(thread, shared, local(OWN_ROOM))
    row = take(shared, own, state)
    while row < shared[COUNT] and not atomic_load(shared, STOP):
        ended = advance(shared, own, state, out, mask, row)
        if ended:
            end(shared, own, state, row, ended)
            row = take(shared, own, state)


def room_of(thread: int, shared: Words, own: Words) -> Words:
    """Where the steps of a state go."""
    if SCRATCH:
        return offset(words(shared[ROOMS]), thread * ROOM)
    return own


def take(shared: Words, own: Words, state: Words) -> int:
    """Begin the next walk, if there is one; its row."""
    row = atomic_add(shared, NEXT, 1)
    if row < shared[COUNT]:
        begin(shared, own, state, shared[FIRST] + row)
    return row
