"""Whether tables lead every message over a cheapest path, in the low-level language: compiled, never run.

For one destination at a time. D is what the path of each broker through the table costs; FAR where it is
dropped or goes round. If D[b] <= cost(b, v) + D[v] for every living hop from b to v, then no path at all is
cheaper: summed up along any way to the destination, D[b] is left on the left side and the cost of the path on
the right. And where D[b] is FAR, no living hop leads to a broker that arrives, so there is no path. What is
checked is D itself, against every hop; how the table was made does not matter.

If the healthy column passes, a colour is checked only at the brokers whose path is touched: those with
another entry, those whose next hop has become dearer, and all who go by way of them. The others have the same
D as before, and that is the cheapest still: a failure makes no hop cheaper, so no path has become cheaper
either.

If a column does not pass, distances are found by another algorithm (rounds over all hops, after Bellman and
Ford), and every broker is judged by them.
"""

from __future__ import annotations

from angarium.mesh.routing.sweep_core import (
    BROKERS,
    CHANGED_COSTS,
    CHANGED_HOPS,
    CHANGED_ROWS,
    COSTS,
    DEAD_BROKERS,
    DEAD_ROWS,
    FAR,
    NOWHERE,
    ROWS,
    SOURCES,
    TARGETS,
)
from angarium.native.lowlevel import Words, byte, half, offset, put_byte, put_half, words

NOW, VIA, D, STATE, DEAD, LISTED, MARKED = 0, 1, 2, 3, 4, 5, 6
OLD_VIA, OLD_D, OLD_STATE, CHILD, SIBLING, PATH, TRUE, ARRIVING = 7, 8, 9, 10, 11, 12, 13, 14
"""Of a column. CHILD and SIBLING: who goes by way of a broker. TRUE: real distances, where they are needed.
ARRIVING: how many arrive when nothing has failed."""
TABLE, EXCEPTION_ROWS, DESTINATIONS, HOLDERS, NEXTS = 0, 1, 2, 3, 4
"""Of tables: the healthy one by destination and broker, and the exceptions of each failure."""
UNKNOWN, UNDER_WAY, ARRIVES, DROPS, LOOPS = 0, 1, 2, 3, 4
DELIVERED, CUT, LOST, LOOPING, LONGER, EXTRA = 0, 1, 2, 3, 4, 5
FIRST_LOST, FIRST_LOOPING, FIRST_LONGER, TALLY = 6, 7, 8, 9
"""Of a tally. CUT: dropped, for want of a path. FIRST_...: a pair, source times brokers plus destination."""
SHORT = 0xFFFF
"""The next broker, of 16 bits, that is none."""


# --- tables -------------------------------------------------------------------------------------


def hop_to(graph: Words, broker: int, after: int) -> int:
    """The hop from a broker to the next one, if it is a neighbour: found by halving."""
    targets = words(graph[TARGETS])
    first = half(words(graph[ROWS]), broker)
    end = half(words(graph[ROWS]), broker + 1)
    behind = end
    while first < behind:
        middle = (first + behind) >> 1
        if half(targets, middle) < after:
            first = middle + 1
        else:
            behind = middle
    if first < end and half(targets, first) == after:
        return first
    return NOWHERE


def short(numbers: Words, place: int) -> int:
    """A number of 16 bits."""
    return byte(numbers, 2 * place) | byte(numbers, 2 * place + 1) << 8


def lay(graph: Words, column: Words, tables: Words, to: int) -> None:
    """The healthy column, as hops."""
    table = words(tables[TABLE])
    for broker in range(graph[BROKERS]):
        after = half(table, to * graph[BROKERS] + broker)
        hop = NOWHERE if after == NOWHERE or broker == to else hop_to(graph, broker, after)
        put_half(words(column[VIA]), broker, hop)


