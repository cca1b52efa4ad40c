"""The walk loop, in the low-level language of `native.lowlevel`: compiled, never run by Python.

A thread takes the next number, makes that walk from its first state to its last, and takes another. One walk
at a time is as fast as many side by side: the kernel looks at one state after the other anyway, and the
successors of a single state stay in the nearest cache.

In each state the kernel says what the state hits (guarantees, the goal, conditions that are waited for) and
writes all successors, each with the label of its step and, where it counts, its rate. Then one of them is
chosen. The random numbers are SplitMix64, with a beginning and an increment that depend on the seed and the
number of the walk alone. A number below n is the rest of a division by n; random numbers from the last,
incomplete n are drawn again, so that all are equally likely.

With rates, time passes between steps: an exponential variate divided by the sum of the rates. Von Neumann's
way to draw it needs nothing but comparisons of random numbers: in integers, the same on every machine. The
clock counts millionths of the unit of time, and the parts of them in 32 bits.

On a graphics card each thread takes a step of its walk at a time, and the next walk's first as soon as one is
over (`gpu.card_walk_core`): so those that go in step all have something to do.

`reference` does the same in plain Python, random number for random number.
"""

from __future__ import annotations

from angarium.checker.explore.core import HALTED
from angarium.native.lowlevel import (
    Words,
    atomic_add,
    atomic_load,
    call,
    elsewhere,
    offset,
    put_byte,
    swap_if,
    words,
)

WORDS = 1
"""How many words a state has."""
STRIDE = 2
"""How many words a successor has: those of the state, the label of the step, and its rate."""
BY_ACTION = RATES = ON_CARD = 0
"""Variants: first an action, then an instance; by rates. Neither: all instances are equally likely. And on a
card, where the kernel is called by name, and what is met is shared by all threads."""

# What all threads share: the question, the tables, and where the figures go.
KERNEL, INITIAL, INITIALS, SEED, FIRST, COUNT, LIMIT, GOAL, NOTED, WAITED = range(10)
ACTIONS, COUNTED, COUNTS, TALLIES, KINDS, CONDITIONS, ENDED, LENGTHS, FIGURES, STATES = range(10, 20)
NEXT, STOP = 20, 21
# And on a card: how many walks and steps all have made, and for each bit the least hit.
MADE, GONE, ROOMS, LEAST = range(22, 26)
SHARED_SIZE = LEAST + 64
# What each thread has of its own.
STATE, OUT, UNUSED, MASK, RANDOM, GAMMA, SEEN, CLOCK, CLOCK_PART, WALKED, STEPPED, TAKEN = range(12)
HIT_STEPS, HIT_WALKS = 16, 80
OWN_SIZE = 144
# Why a walk ended, + 1; see `results.End`.
AT_GOAL, AT_REST, AT_LIMIT = 1, 2, 3
# The kinds of tallies.
TIMES, STEPS, TIME = 0, 1, 2

GOLDEN = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB
MILLION = 1000000
HALF, HALF_BITS = 0xFFFFFFFF, 32


def expand_one(state: Words, found: Words, mask: Words) -> int:
    """The kernel on a card: a state's successors, how many there are, and what it hits."""
    return elsewhere()


def walk(shared: Words, own: Words) -> None:
    """Make walks until there are no more, or until told to stop."""
    state = words(own[STATE])
    out = words(own[OUT])
    mask = words(own[MASK])
    while not atomic_load(shared, STOP):
        row = atomic_add(shared, NEXT, 1)
        if row >= shared[COUNT]:
            return
        begin(shared, own, state, shared[FIRST] + row)
        ended = 0
        while not ended and not atomic_load(shared, STOP):
            ended = advance(shared, own, state, out, mask, row)
        if ended:
            end(shared, own, state, row, ended)


