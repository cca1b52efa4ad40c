"""What of a growing history still matters: passes over all that is kept, when something may be forgotten.

All that is young matters. Of what is older: messages that are open, and those with which something later will
be compared (`tops`, `strands`, and what Python marks). A message stays as a whole or not at all. What stays
is marked by a byte a row, and `renew` moves it to another store.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.arrival_core import (
    N_CERTAIN,
    N_CONFIRMED,
    N_FAILED,
    N_FIRST,
    N_INVOKED,
    SENDS,
    gather_sends,
)
from angarium.history.kernel.knowledge_core import location_of, of_subscriber, reader_of
from angarium.history.kernel.life_core import (
    consumer_of,
    delivery_at,
    domain_of,
    found_in,
    live,
    op_of,
    phase_of,
    room_for,
    row_of,
    timer,
    way_of,
)
from angarium.history.kernel.store_core import before, gather, group, part_of, slot, sorted_group
from angarium.native.hash_core import mix
from angarium.native.lowlevel import Words, address_of, byte, half, local, offset, put_byte, words

MATTERING, W_KEPT, W_HORIZONS, W_PEOPLE, W_SUBSCRIBERS, W_SETTLING, W_UNTIL, W_OPEN, W_OVERDUE = (
    8,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
)
"""What the passes are told and tell: the byte of each row; from when on all is young, by run, person and
subscriber; a byte for each place where messages are settled; the watermark; and how many messages are open,
and overdue."""

# --- messages -------------------------------------------------------------------------------------------


def matter(context: Words, thread: Words, known: Words, part: int) -> int:
    """Mark the messages of a part that matter, as a whole."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    pairs, kept, sends = words(thread[at.PAIRS]), words(known[W_KEPT]), local(SENDS)
    for number in range(groups):
        events = sorted_group(context, thread, number)
        size = room_for(events)
        deliveries = live(context, thread, events, size)
        gather_sends(thread, events, sends)
        opened = is_open(context, thread, known, sends, size, deliveries)
        known[W_OPEN] += opened
        if opened != 0 or is_marked(context, known, pairs, events) != 0:
            for place in range(events):
                put_byte(kept, row_of(words(pairs[2 * place + 1])), 1)
    return groups


def is_marked(context: Words, known: Words, pairs: Words, events: int) -> int:
    """Whether an event of a message is young, or marked."""
    kept, horizons = words(known[W_KEPT]), words(known[W_HORIZONS])
    reader = reader_of(context, words(pairs[1]))
    horizon = horizons[reader[at.R_RUN]]
    for place in range(events):
        event = words(pairs[2 * place + 1])
        if event[at.KIND] & at.VIRTUAL == 0:
            if event[at.AT] >= horizon or byte(kept, row_of(event)) != 0:
                return 1
    return 0


def is_open(context: Words, thread: Words, known: Words, sends: Words, size: int, deliveries: int) -> int:
    """Whether a message may still come to somebody, or is in somebody's hands."""
    pairs, settling = words(thread[at.PAIRS]), words(known[W_SETTLING])
    event = words(pairs[1])
    if sends[N_FIRST] != 0:
        missed = is_missed(context, thread, sends, size, deliveries)
        if missed != 0 and sends[N_CONFIRMED] != 0:
            confirmed = words(sends[N_CONFIRMED])
            if confirmed[at.AT] + context[at.TAIL] <= known[W_UNTIL]:
                known[W_OVERDUE] += 1
        if missed != 0 and (sends[N_CERTAIN] != 0 or sends[N_INVOKED] > sends[N_FAILED]):
            return 1
    reader = reader_of(context, event)
    if byte(settling, reader[at.R_PLACE]) == 0:
        return 0
    for number in range(1, deliveries + 1):
        delivery = delivery_at(thread, number)
        if is_held(context, thread, known, delivery) != 0:
            return 1
        if delivery[at.D_NUMBER] == 1 and is_finished(thread, words(delivery[at.D_REACHED])) == 0:
            return 1
    return 0


