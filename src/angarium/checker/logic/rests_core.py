"""Rests, in the low-level language: where a run may stand still, and the graph with such states in it.

A graph may have a thousand million steps. So they are read once to find the states in which all steps are
optional, mostly no farther than the first step of each; and copied once, if there are such states at all.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, byte, half, put_half


def find_lazy(states: int, rows: Words, labels: Words, optional: Words, lazy: Words) -> int:
    """Write down the states whose steps are all optional; how many there are."""
    count = 0
    for state in range(states):
        entry = rows[state]
        end = rows[state + 1]
        while entry < end and byte(optional, half(labels, entry)):
            entry += 1
        if entry == end:
            put_half(lazy, count, state)
            count += 1
    return count


def insert(
    entries: int, rows: Words, given: Words, lazy: Words, count: int, first: int, step: int, made: Words
) -> None:
    """Copy what is told of steps, with a step more behind those of each lazy state, and one for each rest.

    What is told of them is `first`, `first + step`, and so on.
    """
    read = 0
    write = 0
    for number in range(count):
        end = rows[half(lazy, number) + 1]
        while read < end:
            put_half(made, write, half(given, read))
            read += 1
            write += 1
        put_half(made, write, first + number * step)
        write += 1
    while read < entries:
        put_half(made, write, half(given, read))
        read += 1
        write += 1
    for number in range(count):
        put_half(made, write, first + number * step)
        write += 1