def begin(shared: Words, own: Words, state: Words, number: int) -> None:
    """The random numbers of a walk, and its first state."""
    own[RANDOM] = mix(mix(shared[SEED] + GOLDEN) ^ mix(number))
    own[GAMMA] = mix(own[RANDOM] + GOLDEN) | 1
    own[SEEN] = 0
    own[CLOCK] = 0
    own[CLOCK_PART] = 0
    own[TAKEN] = 0
    chosen = 0
    if shared[INITIALS] > 1:
        chosen = below(own, shared[INITIALS])
    enter(state, offset(words(shared[INITIAL]), chosen * STRIDE))


def enter(state: Words, source: Words) -> None:
    """Be in another state."""
    for word in range(WORDS):
        state[word] = source[word]


def end(shared: Words, own: Words, state: Words, row: int, ended: int) -> None:
    """Write down where and why a walk ended; the reason comes last, and says that all is there."""
    place = offset(words(shared[STATES]), row * WORDS)
    for word in range(WORDS):
        place[word] = state[word]
    put_byte(words(shared[ENDED]), row, ended)
    if ON_CARD:
        atomic_add(shared, MADE, 1)
        atomic_add(shared, GONE, own[TAKEN])
    else:
        own[WALKED] = own[WALKED] + 1


def advance(shared: Words, own: Words, state: Words, out: Words, mask: Words, row: int) -> int:
    """Take a step; why the walk ended + 1, if it did. None is taken where the kernel was told to end."""
    found = successors_of(shared, own, state, out, mask)
    if found == HALTED:
        return 0
    steps = own[TAKEN]
    figures = offset(words(shared[FIGURES]), row * shared[TALLIES])
    fresh = mask[0] & (shared[NOTED] | shared[WAITED]) & ~own[SEEN]
    if fresh:
        note(shared, own, fresh, steps, row, figures)
    ended = ending(shared, mask[0], found, steps)
    chosen = 0
    if not ended:
        chosen = choose(shared, own, out, found)
        if chosen == found:
            ended = AT_REST
    if ended:
        words(shared[LENGTHS])[row] = steps
        write(shared, own, 0, steps, figures)
        return ended
    successor = offset(out, chosen * STRIDE)
    tally(shared, successor[WORDS], figures)
    enter(state, successor)
    own[TAKEN] = steps + 1
    if not ON_CARD:
        own[STEPPED] = own[STEPPED] + 1
    return 0


def successors_of(shared: Words, own: Words, state: Words, out: Words, mask: Words) -> int:
    """All steps that a walk can take, and what its state hits; how many steps, or HALTED."""
    if ON_CARD:
        return expand_one(state, out, mask)
    return call(shared[KERNEL], state, 1, out, own[UNUSED], mask)


def ending(shared: Words, mask: int, found: int, steps: int) -> int:
    """Whether a walk ends in a state: why + 1."""
    if mask & shared[GOAL]:
        return AT_GOAL
    if found == 0:
        return AT_REST
    if steps == shared[LIMIT]:
        return AT_LIMIT
    return 0


# --- what is written down -------------------------------------------------------------


def note(shared: Words, own: Words, fresh: int, steps: int, row: int, figures: Words) -> None:
    """A walk hits something for the first time."""
    own[SEEN] = own[SEEN] | fresh
    noted = fresh & shared[NOTED]
    if noted:
        for bit in range(64):
            if (noted >> bit) & 1:
                if ON_CARD:
                    lower(shared, LEAST + bit, (steps << HALF_BITS) | row)
                else:
                    note_hit(own, bit, steps, shared[FIRST] + row)
    waited = fresh & shared[WAITED]
    if waited:
        write(shared, own, waited, steps, figures)


def note_hit(own: Words, bit: int, steps: int, walk_number: int) -> None:
    """Remember the hit that took the fewest steps; of those, the one in the first walk."""
    best = own[HIT_STEPS + bit]
    if steps < best or (steps == best and walk_number < own[HIT_WALKS + bit]):
        own[HIT_STEPS + bit] = steps
        own[HIT_WALKS + bit] = walk_number


