"""Normal forms and their comparison, in the low-level language: compiled, never run by Python.

A *node* of a normal form is a set of states: all that a process can be in after the same visible events. Its
members lie in a pool; nodes are found again by a table of hashes that do not depend on the members' order.
A state is in the set that is being made if its stamp is the present one, so no set needs to be cleared or
sorted.

The comparison is a breadth-first search over pairs of a state and a node. A pair is one word: the state in
the upper half. Its table is exact, with linear probing; who calls lets it grow.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, half, put_half, words

# A process: its steps, with their events as numbers of 32 bits.
ROWS, TARGETS, EVENTS = range(3)
INTERNAL, STILL = 0, 0xFFFFFFFF
"""The events of an internal step and of standing still; visible ones are numbered from 1."""

# A normal form: the nodes' steps in the order of events, what they accept; while it is made, their members.
STEP_ROWS, STEP_EVENTS, STEP_TARGETS, SET_ROWS, SETS, MEMBER_ROWS, MEMBERS = range(7)

# What is needed to make one.
EVENT_COUNT, STAMPS, STAMP, HEADS, LINKS, NODE_TABLE, NODE_SHIFT = range(7)
NODES, MEMBERS_END, MOST_NODES, MOST_MEMBERS, MOST_STEPS = range(7, 12)
STEPS_END, SET_WORDS, MOST_SETS, NODE, PAUSE = range(12, 17)
WORK_SIZE = 17

# What is needed to compare.
LOG, PARENTS, COUNT, HEAD, LIMIT, TABLE, SHIFT, FAILURES, READY, WIDTH, WRONG, BREAK, LEVEL_END = range(13)
SEARCH_SIZE = 13

MULTIPLIER = 0xD6E8FEB86659FD93
PICK = 0
"""A variant: only the first initial state, the first internal step, else the first step with each event."""
# What the functions answer.
FINISHED, FULL, PAUSED, FORBIDDEN, REFUSED = range(5)


# --- normal forms -------------------------------------------------------------------------------------


def begin(process: Words, form: Words, work: Words, initial: int) -> None:
    """Make the node of the initial states."""
    begin_node(work)
    for state in range(initial):
        if PICK == 0 or state == 0:
            add(form, work, state)
    close(process, form, work)
    intern(form, work)


def normalise(process: Words, form: Words, work: Words) -> int:
    """Make the nodes behind those that there are, until there are no more, or it is time for a pause."""
    while work[NODE] < work[NODES]:
        if work[NODE] >= work[PAUSE]:
            return PAUSED
        words(form[STEP_ROWS])[work[NODE]] = work[STEPS_END]
        sort_out(process, form, work, work[NODE])
        if follow_events(process, form, work) == FULL:
            return FULL
        work[NODE] += 1
    words(form[STEP_ROWS])[work[NODE]] = work[STEPS_END]
    return FINISHED


def is_full(work: Words) -> int:
    """Whether one more node may find no room."""
    if work[NODES] >= work[MOST_NODES] or work[STEPS_END] >= work[MOST_STEPS]:
        return 1
    return 1 if work[MEMBERS_END] > work[MOST_MEMBERS] else 0


def sort_out(process: Words, form: Words, work: Words, node: int) -> None:
    """Chain the visible steps of a node's members, one chain for each event."""
    rows = words(process[ROWS])
    heads = words(work[HEADS])
    links = words(work[LINKS])
    starts = words(form[MEMBER_ROWS])
    for position in range(starts[node], starts[node + 1]):
        state = half(words(form[MEMBERS]), position)
        for entry in range(rows[state], rows[state + 1]):
            event = half(words(process[EVENTS]), entry)
            if event != INTERNAL and event != STILL:
                if PICK:
                    if heads[event]:
                        continue
                links[entry] = heads[event]
                heads[event] = entry + 1


def follow_events(process: Words, form: Words, work: Words) -> int:
    """Make the nodes that the chains lead to."""
    heads = words(work[HEADS])
    links = words(work[LINKS])
    for before in range(work[EVENT_COUNT]):
        event = before + 1
        link = heads[event]
        if link:
            if is_full(work):
                return FULL
            heads[event] = 0
            begin_node(work)
            while link:
                add(form, work, half(words(process[TARGETS]), link - 1))
                link = links[link - 1]
            close(process, form, work)
            put_half(words(form[STEP_TARGETS]), work[STEPS_END], intern(form, work))
            put_half(words(form[STEP_EVENTS]), work[STEPS_END], event)
            work[STEPS_END] += 1
    return FINISHED


def begin_node(work: Words) -> None:
    work[STAMP] += 1