def is_missed(context: Words, thread: Words, sends: Words, size: int, deliveries: int) -> int:
    """Whether somebody who should get a message has not got it; if nobody is there, he may still come."""
    sent = words(sends[N_FIRST])
    location = location_of(context, sent)
    for number in range(location[at.L_FROM], location[at.L_TO]):
        sight = offset(words(context[at.SEEING]), number * at.SIGHT)
        if number == location[at.L_FROM] or sight[at.H_AT] <= sent[at.AT]:
            if deliveries == 0:
                return 1
            reader = found_in(words(thread[at.REACHED]), size, sight[at.H_SUBSCRIBER] + 1)
            if reader[0] == 0:
                return 1
    return 1 if location[at.L_FROM] == location[at.L_TO] else 0


def is_held(context: Words, thread: Words, known: Words, delivery: Words) -> int:
    """Whether a delivery is in its consumer's hands."""
    reader = words(delivery[at.D_REACHED])
    subscriber = of_subscriber(context, reader[at.E_SUBSCRIBER] - 1)
    timeout, here = subscriber[at.S_TIMEOUT], delivery[at.D_SETTLES]
    if delivery[at.D_END] != 0:
        return 0
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        if way_of(words(link[at.K_EVENT])) <= at.DEAD_LETTER:
            return 0
        here = link[at.K_NEXT]
    if (
        timeout < at.FOREVER
        and timer(context, thread, delivery, timeout, words(0)) + timeout <= known[W_UNTIL]
    ):
        return 0
    return 1


def is_finished(thread: Words, reader: Words) -> int:
    """Whether a subscriber has acknowledged a message, or it was rejected or put aside."""
    number = reader[at.E_FIRST]
    while number != 0:
        delivery = delivery_at(thread, number)
        here = delivery[at.D_SETTLES]
        while here != 0:
            link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
            way = way_of(words(link[at.K_EVENT]))
            if way == at.ACK or way == at.REJECT or way == at.DEAD_LETTER:
                return 1
            here = link[at.K_NEXT]
        number = delivery[at.D_NEXT]
    return 0


# --- what something later is compared with ----------------------------------------------------------------


def tops(context: Words, thread: Words, known: Words, stores: Words, many: int, part: int) -> int:
    """Mark the first delivery with the largest number of each sequence, of those that are not young."""
    groups = group(thread, gather(stores, many, part, words(thread[at.ADDRESSES])))
    pairs, kept, horizons = words(thread[at.PAIRS]), words(known[W_KEPT]), words(known[W_SUBSCRIBERS])
    for number in range(groups):
        count = sorted_group(context, thread, number)
        top = words(pairs[1])
        horizon = horizons[top[at.Q_PLACE] >> 32]
        for place in range(1, count):
            record = words(pairs[2 * place + 1])
            if record[at.AT] < horizon and record[at.Q_NUMBER] > top[at.Q_NUMBER]:
                top = record
        put_byte(kept, row_of(top), 1)
    return groups


def first_of_strands(
    context: Words, thread: Words, stores: Words, many: int, part: int, table: Words, size: int
) -> int:
    """Note the first delivery that each consumer has got of a place and generation, by each clock."""
    addresses = words(thread[at.ADDRESSES])
    count = gather(stores, many, part, addresses)
    for number in range(count):
        event = words(addresses[number])
        if op_of(event) == at.RECEIVE or op_of(event) == at.PROCESS:
            place = strand_hash(context, event) & (size - 1)
            while table[place] != 0 and is_of_strand(context, words(table[place]), event) == 0:
                place = (place + 1) & (size - 1)
            if table[place] == 0 or before(context, event, words(table[place])) != 0:
                table[place] = addresses[number]
    return count


def generation_of(context: Words, event: Words) -> int:
    generations = words(context[at.GENERATIONS])
    return generations[row_of(event)] if address_of(generations) != 0 else 0


