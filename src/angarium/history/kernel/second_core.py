"""The second level: sequences, holders, and what one consumer at a time may read.

Each is a group of deliveries with the same key, sorted by moment, gone through once.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.knowledge_core import finding
from angarium.history.kernel.life_core import room_for, row_of, tolerance
from angarium.history.kernel.store_core import (
    gather,
    group,
    precedes,
    sort,
    sorted_group,
)
from angarium.native.hash_core import mix
from angarium.native.lowlevel import Words, address_of, byte, offset, words

# --- order ------------------------------------------------------------------------------------------


def follow_sequences(context: Words, thread: Words, stores: Words, many: int, part: int) -> int:
    """`inversion`: a first delivery with a smaller number than one before it in its sequence."""
    groups = group(thread, gather(stores, many, part, words(thread[at.ADDRESSES])))
    pairs = words(thread[at.PAIRS])
    for number in range(groups):
        count = sorted_group(context, thread, number)
        top = words(pairs[1])
        for place in range(1, count):
            record = words(pairs[2 * place + 1])
            if record[at.Q_PEOPLE] != top[at.Q_PEOPLE] or record[at.Q_PLACE] != top[at.Q_PLACE]:
                thread[at.COLLIDED] = 1
            if record[at.Q_DOMAIN] != top[at.Q_DOMAIN]:
                thread[at.COLLIDED] = 1
            if record[at.Q_NUMBER] < top[at.Q_NUMBER]:
                found = finding(thread, at.INVERSION, 0, row_of(top), record, record[at.AT])
                found[at.X_SUBSCRIBER] = (record[at.Q_PLACE] >> 32) + 1
                found[at.X_MEASURE] = record[at.Q_NUMBER]
                found[at.X_BOUND] = top[at.Q_NUMBER]
            elif record[at.Q_NUMBER] > top[at.Q_NUMBER]:
                top = record
    return groups


# --- flow control -----------------------------------------------------------------------------------


def follow_holders(context: Words, thread: Words, stores: Words, many: int, part: int) -> int:
    """`over-credit`: a delivery with which more is in flight than is allowed."""
    groups = group(thread, gather(stores, many, part, words(thread[at.ADDRESSES])))
    pairs = words(thread[at.PAIRS])
    for number in range(groups):
        count = sorted_group(context, thread, number)
        first = words(pairs[1])
        if first[at.KEY] >> 63 == 0 or of_one_clock(pairs, count) != 0:
            follow_holder(context, thread, number, count)
    return groups


def of_one_clock(pairs: Words, count: int) -> int:
    """Whether one clock has timed all deliveries."""
    first = words(pairs[1])
    for number in range(1, count):
        record = words(pairs[2 * number + 1])
        if (record[at.F_DOMAIN] ^ first[at.F_DOMAIN]) & at.DOMAINS != 0:
            return 0
    return 1


def follow_holder(context: Words, thread: Words, number: int, count: int) -> None:
    """Count what a holder has in flight: what has begun less what has ended."""
    pairs, ends = words(thread[at.PAIRS]), words(thread[at.DELIVERIES])
    ending = 0
    for place in range(count):
        record = words(pairs[2 * place + 1])
        if record[at.F_UNTIL] != 0:
            ends[2 * ending] = record[at.F_UNTIL]
            ends[2 * ending + 1] = address_of(record)
            ending += 1
    sort(context, ends, words(thread[at.SPARE]), ending, at.F_UNTIL)
    record = words(pairs[1])
    low, high = credits_of(context, record[at.KEY], 0), credits_of(context, record[at.KEY], 1)
    begun, over, credit = 0, 0, low
    for place in range(count):
        record = words(pairs[2 * place + 1])
        while over < ending and has_ended(context, words(ends[2 * over + 1]), record) != 0:
            over += 1
        credit = last_before(context, credit, high, record)
        if credit > low and record[at.KEY] >> 63 != 0:
            judge_holder(thread, record[at.F_DOMAIN])
        if record[at.F_UNTIL] != 0:
            begun += 1
            if credit > low:
                limit = most_allowed(context, low, credit, record)
                if begun - over > limit:
                    over_credit(context, thread, record, credit - 1, begun - over, limit)


def judge_holder(thread: Words, about: int) -> None:
    """A delivery is judged by the limit of its subscriber, if it was not by that of its consumer."""
    if (about >> 31) & 1 == 0:
        counts = words(thread[at.JUDGED])
        place = 2 * ((about >> 32) * at.COUNTED + at.FLOW_CONTROL)
        counts[place] += 1
        counts[place + 1] -= 1


def credits_of(context: Words, key: int, which: int) -> int:
    """Where the credits of a holder begin, or end."""
    if key >> 63 != 0:
        subscriber = offset(words(context[at.SUBSCRIBERS]), (key & at.ROW) * at.SUBSCRIBER)
        return subscriber[at.S_CREDITS + which]
    person = offset(words(context[at.PEOPLE]), key * at.PERSON)
    return person[at.P_CREDITS + which]


def has_ended(context: Words, other: Words, record: Words) -> int:
    """Whether a delivery is not in flight any more when another comes."""
    return 1 - precedes(context, offset(record, at.AT), offset(other, at.F_UNTIL), 0)


def last_before(context: Words, credit: int, high: int, record: Words) -> int:
    """The number of credits that were set before a delivery."""
    credits_ = words(context[at.CREDITS])
    while (
        credit < high
        and precedes(context, offset(credits_, credit * at.MOMENT), offset(record, at.AT), 0) != 0
    ):
        credit += 1
    return credit


def most_allowed(context: Words, low: int, credit: int, record: Words) -> int:
    """The credit in force, or a larger one that was replaced within the grace before."""
    credits_ = words(context[at.CREDITS])
    here = offset(credits_, (credit - 1) * at.MOMENT)
    limit = here[at.M_VALUE]
    place = credit - 1
    while place > low:
        by, earlier = offset(credits_, place * at.MOMENT), offset(credits_, (place - 1) * at.MOMENT)
        if by[0] + context[at.GRACE] < record[at.AT]:
            return limit
        if earlier[at.M_VALUE] > limit:
            limit = earlier[at.M_VALUE]
        place -= 1
    return limit


def over_credit(context: Words, thread: Words, record: Words, credit: int, flying: int, limit: int) -> None:
    by = offset(words(context[at.CREDITS]), credit * at.MOMENT)
    found = finding(thread, at.OVER_CREDIT, 0, by[2] & at.ROW, record, record[at.AT])
    if record[at.KEY] >> 63 != 0:
        found[at.X_SUBSCRIBER] = (record[at.KEY] & at.ROW) + 1
    else:
        found[at.X_CONSUMER] = record[at.KEY] + 1
    found[at.X_MEASURE] = flying
    found[at.X_BOUND] = limit


# --- one active consumer ----------------------------------------------------------------------------


def follow_units(context: Words, thread: Words, stores: Words, many: int, part: int) -> int:
    """`two-active`: a consumer gets a message after a later one has got its first."""
    groups = group(thread, gather(stores, many, part, words(thread[at.ADDRESSES])))
    for number in range(groups):
        follow_unit(context, thread, sorted_group(context, thread, number))
    return groups


def follow_unit(context: Words, thread: Words, count: int) -> None:
    pairs, table, size = words(thread[at.PAIRS]), words(thread[at.TAKERS]), room_for(count)
    for place in range(size * at.SLOT):
        table[place] = 0
    strands, told = 0, 0
    for place in range(count):
        record = words(pairs[2 * place + 1])
        slot = strand_in(table, size, record)
        if slot[0] == 0:
            strands += 1
            slot[0] = strands
            slot[1] = record[at.A_CONSUMER]
            slot[2] = record[at.A_GENERATION]
            begin_strand(strand_at(thread, strands), record, strands)
        else:
            told = compare_strand(context, thread, strand_at(thread, slot[0]), record, strands, told)


def strand_in(table: Words, size: int, record: Words) -> Words:
    """The slot of a record's strand in a table; a fresh one has 0 in its first word."""
    place = mix(record[at.A_CONSUMER] * 31 + record[at.A_GENERATION]) & (size - 1)
    here = offset(table, place * at.SLOT)
    while here[0] != 0 and (here[1] != record[at.A_CONSUMER] or here[2] != record[at.A_GENERATION]):
        place = (place + 1) & (size - 1)
        here = offset(table, place * at.SLOT)
    return here


