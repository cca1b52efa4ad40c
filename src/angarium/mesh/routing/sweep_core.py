"""Tables, walks and sweeps over failures, in the low-level language: compiled, never run by Python.

Everything is done for one destination at a time, the *column* of a table, so that what is worked on stays in
the processor's nearest memory, and the memory that is needed does not grow with brokers times failures.

Brokers, hops and costs are numbers of 32 bits; distances, heaps and tallies are words. A hop that costs 0 is
dead. `graph`, `column` and `failures` are addresses of addresses: what is where is said by the constants.

A failure makes hops dearer or takes them away, never the reverse: links that take over have done so before.
So a broker whose way to the destination uses no changed hop keeps its distance, and its next hop too: of the
hops that were equally cheap some may have become dearer, but the chosen one, which was the first of them all,
has not. Only the others, the *affected* ones, are settled anew: their distances are forgotten, and a search
that begins at their edge finds the new ones. That a walk arrives is never concluded from distances: it is
followed through the table.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, atomic_add, byte, half, offset, put_byte, put_half, words

NOWHERE = 0xFFFFFFFF
FAR = 1 << 62
"""No distance at all."""
BITS = 13
"""Of a broker's number in a heap's key; the distance is above them."""
MASK = (1 << BITS) - 1
KEPT = 0
"""Whether tables stay as they were when something fails."""

UNKNOWN, UNDER_WAY, ARRIVES, DROPS, LOOPS = 0, 1, 2, 3, 4

BROKERS, ROWS, TARGETS, SOURCES, BACK, ENTERING, COSTS, GIVEN, LIMIT = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Of a graph. GIVEN: the hops of given tables, by destination, or 0. LIMIT: of hops, or NOWHERE."""
NOW, FARS, VIA, HOPS, STATE, ORDER, PLACE, HEAP, PATH = 0, 1, 2, 3, 4, 5, 6, 7, 8
AFFECTED, OLD_FARS, OLD_VIA, OLD_HOPS, DEAD, SUMS = 9, 10, 11, 12, 13, 14
"""Of a column. NOW: what hops cost now. SUMS: the tallies of the first brokers of the order."""
CHANGED_ROWS, CHANGED_HOPS, CHANGED_COSTS, DEAD_ROWS, DEAD_BROKERS = 0, 1, 2, 3, 4
"""Of failures."""
LOST, LOOPING, FIRST, LONGEST, BEFORE, TALLY = 0, 1, 2, 3, 4, 5
"""Of a tally, and how many words it has. BEFORE: what does not arrive, whether or not something fails."""


# --- a heap of words, the least first -----------------------------------------------------------


def push(heap: Words, count: int, key: int) -> int:
    """Add a key; how many there are now."""
    place = count
    while place and heap[(place - 1) >> 1] > key:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = key
    return count + 1


def pop(heap: Words, count: int) -> int:
    """Take the least key away; how many are left."""
    left = count - 1
    key = heap[left]
    place = 0
    child = 1
    while child < left:
        if child + 1 < left and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = key
    return left


# --- the cheapest ways to one destination -------------------------------------------------------


def settle(graph: Words, column: Words, order: Words, count: int) -> int:
    """Search backwards from the `count` keys of the heap; how many brokers were settled, in their order."""
    back = words(graph[BACK])
    entering = words(graph[ENTERING])
    sources = words(graph[SOURCES])
    costs = words(column[NOW])
    far = words(column[FARS])
    heap = words(column[HEAP])
    settled = 0
    while count:
        key = heap[0]
        count = pop(heap, count)
        broker = key & MASK
        if far[broker] == key >> BITS:
            put_half(order, settled, broker)
            settled += 1
            for entry in range(half(back, broker), half(back, broker + 1)):
                hop = half(entering, entry)
                cost = half(costs, hop)
                source = half(sources, hop)
                if cost and far[broker] + cost < far[source]:
                    far[source] = far[broker] + cost
                    count = push(heap, count, far[source] << BITS | source)
    return settled


def best_hop(graph: Words, column: Words, broker: int) -> int:
    """The first of the equally cheap hops to the destination."""
    rows = words(graph[ROWS])
    targets = words(graph[TARGETS])
    costs = words(column[NOW])
    far = words(column[FARS])
    for hop in range(half(rows, broker), half(rows, broker + 1)):
        if half(costs, hop) and far[half(targets, hop)] + half(costs, hop) == far[broker]:
            return hop
    return NOWHERE


