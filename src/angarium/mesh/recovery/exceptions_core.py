"""What a failure changes in the column of one destination, in the low-level language: compiled, never run.

The cheapest paths to a destination form a tree. When hops of the tree become dearer or die, only the brokers
behind them need other paths, and these are settled anew as in `sweep_core`. So that nobody else is even
looked at, the brokers of the tree stand in a line in which all who go by way of a broker stand right behind
it: who is affected by a hop is one piece of the line. All pieces of all failures of single links together are
as long as all paths together, and that is all that is calculated.

An exception is written as one word that sorts by failure, destination and broker; its lowest bits are the
next broker and one more, or 0 where there is no path any more.
"""

from __future__ import annotations

from angarium.mesh.routing.sweep_core import (
    AFFECTED,
    BROKERS,
    CHANGED_COSTS,
    CHANGED_HOPS,
    CHANGED_ROWS,
    COSTS,
    FAR,
    FARS,
    NOWHERE,
    OLD_FARS,
    OLD_VIA,
    ORDER,
    SOURCES,
    TARGETS,
    VIA,
    change,
    reroute,
    shortest,
)
from angarium.native.lowlevel import Words, half, put_half, words

BEHIND, START, LINE, FREE = 0, 1, 2, 3
"""Of a tree. BEHIND: how many stand in a broker's piece of the line, itself included. FREE: the first place
of its piece that is not taken yet."""
NEXT_BITS, BROKER_BITS = 14, 13
"""Of an exception's word."""
BROKER_AT, DESTINATION_AT, FAILURE_AT = 14, 27, 40


def plant(graph: Words, column: Words, tree: Words, destination: int) -> None:
    """The cheapest paths to a destination, and their brokers in a line."""
    count = shortest(graph, column, destination)
    weigh(graph, column, tree, count)
    line_up(graph, column, tree, count)


def parent(graph: Words, column: Words, broker: int) -> int:
    """The next broker."""
    return half(words(graph[TARGETS]), half(words(column[VIA]), broker))


def weigh(graph: Words, column: Words, tree: Words, count: int) -> None:
    """How many go by way of each broker: the farthest ones are counted first."""
    order = words(column[ORDER])
    behind = words(tree[BEHIND])
    for number in range(count):
        put_half(behind, half(order, number), 1)
    for number in range(1, count):
        broker = half(order, count - number)
        after = parent(graph, column, broker)
        put_half(behind, after, half(behind, after) + half(behind, broker))


def line_up(graph: Words, column: Words, tree: Words, count: int) -> None:
    """Give every broker its piece of the line, out of the piece of its next one."""
    order = words(column[ORDER])
    behind = words(tree[BEHIND])
    free = words(tree[FREE])
    put_half(free, half(order, 0), 1)
    for number in range(1, count):
        broker = half(order, number)
        after = parent(graph, column, broker)
        place = half(free, after)
        put_half(words(tree[START]), broker, place)
        put_half(words(tree[LINE]), place, broker)
        put_half(free, after, place + half(behind, broker))
        put_half(free, broker, place + 1)


def uproot(column: Words, tree: Words, top: int, affected: int) -> int:
    """Forget the paths of all who stand in a broker's piece; how many are affected now."""
    far = words(column[FARS])
    start = half(words(tree[START]), top)
    for place in range(start, start + half(words(tree[BEHIND]), top)):
        broker = half(words(tree[LINE]), place)
        if far[broker] != FAR:
            words(column[OLD_FARS])[broker] = far[broker]
            put_half(words(column[OLD_VIA]), broker, half(words(column[VIA]), broker))
            far[broker] = FAR
            put_half(words(column[AFFECTED]), affected, broker)
            affected += 1
    return affected


def strike(graph: Words, column: Words, tree: Words, failures: Words, failure: int) -> int:
    """Forget the paths that a failure touches; how many there are."""
    hops = words(failures[CHANGED_HOPS])
    rows = words(failures[CHANGED_ROWS])
    affected = 0
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        hop = half(hops, entry)
        source = half(words(graph[SOURCES]), hop)
        if half(words(column[VIA]), source) == hop:
            affected = uproot(column, tree, source, affected)
    return affected


def tell(
    graph: Words, column: Words, failure: int, destination: int, affected: int, found: Words, count: int
) -> int:
    """Write down who has another next broker now, and let everything be as before; how many are written."""
    for number in range(affected):
        broker = half(words(column[AFFECTED]), number)
        hop = half(words(column[VIA]), broker)
        before = half(words(column[OLD_VIA]), broker)
        if hop != before:
            after = 0 if hop == NOWHERE else half(words(graph[TARGETS]), hop) + 1
            found[count] = failure << FAILURE_AT | destination << DESTINATION_AT | broker << BROKER_AT | after
            count += 1
        put_half(words(column[VIA]), broker, before)
        words(column[FARS])[broker] = words(column[OLD_FARS])[broker]
    return count


def exceptions(
    graph: Words, column: Words, tree: Words, failures: Words, to: int, span: Words, found: Words, room: int
) -> int:
    """What failures change in a planted column, while there is room; how many exceptions are written.

    The span says which failure is the next one, and behind which one to stop.
    """
    count = 0
    while span[0] < span[1] and count + graph[BROKERS] <= room:
        failure = span[0]
        affected = strike(graph, column, tree, failures, failure)
        if affected:
            change(column, failures, failure, words(failures[CHANGED_COSTS]), 1)
            reroute(graph, column, affected)
            count = tell(graph, column, failure, to, affected, found, count)
            change(column, failures, failure, words(graph[COSTS]), 0)
        span[0] = failure + 1
    return count
