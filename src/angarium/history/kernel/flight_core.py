"""What a message gives to the second level: to its sequence, its holders, and who is active."""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.life_core import consumer_of, delivery_at, domain_of, timer, way_of
from angarium.history.kernel.store_core import part_of, precedes, slot
from angarium.native.hash_core import mix
from angarium.native.lowlevel import Words, address_of, local, offset, words


def head(record: Words, key: int, event: Words) -> None:
    """The first four words of a record of the second level."""
    record[at.KEY] = key
    record[at.AT] = event[at.AT]
    record[at.SEQ] = event[at.SEQ]
    record[at.WHO] = event[at.WHO]


def give_sequence(thread: Words, event: Words, sent: Words, number: int, subscriber: int, one: int) -> None:
    """A first delivery, for its sequence."""
    people = (consumer_of(sent) << 32) | (0 if one != 0 else consumer_of(event) + 1)
    place, domain = (subscriber << 32) | (event[at.PLACE] & at.ROW), domain_of(event)
    key = mix(mix(mix(people) + place) + domain)
    store = words(thread[at.SEQUENCES])
    record = slot(store, part_of(store, key))
    if address_of(record) != 0:
        head(record, key, event)
        record[at.Q_NUMBER] = number
        record[at.Q_PEOPLE] = people
        record[at.Q_PLACE] = place
        record[at.Q_DOMAIN] = domain


def give_unit(thread: Words, context: Words, event: Words, subscriber: int, generation: int) -> None:
    """A delivery where one consumer is active at a time."""
    unit = event[at.PLACE] & at.ROW if event[at.KIND] & at.GROUPED != 0 else 0
    key = (subscriber << 32) | unit
    store = words(thread[at.UNITS])
    record = slot(store, part_of(store, key))
    if address_of(record) != 0:
        head(record, key, event)
        record[at.A_GENERATION] = generation
        record[at.A_CONSUMER] = consumer_of(event)
        record[at.A_DOMAIN] = domain_of(event)


def sooner(context: Words, until: Words, time: int, seq: int, who: int) -> None:
    """Make a moment earlier, if another is."""
    other = local(3)
    other[0] = time
    other[1] = seq
    other[2] = who
    if precedes(context, other, until, 0) != 0:
        until[0] = time
        until[1] = seq
        until[2] = who


def give_flight(
    context: Words,
    thread: Words,
    delivery: Words,
    together: int,
    key: int,
    timeout: int,
    last: Words,
    about: int,
) -> None:
    """A delivery in flight, for its holder; `last`: the one before of the message at this holder.

    `about`: its run, and whether it is judged already.
    """
    event, until = words(delivery[at.D_EVENT]), local(3)
    over = timer(context, thread, delivery, timeout, words(0)) + timeout
    until[0] = over - context[at.GRACE] if over > context[at.GRACE] else 0
    until[1] = 0
    until[2] = 0
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        here = link[at.K_NEXT]
        if way_of(said) <= at.DEAD_LETTER:
            sooner(context, until, said[at.AT], said[at.SEQ], said[at.WHO])
            here = 0
    if delivery[at.D_END] != 0:
        end = words(delivery[at.D_END])
        sooner(context, until, end[at.M_AT], end[at.M_SEQ], end[at.M_WHO])
    acked = delivery[at.D_ACKED_BY_ANY] if together != 0 else delivery[at.D_ACKED_BY_TAKER]
    if acked != 0:
        ack = words(acked)
        sooner(context, until, ack[at.AT], ack[at.SEQ], ack[at.WHO])
    lasts = precedes(context, offset(event, at.AT), until, 0)
    store = words(thread[at.HOLDERS])
    record = slot(store, part_of(store, key))
    if address_of(record) == 0:
        return
    head(record, key, event)
    record[at.F_UNTIL] = until[0] if lasts != 0 else 0
    record[at.F_UNTIL_SEQ] = until[1]
    record[at.F_UNTIL_WHO] = until[2]
    record[at.F_DOMAIN] = domain_of(event) | about
    if lasts != 0:
        if last[0] != 0:
            earlier = words(last[0])
            if precedes(context, offset(event, at.AT), offset(earlier, at.F_UNTIL), 0) != 0:
                earlier[at.F_UNTIL] = event[at.AT]
                earlier[at.F_UNTIL_SEQ] = event[at.SEQ]
                earlier[at.F_UNTIL_WHO] = event[at.WHO]
        last[0] = address_of(record)


def note_acknowledged(context: Words, thread: Words, reader: Words, acks: int) -> None:
    """For each delivery to a subscriber the first acknowledgement that is not before it, less the grace.

    From the last delivery to the first: what counts for one counts for all before it.
    """
    pairs, number = words(thread[at.ACKS]), reader[at.E_LAST]
    while number != 0:
        delivery = delivery_at(thread, number)
        event, taker = words(delivery[at.D_EVENT]), words(delivery[at.D_TAKER])
        while acks > 0 and pairs[2 * acks - 2] + context[at.GRACE] >= event[at.AT]:
            acks -= 1
            ack = words(pairs[2 * acks + 1])
            owner = delivery_at(thread, ack[at.NUM])
            whose = words(owner[at.D_TAKER])
            whose[at.T_ACKED] = address_of(ack)
            whose[at.T_ACKED_OF] = address_of(reader)
            reader[at.E_ACKED] = address_of(ack)
        delivery[at.D_ACKED_BY_ANY] = reader[at.E_ACKED]
        if taker[at.T_ACKED_OF] == address_of(reader):
            delivery[at.D_ACKED_BY_TAKER] = taker[at.T_ACKED]
        number = delivery[at.D_BEFORE]
