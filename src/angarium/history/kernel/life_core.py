"""The life of one message: its deliveries, what became of each, and whom it reached.

The events of a message are gone through once, in order. Deliveries, the settles that belong to them,
consumers and subscribers go into tables of the thread. Consumers and subscribers are found by hashing, so
that a message with thousands of them takes no longer for each than one with a few.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.store_core import before, precedes
from angarium.native.lowlevel import Words, address_of, offset, words


def op_of(event: Words) -> int:
    return event[at.KIND] & 15


def phase_of(event: Words) -> int:
    return (event[at.KIND] >> at.PHASE) & 3


def way_of(event: Words) -> int:
    """How a settle settles."""
    return (event[at.KIND] >> at.WAY) & 7


def domain_of(event: Words) -> int:
    return (event[at.KIND] >> at.DOMAIN) & at.DOMAINS


def consumer_of(event: Words) -> int:
    return event[at.TAKER] >> 32


def row_of(event: Words) -> int:
    return event[at.WHO] & at.ROW


def tolerance(context: Words, one: int, other: int) -> int:
    """By how much times of two clock domains may deceive."""
    return 0 if one == other else context[at.SKEW]


def subscriber_of(context: Words, event: Words) -> int:
    readers = words(context[at.READERS])
    return readers[at.READER * (event[at.PLACE] >> 32) + at.R_SUBSCRIBER]


# --- tables of a message --------------------------------------------------------------------------


def room_for(count: int) -> int:
    """How many slots a table for so many has: one is always free."""
    size = 4
    while size <= count:
        size *= 2
    return size


def found_in(table: Words, size: int, name: int) -> Words:
    """The slot of a number (one larger) in a table; a fresh one has 0 in its first word."""
    place = (name * 0x9E3779B97F4A7C15 >> 32) & (size - 1)
    here = offset(table, place * at.SLOT)
    while here[0] != 0 and here[0] != name:
        place = (place + 1) & (size - 1)
        here = offset(table, place * at.SLOT)
    return here


def delivery_at(thread: Words, number: int) -> Words:
    """A delivery by its place, one larger."""
    return offset(words(thread[at.DELIVERIES]), (number - 1) * at.DELIVERY)


def add_link(thread: Words, links: int, delivery: Words, first: int, event: Words) -> int:
    """Append an event to a delivery's list of settles, or of refusals; how many links there are."""
    link = offset(words(thread[at.LINKS]), links * at.LINK)
    link[at.K_EVENT] = address_of(event)
    link[at.K_NEXT] = 0
    if delivery[first] == 0:
        delivery[first] = links + 1
    else:
        last = offset(words(thread[at.LINKS]), (delivery[first + 1] - 1) * at.LINK)
        last[at.K_NEXT] = links + 1
    delivery[first + 1] = links + 1
    return links + 1


# --- ends ------------------------------------------------------------------------------------------


def first_after(context: Words, low: int, high: int, event: Words) -> int:
    """The address of the first end of a list that is after an event; 0 if there is none."""
    ends, end = words(context[at.ENDS]), high
    while low < high:
        middle = (low + high) >> 1
        if precedes(context, event_moment(event), offset(ends, middle * at.MOMENT), 0) != 0:
            high = middle
        else:
            low = middle + 1
    return address_of(offset(ends, low * at.MOMENT)) if low < end else 0


def event_moment(event: Words) -> Words:
    """The moment within an event."""
    return offset(event, at.AT)


def end_of(context: Words, event: Words) -> int:
    """The address of what ended a delivery's consumer first after it; 0 if nothing did."""
    people = words(context[at.PEOPLE])
    own = offset(people, consumer_of(event) * at.PERSON)
    found = 0
    if own[at.P_ENDS] < own[at.P_ENDED]:
        found = first_after(context, own[at.P_ENDS], own[at.P_ENDED], event)
    client = event[at.TAKER] & at.ROW
    if client != 0:
        other = offset(people, (client - 1) * at.PERSON)
        if other[at.P_CLIENT_ENDS] < other[at.P_CLIENT_ENDED]:
            also = first_after(context, other[at.P_CLIENT_ENDS], other[at.P_CLIENT_ENDED], event)
            if also != 0 and (found == 0 or precedes(context, words(also), words(found), at.M_AT) != 0):
                found = also
    return found


# --- the life --------------------------------------------------------------------------------------


