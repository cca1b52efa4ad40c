"""The rules of one message: no-loss, no-phantom, duplicates, retries, redelivery; and what it gives to
others.

`fold` judges all messages of a part. What cannot be judged by a look at one message is given to the second
level: first deliveries to their sequence, deliveries in flight to their holder, and so on. What depends on
who was seen first, of a whole history, is judged by `arrive` in a second pass, where it depends on that.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.again_core import counted, judge_again, judge_redelivery
from angarium.history.kernel.arrival_core import (
    N_AGAIN,
    N_CONFIRMED,
    N_FIRST,
    N_INVOKED,
    SENDS,
    gather_sends,
    judge_loss,
    judge_phantom,
)
from angarium.history.kernel.flight_core import give_flight, give_sequence, give_unit, note_acknowledged
from angarium.history.kernel.knowledge_core import (
    clocked,
    count_judged,
    delivered_finding,
    location_of,
    of_run,
    of_subscriber,
    reader_of,
    seen_first,
)
from angarium.history.kernel.life_core import (
    acknowledgements,
    consumer_of,
    delivery_at,
    live,
    room_for,
    row_of,
    way_of,
)
from angarium.history.kernel.store_core import gather, group, precedes, sort, sorted_group
from angarium.native.lowlevel import Words, address_of, local, offset, put_byte, words


def judge_reader(context: Words, thread: Words, run: int, reader: Words) -> int:
    """The rules of a message and one of its subscribers; how many requeues there were."""
    subscriber = of_subscriber(context, reader[at.E_SUBSCRIBER] - 1)
    known, timeout, limit = of_run(context, run), subscriber[at.S_TIMEOUT], subscriber[at.S_LIMIT]
    timed = 1 if known[at.U_SILENT] == 0 and timeout != at.UNKNOWN else 0
    count = reader[at.E_COUNT]
    count_judged(thread, run, at.NO_DUPLICATES, timed, count)
    count_judged(thread, run, at.DUPLICATES_AFTER_ACK, timed & known[at.U_ACKNOWLEDGES], count)
    count_judged(thread, run, at.RETRIES, limit, count)
    acks, requeues, told = acknowledgements(thread, reader), 0, 0
    sort(context, words(thread[at.ACKS]), words(thread[at.SPARE]), acks, at.AT)
    number = reader[at.E_FIRST]
    while number != 0:
        delivery = delivery_at(thread, number)
        if delivery[at.D_ACKED] != 0:
            clocked(
                context, thread, run, at.SETTLING, words(delivery[at.D_EVENT]), words(delivery[at.D_ACKED])
            )
        if timed != 0 and number != reader[at.E_FIRST]:
            judge_again(context, thread, run, number, acks, timeout)
        if limit != 0 and told == 0 and counted(delivery) > limit - 1:
            told = 1
            first = delivery_at(thread, reader[at.E_FIRST])
            event = words(delivery[at.D_EVENT])
            row = row_of(words(first[at.D_EVENT]))
            found = delivered_finding(thread, at.TOO_MANY, run, row, delivery, event[at.AT])
            found[at.X_MEASURE] = counted(delivery)
            found[at.X_BOUND] = limit - 1
        if known[at.U_SILENT] == 0:
            judge_redelivery(context, thread, run, number, timeout, limit, acks)
        requeues += is_requeued(thread, delivery)
        number = delivery[at.D_NEXT]
    if acks != 0:
        note_acknowledged(context, thread, reader, acks)
    return requeues


def is_requeued(thread: Words, delivery: Words) -> int:
    """How often a delivery was given back."""
    here, count = delivery[at.D_SETTLES], 0
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        if way_of(words(link[at.K_EVENT])) == at.REQUEUE:
            count = 1
        here = link[at.K_NEXT]
    return count


def give(context: Words, thread: Words, run: int, delivery: Words, sends: Words, once: int) -> None:
    """Give a delivery to the second level."""
    event, reader = words(delivery[at.D_EVENT]), words(delivery[at.D_REACHED])
    location = location_of(context, event)
    subscriber, taken = reader[at.E_SUBSCRIBER] - 1, at.IS_DELIVERY
    grouped = event[at.KIND] & at.GROUPED
    if delivery[at.D_NUMBER] == 1 and event[at.KIND] & at.MARKED == 0:
        taken = at.IS_DELIVERY | at.IS_FIRST
        number = 0
        if once != 0 and event[at.KIND] & at.UNORDERED == 0:
            sent = words(sends[N_FIRST])
            number = event[at.NUM] if event[at.NUM] != 0 else sent[at.NUM]
        if number != 0:
            one = grouped | location[at.L_SINGLE]
            give_sequence(thread, event, words(sends[N_FIRST]), number, subscriber, one)
        count_judged(thread, run, at.ORDER, number, 1)
    put_byte(words(context[at.TAKEN]), row_of(event), taken)
    generations, generation = words(context[at.GENERATIONS]), 0
    if address_of(generations) != 0:
        generation = generations[row_of(event)]
    active = location[at.L_SINGLE]
    if grouped != 0 and generation != 0:
        active = 1
    count_judged(thread, run, at.ONE_ACTIVE, active, 1)
    if active != 0:
        give_unit(thread, context, event, subscriber, generation)
    give_holders(context, thread, run, delivery, subscriber)


def give_holders(context: Words, thread: Words, run: int, delivery: Words, subscriber: int) -> None:
    """Give a delivery to those holders of it that have a limit.

    It is judged where its consumer has one by then; by that of its subscriber, `follow_holder` counts it.
    """
    event, reader, taker = (
        words(delivery[at.D_EVENT]),
        words(delivery[at.D_REACHED]),
        words(delivery[at.D_TAKER]),
    )
    known, of_it = of_run(context, run), of_subscriber(context, subscriber)
    person = offset(words(context[at.PEOPLE]), consumer_of(event) * at.PERSON)
    timeout, limited = of_it[at.S_TIMEOUT], 0
    if known[at.U_SILENT] == 0 and timeout != at.UNKNOWN:
        if person[at.P_CREDITS] < person[at.P_CREDITED]:
            credit = offset(words(context[at.CREDITS]), person[at.P_CREDITS] * at.MOMENT)
            limited = precedes(context, credit, offset(event, at.AT), 0)
        for together in range(2):
            credited = 1 if person[at.P_CREDITS] < person[at.P_CREDITED] else 0
            if together != 0:
                credited = 1 if of_it[at.S_CREDITS] < of_it[at.S_CREDITED] else 0
            if credited != 0:
                key = (1 << 63) | subscriber if together != 0 else consumer_of(event)
                last = offset(reader, at.E_FLIGHT) if together != 0 else offset(taker, at.T_FLIGHT)
                about = (run << 32) | (limited << 31)
                give_flight(context, thread, delivery, together, key, timeout, last, about)
    count_judged(thread, run, at.FLOW_CONTROL, limited, 1)


def fold_message(context: Words, thread: Words, count: int) -> None:
    """Judge a message, whose events are sorted in `PAIRS`."""
    size, sends = room_for(count), local(SENDS)
    deliveries = live(context, thread, count, size)
    gather_sends(thread, count, sends)
    pairs = words(thread[at.PAIRS])
    event = words(pairs[1])
    reader = reader_of(context, event)
    run, figures = reader[at.R_RUN], offset(words(thread[at.FIGURES]), reader[at.R_RUN] * at.FIGURE)
    if sends[N_FIRST] != 0:
        figures[at.ATTEMPTED] += 1
    if sends[N_CONFIRMED] != 0:
        figures[at.CONFIRMED] += 1
        clocked(context, thread, run, at.CONFIRMING, words(sends[N_FIRST]), words(sends[N_CONFIRMED]))
    elif sends[N_FIRST] != 0 and deliveries == 0:
        figures[at.UNCONFIRMED] += 1
    judge_arrival(context, thread, run, count, sends, size, deliveries)
    if deliveries == 0:
        return
    figures[at.DELIVERED] += 1
    figures[at.DELIVERED_TIMES] += deliveries
    again = 0
    for number in range(1, deliveries + 1):
        delivery = delivery_at(thread, number)
        if delivery[at.D_NUMBER] == 1:
            figures[at.REQUEUES] += judge_reader(context, thread, run, words(delivery[at.D_REACHED]))
            note_reader(context, thread, run, delivery, sends)
        else:
            again = 1
        if delivery[at.D_NUMBER] > figures[at.MOST]:
            figures[at.MOST] = delivery[at.D_NUMBER]
    figures[at.REDELIVERED] += again
    once = 1 if sends[N_FIRST] != 0 and sends[N_INVOKED] <= 1 and sends[N_AGAIN] == 0 else 0
    for number in range(1, deliveries + 1):
        give(context, thread, run, delivery_at(thread, number), sends, once)


def note_reader(context: Words, thread: Words, run: int, delivery: Words, sends: Words) -> None:
    """Note a subscriber's first delivery: when it was seen, and how long the message took."""
    event, reader = words(delivery[at.D_EVENT]), words(delivery[at.D_REACHED])
    subscriber = reader[at.E_SUBSCRIBER] - 1
    seen_first(context, words(thread[at.SEEN]), subscriber, event)
    if sends[N_FIRST] != 0:
        seen_first(context, words(thread[at.KNOWN]), subscriber, event)
        clocked(context, thread, run, at.DELIVERING, words(sends[N_FIRST]), event)