def shortest(graph: Words, column: Words, destination: int) -> int:
    """The column of the cheapest paths; how many brokers have one. The others stand last in the order."""
    far = words(column[FARS])
    order = words(column[ORDER])
    via = words(column[VIA])
    place = words(column[PLACE])
    for broker in range(graph[BROKERS]):
        far[broker] = FAR
        put_half(via, broker, NOWHERE)
    far[destination] = 0
    settled = settle(graph, column, order, push(words(column[HEAP]), 0, destination))
    for number in range(settled):
        put_half(place, half(order, number), number)
    for number in range(1, settled):
        put_half(via, half(order, number), best_hop(graph, column, half(order, number)))
    behind = settled
    for broker in range(graph[BROKERS]):
        if far[broker] == FAR:
            put_half(order, behind, broker)
            put_half(place, broker, behind)
            behind += 1
    return settled


def given(graph: Words, column: Words, destination: int) -> None:
    """The column of a given table; all brokers in their order."""
    brokers = graph[BROKERS]
    table = words(graph[GIVEN])
    for broker in range(brokers):
        put_half(words(column[VIA]), broker, half(table, destination * brokers + broker))
        put_half(words(column[ORDER]), broker, broker)
        put_half(words(column[PLACE]), broker, broker)


def fill(graph: Words, column: Words, destination: int) -> int:
    """The column of the table, given or calculated; how many brokers of the order have an entry, at most."""
    if graph[GIVEN]:
        given(graph, column, destination)
        return graph[BROKERS]
    return shortest(graph, column, destination)


# --- walks --------------------------------------------------------------------------------------


def forget(graph: Words, column: Words, destination: int) -> None:
    """Nothing is known of any walk but that of the destination."""
    for broker in range(graph[BROKERS]):
        put_byte(words(column[STATE]), broker, UNKNOWN)
        put_half(words(column[HOPS]), broker, 0)
    put_byte(words(column[STATE]), destination, ARRIVES)


def follow(graph: Words, column: Words, start: int) -> None:
    """Walk from a broker until it is known what becomes of it: then it is known of all on the path."""
    targets = words(graph[TARGETS])
    costs = words(column[NOW])
    state = words(column[STATE])
    path = words(column[PATH])
    length = 0
    broker = start
    end = UNKNOWN
    while end == UNKNOWN and byte(state, broker) == UNKNOWN:
        put_byte(state, broker, UNDER_WAY)
        put_half(path, length, broker)
        length += 1
        hop = half(words(column[VIA]), broker)
        if hop == NOWHERE or not half(costs, hop):
            end = DROPS
        else:
            broker = half(targets, hop)
    if end == UNKNOWN:
        end = LOOPS if byte(state, broker) == UNDER_WAY else byte(state, broker)
    hops = half(words(column[HOPS]), broker)
    while length:
        length -= 1
        hops += 1
        put_byte(state, half(path, length), end)
        put_half(words(column[HOPS]), half(path, length), hops)


def note(graph: Words, column: Words, destination: int, broker: int, tally: Words) -> None:
    """Count what becomes of the messages of a broker, unless it is dead. A limit of hops ends every round."""
    limit = graph[LIMIT]
    state = byte(words(column[STATE]), broker)
    hops = half(words(column[HOPS]), broker)
    if byte(words(column[DEAD]), broker):
        return
    if state == ARRIVES and hops <= limit:
        tally[LONGEST] = hops if hops > tally[LONGEST] else tally[LONGEST]
        return
    if state == LOOPS and limit == NOWHERE:
        tally[LOOPING] += 1
    else:
        tally[LOST] += 1
    pair = broker * graph[BROKERS] + destination
    tally[FIRST] = pair if pair < tally[FIRST] else tally[FIRST]


def add(tally: Words, more: Words) -> None:
    tally[LOST] += more[LOST]
    tally[LOOPING] += more[LOOPING]
    tally[FIRST] = more[FIRST] if more[FIRST] < tally[FIRST] else tally[FIRST]
    tally[LONGEST] = more[LONGEST] if more[LONGEST] > tally[LONGEST] else tally[LONGEST]


# --- one failure --------------------------------------------------------------------------------