def lower(place: Words, index: int, value: int) -> None:
    """The same for all threads: steps and walk are one number."""
    present = atomic_load(place, index)
    while value < present:
        before = swap_if(place, index, present, value)
        if before == present:
            return
        present = before


def write(shared: Words, own: Words, conditions: int, steps: int, figures: Words) -> None:
    """Write down the steps and the time until conditions are true, or until the end if there are none."""
    kinds = words(shared[KINDS])
    waited = words(shared[CONDITIONS])
    for number in range(shared[TALLIES]):
        if waited[number] & conditions or (waited[number] == 0 and conditions == 0):
            if kinds[number] == STEPS:
                figures[number] = steps
            if RATES:
                if kinds[number] == TIME:
                    figures[number] = own[CLOCK]


def tally(shared: Words, label: int, figures: Words) -> None:
    """Count a step."""
    counted = words(shared[COUNTED])
    counts = words(shared[COUNTS])
    for place in range(counted[label], counted[label + 1]):
        number = counts[place]
        figures[number] = figures[number] + 1


# --- choosing -------------------------------------------------------------------------


def choose(shared: Words, own: Words, out: Words, found: int) -> int:
    """The position of the next step; one behind the last if nothing happens any more."""
    if RATES:
        return choose_by_rate(own, out, found)
    if BY_ACTION:
        return choose_by_action(words(shared[ACTIONS]), own, out, found)
    return below(own, found)


def choose_by_action(actions: Words, own: Words, out: Words, found: int) -> int:
    """Steps of the same action stand side by side: count the actions, choose one, then one of its steps."""
    different = 1
    for position in range(1, found):
        if action_at(actions, out, position) != action_at(actions, out, position - 1):
            different += 1
    left = below(own, different)
    start = 0
    while left:
        start = end_of_action(actions, out, start, found)
        left -= 1
    return start + below(own, end_of_action(actions, out, start, found) - start)


def end_of_action(actions: Words, out: Words, start: int, found: int) -> int:
    """Where the steps of the action end that begin there."""
    action = action_at(actions, out, start)
    position = start + 1
    while position < found and action_at(actions, out, position) == action:
        position += 1
    return position


def action_at(actions: Words, out: Words, position: int) -> int:
    return actions[out[position * STRIDE + WORDS]]


def choose_by_rate(own: Words, out: Words, found: int) -> int:
    """Let time pass, then choose a step."""
    total = 0
    for position in range(found):
        total += out[position * STRIDE + WORDS + 1]
    if total == 0:
        return found
    pass_time(own, exponential(own) * MILLION // total)
    left = below(own, total)
    position = 0
    while left >= out[position * STRIDE + WORDS + 1]:
        left -= out[position * STRIDE + WORDS + 1]
        position += 1
    return position


def pass_time(own: Words, part: int) -> None:
    part = own[CLOCK_PART] + part
    own[CLOCK] = own[CLOCK] + (part >> 32)
    own[CLOCK_PART] = part & HALF


# --- random numbers -------------------------------------------------------------------


def exponential(own: Words) -> int:
    """How long something takes that takes 1 on average; in 2^-32.

    Random numbers are drawn as long as they become smaller. If an odd number of them did, the first is the
    fraction; else that is one more whole unit, and a new try.
    """
    whole = 0
    while 1:
        first = draw(own)
        last = first
        while 1:
            following = draw(own)
            if following >= last:
                return (whole << 32) + (first >> 32)
            last = draw(own)
            if last >= following:
                break
        whole += 1
    return 0


def below(own: Words, count: int) -> int:
    """One of so many numbers from 0."""
    while 1:
        drawn = draw(own)
        rest = drawn % count
        start = drawn - rest
        if start <= start + (count - 1):
            return rest
    return 0


def draw(own: Words) -> int:
    own[RANDOM] = own[RANDOM] + own[GAMMA]
    return mix(own[RANDOM])


def mix(word: int) -> int:
    mixed = (word ^ (word >> 30)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> 27)) * SECOND_FACTOR
    return mixed ^ (mixed >> 31)
