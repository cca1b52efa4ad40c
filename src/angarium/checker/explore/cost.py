"""What a search takes that finds so many states: memory and time, from what a short one took.

The local engine keeps every state in a log, and its number in a table that doubles when it is full; while
states move from one table to the next there are both. Guarantees over time need every step as well, and
memory to judge them that was measured to be at most what the search has then. Time grows a little faster than
states, as more of them are outside of the processor's cache. Other engines take memory in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass

from angarium.checker.explore.estimate import Range

WORD = 8
LOAD = 0.7
"""How full the table may be before it doubles."""
SMALLEST_TABLE = 1 << 16
SLOWER, SLOWEST = 1.25, 1.8
"""How much longer a whole search takes than its beginning suggests: by half of the recorded ones, and by one
in twenty."""
JUDGING, JUDGING_LONGEST = 0.3, 1.0
"""How much of the time of its search a guarantee over time takes to be judged: usually, and at most. In four
checks it was at most 0.5, by processor time with the search on two cores; the rest is an allowance."""
JUDGING_ROOM = 2.1
"""How many times the memory of the search judging took at most."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What a short search took, and what it keeps."""

    states: int
    transitions: int
    frontier: int
    bytes: int
    seconds: float
    words: int
    """Of 64 bits, that a state has."""
    over_time: int = 0
    """How many guarantees over time are to be judged."""
    shared: bool = False
    """Whether several threads search."""
    local: bool = True
    """Whether it is the local engine, whose memory can be computed."""

    @property
    def steps_a_state(self) -> float:
        return self.transitions / max(self.states - self.frontier, 1)


def transitions(begun: Begun, states: Range) -> Range:
    """How many steps there are between so many states."""
    each = begun.steps_a_state
    likely, high = (None if count is None else round(count * each) for count in (states.likely, states.high))
    still_to_find = max(0, states.low - begun.states)  # each of them by a step of its own
    return Range(begun.transitions + still_to_find, likely, high)


def memory(begun: Begun, states: Range) -> Range:
    """How many bytes it takes to find so many states, and to judge."""
    room = JUDGING_ROOM if begun.over_time else 1.0
    likely = None if states.likely is None else _bytes(begun, states.likely)
    high = None if states.high is None else round(_bytes(begun, states.high) * room)
    return Range(_bytes(begun, states.low), likely, high)


def _bytes(begun: Begun, states: int) -> int:
    """What a search takes at its greatest extent, which may be when the table grew for the last time."""
    if not begun.local:
        return round(begun.bytes / max(begun.states, 1) * states)
    slots = table_slots(states)
    last_growth = int(LOAD * slots / 2)
    growing = WORD * (slots + slots // 2) + _kept(begun, min(states, last_growth))
    return max(WORD * slots + _kept(begun, states), growing)


def _kept(begun: Begun, states: int) -> int:
    """The log, and with guarantees over time the ledger of steps."""
    each = float(WORD * begun.words)
    if begun.over_time:
        each += 2 * WORD + WORD // 2 * begun.shared + WORD * begun.steps_a_state
    return int(states * each)


def table_slots(states: int) -> int:
    """How large the table is that holds so many states: a power of two."""
    slots = SMALLEST_TABLE
    while LOAD * slots <= states:
        slots *= 2
    return slots


def time(begun: Begun, states: Range) -> Range:
    """How many seconds it takes to find so many states, and to judge; in whole seconds, upwards."""
    each = begun.seconds / max(begun.states, 1)
    likely = each * SLOWER * (1 + JUDGING * begun.over_time)
    longest = each * SLOWEST * (1 + JUDGING_LONGEST * begun.over_time)
    return Range(
        int(states.low * each),
        None if states.likely is None else 1 + int(states.likely * likely),
        None if states.high is None else 1 + int(states.high * longest),
    )
