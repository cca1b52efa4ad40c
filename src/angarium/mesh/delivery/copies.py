"""How many copies get into each state: the number of walks to it.

Copies are handed on from states that nothing more can get into. A state for which that time never comes lies
on a round or behind one: copies get there without end.
"""

from __future__ import annotations

from collections.abc import Sequence


def copies(following: Sequence[Sequence[int]]) -> list[int | None]:
    """Of each state, how many copies get into it if one starts in the first; None: without end.

    Every state can be reached from the first.
    """
    expected = [0] * len(following)
    for states in following:
        for state in states:
            expected[state] += 1
    counted = [0] * len(following)
    endless = [True] * len(following)
    counted[0] = 1
    ready = [0] if not expected[0] else []
    while ready:
        state = ready.pop()
        endless[state] = False
        for after in following[state]:
            counted[after] += counted[state]
            expected[after] -= 1
            if not expected[after]:
                ready.append(after)
    return [None if without else count for without, count in zip(endless, counted, strict=True)]