def first_of(tables: Words, failure: int, to: int) -> int:
    """The first exception of a failure to a destination, or to one behind it: found by halving."""
    first = words(tables[EXCEPTION_ROWS])[failure]
    behind = words(tables[EXCEPTION_ROWS])[failure + 1]
    while first < behind:
        middle = (first + behind) >> 1
        if short(words(tables[DESTINATIONS]), middle) < to:
            first = middle + 1
        else:
            behind = middle
    return first


# --- what paths cost -----------------------------------------------------------------------------


def follow(graph: Words, column: Words, start: int) -> None:
    """Walk from a broker until it is known what becomes of it; then it is known of all on the path."""
    state = words(column[STATE])
    far = words(column[D])
    path = words(column[PATH])
    length = 0
    broker = start
    end = UNKNOWN
    while end == UNKNOWN and byte(state, broker) == UNKNOWN:
        put_byte(state, broker, UNDER_WAY)
        put_half(path, length, broker)
        length += 1
        hop = half(words(column[VIA]), broker)
        if hop == NOWHERE or not half(words(column[NOW]), hop):
            end = DROPS
        else:
            broker = half(words(graph[TARGETS]), hop)
    if end == UNKNOWN:
        end = LOOPS if byte(state, broker) == UNDER_WAY else byte(state, broker)
    while length:
        length -= 1
        broker = half(path, length)
        put_byte(state, broker, end)
        far[broker] = FAR
        if end == ARRIVES:
            hop = half(words(column[VIA]), broker)
            far[broker] = far[half(words(graph[TARGETS]), hop)] + half(words(column[NOW]), hop)


def enlist(column: Words, broker: int, listed: int) -> int:
    """Put a broker on the list, if it is not there yet; how many are."""
    if byte(words(column[MARKED]), broker):
        return listed
    put_byte(words(column[MARKED]), broker, 1)
    put_half(words(column[LISTED]), listed, broker)
    put_half(words(column[OLD_VIA]), broker, half(words(column[VIA]), broker))
    words(column[OLD_D])[broker] = words(column[D])[broker]
    put_byte(words(column[OLD_STATE]), broker, byte(words(column[STATE]), broker))
    return listed + 1


def walk(graph: Words, column: Words, listed: int, to: int) -> None:
    """Find out anew what becomes of all who are listed."""
    for number in range(listed):
        put_byte(words(column[STATE]), half(words(column[LISTED]), number), UNKNOWN)
    put_byte(words(column[STATE]), to, ARRIVES)
    words(column[D])[to] = 0
    for number in range(listed):
        follow(graph, column, half(words(column[LISTED]), number))


def delist(column: Words, listed: int) -> None:
    """Let everything be as it was before they were listed."""
    for number in range(listed):
        broker = half(words(column[LISTED]), number)
        put_byte(words(column[MARKED]), broker, 0)
        put_half(words(column[VIA]), broker, half(words(column[OLD_VIA]), broker))
        words(column[D])[broker] = words(column[OLD_D])[broker]
        put_byte(words(column[STATE]), broker, byte(words(column[OLD_STATE]), broker))


# --- the check ----------------------------------------------------------------------------------


def too_dear(graph: Words, column: Words, hop: int) -> int:
    """Whether a living hop shows that its source's path is not the cheapest."""
    far = words(column[D])
    cost = half(words(column[NOW]), hop)
    target = half(words(graph[TARGETS]), hop)
    if not cost or far[target] == FAR:
        return 0
    return 1 if far[half(words(graph[SOURCES]), hop)] > far[target] + cost else 0


def passes(graph: Words, column: Words, listed: int) -> int:
    """Whether no listed broker goes round, and no hop from one shows a cheaper path."""
    for number in range(listed):
        broker = half(words(column[LISTED]), number)
        if byte(words(column[STATE]), broker) == LOOPS:
            return 0
        for hop in range(half(words(graph[ROWS]), broker), half(words(graph[ROWS]), broker + 1)):
            if too_dear(graph, column, hop):
                return 0
    return 1


