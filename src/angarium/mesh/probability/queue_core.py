"""A link whose queue heartbeats share with data, in the low-level language: compiled, never run by Python.

The queue is a number: how long the link will take for what is waiting (Lindley). What comes when there is
no room for another packet of data is dropped, heartbeats as well as data: queues count packets, not bytes.
Data come in bursts: on and off for exponential times, and while on at exponential distances. Heartbeats
are sent a little early, at random.

Between two heartbeats that are heard, `gap` apart and with a dead interval `D` behind the first, the link
is believed dead wrongly if gap > D. A real failure at a moment t of the gap would be noticed D - t later, or
has been believed already: the sum over all moments is D gap - gap²/2, or D²/2 if gap > D. So the mean time of
detection is that over all moments of the run, and none needs to be drawn.

`probability.adaptive` says the rule; here it is again, number for number. All times are nanoseconds.
"""

from __future__ import annotations

from angarium.mesh.probability.adaptive import (
    BUSY_BITS,
    CAUTIOUS,
    DEVIATION_BITS,
    DEVIATIONS,
    EARLY,
    LATENESS_BITS,
    LONGEST,
    PATIENCE,
    SLOWER_BITS,
    WHOLE,
)
from angarium.native.lowlevel import Words

# What is asked.
SEED, STREAM, DATA, BEAT, ROOM, APART, BURST, LULL, BASE, STRETCH = range(10)
"""DATA, BEAT: what each takes on the link. ROOM: what may wait. APART, BURST, LULL: mean times; without a
lull the burst never ends. STRETCH: as in `adaptive`, if DEAD is 0."""
DEAD = 10
"""The dead interval, if it is fixed."""
RANDOM, GAMMA = 12, 13
# Where the run is.
NOW, WAITING, SERVED, NEXT_DATA, NEXT_BEAT, UNTIL, IS_ON, SINCE = 14, 15, 16, 17, 18, 19, 20, 21
BUSY, INTERVAL, LAST, ANNOUNCED, LATENESS, DEVIATION = 22, 23, 24, 25, 26, 27
# What was found.
ALARMS, HEARD, SENT, LOST, AREA, GAPS, GREATEST, PACKETS, DROPPED = 28, 29, 30, 31, 32, 33, 34, 35, 36
BEATS = 37
"""The random numbers of the heartbeats, which have their own: all schemes see the same data."""
SIZE = 39

NEVER = 0xFFFFFFFFFFFFFF
MICRO, MILLI = 1000, 1000
GOLDEN = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB
HALF = 0xFFFFFFFF


def run(link: Words, end: int) -> None:
    """Go on until a time; the first time from an empty queue."""
    if not link[NOW]:
        begin(link)
    while link[NOW] < end:
        when = earliest(link)
        link[WAITING] = drained(link[WAITING], when - link[NOW])
        link[NOW] = when
        if when == link[UNTIL]:
            turn(link)
        elif when == link[NEXT_BEAT]:
            beat(link)
        else:
            packet(link)


def begin(link: Words) -> None:
    link[RANDOM] = mix(mix(link[SEED] + GOLDEN) ^ mix(link[STREAM]))
    link[GAMMA] = mix(link[RANDOM] + GOLDEN) | 1
    link[BEATS] = mix(link[RANDOM] ^ GOLDEN)
    link[BEATS + 1] = mix(link[BEATS] + GOLDEN) | 1
    link[INTERVAL] = link[BASE]
    link[ANNOUNCED] = link[BASE]
    link[DEVIATION] = (CAUTIOUS - 1) * link[BASE] // DEVIATIONS
    link[NEXT_BEAT] = link[BASE]
    link[IS_ON] = 1
    link[UNTIL] = NEVER
    if link[LULL]:
        link[UNTIL] = exponential(link, link[BURST])
    link[NEXT_DATA] = exponential(link, link[APART])


def earliest(link: Words) -> int:
    """When something happens next."""
    when = link[UNTIL]
    when = link[NEXT_BEAT] if link[NEXT_BEAT] < when else when
    return link[NEXT_DATA] if link[NEXT_DATA] < when else when


def drained(waiting: int, passed: int) -> int:
    return waiting - passed if waiting > passed else 0


def turn(link: Words) -> None:
    """A burst begins or ends."""
    link[IS_ON] = 1 - link[IS_ON]
    link[UNTIL] = link[NOW] + exponential(link, link[BURST] if link[IS_ON] else link[LULL])
    link[NEXT_DATA] = link[NOW] + exponential(link, link[APART]) if link[IS_ON] else NEVER