def add(form: Words, work: Words, state: int) -> None:
    """Put a state into the node that is being made, behind the members of all nodes."""
    stamps = words(work[STAMPS])
    if stamps[state] != work[STAMP]:
        stamps[state] = work[STAMP]
        put_half(words(form[MEMBERS]), work[MEMBERS_END], state)
        work[MEMBERS_END] += 1


def close(process: Words, form: Words, work: Words) -> None:
    """Add what internal steps lead to."""
    rows = words(process[ROWS])
    members = words(form[MEMBERS])
    position = words(form[MEMBER_ROWS])[work[NODES]]
    while position < work[MEMBERS_END]:
        state = half(members, position)
        if PICK:
            put_half(members, position, settle(process, state))
        else:
            for entry in range(rows[state], rows[state + 1]):
                if half(words(process[EVENTS]), entry) == INTERNAL:
                    add(form, work, half(words(process[TARGETS]), entry))
        position += 1


def settle(process: Words, state: int) -> int:
    """Where the first internal step of each state leads in the end; there must be no cycle of them."""
    rows = words(process[ROWS])
    entry = rows[state]
    while entry < rows[state + 1]:
        if half(words(process[EVENTS]), entry) == INTERNAL:
            state = half(words(process[TARGETS]), entry)
            entry = rows[state]
        else:
            entry += 1
    return state


def intern(form: Words, work: Words) -> int:
    """The number of the node that was made: that of an equal one, if there is."""
    starts = words(form[MEMBER_ROWS])
    table = words(work[NODE_TABLE])
    start = starts[work[NODES]]
    slot = set_hash(words(form[MEMBERS]), start, work[MEMBERS_END]) >> work[NODE_SHIFT]
    mask = (1 << (64 - work[NODE_SHIFT])) - 1
    while table[slot]:
        node = table[slot] - 1
        if is_same(form, work, node, start):
            work[MEMBERS_END] = start
            return node
        slot = (slot + 1) & mask
    work[NODES] += 1
    table[slot] = work[NODES]
    starts[work[NODES]] = work[MEMBERS_END]
    return work[NODES] - 1


def set_hash(members: Words, start: int, end: int) -> int:
    """A hash that is the same in whichever order the members are."""
    total = 0
    for position in range(start, end):
        mixed = (half(members, position) + 1) * MULTIPLIER
        mixed = (mixed ^ (mixed >> 32)) * MULTIPLIER
        total += mixed ^ (mixed >> 29)
    return total * MULTIPLIER


def is_same(form: Words, work: Words, node: int, start: int) -> int:
    """Whether a node has the members of the one that was made, which lies behind all nodes."""
    starts = words(form[MEMBER_ROWS])
    members = words(form[MEMBERS])
    if starts[node + 1] - starts[node] != work[MEMBERS_END] - start:
        return 0
    different = 0
    if PICK:
        different = half(members, starts[node]) ^ half(members, start)
    else:
        for position in range(starts[node], starts[node + 1]):
            if words(work[STAMPS])[half(members, position)] != work[STAMP]:
                different = 1
                break
    return 0 if different else 1


# --- what nodes accept --------------------------------------------------------------------------------


def accept(process: Words, form: Words, work: Words) -> int:
    """For each node the least sets of events that its stable members offer."""
    starts = words(form[MEMBER_ROWS])
    bounds = words(form[SET_ROWS])
    width = work[SET_WORDS]
    for node in range(work[NODES]):
        end = bounds[node]
        for position in range(starts[node], starts[node + 1]):
            if (end + 1) * width > work[MOST_SETS]:
                return FULL
            made = words(form[SETS])
            fresh = end * width
            if offers(process, half(words(form[MEMBERS]), position), made, fresh, width):
                end = keep_least(made, bounds[node], end, width)
        bounds[node + 1] = end
    return FINISHED


def offers(process: Words, state: int, sets: Words, at: int, width: int) -> int:
    """Write which events a state offers; whether it is stable."""
    rows = words(process[ROWS])
    for each in range(width):
        sets[at + each] = 0
    for entry in range(rows[state], rows[state + 1]):
        event = half(words(process[EVENTS]), entry)
        if event == INTERNAL:
            return 0
        if event != STILL:
            sets[at + ((event - 1) >> 6)] |= 1 << ((event - 1) & 63)
    return 1


def keep_least(sets: Words, start: int, end: int, width: int) -> int:
    """Add the set at `end` to those before it, unless it has one of them in it; drop those that it is in."""
    for each in range(start, end):
        if is_part(sets, each * width, sets, end * width, width):
            return end
    kept = start
    for each in range(start, end):
        if not is_part(sets, end * width, sets, each * width, width):
            copy(sets, each * width, kept * width, width)
            kept += 1
    copy(sets, end * width, kept * width, width)
    return kept + 1


