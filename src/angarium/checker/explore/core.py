"""The search loop, in the low-level language of `native.lowlevel`: compiled, never run by Python.

States are found once and never moved: the *log* is the list of all states in breadth-first
order, and the queue. A level of the search is a range of it. The *table* is the exact visited
set, open addressing with linear probing; its index is the top bits of a state's hash, so states
keep their order when the table grows, and growing is a pass from front to back. For states of
one word a slot holds state + 1; for wider ones, and where a state's number is asked for, a tag of
24 bits of the hash and the state's number in the log + 1, and a match is verified there.

A block of states is expanded at a time: first the kernel writes all successors, then all are
hashed and their slots prefetched, then all are looked up. So the memory's latency is paid once a
block.

With threads (`TOGETHER`) a block is claimed by an atomic add and a slot by compare-and-swap. A
wide state claims its slot with the tag alone, writes the log, then publishes its number; who
meets a bare tag that is its own waits for that. Alone, `expand` goes on from level to level by
itself, up to a level that is worth sharing.
"""

from __future__ import annotations

from angarium.native.lowlevel import (
    Words,
    atomic_add,
    atomic_load,
    atomic_or,
    atomic_store,
    call,
    fence,
    offset,
    prefetch,
    swap_if,
    words,
)

WORDS = 1
"""How many words a state has."""
STRIDE = 1
"""How many words a successor has: those of the state, and what is told of the step."""
WIDE = TOGETHER = SYMMETRIC = LABELLED = RELAXED = 0
"""Variants: slots with a number, as states of several words need; several threads; representatives instead
of states; successors that tell of the step; loads that say nothing of what was written elsewhere."""

# What all threads share.
TABLE, MASK, SHIFT, LOG, LEVELS, KERNEL, CANONICAL, RENAMINGS, BLOCK, LEDGER = range(10)
NEXT, HEAD, LEVEL_END, DEPTH, LIMIT, STOP, HITS, GOAL, WORTH_SHARING, FIRST_HITS = range(10, 20)
SHARED_SIZE = 20 + 64
# What each thread has of its own.
OUT, HASHES, ENDS, MASKS, GIVEN, TRANSITIONS = range(6)
OWN_SIZE = 8
# Why `expand` comes back.
FINISHED, FULL, SHARE = range(3)

HALTED = 0xFFFFFFFFFFFFFFFF
"""What a kernel gives that was told to end; if it was another search that told it, it is called again."""

MULTIPLIER = 0xD6E8FEB86659FD93
TAG = 0xFFFFFF
TAG_SHIFT = 40
NUMBER = 0xFFFFFFFFFF


def expand(shared: Words, own: Words) -> int:
    """Expand blocks of the level until it ends, the table is full, or the search must stop."""
    while not must_come_back(shared):
        start = claim_block(shared)
        if start >= shared[LEVEL_END]:
            if TOGETHER:
                return FINISHED
            ended = end_level(shared)
            if ended:
                return ended - 1
            continue
        if expand_block(shared, own, start, size_of_block(shared, start)) == HALTED:
            return FULL
    return FULL


def must_come_back(shared: Words) -> int:
    """Whether Python must make room, or wants to stop."""
    if atomic_load(shared, NEXT) >= shared[LIMIT]:
        return 1
    return atomic_load(shared, STOP)


def claim_block(shared: Words) -> int:
    """Where the next block begins."""
    if TOGETHER:
        return atomic_add(shared, HEAD, shared[BLOCK])
    start = shared[HEAD]
    shared[HEAD] = start + shared[BLOCK]
    return start


def size_of_block(shared: Words, start: int) -> int:
    count = shared[LEVEL_END] - start
    return count if count < shared[BLOCK] else shared[BLOCK]


def expand_block(shared: Words, own: Words, start: int, count: int) -> int:
    """Judge states and find what is new behind them; how many successors there are, or HALTED."""
    found = successors(shared, own, start, count)
    if found == HALTED:
        if shared[HEAD] > start:
            atomic_store(shared, HEAD, start)  # these states, at least, were not expanded
        return HALTED
    own[TRANSITIONS] = own[TRANSITIONS] + found
    note_hits(shared, own, start, count)
    insert(shared, words(own[OUT]), words(own[HASHES]), found)
    return found


def end_level(shared: Words) -> int:
    """Go on to the next level; the reason + 1 if the search is over or the level is to share."""
    depth = shared[DEPTH] + 1
    start = shared[LEVEL_END]
    end = shared[NEXT]
    words(shared[LEVELS])[depth] = start
    shared[DEPTH] = depth
    shared[HEAD] = start
    shared[LEVEL_END] = end
    if start == end:
        return FINISHED + 1
    if not LABELLED:
        if shared[HITS] == shared[GOAL]:
            return FINISHED + 1
    if end - start >= shared[WORTH_SHARING]:
        return SHARE + 1
    return 0


