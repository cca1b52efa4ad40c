"""Settles of several deliveries at a time: one settle becomes one for each delivery that it settles.

Which deliveries are open is a question of a consumer, and which a settle of one belongs to is one of a
message. So all messages are gone through first (`mark`), and what consumers do who settle several at a time
is noted; then each such consumer is followed (`expand`). Its open deliveries lie in a heap by their tags, so
that a million of them cost no more for each than a few.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.life_core import (
    consumer_of,
    delivery_at,
    live,
    op_of,
    phase_of,
    room_for,
    row_of,
    target_of,
    way_of,
)
from angarium.history.kernel.store_core import before, gather, group, part_of, slot, sorted_group
from angarium.native.lowlevel import Words, address_of, byte, offset, put_byte, words


def settles_several(context: Words, event: Words) -> int:
    person = offset(words(context[at.PEOPLE]), consumer_of(event) * at.PERSON)
    return person[at.P_SEVERAL]


def deed(thread: Words, event: Words) -> Words:
    """A record of what a consumer does."""
    store = words(thread[at.SETTLERS])
    key = consumer_of(event)
    record = slot(store, part_of(store, key))
    record[at.KEY] = key
    record[at.AT] = event[at.AT]
    record[at.SEQ] = event[at.SEQ]
    record[at.WHO] = event[at.WHO]
    return record


def mark(context: Words, thread: Words, part: int) -> int:
    """Note the deliveries of consumers that settle several at a time, and which they settle alone."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    tags, pairs = words(context[at.TAGS]), words(thread[at.PAIRS])
    for number in range(groups):
        events = sorted_group(context, thread, number)
        size = room_for(events)
        deliveries = live(context, thread, events, size)
        for place in range(1, deliveries + 1):
            delivery = delivery_at(thread, place)
            event = words(delivery[at.D_EVENT])
            if settles_several(context, event) != 0:
                record = deed(thread, event)
                record[at.V_DEED] = at.V_DELIVERED
                record[at.V_MESSAGE] = event[at.KEY]
                record[at.V_TARGET] = place
                record[at.V_TAG] = tags[row_of(event)] if tags[row_of(event)] != 0 else at.UNKNOWN
        for place in range(events):
            event = words(pairs[2 * place + 1])
            if op_of(event) == at.SETTLE and way_of(event) <= at.DEAD_LETTER and phase_of(event) != at.FAILED:
                if settles_several(context, event) != 0:
                    target = target_of(context, thread, event, size)
                    if target != 0:
                        closed = delivery_at(thread, target)
                        record = deed(thread, event)
                        record[at.V_DEED] = at.V_CLOSED
                        record[at.V_TARGET] = row_of(words(closed[at.D_EVENT]))
    return groups


# --- the heap of open deliveries ---------------------------------------------------------------------


def push(heap: Words, size: int, tag: int, address: int) -> None:
    """Put a delivery into a heap of so many."""
    place = size
    while place > 0 and heap[2 * ((place - 1) >> 1)] > tag:
        above = (place - 1) >> 1
        heap[2 * place] = heap[2 * above]
        heap[2 * place + 1] = heap[2 * above + 1]
        place = above
    heap[2 * place] = tag
    heap[2 * place + 1] = address


def pop(heap: Words, size: int) -> None:
    """Take the delivery with the smallest tag out of a heap of so many."""
    tag, address = heap[2 * size - 2], heap[2 * size - 1]
    place, below, last = 0, 1, size - 1
    while below < last:
        if below + 1 < last and heap[2 * below + 2] < heap[2 * below]:
            below += 1
        if heap[2 * below] >= tag:
            break
        heap[2 * place] = heap[2 * below]
        heap[2 * place + 1] = heap[2 * below + 1]
        place, below = below, 2 * below + 1
    heap[2 * place] = tag
    heap[2 * place + 1] = address


# --- following a consumer ----------------------------------------------------------------------------


def expand(context: Words, thread: Words, stores: Words, many: int, part: int) -> int:
    """Make a settle for each delivery that a settle of several settles."""
    count = gather(stores, many, part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    pairs, heap, closed = words(thread[at.PAIRS]), words(thread[at.LINKS]), words(context[at.CLOSED])
    for number in range(groups):
        size, events = 0, sorted_group(context, thread, number)
        for place in range(events):
            record = words(pairs[2 * place + 1])
            if record[at.V_DEED] == at.V_DELIVERED:
                push(heap, size, record[at.V_TAG], address_of(record))
                size += 1
            elif record[at.V_DEED] == at.V_CLOSED:
                put_byte(closed, record[at.V_TARGET], 1)
            else:
                size = settle_open(context, thread, record, size)
    return groups


def settle_open(context: Words, thread: Words, record: Words, size: int) -> int:
    """Settle the open deliveries that a settle of several means; how many are in the heap then."""
    heap, kept, closed, limit = (
        words(thread[at.LINKS]),
        words(thread[at.TABLE]),
        words(context[at.CLOSED]),
        record[at.V_TAG],
    )
    left = 0
    while size > 0 and (limit == at.ALL_TAGS or heap[0] <= limit):
        tag, delivery = heap[0], words(heap[1])
        pop(heap, size)
        size -= 1
        if byte(closed, row_of(delivery)) == 0:
            meant = before(context, delivery, record)
            if meant != 0:
                virtual(thread, record, delivery)
            if meant != 0 and (record[at.V_TARGET] >> at.PHASE) & 3 != at.FAILED:
                put_byte(closed, row_of(delivery), 1)
            else:
                kept[2 * left] = tag
                kept[2 * left + 1] = address_of(delivery)
                left += 1
    for number in range(left):
        push(heap, size, kept[2 * number], kept[2 * number + 1])
        size += 1
    return size


def virtual(thread: Words, record: Words, delivery: Words) -> None:
    """A settle of one delivery, made of a settle of several."""
    store = words(thread[at.VIRTUALS])
    event = slot(store, part_of(store, delivery[at.V_MESSAGE]))
    if address_of(event) != 0:
        event[at.KEY] = delivery[at.V_MESSAGE]
        event[at.AT] = record[at.AT]
        event[at.SEQ] = record[at.SEQ]
        event[at.WHO] = record[at.WHO]
        event[at.NUM] = record[at.V_MESSAGE]
        event[at.TAKER] = record[at.KEY] << at.CONSUMER
        event[at.PLACE] = delivery[at.V_TARGET]
        event[at.KIND] = record[at.V_TARGET] | at.VIRTUAL
