"""Expanding a level for others to search, in the low-level language; compiled together with `explore.core`.

Every state has one owner, which its hash says, and only the owner can tell whether it is new. So successors
are sorted by owner, into one *drawer* each, and sent when a drawer is full. What was sent a moment ago need
not be sent again: a small memory of the latest states, which forgets but never errs, keeps back many.

With labels (`LABELLED`) every step is sent, with what is told of it and the state that it comes from: the
owner of its target then knows both ends. Where nothing more can happen, the state itself is sent, with the
label of standing still.
"""

from __future__ import annotations

from angarium.checker.explore.core import (
    ENDS,
    HEAD,
    LABELLED,
    LEVEL_END,
    LOG,
    MASKS,
    OUT,
    STRIDE,
    TRANSITIONS,
    WIDE,
    WORDS,
    claim_block,
    hash_of,
    note_hits,
    same,
    size_of_block,
    successors,
)
from angarium.native.lowlevel import Words, offset, words

RECORD = 1
"""How many words are sent of a successor: the state; with labels, what is told of the step and its source."""

# The outbox.
DRAWERS, FILLS, CAPACITY, MOST, FULLEST, OWNERS, LATEST, LATEST_SHIFT = range(8)
FIRST_NUMBER, REST, ATOMS, FIRST_ATOM, ATOM_MASK = range(8, 13)
OUTBOX_SIZE = 13


def route(shared: Words, own: Words, outbox: Words) -> int:
    """Expand what is left of the level; 1 if a drawer must be emptied first."""
    while shared[HEAD] < shared[LEVEL_END]:
        if outbox[FULLEST] > outbox[MOST]:
            return 1
        start = claim_block(shared)
        count = size_of_block(shared, start)
        found = successors(shared, own, start, count)
        own[TRANSITIONS] = own[TRANSITIONS] + found
        note_hits(shared, own, start, count)
        if LABELLED:
            post_steps(shared, own, outbox, start, count)
            note_atoms(words(own[MASKS]), outbox, start, count)
        else:
            post_states(words(own[OUT]), outbox, found)
    return 0


def post_states(found: Words, outbox: Words, count: int) -> None:
    """Put the successors of a block into their owners' drawers, those that were not sent lately."""
    for position in range(count):
        state = offset(found, position * STRIDE)
        hashed = hash_of(state)
        if remember(words(outbox[LATEST]), hashed >> outbox[LATEST_SHIFT], state):
            put_state(room_for(outbox, hashed), state)


def remember(latest: Words, slot: int, state: Words) -> int:
    """Whether a state is not among those sent lately; it is from now on."""
    if WIDE:
        entry = offset(latest, slot * (WORDS + 1))
        if entry[0] == 1:
            if same(offset(entry, 1), state):
                return 0
        entry[0] = 1
        put_state(offset(entry, 1), state)
        return 1
    if latest[slot] == state[0] + 1:
        return 0
    latest[slot] = state[0] + 1
    return 1


def room_for(outbox: Words, hashed: int) -> Words:
    """The next free place in the drawer of a state's owner."""
    owner = owner_of(hashed, outbox[OWNERS])
    fills = words(outbox[FILLS])
    fill = fills[owner]
    fills[owner] = fill + 1
    if fill >= outbox[FULLEST]:
        outbox[FULLEST] = fill + 1
    return offset(words(outbox[DRAWERS]), (owner * outbox[CAPACITY] + fill) * RECORD)


def owner_of(hashed: int, owners: int) -> int:
    """Whose a state is; the bits are not those that say where it stands in its owner's table."""
    return ((hashed & 0xFFFFFFFF) * owners) >> 32


def put_state(place: Words, state: Words) -> None:
    for word in range(WORDS):
        place[word] = state[word]


# --- with labels ----------------------------------------------------------------------


def post_steps(shared: Words, own: Words, outbox: Words, start: int, count: int) -> None:
    """Put every step of a block into the drawer of its target's owner."""
    ends = words(own[ENDS])
    before = 0
    for state in range(count):
        number = outbox[FIRST_NUMBER] + start + state
        for position in range(before, ends[state]):
            post_step(outbox, offset(words(own[OUT]), position * STRIDE), number)
        if ends[state] == before:
            post_rest(outbox, offset(words(shared[LOG]), (start + state) * WORDS), number)
        before = ends[state]


def post_step(outbox: Words, step: Words, number: int) -> None:
    place = room_for(outbox, hash_of(step))
    for word in range(STRIDE):
        place[word] = step[word]
    place[STRIDE] = number


def post_rest(outbox: Words, state: Words, number: int) -> None:
    """Where nothing more can happen, the state follows on itself."""
    place = room_for(outbox, hash_of(state))
    put_state(place, state)
    place[WORDS] = outbox[REST]
    for word in range(WORDS + 1, STRIDE):
        place[word] = 0
    place[STRIDE] = number


def note_atoms(masks: Words, outbox: Words, start: int, count: int) -> None:
    """Which conditions are true in each state of a block."""
    atoms = words(outbox[ATOMS])
    for state in range(count):
        atoms[start + state] = (masks[state] >> outbox[FIRST_ATOM]) & outbox[ATOM_MASK]


# --- the beginning --------------------------------------------------------------------


def assign(states: Words, count: int, owners: int, result: Words) -> None:
    """Whose each of some states is."""
    for position in range(count):
        result[position] = owner_of(hash_of(offset(states, position * WORDS)), owners)
