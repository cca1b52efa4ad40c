"""Fixpoints on compressed adjacency, in the low-level language: compiled, never run by Python.

States are numbers of 32 bits, sets of states one byte a state. Each function visits every step at most
once, so that its time is linear in the size of the graph. A `queue` has room for every state; who calls
gives all memory.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, byte, half, put_byte, put_half


def reverse(states: int, rows: Words, targets: Words, back: Words, sources: Words) -> None:
    """The adjacency of the steps taken backwards, by counting sort; `back` has states + 2 words, all 0.

    First back[t + 2] counts the steps that lead to t; summed up, back[t + 1] is where they begin; and when
    each has been put in its place, it is where they end, which is where those of t + 1 begin.
    """
    for entry in range(rows[states]):
        back[half(targets, entry) + 2] += 1
    for state in range(states):
        back[state + 2] += back[state + 1]
    for state in range(states):
        for entry in range(rows[state], rows[state + 1]):
            target = half(targets, entry)
            put_half(sources, back[target + 1], state)
            back[target + 1] += 1


def reach_back(states: int, back: Words, sources: Words, inside: Words, reached: Words, queue: Words) -> None:
    """Add to `reached` every state inside that a step leads from to one that is reached, and so on."""
    count = 0
    for state in range(states):
        if byte(reached, state):
            put_half(queue, count, state)
            count += 1
    next_one = 0
    while next_one < count:
        state = half(queue, next_one)
        next_one += 1
        for entry in range(back[state], back[state + 1]):
            source = half(sources, entry)
            if byte(inside, source) and not byte(reached, source):
                put_byte(reached, source, 1)
                put_half(queue, count, source)
                count += 1


def stay(
    states: int,
    rows: Words,
    targets: Words,
    back: Words,
    sources: Words,
    left: Words,
    exits: Words,
    queue: Words,
) -> None:
    """Take from `left` the states without a step into it, again and again; `exits` counts such steps."""
    count = 0
    for state in range(states):
        found = 0
        if byte(left, state):
            for entry in range(rows[state], rows[state + 1]):
                found += byte(left, half(targets, entry))
            if not found:
                put_half(queue, count, state)
                count += 1
        put_half(exits, state, found)
    next_one = 0
    while next_one < count:
        state = half(queue, next_one)
        next_one += 1
        put_byte(left, state, 0)
        for entry in range(back[state], back[state + 1]):
            source = half(sources, entry)
            if byte(left, source) and half(exits, source):
                put_half(exits, source, half(exits, source) - 1)
                if not half(exits, source):
                    put_half(queue, count, source)
                    count += 1


def walk(
    rows: Words, targets: Words, inside: Words, goal: Words, came: Words, queue: Words, count: int
) -> int:
    """Breadth-first from the `count` states of the queue to a state of the goal, through states inside.

    `came` says of each state by which entry it was found, plus 1; it is 0 for the others and must be other
    than 0 for the first ones. The number of the state of the goal, or the number of 32 bits that is no
    state.
    """
    next_one = 0
    while next_one < count:
        state = half(queue, next_one)
        next_one += 1
        if byte(goal, state):
            return state
        if byte(inside, state):
            for entry in range(rows[state], rows[state + 1]):
                target = half(targets, entry)
                if not came[target]:
                    came[target] = entry + 1
                    put_half(queue, count, target)
                    count += 1
    return NOWHERE


NOWHERE = 0xFFFFFFFF
