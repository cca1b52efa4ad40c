"""How many states a search will find, and what it takes, from a short one and from smaller scenarios
searched whole.

Levels alone say little while they grow: a parabola through the logarithms of their sizes, followed to its
end, was wrong by a factor of a hundred and more when a hundredth of the states was known. Smaller scenarios
of the same model say much, in two ways.

*Carried*: to lower a parameter by one divides the logarithm of the number of states by about the same number
whatever the other parameters are; and along one parameter the number of states grows by about the same
factor at each step. So the number for a scenario follows from its neighbours below; where those were too
large themselves, from theirs. The number of levels is carried in the same way, by differences.

*Stretched*: the curve of a scenario (the logarithm of how many states are known after each level) is close
to that of a smaller one, stretched in both directions: along the levels by how many there will be, upwards
by what fits the levels that are known.

*Followed*: once levels have all but stopped growing, the parabola is good, and needs no other scenario.

These are the grounds; the likely number is the geometric mean of what the first two say, or, where there is
one, what the last says. On recorded searches the truth was off in proportion to how much there was to guess,
in logarithms, whether a tenth of the states was known or a thousandth: hence LEAST and MOST. The truth was
in that interval in nine cases of ten (`benchmarks/estimates.py` measures it by system). Where there are no
grounds there is no upper bound, and none is invented.

*Cost*: the local engine keeps every state in a log, and its number in a table that doubles when it is full;
while states move from one table to the next there are both. Guarantees over time need every step as well,
and memory to judge them that was measured to be at most what the search has then. A card keeps table and log
too, and as its memory is small, its table may become fuller; steps go to this machine's memory. Time grows a
little faster than states, as more of them are outside of the processor's cache. Other engines take memory in
proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations_with_replacement, pairwise
from math import exp, log
from statistics import fmean, linear_regression, median

FITTED = 6
"""How many of the latest ratios of two levels the line is fitted to."""
LEVEL = 0.1
"""The slope up to which levels have all but stopped growing: each is a tenth greater than the last."""
FAR = 1.0
"""How many times the levels so far may still come, for a line that is followed to be worth anything."""
CURVES = 5
"""How many of the largest smaller scenarios lend their curves."""

MOST_DETOURS = 8
"""How many figures that were carried themselves may lie on the way: with more, it was often wrong."""
FEWEST = 20
"""States that a smaller scenario must have to say anything."""
LEAST, MOST, MOST_IF_TELLING = 0.5, 2.1, 1.5
"""The interval, as parts of what the grounds say is ahead, in logarithms; shorter if they are telling."""
TELLING = 50_000
"""States from which a smaller scenario is telling: its curve has the shape of larger ones."""
MARGIN, FARTHEST = 0.15, 3.0
"""The upper end is a little farther still, but never farther off than this, in logarithms."""
_HUGE = 700.0
"""The logarithm of about the largest number that can be computed with."""

Place = tuple[int, ...]
"""A smaller scenario: by how much each parameter is lower than in the wanted one."""


@dataclass(frozen=True, slots=True)
class Smaller:
    """A smaller scenario of the same model, searched to the last state."""

    place: Place
    levels: Sequence[int]

    @property
    def states(self) -> int:
        return sum(self.levels)


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is not known yet; what there are no grounds for is None."""

    low: int
    likely: int | None = None
    high: int | None = None


# --- the whole -----------------------------------------------------------------------------


def whole(found: int, levels: Sequence[int], smaller: Sequence[Smaller]) -> tuple[Range, list[str]]:
    """How many states there are in all, and on which grounds; `found` also has those of unfinished levels."""
    said = grounds(found, levels, smaller)
    if not said:
        return Range(found), []
    known = max(sum(levels), 1)
    ahead = log(_together(said) / known)
    telling = "followed" not in said and max(each.states for each in smaller) >= TELLING
    most = (MOST_IF_TELLING if telling else MOST) * ahead + MARGIN
    ends = (LEAST * ahead, ahead, min(most, ahead + FARTHEST, _HUGE))
    low, likely, high = (max(found, round(known * exp(end))) for end in ends)
    return Range(low, likely, high), list(said)


def _together(said: Mapping[str, float]) -> float:
    """What all grounds say together, by orders of magnitude."""
    return exp(fmean(log(number) for number in said.values()))


def grounds(found: int, levels: Sequence[int], smaller: Sequence[Smaller]) -> dict[str, float]:
    """How many states there are by each kind of evidence that says anything and is not refuted."""
    following = levels_left(levels)
    if following is not None:
        return {"followed": max(float(found), sum(levels) + sum(following))}
    usable = [each for each in smaller if each.states >= FEWEST]
    said = {"carried": carried_states(usable), "stretched": stretched(levels, usable)}
    # While levels grow, about half of the states are still to come, or more.
    least = max(found, 2 * sum(levels))
    return {kind: number for kind, number in said.items() if number is not None and number > least}


def depth(levels: Sequence[int], smaller: Sequence[Smaller]) -> int | None:
    """How many levels there will be, if there are grounds."""
    following = levels_left(levels)
    if following is not None:
        return len(levels) + len(following)
    carried = carried_depth([each for each in smaller if each.states >= FEWEST])
    return round(carried) if carried is not None and carried > len(levels) else None


# --- carried from smaller scenarios -----------------------------------------------------------


def carried_states(smaller: Sequence[Smaller]) -> float | None:
    known = {each.place: log(each.states) for each in smaller if each.states > 1}
    found = carry(known, lambda near, far: 2 * near - far, lambda one, other, both: one * other / both)
    return None if found is None else exp(min(found, _HUGE))


