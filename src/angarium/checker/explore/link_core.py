"""The search loop that writes down every step, in the low-level language; compiled together with `core`.

A successor tells which step leads to it, in words behind those of the state. When a block's successors are
in the table their numbers are known, so the graph comes out of the search itself: no state is expanded
twice. The *ledger* has an entry for each step, those of a state side by side, and says of each state where
they begin. A block's entries go to the end of the ledger. With several threads blocks end in any order
(`SCATTERED`): the ledger then also says how many entries a state has, and at last `gather` brings them into
the order of the states.
"""

from __future__ import annotations

from angarium.checker.explore.core import (
    ENDS,
    FINISHED,
    FULL,
    HALTED,
    HASHES,
    HITS,
    LEDGER,
    LEVEL_END,
    MASKS,
    OUT,
    STRIDE,
    TOGETHER,
    WORDS,
    claim_block,
    end_level,
    expand_block,
    must_come_back,
    size_of_block,
)
from angarium.native.lowlevel import Words, atomic_add, atomic_load, half, offset, put_half, words

EVENTFUL = SCATTERED = 0
"""Variants: successors tell the step's event too; entries do not stand in the order of the states."""

# The ledger: what all threads share.
TARGETS, LABELS, EVENTS, BEGINS, DEGREES, ATOMS = range(6)
ENTRIES, MOST_ENTRIES, STUTTER, FIRST_ATOM, ATOM_MASK = range(6, 11)
LEDGER_SIZE = 11
FAILURE = 63
"""The bit of a hit that says so."""


def link(shared: Words, own: Words) -> int:
    """As `core.expand`; steps are written down as long as there is a ledger."""
    ledger = shared[LEDGER]
    while not must_come_back(shared):
        if ledger:
            if is_over(shared, words(ledger)):
                return FULL
        start = claim_block(shared)
        if start >= shared[LEVEL_END]:
            if TOGETHER:
                return FINISHED
            ended = end_level(shared)
            if ended:
                return ended - 1
            continue
        count = size_of_block(shared, start)
        if expand_block(shared, own, start, count) == HALTED:
            return FULL
        if ledger:
            write_down(words(ledger), own, start, count)
    return FULL


def is_over(shared: Words, ledger: Words) -> int:
    """Whether there may be no more entries, or something failed, so that there will be no graph."""
    if atomic_load(shared, HITS) >> FAILURE:
        return 1
    return 1 if atomic_load(ledger, ENTRIES) >= ledger[MOST_ENTRIES] else 0


def write_down(ledger: Words, own: Words, start: int, count: int) -> None:
    """Everything about the states of a block."""
    ends = words(own[ENDS])
    entries = entries_of(ends, count)
    entry = reserve_entries(ledger, entries)
    write_rows(ledger, ends, start, count, entry)
    write_atoms(ledger, words(own[MASKS]), start, count)
    if entries == ends[count - 1]:
        write_steps(ledger, own, entry, 0, entries)
    else:
        write_steps_and_rests(ledger, own, start, count, entry)


def write_rows(ledger: Words, ends: Words, start: int, count: int, entry: int) -> None:
    """Where the entries of each state begin, and how many they are."""
    begins = words(ledger[BEGINS])
    degrees = words(ledger[DEGREES])
    before = 0
    for state in range(count):
        end = ends[state]
        degree = end - before if end > before else 1
        begins[start + state] = entry
        if SCATTERED:
            put_half(degrees, start + state, degree)
        entry += degree
        before = end


def write_atoms(ledger: Words, masks: Words, start: int, count: int) -> None:
    atoms = words(ledger[ATOMS])
    first = ledger[FIRST_ATOM]
    mask = ledger[ATOM_MASK]
    for state in range(count):
        atoms[start + state] = (masks[state] >> first) & mask


def write_steps_and_rests(ledger: Words, own: Words, start: int, count: int, entry: int) -> None:
    """The entries of a block in which some state has no step."""
    ends = words(own[ENDS])
    before = 0
    for state in range(count):
        degree = ends[state] - before
        if degree:
            write_steps(ledger, own, entry, before, degree)
        else:
            degree = 1
            write_rest(ledger, entry, start + state)
        before = ends[state]
        entry += degree


def entries_of(ends: Words, count: int) -> int:
    """How many entries a block has: its successors, and one for each state that has none."""
    entries = ends[count - 1]
    before = 0
    for state in range(count):
        if ends[state] == before:
            entries += 1
        before = ends[state]
    return entries


def reserve_entries(ledger: Words, count: int) -> int:
    """Room for so many entries; the first one's place."""
    if TOGETHER:
        return atomic_add(ledger, ENTRIES, count)
    end = ledger[ENTRIES]
    ledger[ENTRIES] = end + count
    return end


def write_steps(ledger: Words, own: Words, entry: int, position: int, count: int) -> None:
    """The entries of some of a block's successors."""
    numbers = offset(words(own[HASHES]), position)
    told = offset(words(own[OUT]), position * STRIDE + WORDS)
    targets = words(ledger[TARGETS])
    labels = words(ledger[LABELS])
    for step in range(count):
        put_half(targets, entry + step, numbers[step])
        put_half(labels, entry + step, told[step * STRIDE])
    if EVENTFUL:
        events = offset(words(ledger[EVENTS]), entry)
        for step in range(count):
            events[step] = told[step * STRIDE + 1]


def write_rest(ledger: Words, entry: int, number: int) -> None:
    """Where nothing more can happen, the state follows on itself."""
    put_half(words(ledger[TARGETS]), entry, number)
    put_half(words(ledger[LABELS]), entry, ledger[STUTTER])
    if EVENTFUL:
        words(ledger[EVENTS])[entry] = 0


# --- into the order of the states -----------------------------------------------------


def gather(begins: Words, rows: Words, source: Words, target: Words, start: int, end: int) -> None:
    """Copy the entries of some states, of 32 bits each, from where they were written to where they belong."""
    for number in range(start, end):
        begin = begins[number]
        row = rows[number]
        for step in range(rows[number + 1] - row):
            put_half(target, row + step, half(source, begin + step))


def gather_words(begins: Words, rows: Words, source: Words, target: Words, start: int, end: int) -> None:
    """The same for entries of 64 bits."""
    for number in range(start, end):
        begin = begins[number]
        row = rows[number]
        for step in range(rows[number + 1] - row):
            target[row + step] = source[begin + step]