def distances(graph: Words, column: Words, to: int) -> None:
    """Real distances, in rounds over all hops until nothing becomes nearer."""
    true = words(column[TRUE])
    for broker in range(graph[BROKERS]):
        true[broker] = FAR
    true[to] = 0
    nearer = 1
    while nearer:
        nearer = 0
        for hop in range(half(words(graph[ROWS]), graph[BROKERS])):
            cost = half(words(column[NOW]), hop)
            source = half(words(graph[SOURCES]), hop)
            target = half(words(graph[TARGETS]), hop)
            if cost and true[target] + cost < true[source]:
                true[source] = true[target] + cost
                nearer = 1


def judge(graph: Words, column: Words, to: int, broker: int, tally: Words) -> None:
    """Count what becomes of a living broker's messages, by the real distances."""
    state = byte(words(column[STATE]), broker)
    true = words(column[TRUE])[broker]
    pair = broker * graph[BROKERS] + to
    if state == ARRIVES:
        tally[DELIVERED] += 1
        extra = words(column[D])[broker] - true
        if extra:
            count(tally, LONGER, FIRST_LONGER, pair)
            tally[EXTRA] = extra if extra > tally[EXTRA] else tally[EXTRA]
    elif state == LOOPS:
        count(tally, LOOPING, FIRST_LOOPING, pair)
    elif true == FAR:
        tally[CUT] += 1
    else:
        count(tally, LOST, FIRST_LOST, pair)


def count(tally: Words, what: int, first: int, pair: int) -> None:
    tally[what] += 1
    tally[first] = pair if pair < tally[first] else tally[first]


def judge_all(graph: Words, column: Words, to: int, tally: Words) -> None:
    distances(graph, column, to)
    for broker in range(graph[BROKERS]):
        if broker != to and not byte(words(column[DEAD]), broker):
            judge(graph, column, to, broker, tally)