def strand_at(thread: Words, number: int) -> Words:
    return offset(words(thread[at.DELIVERIES]), (number - 1) * at.STRAND)


def begin_strand(strand: Words, record: Words, number: int) -> None:
    strand[at.B_CONSUMER] = record[at.A_CONSUMER]
    strand[at.B_GENERATION] = record[at.A_GENERATION]
    strand[at.B_FIRST] = address_of(record)
    strand[at.B_NEXT] = number + 1
    strand[at.B_TOLD] = 0


def compare_strand(
    context: Words, thread: Words, strand: Words, record: Words, strands: int, told: int
) -> int:
    """Compare a delivery with the later strands; how many pairs are noted.

    Strands that certainly began before the delivery are not looked at again.
    """
    place = strand[at.B_NEXT]
    while place <= strands:
        other = strand_at(thread, place)
        first = words(other[at.B_FIRST])
        if first[at.AT] >= record[at.AT]:
            return told
        certain = 1 if first[at.AT] + context[at.SKEW] < record[at.AT] and place == strand[at.B_NEXT] else 0
        tolerated = tolerance(context, first[at.A_DOMAIN], record[at.A_DOMAIN])
        if first[at.AT] + tolerated < record[at.AT] and other[at.B_CONSUMER] != strand[at.B_CONSUMER]:
            if is_noted(thread, strand, place) == 0:
                two_active(thread, first, record)
                if certain == 0:
                    told = note(thread, strand, place, told)
        if certain != 0:
            strand[at.B_NEXT] = place + 1
        place += 1
    return told