def live(context: Words, thread: Words, count: int, size: int) -> int:
    """Go through a message's events; how many deliveries it has."""
    pairs, takers, reached = words(thread[at.PAIRS]), words(thread[at.TAKERS]), words(thread[at.REACHED])
    for word in range(size * at.SLOT):
        takers[word] = 0
        reached[word] = 0
    deliveries, links = 0, 0
    for number in range(count):
        event = words(pairs[2 * number + 1])
        op = op_of(event)
        if op == at.RECEIVE or op == at.PROCESS:
            taker = found_in(takers, size, consumer_of(event) + 1)
            taker[at.T_TAKER] = consumer_of(event) + 1
            last = taker[at.T_OP]
            taker[at.T_OP] = op + 1
            if op == at.RECEIVE or last != at.RECEIVE + 1:
                deliveries += 1
                deliver(context, thread, deliveries, event, taker, size)
        elif op == at.SETTLE:
            target = target_of(context, thread, event, size)
            if target != 0:
                links = settle(thread, links, target, event)
    return deliveries


def deliver(context: Words, thread: Words, number: int, event: Words, taker: Words, size: int) -> None:
    """Note a delivery."""
    subscriber = subscriber_of(context, event) + 1
    reader = found_in(words(thread[at.REACHED]), size, subscriber)
    reader[at.E_SUBSCRIBER] = subscriber
    reader[at.E_COUNT] += 1
    delivery = delivery_at(thread, number)
    delivery[at.D_EVENT] = address_of(event)
    delivery[at.D_NUMBER] = reader[at.E_COUNT]
    delivery[at.D_NEXT] = 0
    delivery[at.D_BEFORE] = reader[at.E_LAST]
    delivery[at.D_BEFORE_OF_TAKER] = taker[at.T_LAST]
    delivery[at.D_SETTLES] = 0
    delivery[at.D_LAST_SETTLE] = 0
    delivery[at.D_REFUSALS] = 0
    delivery[at.D_LAST_REFUSAL] = 0
    delivery[at.D_REACHED] = address_of(reader)
    delivery[at.D_TAKER] = address_of(taker)
    delivery[at.D_END] = end_of(context, event)
    delivery[at.D_ACKED] = 0
    delivery[at.D_ACKED_BY_ANY] = 0
    delivery[at.D_ACKED_BY_TAKER] = 0
    if reader[at.E_LAST] == 0:
        reader[at.E_FIRST] = number
        reader[at.E_FLIGHT] = 0
    else:
        last = delivery_at(thread, reader[at.E_LAST])
        last[at.D_NEXT] = number
    reader[at.E_LAST] = number
    taker[at.T_LAST] = number


def target_of(context: Words, thread: Words, event: Words, size: int) -> int:
    """The delivery to which a settle belongs: the last before it of its consumer; 0 if there is none."""
    if event[at.KIND] & at.VIRTUAL != 0:
        return event[at.PLACE]
    taker = found_in(words(thread[at.TAKERS]), size, consumer_of(event) + 1)
    target = taker[at.T_LAST]
    while target != 0:
        delivery = delivery_at(thread, target)
        if before(context, words(delivery[at.D_EVENT]), event) != 0:
            return target
        target = delivery[at.D_BEFORE_OF_TAKER]
    return 0


def settle(thread: Words, links: int, target: int, event: Words) -> int:
    """Give a settle to its delivery; how many links there are.

    An acknowledgement says in `NUM` whose it is.
    """
    delivery, phase = delivery_at(thread, target), phase_of(event)
    if phase >= at.FAILED:
        links = add_link(thread, links, delivery, at.D_REFUSALS, event)
    if phase != at.FAILED:
        links = add_link(thread, links, delivery, at.D_SETTLES, event)
        if way_of(event) == at.ACK:
            event[at.NUM] = target
            if delivery[at.D_ACKED] == 0:
                delivery[at.D_ACKED] = address_of(event)
    return links


def timer(context: Words, thread: Words, delivery: Words, timeout: int, until: Words) -> int:
    """When a delivery's timeout was started: by itself, or by its last extend in time before an event.

    `until`: that event, or 0 if all count.
    """
    event = words(delivery[at.D_EVENT])
    started = event[at.AT]
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        if way_of(said) == at.EXTEND and said[at.AT] + context[at.GRACE] <= started + timeout:
            if address_of(until) == 0 or before(context, said, until) != 0:
                started = said[at.AT]
        here = link[at.K_NEXT]
    return started


# --- acknowledgements -------------------------------------------------------------------------------


def acknowledgements(thread: Words, reader: Words) -> int:
    """All acknowledgements of a message by a subscriber, as pairs in `ACKS`, unsorted; how many."""
    acks = words(thread[at.ACKS])
    count = 0
    number = reader[at.E_FIRST]
    while number != 0:
        delivery = delivery_at(thread, number)
        if delivery[at.D_ACKED] != 0:
            here = delivery[at.D_SETTLES]
            while here != 0:
                link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
                said = words(link[at.K_EVENT])
                if way_of(said) == at.ACK:
                    acks[2 * count] = said[at.AT]
                    acks[2 * count + 1] = address_of(said)
                    count += 1
                here = link[at.K_NEXT]
        number = delivery[at.D_NEXT]
    return count
