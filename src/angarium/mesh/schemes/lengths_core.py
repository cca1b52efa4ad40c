"""How long paths are when a link fails, in the low-level language: compiled, never run by Python.

For one destination at a time and one failure after the other, the paths of the affected brokers are settled
anew, as for recovery tables. Each of them is then asked how long its path is by every scheme. Where a scheme
repairs locally, the packet first goes unchanged, to the *witness*: the broker that sees its next one dead.
The hops from there on depend on the witness and the destination alone, and are given. What cannot be reached
any more by any scheme is counted apart.

`graph`, `column`, `tree` and `failures` are those of `sweep_core` and `exceptions_core`; `query` and `tally`
are addresses of addresses, as the constants say.
"""

from __future__ import annotations

from angarium.mesh.recovery.exceptions_core import parent, plant, strike
from angarium.mesh.routing.sweep_core import (
    AFFECTED,
    BROKERS,
    CHANGED_COSTS,
    COSTS,
    FAR,
    FARS,
    HOPS,
    NOW,
    NOWHERE,
    OLD_FARS,
    OLD_HOPS,
    OLD_VIA,
    ORDER,
    PATH,
    TARGETS,
    VIA,
    change,
    reroute,
)
from angarium.native.lowlevel import Words, atomic_add, half, put_half, words

FAILURES, ROOM, LOCAL = 0, 1, 2
"""Of the query: how many failures, how many lengths of paths there can be, and by local scheme the hops
from witness to destination."""
LENGTHS, SHORTEST, UNDELIVERED, CUT, CUT_HOPS, ENTRIES, AFTER, SEEN, WITNESS, GONE = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)
"""Of a tally. LENGTHS: by scheme and hops, how many paths. SHORTEST: by scheme, the hops that the shortest
paths of the same pairs have. CUT: by failure, how many pairs. CUT_HOPS: by hops, how long their paths were.
ENTRIES: by broker, the entries that differ from the healthy one. AFTER: by witness and destination, the hops
of the shortest path. SEEN, GONE: by hop, and by broker, the last destination with an entry that names it, or
nobody."""
HEALTHY, TABLES, FIRST_LOCAL, SCHEMES = 0, 1, 2, 5
"""The paths as they were; those of recovery tables; and so on: how many there are."""


def count_hops(graph: Words, column: Words, count: int) -> None:
    """How long the healthy paths are."""
    order = words(column[ORDER])
    hops = words(column[OLD_HOPS])
    put_half(hops, half(order, 0), 0)
    put_half(words(column[HOPS]), half(order, 0), 0)
    for number in range(1, count):
        broker = half(order, number)
        put_half(hops, broker, half(hops, parent(graph, column, broker)) + 1)
        put_half(words(column[HOPS]), broker, half(hops, broker))


def reachable(graph: Words, column: Words) -> int:
    """How many brokers reach the destination, itself included."""
    count = 0
    for broker in range(graph[BROKERS]):
        if words(column[FARS])[broker] != FAR:
            count += 1
    return count


def recount(graph: Words, column: Words, affected: int) -> None:
    """How long the new paths are: the nearest brokers are counted first, in the order of their search."""
    count = 0
    for number in range(affected):
        if words(column[FARS])[half(words(column[AFFECTED]), number)] != FAR:
            count += 1
    hops = words(column[HOPS])
    for number in range(count):
        broker = half(words(column[PATH]), number)
        put_half(hops, broker, half(hops, parent(graph, column, broker)) + 1)


def find_witnesses(graph: Words, column: Words, tally: Words, affected: int) -> None:
    """For each affected broker the one on its way that sees its next one dead: it may be itself.

    Who stands in a piece of the line stands behind its next one, so that one is known by then.
    """
    witness = words(tally[WITNESS])
    for number in range(affected):
        broker = half(words(column[AFFECTED]), number)
        hop = half(words(column[OLD_VIA]), broker)
        if half(words(column[NOW]), hop) == half(words(graph[COSTS]), hop):
            put_half(witness, broker, half(witness, half(words(graph[TARGETS]), hop)))
        else:
            put_half(witness, broker, broker)