def mark(column: Words, failures: Words, failure: int, value: int) -> None:
    """Say of the brokers that are dead that they are, or that they are not."""
    rows = words(failures[DEAD_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        put_byte(words(column[DEAD]), half(words(failures[DEAD_BROKERS]), entry), value)


def has_dead(failures: Words, failure: int) -> int:
    rows = words(failures[DEAD_ROWS])
    return half(rows, failure + 1) - half(rows, failure)


def first_affected(graph: Words, column: Words, failures: Words, failure: int, count: int) -> int:
    """The first place of the order whose broker uses a changed hop; the number of places if none does."""
    hops = words(failures[CHANGED_HOPS])
    rows = words(failures[CHANGED_ROWS])
    first = count
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        source = half(words(graph[SOURCES]), half(hops, entry))
        place = half(words(column[PLACE]), source)
        if place < first and half(words(column[VIA]), source) == half(hops, entry):
            first = place
    return first


def change(column: Words, failures: Words, failure: int, costs: Words, own: int) -> None:
    """Let the changed hops cost what the failure makes of them, or what they cost before."""
    hops = words(failures[CHANGED_HOPS])
    rows = words(failures[CHANGED_ROWS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        hop = half(hops, entry)
        put_half(words(column[NOW]), hop, half(costs, entry if own else hop))


def part(graph: Words, column: Words, destination: int, start: int, count: int, tally: Words) -> int:
    """Forget the paths of the affected brokers from a place on, count the others; how many are affected."""
    state = words(column[STATE])
    far = words(column[FARS])
    affected = 0
    for place in range(start, count):
        broker = half(words(column[ORDER]), place)
        hop = half(words(column[VIA]), broker)
        dearer = half(words(column[NOW]), hop) - half(words(graph[COSTS]), hop)
        if dearer or byte(state, half(words(graph[TARGETS]), hop)) == UNKNOWN:
            words(column[OLD_FARS])[broker] = far[broker]
            put_half(words(column[OLD_VIA]), broker, hop)
            put_half(words(column[OLD_HOPS]), broker, half(words(column[HOPS]), broker))
            far[broker] = FAR
            put_byte(state, broker, UNKNOWN)
            put_half(words(column[AFFECTED]), affected, broker)
            affected += 1
        else:
            note(graph, column, destination, broker, tally)
    return affected


def edge(graph: Words, column: Words, broker: int, count: int) -> int:
    """Put a broker into the heap if a hop leads to one with a distance; how many keys there are."""
    rows = words(graph[ROWS])
    far = words(column[FARS])
    for hop in range(half(rows, broker), half(rows, broker + 1)):
        cost = half(words(column[NOW]), hop)
        target = half(words(graph[TARGETS]), hop)
        if cost and far[target] + cost < far[broker]:
            far[broker] = far[target] + cost
    if far[broker] == FAR:
        return count
    return push(words(column[HEAP]), count, far[broker] << BITS | broker)


def reroute(graph: Words, column: Words, affected: int) -> None:
    """New entries for the affected brokers."""
    listed = words(column[AFFECTED])
    count = 0
    for number in range(affected):
        count = edge(graph, column, half(listed, number), count)
    settle(graph, column, words(column[PATH]), count)
    for number in range(affected):
        broker = half(listed, number)
        put_half(words(column[VIA]), broker, best_hop(graph, column, broker))


def restore(column: Words, affected: int) -> None:
    """The entries of the affected brokers as they were."""
    for number in range(affected):
        broker = half(words(column[AFFECTED]), number)
        words(column[FARS])[broker] = words(column[OLD_FARS])[broker]
        put_half(words(column[VIA]), broker, half(words(column[OLD_VIA]), broker))
        put_half(words(column[HOPS]), broker, half(words(column[OLD_HOPS]), broker))
        put_byte(words(column[STATE]), broker, ARRIVES)


def count_rerouted(
    graph: Words, column: Words, destination: int, start: int, count: int, tally: Words
) -> None:
    """Count the walks of the brokers from a place on, after new tables have been calculated."""
    affected = part(graph, column, destination, start, count, tally)
    reroute(graph, column, affected)
    for number in range(affected):
        follow(graph, column, half(words(column[AFFECTED]), number))
        note(graph, column, destination, half(words(column[AFFECTED]), number), tally)
    restore(column, affected)


def count_kept(graph: Words, column: Words, destination: int, tally: Words) -> None:
    """Count all walks through the old table."""
    forget(graph, column, destination)
    for broker in range(graph[BROKERS]):
        follow(graph, column, broker)
        note(graph, column, destination, broker, tally)


# --- columns, one after the other ---------------------------------------------------------------


def walked(graph: Words, column: Words, destination: int) -> int:
    """A column with what becomes of every walk and the sums of the order; how many brokers have entries."""
    count = fill(graph, column, destination)
    forget(graph, column, destination)
    sums = words(column[SUMS])
    for place in range(graph[BROKERS]):
        broker = half(words(column[ORDER]), place)
        follow(graph, column, broker)
        for word in range(TALLY):
            sums[(place + 1) * TALLY + word] = sums[place * TALLY + word]
        note(graph, column, destination, broker, offset(sums, (place + 1) * TALLY))
    return count


def bad(sums: Words, place: int) -> int:
    """How many of the first brokers of the order reach the destination not even before a failure."""
    return sums[place * TALLY + LOST] + sums[place * TALLY + LOOPING]


def bad_before(graph: Words, column: Words, failures: Words, failure: int) -> int:
    """How many of the brokers that live reached the destination not even before a failure."""
    sums = words(column[SUMS])
    rows = words(failures[DEAD_ROWS])
    count = bad(sums, graph[BROKERS])
    for entry in range(half(rows, failure), half(rows, failure + 1)):
        place = half(words(column[PLACE]), half(words(failures[DEAD_BROKERS]), entry))
        count -= bad(sums, place + 1) - bad(sums, place)
    return count


def under(
    graph: Words, column: Words, failures: Words, failure: int, to: int, count: int, tally: Words
) -> None:
    """Count all walks to a destination under one failure; `count` brokers had entries before it."""
    sums = words(column[SUMS])
    if byte(words(column[DEAD]), to):
        return
    tally[BEFORE] += bad_before(graph, column, failures, failure)
    start = first_affected(graph, column, failures, failure, count)
    if KEPT:
        if start == count and not has_dead(failures, failure):
            add(tally, offset(sums, graph[BROKERS] * TALLY))
            return
        change(column, failures, failure, words(failures[CHANGED_COSTS]), 1)
        count_kept(graph, column, to, tally)
    else:
        add(tally, offset(sums, start * TALLY))
        change(column, failures, failure, words(failures[CHANGED_COSTS]), 1)
        count_rerouted(graph, column, to, start, count, tally)
        for place in range(count, graph[BROKERS]):
            note(graph, column, to, half(words(column[ORDER]), place), tally)
    change(column, failures, failure, words(graph[COSTS]), 0)


def sweep(graph: Words, column: Words, failures: Words, number: int, tallies: Words, turn: Words) -> None:
    """Count, for each of a number of failures, all walks to the destinations whose turn it is."""
    destination = atomic_add(turn, 0, 1)
    while destination < graph[BROKERS]:
        count = walked(graph, column, destination)
        for failure in range(number):
            mark(column, failures, failure, 1)
            under(graph, column, failures, failure, destination, count, offset(tallies, failure * TALLY))
            mark(column, failures, failure, 0)
        destination = atomic_add(turn, 0, 1)


def entries(graph: Words, column: Words, table: Words, turn: Words) -> None:
    """Write the hop of every broker to the destinations whose turn it is."""
    brokers = graph[BROKERS]
    destination = atomic_add(turn, 0, 1)
    while destination < brokers:
        fill(graph, column, destination)
        for broker in range(brokers):
            put_half(table, destination * brokers + broker, half(words(column[VIA]), broker))
        destination = atomic_add(turn, 0, 1)


def walks(graph: Words, column: Words, states: Words, hops: Words, turn: Words) -> None:
    """Write what becomes of every walk to the destinations whose turn it is, and how many hops it has."""
    brokers = graph[BROKERS]
    destination = atomic_add(turn, 0, 1)
    while destination < brokers:
        walked(graph, column, destination)
        for broker in range(brokers):
            put_byte(states, destination * brokers + broker, byte(words(column[STATE]), broker))
            put_half(hops, destination * brokers + broker, half(words(column[HOPS]), broker))
        destination = atomic_add(turn, 0, 1)