def is_part(one: Words, at: int, other: Words, there: int, width: int) -> int:
    for each in range(width):
        if one[at + each] & ~other[there + each]:
            return 0
    return 1


def copy(sets: Words, source: int, target: int, width: int) -> None:
    for each in range(width):
        sets[target + each] = sets[source + each]


# --- comparing ----------------------------------------------------------------------------------------


def compare(process: Words, form: Words, search: Words) -> int:
    """Expand pairs until there are no more, there is no room, it is time for a pause, or one is wrong."""
    rows = words(process[ROWS])
    while search[HEAD] < search[COUNT]:
        if search[HEAD] >= search[BREAK]:
            return PAUSED
        pair = words(search[LOG])[search[HEAD]]
        state = pair >> 32
        if search[COUNT] + rows[state + 1] - rows[state] > search[LIMIT]:
            return FULL
        if search[HEAD] == search[LEVEL_END]:
            search[LEVEL_END] = search[COUNT]
        found = expand(process, form, search, state, pair & 0xFFFFFFFF)
        if found == FORBIDDEN:
            return sooner(process, form, search)
        if found != FINISHED:
            return found
        search[HEAD] += 1
    return FINISHED


def sooner(process: Words, form: Words, search: Words) -> int:
    """An event that is not allowed comes one step behind its pair: refusing at the same level is shorter."""
    if search[FAILURES]:
        for number in range(search[HEAD], search[LEVEL_END]):
            pair = words(search[LOG])[number]
            if refuses_too_much(process, form, search, pair >> 32, pair & 0xFFFFFFFF):
                search[HEAD] = number
                return REFUSED
    return FORBIDDEN


def expand(process: Words, form: Words, search: Words, state: int, node: int) -> int:
    """Follow all steps of a pair."""
    rows = words(process[ROWS])
    for entry in range(rows[state], rows[state + 1]):
        event = half(words(process[EVENTS]), entry)
        target = half(words(process[TARGETS]), entry) << 32
        if event == INTERNAL:
            insert(search, target | node)
        elif event != STILL:
            after = step_of(form, node, event)
            if after == STILL:
                search[WRONG] = entry
                return FORBIDDEN
            insert(search, target | after)
    if search[FAILURES]:
        if refuses_too_much(process, form, search, state, node):
            return REFUSED
    return FINISHED


def step_of(form: Words, node: int, event: int) -> int:
    """The node behind an event, by bisection; STILL if there is none."""
    low = words(form[STEP_ROWS])[node]
    high = words(form[STEP_ROWS])[node + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if half(words(form[STEP_EVENTS]), middle) < event:
            low = middle + 1
        else:
            high = middle
    if low < end:
        if half(words(form[STEP_EVENTS]), low) == event:
            return half(words(form[STEP_TARGETS]), low)
    return STILL


def refuses_too_much(process: Words, form: Words, search: Words, state: int, node: int) -> int:
    """Whether a state is stable and offers none of the sets that a node accepts."""
    ready = words(search[READY])
    width = search[WIDTH]
    if not offers(process, state, ready, 0, width):
        return 0
    for each in range(words(form[SET_ROWS])[node], words(form[SET_ROWS])[node + 1]):
        if is_part(words(form[SETS]), each * width, ready, 0, width):
            return 0
    return 1


def insert(search: Words, pair: int) -> None:
    """Add a pair that is new, found from the pair that is being expanded."""
    slot = place(search, pair)
    if not words(search[TABLE])[slot]:
        words(search[TABLE])[slot] = pair + 1
        words(search[LOG])[search[COUNT]] = pair
        words(search[PARENTS])[search[COUNT]] = search[HEAD]
        search[COUNT] += 1


def place(search: Words, pair: int) -> int:
    """Where in the table a pair is, or should be."""
    table = words(search[TABLE])
    mixed = (pair ^ (pair >> 32)) * MULTIPLIER
    slot = ((mixed ^ (mixed >> 32)) * MULTIPLIER) >> search[SHIFT]
    mask = (1 << (64 - search[SHIFT])) - 1
    while table[slot] and table[slot] != pair + 1:
        slot = (slot + 1) & mask
    return slot


def enter(search: Words) -> None:
    """Enter all pairs of the log into a new table."""
    for number in range(search[COUNT]):
        pair = words(search[LOG])[number]
        words(search[TABLE])[place(search, pair)] = pair + 1
