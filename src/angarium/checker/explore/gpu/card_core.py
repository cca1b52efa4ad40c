"""The search loop of a card, in the low-level language; compiled with `core`, for card and processor.

Each function here is started in thousands of threads at once, and each thread takes the states whose numbers
are its own: one of them, where there are as many threads as states. It expands its state into memory of its
own, and looks up one successor after the other. All lanes look up their first one, then their second one: so
what is new among them is counted by a ballot, and room for it in the log is made by one lane for all. The
table is that of `core`, with the same slots.

A launch is never larger than what it may find has room for, so nothing here asks whether there is room.
On a processor a few threads do the same, each alone in its lane: the emulated grid.
"""

from __future__ import annotations

from angarium.checker.explore.core import (
    HITS,
    LOG,
    MASK,
    NEXT,
    RENAMINGS,
    SHARED_SIZE,
    SHIFT,
    STOP,
    STRIDE,
    SYMMETRIC,
    TABLE,
    WIDE,
    WORDS,
    claim,
    entry_of,
    hash_of,
    insert_one,
    mix,
    note_fresh_hits,
    occupy,
    same,
)
from angarium.native.lowlevel import (
    Words,
    atomic_add,
    atomic_load,
    ballot,
    elsewhere,
    lane,
    local,
    lowest,
    offset,
    ones,
    put_half,
    swap_if,
    told_by,
    words,
)

ROOM = OWN = SCRATCH = 0
"""Words for all successors of a state, and how many of them a thread has of its own: all, or, as a variant,
they are so many that they lie in the card's memory, and threads are few."""
EVENTFUL = 0
"""A variant: successors tell the step's event too."""
HALTED = 0xFFFFFFFFFFFFFFFF
NOTHING = 0xFFFFFFFFFFFFFFFF

# Behind what all searches share.
STEPS, PARENT, ROOMS, STUTTER, FIRST_ATOM, ATOM_MASK, SOURCE = range(SHARED_SIZE, SHARED_SIZE + 7)
CARD_SIZE = SHARED_SIZE + 7
"""`SOURCE` is where the states lie that are read: the log, or a piece of it that was fetched from elsewhere.
As with the log, the states' numbers count from there, wherever the first of them really is."""


def expand_one(state: Words, found: Words, mask: Words) -> int:
    """The kernel: a state's successors, how many there are, and what it hits."""
    return elsewhere()


def canonicalise(table: Words, states: Words, count: int) -> None:
    """Replace each state by its representative."""
    elsewhere()


def expand_states(thread: int, threads: int, shared: Words, start: int, end: int) -> None:
    """Judge states of the log and find what is new behind them."""
    found = room_of(thread, shared, local(OWN))
    number = start + thread
    while ballot(1 if number < end else 0):
        count = 0
        if number < end:
            count = successors_of(shared, number, found)
        steps = enter_successors(shared, found, count)
        if lane() == 0:
            atomic_add(shared, STEPS, steps)
        number += threads


def room_of(thread: int, shared: Words, own: Words) -> Words:
    """Where a thread's successors go."""
    if SCRATCH:
        return offset(words(shared[ROOMS]), thread * ROOM)
    return own


def successors_of(shared: Words, number: int, found: Words) -> int:
    """Expand and judge a state of the log; how many successors it has. None, if all is to stop."""
    mask = local(1)
    count = expand_state(shared, number, found, mask)
    if mask[0]:
        fresh = mask[0] & ~atomic_load(shared, HITS)
        if fresh:
            note_fresh_hits(shared, fresh, number)
    return count


def expand_state(shared: Words, number: int, found: Words, mask: Words) -> int:
    """A state's successors, how many there are, and what it hits: nothing, if all is to stop."""
    mask[0] = 0
    if atomic_load(shared, STOP):
        return 0
    state = local(STRIDE)
    known = offset(words(shared[SOURCE]), number * WORDS)
    for word in range(WORDS):
        state[word] = known[word]
    for word in range(WORDS, STRIDE):
        state[word] = 0
    count = expand_one(state, found, mask)
    while count == HALTED:
        if atomic_load(shared, STOP):
            mask[0] = 0
            return 0
        count = expand_one(state, found, mask)
    if SYMMETRIC:
        canonicalise(words(shared[RENAMINGS]), found, count)
    return count