def note_entry(column: Words, tally: Words, broker: int, to: int) -> None:
    """Count an entry that a broker has not had for the destination yet."""
    hop = half(words(column[VIA]), broker)
    if hop != half(words(column[OLD_VIA]), broker) and half(words(tally[SEEN]), hop) != to:
        put_half(words(tally[SEEN]), hop, to)
        words(tally[ENTRIES])[broker] += 1


def note_cut(column: Words, tally: Words, number: int, broker: int, to: int) -> None:
    """Count a pair that has no path any more. That there is none is an entry, too: the table must say it."""
    words(tally[CUT])[number] += 1
    words(tally[CUT_HOPS])[half(words(column[OLD_HOPS]), broker)] += 1
    if half(words(tally[GONE]), broker) != to:
        put_half(words(tally[GONE]), broker, to)
        words(tally[ENTRIES])[broker] += 1


def note_length(query: Words, tally: Words, scheme: int, length: int, least: int) -> None:
    """Count a path of a scheme."""
    words(tally[LENGTHS])[scheme * query[ROOM] + length] += 1
    words(tally[SHORTEST])[scheme] += least


def note_local(graph: Words, column: Words, query: Words, tally: Words, broker: int, to: int) -> None:
    """Count the paths of the schemes that repair locally."""
    witness = half(words(tally[WITNESS]), broker)
    until = half(words(column[OLD_HOPS]), broker) - half(words(column[OLD_HOPS]), witness)
    for scheme in range(FIRST_LOCAL, SCHEMES):
        rest = half(words(query[LOCAL + scheme - FIRST_LOCAL]), witness * graph[BROKERS] + to)
        if rest == NOWHERE:
            words(tally[UNDELIVERED])[scheme] += 1
        else:
            note_length(query, tally, scheme, until + rest, half(words(column[HOPS]), broker))


def note_lengths(graph: Words, column: Words, query: Words, tally: Words, broker: int, to: int) -> None:
    """Count the paths of an affected broker that has one."""
    least = half(words(column[HOPS]), broker)
    note_entry(column, tally, broker, to)
    note_length(query, tally, HEALTHY, half(words(column[OLD_HOPS]), broker), least)
    note_length(query, tally, TABLES, least, least)
    note_local(graph, column, query, tally, broker, to)
    if half(words(tally[WITNESS]), broker) == broker:
        put_half(words(tally[AFTER]), broker * graph[BROKERS] + to, least)


def put_back(column: Words, affected: int) -> None:
    """The paths of the affected brokers as they were."""
    for number in range(affected):
        broker = half(words(column[AFFECTED]), number)
        words(column[FARS])[broker] = words(column[OLD_FARS])[broker]
        put_half(words(column[VIA]), broker, half(words(column[OLD_VIA]), broker))
        put_half(words(column[HOPS]), broker, half(words(column[OLD_HOPS]), broker))


def fail(
    graph: Words,
    column: Words,
    tree: Words,
    failures: Words,
    query: Words,
    tally: Words,
    number: int,
    to: int,
) -> None:
    """Count the paths to a destination that a failure touches."""
    affected = strike(graph, column, tree, failures, number)
    if not affected:
        return
    change(column, failures, number, words(failures[CHANGED_COSTS]), 1)
    reroute(graph, column, affected)
    recount(graph, column, affected)
    find_witnesses(graph, column, tally, affected)
    for place in range(affected):
        broker = half(words(column[AFFECTED]), place)
        if half(words(column[VIA]), broker) == NOWHERE:
            note_cut(column, tally, number, broker, to)
        else:
            note_lengths(graph, column, query, tally, broker, to)
    change(column, failures, number, words(graph[COSTS]), 0)
    put_back(column, affected)


def lengths(
    graph: Words, column: Words, tree: Words, failures: Words, query: Words, tally: Words, turn: Words
) -> None:
    """Count the paths to the destinations whose turn it is, under each failure."""
    to = atomic_add(turn, 0, 1)
    while to < graph[BROKERS]:
        plant(graph, column, tree, to)
        count_hops(graph, column, reachable(graph, column))
        for number in range(query[FAILURES]):
            fail(graph, column, tree, failures, query, tally, number, to)
        to = atomic_add(turn, 0, 1)