def packet(link: Words) -> None:
    """Data come."""
    link[PACKETS] = link[PACKETS] + 1
    link[NEXT_DATA] = link[NOW] + exponential(link, link[APART])
    if link[WAITING] + link[DATA] > link[ROOM]:
        link[DROPPED] = link[DROPPED] + 1
    else:
        accept(link, link[DATA])


def accept(link: Words, work: int) -> None:
    link[WAITING] = link[WAITING] + work
    link[SERVED] = link[SERVED] + work


def beat(link: Words) -> None:
    """A heartbeat is sent, and is heard if there is room for it."""
    link[SENT] = link[SENT] + 1
    link[INTERVAL] = interval(link)
    link[NEXT_BEAT] = link[NOW] + link[INTERVAL] - part(draw(link, BEATS) >> 32, link[INTERVAL] // EARLY)
    if link[WAITING] + link[DATA] > link[ROOM]:
        link[LOST] = link[LOST] + 1
    else:
        accept(link, link[BEAT])
        hear(link, link[NOW] + link[WAITING])


def interval(link: Words) -> int:
    """How long until the next heartbeat, by how busy the link was since the last one."""
    elapsed = link[NOW] - link[SINCE]
    busy = link[SERVED] - link[WAITING]
    link[SINCE] = link[NOW]
    link[SERVED] = link[WAITING]
    share = 0
    if elapsed:
        share = busy * WHOLE // elapsed
        share = WHOLE if share > WHOLE else share
    link[BUSY] = moved(link[BUSY], share, BUSY_BITS, 0)
    idle = WHOLE - link[BUSY]
    least = WHOLE // link[STRETCH]
    idle = least if idle < least else idle
    return link[BASE] * WHOLE // idle


def hear(link: Words, when: int) -> None:
    """A heartbeat comes: count what the time since the last one says, and learn from it."""
    gap = when - link[LAST]
    dead = dead_after(link)
    count(link, gap, dead)
    late = gap - link[ANNOUNCED] if gap > link[ANNOUNCED] else 0
    off = late - link[LATENESS] if late >= link[LATENESS] else link[LATENESS] - late
    link[DEVIATION] = moved(link[DEVIATION], off, DEVIATION_BITS, SLOWER_BITS)
    link[LATENESS] = moved(link[LATENESS], late, LATENESS_BITS, SLOWER_BITS)
    link[LAST] = when
    link[ANNOUNCED] = link[INTERVAL]


def dead_after(link: Words) -> int:
    if link[DEAD]:
        return link[DEAD]
    overdue = link[ANNOUNCED] + link[LATENESS] + DEVIATIONS * link[DEVIATION]
    least = PATIENCE * link[ANNOUNCED]
    overdue = least if overdue < least else overdue
    most = LONGEST * link[BASE]
    return most if overdue > most else overdue


def count(link: Words, gap: int, dead: int) -> None:
    """An alarm if there was one, and the time until failures at all moments of the gap are noticed."""
    link[HEARD] = link[HEARD] + 1
    link[GAPS] = link[GAPS] + gap
    link[GREATEST] = dead if dead > link[GREATEST] else link[GREATEST]
    noticed = dead if gap > dead else gap
    link[AREA] = link[AREA] + ((2 * dead - noticed) // MICRO) * (noticed // MICRO) // (2 * MILLI)
    if gap > dead:
        link[ALARMS] = link[ALARMS] + 1


def moved(average: int, value: int, bits: int, slower: int) -> int:
    """An average after one more value: up by a part of the difference, down by a smaller part of it."""
    if value >= average:
        return average + ((value - average) >> bits)
    return average - ((average - value) >> (bits + slower))


# --- random numbers: SplitMix64, and von Neumann's exponential, as in simulate.walk_core --------------


def exponential(link: Words, mean: int) -> int:
    """How long something takes that takes `mean` on average."""
    whole = 0
    while 1:
        first = draw(link, RANDOM)
        last = first
        while 1:
            following = draw(link, RANDOM)
            if following >= last:
                return whole * mean + part(first >> 32, mean)
            last = draw(link, RANDOM)
            if last >= following:
                break
        whole += 1
    return 0


def part(share: int, amount: int) -> int:
    """A share, in 2^-32, of an amount of up to 53 bits."""
    return ((share * (amount >> 21)) >> 11) + ((share * (amount & 0x1FFFFF)) >> 32)


def draw(link: Words, which: int) -> int:
    link[which] = link[which] + link[which + 1]
    return mix(link[which])


def mix(word: int) -> int:
    mixed = (word ^ (word >> 30)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> 27)) * SECOND_FACTOR
    return mixed ^ (mixed >> 31)