def count_passed(
    graph: Words, column: Words, failures: Words, failure: int, listed: int, tally: Words
) -> None:
    """Count a column that passes: only the listed brokers and the dead ones are not what they were."""
    tally[DELIVERED] += column[ARRIVING]
    tally[CUT] += graph[BROKERS] - 1 - column[ARRIVING]
    for number in range(listed):
        broker = half(words(column[LISTED]), number)
        tally[DELIVERED if byte(words(column[OLD_STATE]), broker) == ARRIVES else CUT] -= 1
        if not byte(words(column[DEAD]), broker):
            tally[DELIVERED if byte(words(column[STATE]), broker) == ARRIVES else CUT] += 1
    rows = words(failures[DEAD_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        if not byte(words(column[MARKED]), half(words(failures[DEAD_BROKERS]), entry)):
            tally[CUT] -= 1


# --- the healthy column, on which the colours are built -----------------------------------------


def list_all(graph: Words, column: Words, to: int) -> int:
    listed = 0
    for broker in range(graph[BROKERS]):
        if broker != to:
            listed = enlist(column, broker, listed)
    return listed


def hang(graph: Words, column: Words, to: int) -> int:
    """Who goes by way of whom; whether nobody has an entry that leads nowhere."""
    sound = 1
    for broker in range(graph[BROKERS]):
        put_half(words(column[CHILD]), broker, NOWHERE)
    column[ARRIVING] = 0
    for broker in range(graph[BROKERS]):
        hop = half(words(column[VIA]), broker)
        if broker == to:
            continue
        if byte(words(column[STATE]), broker) == ARRIVES:
            after = half(words(graph[TARGETS]), hop)
            put_half(words(column[SIBLING]), broker, half(words(column[CHILD]), after))
            put_half(words(column[CHILD]), after, broker)
            column[ARRIVING] += 1
        elif hop != NOWHERE:
            sound = 0
    return sound


def begin(graph: Words, column: Words, tables: Words, to: int) -> int:
    """The healthy column; whether it passes, so that colours need only be checked where they differ."""
    lay(graph, column, tables, to)
    listed = list_all(graph, column, to)
    walk(graph, column, listed, to)
    right = passes(graph, column, listed)
    for broker in range(graph[BROKERS]):
        put_byte(words(column[MARKED]), broker, 0)
    return right & hang(graph, column, to)


# --- one colour ---------------------------------------------------------------------------------


def list_touched(
    graph: Words, column: Words, failures: Words, failure: int, tables: Words, to: int, listed: int
) -> int:
    """List whose next hop has become dearer, who has another entry, and all who go by way of them."""
    rows = words(failures[CHANGED_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        hop = half(words(failures[CHANGED_HOPS]), entry)
        source = half(words(graph[SOURCES]), hop)
        if half(words(column[VIA]), source) == hop:
            listed = enlist(column, source, listed)
    place = first_of(tables, failure, to)
    while has(tables, failure, place, to):
        listed = enlist(column, short(words(tables[HOLDERS]), place), listed)
        place += 1
    number = 0
    while number < listed:
        child = half(words(column[CHILD]), half(words(column[LISTED]), number))
        while child != NOWHERE:
            listed = enlist(column, child, listed)
            child = half(words(column[SIBLING]), child)
        number += 1
    return listed


def has(tables: Words, failure: int, place: int, to: int) -> int:
    """Whether an exception of a failure is one to a destination."""
    if place == words(tables[EXCEPTION_ROWS])[failure + 1]:
        return 0
    return 1 if short(words(tables[DESTINATIONS]), place) == to else 0


def overlay(graph: Words, column: Words, tables: Words, failure: int, to: int) -> None:
    """Put the exceptions over the healthy column."""
    place = first_of(tables, failure, to)
    while has(tables, failure, place, to):
        broker = short(words(tables[HOLDERS]), place)
        after = short(words(tables[NEXTS]), place)
        put_half(words(column[VIA]), broker, NOWHERE if after == SHORT else hop_to(graph, broker, after))
        place += 1


def set_costs(column: Words, failures: Words, failure: int, costs: Words, own: int) -> None:
    """Let the changed hops cost what the failure makes of them, or what they cost before."""
    rows = words(failures[CHANGED_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        hop = half(words(failures[CHANGED_HOPS]), entry)
        put_half(words(column[NOW]), hop, half(costs, entry if own else hop))


def set_dead(column: Words, failures: Words, failure: int, value: int) -> None:
    rows = words(failures[DEAD_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        put_byte(words(column[DEAD]), half(words(failures[DEAD_BROKERS]), entry), value)


def check_colour(
    graph: Words,
    column: Words,
    failures: Words,
    failure: int,
    tables: Words,
    to: int,
    right: int,
    tally: Words,
) -> None:
    """Count what becomes of all messages of living brokers to a living destination."""
    if right:
        listed = list_touched(graph, column, failures, failure, tables, to, 0)
    else:
        listed = list_all(graph, column, to)
    overlay(graph, column, tables, failure, to)
    set_costs(column, failures, failure, words(failures[CHANGED_COSTS]), 1)
    walk(graph, column, listed, to)
    if passes(graph, column, listed):
        count_passed(graph, column, failures, failure, listed, tally)
    else:
        judge_all(graph, column, to, tally)
    set_costs(column, failures, failure, words(graph[COSTS]), 0)
    delist(column, listed)


def check(
    graph: Words, column: Words, failures: Words, number: int, tables: Words, to: int, tallies: Words
) -> None:
    """Check the tables of all colours for one destination."""
    right = begin(graph, column, tables, to)
    for failure in range(number):
        set_dead(column, failures, failure, 1)
        if not byte(words(column[DEAD]), to):
            tally = offset(tallies, failure * TALLY)
            check_colour(graph, column, failures, failure, tables, to, right, tally)
        set_dead(column, failures, failure, 0)
