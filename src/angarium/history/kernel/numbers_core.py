"""The numbers of recorders as they are read: whether they go on one by one, and times with them.

Files are mostly in the order of time, and of events at the same time the numbers may be in any order. So
numbers that come too early wait, a few of each recorder, until those before them have come. What waits at
the end is put together with what was read elsewhere. Where that does not close all gaps, or a number comes
twice, or time goes back, the recorder is odd, and is looked at closely afterwards.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, byte, offset

WAITING = 16
"""So many numbers of a recorder may wait."""
ENDING, RANGE = 4, 4
"""So many gaps may be left for others to close; a range has a first number and time, and a last."""
ODD, BASED, LAST, LAST_TIME, COUNT_WAITING, FIRST, FIRST_TIME, COUNT_ENDED, ENDED = range(9)
WAITS = ENDED + ENDING * RANGE
STATE = WAITS + 2 * WAITING
"""Of a recorder: whether it is odd, whether its first number is known, its last number and time, how many
wait, its first number and time, and ranges that have ended; then what waits."""


def watch(sources: Words, numbers: Words, times: Words, chosen: Words, count: int, states: Words) -> int:
    """Look at numbers in the order of reading."""
    for row in range(count):
        if byte(chosen, row) != 0:
            state = offset(states, sources[row] * STATE)
            if state[ODD] == 0:
                if state[BASED] != 0 and numbers[row] == state[LAST] + 1:
                    take(state, numbers[row], times[row])
                    release(state)
                else:
                    wait(state, numbers[row], times[row])
    return count


def take(state: Words, number: int, time: int) -> None:
    """Go on with a number."""
    if time < state[LAST_TIME]:
        state[ODD] = 1
    state[LAST] = number
    state[LAST_TIME] = time


def wait(state: Words, number: int, time: int) -> None:
    """Let a number wait, in the order of numbers; when too many wait, the smallest is the first."""
    if state[BASED] != 0 and number <= state[LAST]:
        state[ODD] = 1
        return
    if state[COUNT_WAITING] == WAITING:
        if state[BASED] != 0:
            leave(state)
            if state[ODD] != 0:
                return
        begin(state)
        if number == state[LAST] + 1:
            take(state, number, time)
            release(state)
            return
        if number <= state[LAST] or state[COUNT_WAITING] == WAITING:
            state[ODD] = 1
            return
    place, waits = state[COUNT_WAITING], offset(state, WAITS)
    while place > 0 and waits[2 * place - 2] > number:
        waits[2 * place] = waits[2 * place - 2]
        waits[2 * place + 1] = waits[2 * place - 1]
        place -= 1
    waits[2 * place] = number
    waits[2 * place + 1] = time
    state[COUNT_WAITING] += 1


def leave(state: Words) -> None:
    """Leave a gap behind the last number: what is missing may be in another piece of the history."""
    if state[COUNT_ENDED] == ENDING:
        state[ODD] = 1
        return
    ended = offset(state, ENDED + state[COUNT_ENDED] * RANGE)
    ended[0] = state[FIRST]
    ended[1] = state[FIRST_TIME]
    ended[2] = state[LAST]
    ended[3] = state[LAST_TIME]
    state[COUNT_ENDED] += 1


def begin(state: Words) -> None:
    """Take the smallest number that waits for the first of all."""
    waits = offset(state, WAITS)
    state[BASED] = 1
    state[FIRST] = waits[0]
    state[FIRST_TIME] = waits[1]
    state[LAST] = waits[0] - 1
    release(state)


def release(state: Words) -> None:
    """Go on with what has waited for the last number."""
    waits, taken = offset(state, WAITS), 0
    while taken < state[COUNT_WAITING] and waits[2 * taken] == state[LAST] + 1:
        take(state, waits[2 * taken], waits[2 * taken + 1])
        taken += 1
    if taken > 0:
        left = state[COUNT_WAITING] - taken
        for place in range(2 * left):
            waits[place] = waits[place + 2 * taken]
        state[COUNT_WAITING] = left