def enter_successors(shared: Words, found: Words, count: int) -> int:
    """Put those that are new into table and log; how many there are, of all lanes."""
    steps = 0
    position = 0
    busy = ballot(1 if count else 0)
    while busy:
        if WIDE:
            if position < count:
                state = offset(found, position * STRIDE)
                insert_one(shared, state, hash_of(state))
        else:
            enter_narrow(shared, found, position, count)
        steps += ones(busy)
        position += 1
        busy = ballot(1 if position < count else 0)
    return steps


def enter_narrow(shared: Words, found: Words, position: int, count: int) -> None:
    """The same for one successor of each lane, if there is one, of one word."""
    state = 0
    fresh = 0
    if position < count:
        state = found[position]
        fresh = claim(words(shared[TABLE]), shared[MASK], mix(state) >> shared[SHIFT], state + 1)
    number = room_for(shared, fresh)
    if fresh:
        words(shared[LOG])[number] = state


def room_for(shared: Words, fresh: int) -> int:
    """The end of the log, for each lane that has something for it."""
    voted = ballot(fresh)
    if voted == 0:
        return 0
    first = lowest(voted)
    number = 0
    if lane() == first:
        number = atomic_add(shared, NEXT, ones(voted))
    return told_by(first, number) + ones(voted & ((1 << lane()) - 1))


def enter_states(thread: int, threads: int, shared: Words, start: int, end: int) -> None:
    """Put states of the log into a table in which they are not."""
    log = words(shared[SOURCE])
    number = start + thread
    while number < end:
        hashed = hash_of(offset(log, number * WORDS))
        occupy(words(shared[TABLE]), shared[MASK], hashed >> shared[SHIFT], entry_of(log, number, hashed))
        number += threads


def find_parent(thread: int, threads: int, shared: Words, start: int, end: int, wanted: Words) -> None:
    """Some state of the log that has another one as a successor."""
    found = room_of(thread, shared, local(OWN))
    number = start + thread
    while number < end:
        count = successors_of(shared, number, found)
        for position in range(count):
            if same(offset(found, position * STRIDE), wanted):
                swap_if(shared, PARENT, NOTHING, number)
        number += threads


# --- the graph ------------------------------------------------------------------------


def count_steps(
    thread: int, threads: int, shared: Words, start: int, end: int, degrees: Words, atoms: Words
) -> None:
    """How many entries each state of a range has in the graph, and which conditions are true in it."""
    found = room_of(thread, shared, local(OWN))
    mask = local(1)
    number = start + thread
    while number < end:
        count = expand_state(shared, number, found, mask)
        put_half(degrees, number - start, count if count else 1)
        atoms[number - start] = (mask[0] >> shared[FIRST_ATOM]) & shared[ATOM_MASK]
        number += threads


def link_states(
    thread: int,
    threads: int,
    shared: Words,
    start: int,
    end: int,
    rows: Words,
    targets: Words,
    labels: Words,
    events: Words,
) -> None:
    """The entries of each state of a range; all states are in the table."""
    found = room_of(thread, shared, local(OWN))
    mask = local(1)
    number = start + thread
    while number < end:
        count = expand_state(shared, number, found, mask)
        entry = rows[number - start]
        if count == 0:
            put_half(targets, entry, number)
            put_half(labels, entry, shared[STUTTER])
            if EVENTFUL:
                events[entry] = 0
        for position in range(count):
            state = offset(found, position * STRIDE)
            put_half(targets, entry + position, insert_one(shared, state, hash_of(state)))
            put_half(labels, entry + position, state[WORDS])
            if EVENTFUL:
                events[entry + position] = state[WORDS + 1]
        number += threads