def judge_arrival(
    context: Words, thread: Words, run: int, count: int, sends: Words, size: int, deliveries: int
) -> None:
    """Judge losses and phantoms, now or later: when it is known who was seen first, and when."""
    pairs = words(thread[at.PAIRS])
    location, known = location_of(context, words(pairs[1])), of_run(context, run)
    if sends[N_CONFIRMED] != 0:
        if location[at.L_MAY_READ] <= 1:
            judge_loss(context, thread, run, sends, size, deliveries)
        else:
            thread[at.POSTPONED] = 1
    if deliveries != 0:
        if known[at.U_ATTACHED] == 0:
            judge_phantom(context, thread, run, count, sends)
        else:
            thread[at.POSTPONED] = 1


def fold(context: Words, thread: Words, part: int) -> int:
    """Judge all messages of a part; how many there were."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    for number in range(groups):
        fold_message(context, thread, sorted_group(context, thread, number))
    return groups


def arrive(context: Words, thread: Words, part: int) -> int:
    """The second pass: judge what was postponed."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    for number in range(groups):
        events = sorted_group(context, thread, number)
        size, sends = room_for(events), local(SENDS)
        deliveries = live(context, thread, events, size)
        gather_sends(thread, events, sends)
        pairs = words(thread[at.PAIRS])
        location, reader = location_of(context, words(pairs[1])), reader_of(context, words(pairs[1]))
        known = of_run(context, reader[at.R_RUN])
        if sends[N_CONFIRMED] != 0 and location[at.L_MAY_READ] > 1:
            judge_loss(context, thread, reader[at.R_RUN], sends, size, deliveries)
        if deliveries != 0 and known[at.U_ATTACHED] != 0:
            judge_phantom(context, thread, reader[at.R_RUN], events, sends)
    return groups