def is_noted(thread: Words, strand: Words, number: int) -> int:
    """Whether a strand was found active beside another already."""
    here = strand[at.B_TOLD]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        if link[at.K_EVENT] == number:
            return 1
        here = link[at.K_NEXT]
    return 0


def note(thread: Words, strand: Words, number: int, told: int) -> int:
    """Note that a strand was found active beside another; how many such pairs are noted."""
    if told == thread[at.LINKS_ROOM]:
        thread[at.CRAMPED] = 1
        return told
    link = offset(words(thread[at.LINKS]), told * at.LINK)
    link[at.K_EVENT] = number
    link[at.K_NEXT] = strand[at.B_TOLD]
    strand[at.B_TOLD] = told + 1
    return told + 1


def two_active(thread: Words, first: Words, record: Words) -> None:
    found = finding(thread, at.TWO_ACTIVE, 0, row_of(first), record, record[at.AT])
    found[at.X_SUBSCRIBER] = (record[at.KEY] >> 32) + 1
    found[at.X_CONSUMER] = record[at.A_CONSUMER] + 1
    found[at.X_MEASURE] = record[at.KEY] & at.ROW


# --- what else is asked -----------------------------------------------------------------------------


def times(context: Words, thread: Words, part: int) -> int:
    """When subscribers that are watched got something: pairs of subscriber and time in `PAIRS`; how many."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    addresses, pairs = words(thread[at.ADDRESSES]), words(thread[at.PAIRS])
    taken, readers, subscribers = (
        words(context[at.TAKEN]),
        words(context[at.READERS]),
        words(context[at.SUBSCRIBERS]),
    )
    found = 0
    for number in range(count):
        event = words(addresses[number])
        if byte(taken, row_of(event)) != 0:
            subscriber = readers[(event[at.PLACE] >> 32) * at.READER + at.R_SUBSCRIBER]
            if subscribers[subscriber * at.SUBSCRIBER + at.S_WATCHED] != 0:
                pairs[2 * found] = subscriber
                pairs[2 * found + 1] = event[at.AT]
                found += 1
    return found