def successors(shared: Words, own: Words, start: int, count: int) -> int:
    """Expand states of the log; how many successors there are, or HALTED."""
    states = offset(words(shared[LOG]), start * WORDS)
    if LABELLED:
        states = spread(states, count, words(own[GIVEN]))
    found = call(shared[KERNEL], states, count, own[OUT], own[ENDS], own[MASKS])
    while found == HALTED:
        if atomic_load(shared, STOP):
            return HALTED
        found = call(shared[KERNEL], states, count, own[OUT], own[ENDS], own[MASKS])
    if SYMMETRIC:
        call(shared[CANONICAL], shared[RENAMINGS], own[OUT], found)
    return found


def spread(states: Words, count: int, given: Words) -> Words:
    """The states as a kernel takes them whose successors tell of the step."""
    for state in range(count):
        for word in range(WORDS):
            given[state * STRIDE + word] = states[state * WORDS + word]
    return given


def note_hits(shared: Words, own: Words, start: int, count: int) -> None:
    """Remember the first state that hits each guarantee."""
    masks = words(own[MASKS])
    for state in range(count):
        fresh = masks[state]
        if fresh:
            fresh = fresh & ~atomic_load(shared, HITS)
            if fresh:
                note_fresh_hits(shared, fresh, start + state)


def note_fresh_hits(shared: Words, fresh: int, state: int) -> None:
    won = fresh & ~atomic_or(shared, HITS, fresh)
    for bit in range(64):
        if (won >> bit) & 1:
            shared[FIRST_HITS + bit] = state


def insert(shared: Words, found: Words, hashes: Words, count: int) -> None:
    """Put those states that are new into the table and the log."""
    table = words(shared[TABLE])
    shift = shared[SHIFT]
    for position in range(count):
        hashed = hash_of(offset(found, position * STRIDE))
        hashes[position] = hashed
        prefetch(table, hashed >> shift)
    if WIDE:
        insert_wide(shared, found, hashes, count)
    else:
        insert_narrow(shared, found, hashes, count)


def hash_of(state: Words) -> int:
    """A hash of which all bits are good, the top ones best."""
    if WIDE:
        mixed = 0x9E3779B97F4A7C15
        for word in range(WORDS):
            mixed = (mixed ^ state[word]) * MULTIPLIER
            mixed = mixed ^ (mixed >> 32)
        mixed = mixed * MULTIPLIER
        return mixed ^ (mixed >> 29)
    return mix(state[0])


def mix(word: int) -> int:
    mixed = (word ^ (word >> 32)) * MULTIPLIER
    mixed = (mixed ^ (mixed >> 32)) * MULTIPLIER
    return mixed ^ (mixed >> 32)


# --- one word -------------------------------------------------------------------------


def insert_narrow(shared: Words, found: Words, hashes: Words, count: int) -> None:
    """New states are gathered at the front of `found`, then appended to the log."""
    table = words(shared[TABLE])
    mask = shared[MASK]
    shift = shared[SHIFT]
    fresh = 0
    for position in range(count):
        state = found[position]
        if claim(table, mask, hashes[position] >> shift, state + 1):
            found[fresh] = state
            fresh += 1
    if fresh:
        end = reserve(shared, fresh)
        log = offset(words(shared[LOG]), end)
        for position in range(fresh):
            log[position] = found[position]


def claim(table: Words, mask: int, slot: int, key: int) -> int:
    """1 if the key was not in the table; it is now."""
    while 1:
        present = atomic_load(table, slot)
        if present == key:
            return 0
        if present == 0:
            if TOGETHER:
                present = swap_if(table, slot, 0, key)
            else:
                table[slot] = key
            if present == 0:
                return 1
            if present == key:
                return 0
        slot = (slot + 1) & mask
    return 0


def reserve(shared: Words, count: int) -> int:
    """Room for so many states at the end of the log; the number of the first."""
    if TOGETHER:
        return atomic_add(shared, NEXT, count)
    end = shared[NEXT]
    shared[NEXT] = end + count
    return end


# --- several words --------------------------------------------------------------------


def insert_wide(shared: Words, found: Words, hashes: Words, count: int) -> None:
    """Afterwards there is each state's number in place of its hash."""
    for position in range(count):
        prefetch_match(shared, hashes[position])
    for position in range(count):
        hashes[position] = insert_one(shared, offset(found, position * STRIDE), hashes[position])