def strand_hash(context: Words, event: Words) -> int:
    return mix(
        mix(mix(event[at.PLACE]) + consumer_of(event)) + generation_of(context, event) + domain_of(event)
    )


def is_of_strand(context: Words, one: Words, other: Words) -> int:
    """Whether two deliveries are of one consumer, place, generation and clock."""
    if one[at.PLACE] != other[at.PLACE] or consumer_of(one) != consumer_of(other):
        return 0
    if generation_of(context, one) != generation_of(context, other):
        return 0
    return 1 if domain_of(one) == domain_of(other) else 0


def mark_all(known: Words, table: Words, size: int) -> int:
    """Mark the rows of the events in a table."""
    for place in range(size):
        if table[place] != 0:
            put_byte(words(known[W_KEPT]), row_of(words(table[place])), 1)
    return size


def mark_settlers(thread: Words, known: Words, stores: Words, many: int, part: int) -> int:
    """Mark the settles of several that are young: of the others, those of messages that stay are marked."""
    addresses, horizons = words(thread[at.ADDRESSES]), words(known[W_PEOPLE])
    count = gather(stores, many, part, addresses)
    for number in range(count):
        record = words(addresses[number])
        if record[at.AT] >= horizons[record[at.KEY]]:
            put_byte(words(known[W_KEPT]), row_of(record), 1)
    return count


# --- moving, and looking for messages ---------------------------------------------------------------------


def renew(store: Words, to: Words, kept: Words, places: Words) -> int:
    """Copy the records whose rows are marked to another store, with new rows; how many."""
    heads, chunks, moved = words(store[at.HEADS]), words(store[at.CHUNKS]), 0
    for part in range(1 << store[at.PARTS_BITS]):
        here = heads[part]
        while here != 0:
            chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
            for place in range(1, chunk[0] + 1):
                record = offset(chunk, place * at.RECORD)
                if byte(kept, row_of(record)) != 0:
                    copy = slot(to, part_of(to, record[at.KEY]))
                    for word in range(at.RECORD):
                        copy[word] = record[word]
                    copy[at.WHO] = (record[at.WHO] >> 32 << 32) | half(places, row_of(record))
                    moved += 1
            here = chunk[1]
    return moved


def sow(keys: Words, count: int, table: Words, size: int) -> int:
    """Put keys, none of which is 0, into a table."""
    for number in range(count):
        place = mix(keys[number]) & (size - 1)
        while table[place] != 0 and table[place] != keys[number]:
            place = (place + 1) & (size - 1)
        table[place] = keys[number]
    return count


def among(store: Words, low: int, high: int, table: Words, size: int, found: Words, most: int) -> int:
    """The rows and keys of records of some parts with keys of a table; how many there are, also if there is
    no room."""
    heads, chunks, count = words(store[at.HEADS]), words(store[at.CHUNKS]), 0
    for part in range(low, high):
        here = heads[part]
        while here != 0:
            chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
            for number in range(1, chunk[0] + 1):
                record = offset(chunk, number * at.RECORD)
                place = mix(record[at.KEY]) & (size - 1)
                while table[place] != 0 and table[place] != record[at.KEY]:
                    place = (place + 1) & (size - 1)
                if table[place] != 0:
                    if count < most:
                        found[2 * count] = row_of(record)
                        found[2 * count + 1] = record[at.KEY]
                    count += 1
            here = chunk[1]
    return count


def stored_since(store: Words, since: int, found: Words, most: int) -> int:
    """The rows of sends that are ok, from a time on; how many there are, also if there is no room."""
    heads, chunks, count = words(store[at.HEADS]), words(store[at.CHUNKS]), 0
    for part in range(1 << store[at.PARTS_BITS]):
        here = heads[part]
        while here != 0:
            chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
            for number in range(1, chunk[0] + 1):
                record = offset(chunk, number * at.RECORD)
                if record[at.AT] >= since and op_of(record) == at.SEND and phase_of(record) == at.OK:
                    if count < most:
                        found[count] = row_of(record)
                    count += 1
            here = chunk[1]
    return count