def carried_depth(smaller: Sequence[Smaller]) -> float | None:
    known = {each.place: float(len(each.levels)) for each in smaller}
    return carry(known, lambda near, far: 2 * near - far, lambda one, other, both: one + other - both)


def carry(
    known: Mapping[Place, float],
    along: Callable[[float, float], float],
    across: Callable[[float, float, float], float],
) -> float | None:
    """A figure of the wanted scenario, from that of others; what took the fewest detours counts, if few.

    `along` one parameter it follows from those one and two steps lower; `across` two parameters, from
    those where one of them is a step lower, or the other, or both.
    """
    if not known:
        return None
    lowest = [max(steps) for steps in zip(*known, strict=True)]
    axes = [axis for axis, most in enumerate(lowest) if most]

    @cache
    def figure(place: Place) -> tuple[int, float] | None:
        if place in known:
            return 0, known[place]
        if any(steps > most for steps, most in zip(place, lowest, strict=True)):
            return None
        said = [each for pair in combinations_with_replacement(axes, 2) if (each := from_pair(place, *pair))]
        if not said:
            return None
        fewest = min(detours for detours, _ in said)
        return fewest, median(number for detours, number in said if detours <= fewest + 1)

    def from_pair(place: Place, first: int, second: int) -> tuple[int, float] | None:
        near, both = figure(_lower(place, first)), figure(_lower(_lower(place, first), second))
        other = near if first == second else figure(_lower(place, second))
        if near is None or other is None or both is None:
            return None
        if first == second:
            return 1 + near[0] + both[0], along(near[1], both[1])
        return 1 + near[0] + other[0] + both[0], across(near[1], other[1], both[1])

    found = figure((0,) * len(lowest))
    return found[1] if found is not None and found[0] <= MOST_DETOURS else None


def _lower(place: Place, axis: int) -> Place:
    return (*place[:axis], place[axis] + 1, *place[axis + 1 :])


# --- stretched from smaller scenarios -----------------------------------------------------------


def stretched(levels: Sequence[int], smaller: Sequence[Smaller]) -> float | None:
    """The number of states by the curves of the largest smaller scenarios."""
    deep = carried_depth(smaller)
    if deep is None or deep <= len(levels) + 1 or len(levels) < FITTED:
        return None
    largest = sorted(smaller, key=lambda each: each.states)[-CURVES:]
    curves = [_curve(each.levels) for each in largest if len(each.levels) > 1]
    said = [_stretch(_curve(levels), curve, (deep - 1) / (len(curve) - 1)) for curve in curves]
    return exp(min(median(said), _HUGE))


def _curve(levels: Sequence[int]) -> list[float]:
    return [log(known) for known in accumulate(levels)]


def _stretch(known: Sequence[float], curve: Sequence[float], length: float) -> float:
    """Where the known part ends up, if it goes on like a curve that is so many times as long.

    The latest levels weigh most; what the fit leaves over at the last one is carried to the end.
    """
    shape = [_at(curve, level / length) for level in range(len(known))]
    weights = [0.01 + (level / (len(known) - 1)) ** 2 for level in range(len(known))]
    height = sum(w * s * k for w, s, k in zip(weights, shape, known, strict=True))
    height /= sum(w * s * s for w, s in zip(weights, shape, strict=True)) or 1.0
    return known[-1] + height * (curve[-1] - shape[-1])


def _at(curve: Sequence[float], position: float) -> float:
    """A curve between two of its points."""
    before = min(int(position), len(curve) - 2)
    part = min(position - before, 1.0)
    return curve[before] + part * (curve[before + 1] - curve[before])


# --- followed to the end ------------------------------------------------------------------------


def levels_left(levels: Sequence[int]) -> list[float] | None:
    """The sizes of the levels to come, if the sizes of those so far say anything about them.

    Levels grow, level off and shrink: the logarithm of their sizes is close to a parabola. So its slope, the
    logarithm of how much greater each level is than the one before, falls along a straight line. This fits
    that line to the latest levels and follows it until levels are empty.
    """
    slopes = [log(after / before) for before, after in pairwise(levels) if before and after]
    slopes = slopes[-FITTED:]
    if len(slopes) < FITTED or slopes[-1] > LEVEL:
        return None
    change, base = linear_regression(range(FITTED), slopes)
    return _follow(levels, change, base + change * FITTED) if change < 0 else None


def _follow(levels: Sequence[int], change: float, slope: float) -> list[float] | None:
    """Level after level along the line, until they are empty; None if that is too far away."""
    following, size = [], float(levels[-1])
    while (size := size * exp(slope)) >= 1:
        following.append(size)
        slope += change
        if len(following) > FAR * len(levels):
            return None
    return following


WORD = 8
LOAD = 0.7
"""How full the table may be before it doubles."""
CARD_LOAD = 0.9
"""The same on a card, where there is no room to double it."""
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
    engine: str = "local"
    """The memory of the engines `local` and `gpu` can be computed."""

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
    judged = begun.over_time and begun.engine != "gpu"  # whose graph does not stay in the card's memory
    room = JUDGING_ROOM if judged else 1.0
    likely = None if states.likely is None else _bytes(begun, states.likely)
    high = None if states.high is None else round(_bytes(begun, states.high) * room)
    return Range(_bytes(begun, states.low), likely, high)


def _bytes(begun: Begun, states: int) -> int:
    """What a search takes at its greatest extent, which may be when the table grew for the last time."""
    if begun.engine == "gpu":
        return WORD * (table_slots(states, CARD_LOAD) + begun.words * states)
    if begun.engine != "local":
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


def table_slots(states: int, load: float = LOAD) -> int:
    """How large the table is that holds so many states: a power of two."""
    slots = SMALLEST_TABLE
    while load * slots <= states:
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