def prefetch_match(shared: Words, hashed: int) -> None:
    """The state in the first slot will be compared if the tag is the same."""
    present = words(shared[TABLE])[hashed >> shared[SHIFT]]
    if (present >> TAG_SHIFT) == tag_of(hashed):
        prefetch(words(shared[LOG]), ((present & NUMBER) - 1) * WORDS)


def tag_of(hashed: int) -> int:
    """Never 0, so that a claimed slot is not empty."""
    return (hashed & TAG) | 1


def insert_one(shared: Words, state: Words, hashed: int) -> int:
    """The number of a state, which is new or not."""
    table = words(shared[TABLE])
    slot = hashed >> shared[SHIFT]
    tag = tag_of(hashed) << TAG_SHIFT
    while 1:
        present = atomic_load(table, slot)
        if present == 0:
            if TOGETHER:
                present = swap_if(table, slot, 0, tag)
            if present == 0:
                number = append(shared, state)
                atomic_store(table, slot, tag | (number + 1))
                return number
        if (present >> TAG_SHIFT) == (tag >> TAG_SHIFT):
            if TOGETHER:
                while present == tag:
                    present = atomic_load(table, slot)
            number = (present & NUMBER) - 1
            if is_state(shared, number, state):
                return number
        slot = (slot + 1) & shared[MASK]
    return 0


def is_state(shared: Words, number: int, state: Words) -> int:
    """Whether this is the state of that number."""
    if RELAXED:
        if number >= shared[LEVEL_END]:
            fence()  # it was found in this level, perhaps just now
    return same(offset(words(shared[LOG]), number * WORDS), state)


def append(shared: Words, state: Words) -> int:
    """Write a state at the end of the log; its number."""
    number = reserve(shared, 1)
    place = offset(words(shared[LOG]), number * WORDS)
    for word in range(WORDS):
        place[word] = state[word]
    return number


def same(known: Words, state: Words) -> int:
    difference = 0
    for word in range(WORDS):
        difference = difference | (known[word] ^ state[word])
    return 1 if difference == 0 else 0


# --- growth ---------------------------------------------------------------------------


def enter(shared: Words, start: int, end: int) -> None:
    """Put states of the log into the table, where they are not yet."""
    log = words(shared[LOG])
    table = words(shared[TABLE])
    for number in range(start, end):
        if number + 16 < end:
            prefetch(table, hash_of(offset(log, (number + 16) * WORDS)) >> shared[SHIFT])
        hashed = hash_of(offset(log, number * WORDS))
        entry = entry_of(log, number, hashed)
        occupy(table, shared[MASK], hashed >> shared[SHIFT], entry)


def entry_of(log: Words, number: int, hashed: int) -> int:
    """What the table holds for a state of the log."""
    if WIDE:
        return (tag_of(hashed) << TAG_SHIFT) | (number + 1)
    return log[number] + 1


def move(shared: Words, old: Words, start: int, end: int) -> None:
    """Put the states in slots of an old table, of one word each, into the table."""
    table = words(shared[TABLE])
    mask = shared[MASK]
    shift = shared[SHIFT]
    for position in range(start, end):
        entry = old[position]
        if entry:
            occupy(table, mask, mix(entry - 1) >> shift, entry)


def occupy(table: Words, mask: int, slot: int, entry: int) -> None:
    """Put an entry that is not in the table into the next free slot."""
    while 1:
        if TOGETHER:
            if swap_if(table, slot, 0, entry) == 0:
                return
        else:
            if table[slot] == 0:
                table[slot] = entry
                return
        slot = (slot + 1) & mask


# --- runs -----------------------------------------------------------------------------


def trace(shared: Words, own: Words, level: int, number: int, path: Words) -> None:
    """Go back from a state of a level to an initial one: each level's state on the path."""
    levels = words(shared[LEVELS])
    path[level] = number
    while level > 0 and not atomic_load(shared, STOP):
        target = offset(words(shared[LOG]), path[level] * WORDS)
        level -= 1
        path[level] = find(shared, own, levels[level], levels[level + 1], target)


def find(shared: Words, own: Words, start: int, end: int, target: Words) -> int:
    """A state among those of the log that has the target as a successor; `end` if there is none."""
    block = start
    while block < end:
        if atomic_load(shared, STOP):
            return end
        count = end - block
        if count > shared[BLOCK]:
            count = shared[BLOCK]
        found = successors(shared, own, block, count)
        if found == HALTED:
            return end
        for position in range(found):
            if same(offset(words(own[OUT]), position * STRIDE), target):
                return block + source_of(words(own[ENDS]), position)
        block += count
    return end


def source_of(ends: Words, position: int) -> int:
    """Which state of a block has the successor at that position."""
    source = 0
    while ends[source] <= position:
        source += 1
    return source
