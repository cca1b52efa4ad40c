"""Deliveries that are not the first: duplicates, their causes, retries, and when they are owed."""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.knowledge_core import count_judged, delivered_finding, of_run, reader_of
from angarium.history.kernel.life_core import (
    consumer_of,
    delivery_at,
    domain_of,
    phase_of,
    row_of,
    timer,
    tolerance,
    way_of,
)
from angarium.history.kernel.store_core import before
from angarium.native.lowlevel import Words, offset, words

ACKS_LOOKED_AT = 64
"""So many acknowledgements of a message by a subscriber are looked at, for each delivery again."""


# --- causes and acknowledgements in force -----------------------------------------------------------


def strikes(context: Words, list_: Words, low: int, high: int, after: Words, until: Words, doubt: int) -> int:
    """Whether some trouble of a list may have come after an event, and not after another.

    `doubt`: and not longer after the first; UNKNOWN if that does not matter.
    """
    spare = context[at.SKEW] + context[at.GRACE]
    end = high
    while low < high:
        middle = (low + high) >> 1
        trouble = offset(list_, middle * at.MOMENT)
        if trouble[at.M_AT] + spare < after[at.AT]:
            low = middle + 1
        else:
            high = middle
    while low < end:
        trouble = offset(list_, low * at.MOMENT)
        if trouble[at.M_AT] > until[at.AT] + context[at.SKEW]:
            return 0
        of_first = tolerance(context, domain_of(after), trouble[at.M_DOMAIN])
        of_last = tolerance(context, domain_of(until), trouble[at.M_DOMAIN])
        if (
            after[at.AT] <= trouble[at.M_AT] + of_first + context[at.GRACE]
            and trouble[at.M_AT] <= until[at.AT] + of_last
        ):
            if doubt == at.UNKNOWN:
                return 1
            if trouble[at.M_AT] <= after[at.AT] + doubt + of_first:
                return 1
        low += 1
    return 0


def troubled(context: Words, event: Words, after: Words, until: Words, doubt: int) -> int:
    """Whether a delivery's consumer may have ended, or a broker changed, between two events."""
    people, ends, changes = words(context[at.PEOPLE]), words(context[at.ENDS]), words(context[at.CHANGES])
    own = offset(people, consumer_of(event) * at.PERSON)
    if own[at.P_ENDS] < own[at.P_ENDED]:
        if strikes(context, ends, own[at.P_ENDS], own[at.P_ENDED], after, until, doubt) != 0:
            return 1
    client = event[at.TAKER] & at.ROW
    if client != 0:
        other = offset(people, (client - 1) * at.PERSON)
        if other[at.P_CLIENT_ENDS] < other[at.P_CLIENT_ENDED]:
            if (
                strikes(context, ends, other[at.P_CLIENT_ENDS], other[at.P_CLIENT_ENDED], after, until, doubt)
                != 0
            ):
                return 1
    reader = reader_of(context, event)
    run = of_run(context, reader[at.R_RUN])
    if run[at.U_CHANGES] < run[at.U_CHANGED]:
        if strikes(context, changes, run[at.U_CHANGES], run[at.U_CHANGED], after, until, doubt) != 0:
            return 1
    if reader[at.R_GROUP] != 0:
        moves = offset(words(context[at.GROUPS]), (reader[at.R_GROUP] - 1) * at.GROUP)
        if moves[at.C_FROM] < moves[at.C_TO]:
            return strikes(context, changes, moves[at.C_FROM], moves[at.C_TO], after, until, doubt)
    return 0


def gives_back(event: Words) -> int:
    """Whether a settle is a requeue, a rejection, or puts the message aside."""
    way = way_of(event)
    return 1 if way >= at.REQUEUE and way <= at.DEAD_LETTER else 0


def has_arrived(context: Words, ack: Words, again: Words) -> int:
    """Whether it was said so long before that the delivery cannot have been under way already."""
    tolerated = tolerance(context, domain_of(ack), domain_of(again))
    return 1 if ack[at.AT] + tolerated + context[at.GRACE] <= again[at.AT] else 0


def is_in_force(
    context: Words, thread: Words, delivery: Words, ack: Words, timeout: int, again: Words
) -> int:
    """Whether an acknowledgement of a delivery binds the broker at another delivery."""
    if has_arrived(context, ack, again) == 0 or phase_of(ack) > at.OK:
        return 0
    if phase_of(ack) == at.OK:
        return 1
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        if way_of(said) == at.ACK and phase_of(said) == at.OK and has_arrived(context, said, again) != 0:
            return 0
        if gives_back(said) != 0 and before(context, said, ack) != 0:
            return 0
        here = link[at.K_NEXT]
    here = delivery[at.D_REFUSALS]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        if before(context, ack, said) != 0 and before(context, said, again) != 0:
            return 0
        here = link[at.K_NEXT]
    if ack[at.AT] + context[at.GRACE] > timer(context, thread, delivery, timeout, ack) + timeout:
        return 0
    return 1 - troubled(context, words(delivery[at.D_EVENT]), ack, again, context[at.DOUBT])


def had_cause(context: Words, thread: Words, delivery: Words, timeout: int, again: Words) -> int:
    """Whether the broker may have taken a delivery back, or its consumer has acknowledged it."""
    event = words(delivery[at.D_EVENT])
    tolerated = tolerance(context, domain_of(event), domain_of(again))
    if (
        again[at.AT] + tolerated + context[at.GRACE]
        >= timer(context, thread, delivery, timeout, again) + timeout
    ):
        return 1
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        if way_of(said) == at.ACK and before(context, said, again) != 0:
            return 1
        if gives_back(said) != 0:
            if said[at.AT] <= again[at.AT] + tolerance(context, domain_of(said), domain_of(again)):
                return 1
        here = link[at.K_NEXT]
    return troubled(context, event, event, again, at.UNKNOWN)


def judge_again(context: Words, thread: Words, run: int, number: int, acks: int, timeout: int) -> None:
    """Whether a delivery that is not the first to its subscriber had a cause."""
    delivery = delivery_at(thread, number)
    again, known = words(delivery[at.D_EVENT]), of_run(context, run)
    found_at = again[at.AT] + context[at.SKEW]
    most = acks if acks < ACKS_LOOKED_AT else ACKS_LOOKED_AT
    for place in range(most):
        pairs = words(thread[at.ACKS])
        ack = words(pairs[2 * place + 1])
        if ack[at.NUM] < number:
            owner = delivery_at(thread, ack[at.NUM])
            if is_in_force(context, thread, owner, ack, timeout, again) != 0:
                if known[at.U_ACKNOWLEDGES] != 0:
                    delivered_finding(thread, at.AFTER_ACK, run, row_of(ack), delivery, found_at)
                return
    last = delivery_at(thread, delivery[at.D_BEFORE])
    event = words(last[at.D_EVENT])
    tolerated = tolerance(context, domain_of(event), domain_of(again))
    if tolerated != 0:
        if event[at.AT] + tolerated >= again[at.AT]:
            return
    elif before(context, event, again) == 0:
        return
    if had_cause(context, thread, last, timeout, again) == 0:
        delivered_finding(thread, at.HELD, run, row_of(event), delivery, found_at)


# --- retries and redelivery -------------------------------------------------------------------------


def counted(delivery: Words) -> int:
    """The broker's count of a delivery, or its number if that is larger."""
    event = words(delivery[at.D_EVENT])
    said = event[at.KIND] >> at.COUNT
    return said if said > delivery[at.D_NUMBER] else delivery[at.D_NUMBER]


def requeue_of(thread: Words, delivery: Words) -> int:
    """The address of a delivery's first requeue; 0 if there is none, UNKNOWN if it is over for good."""
    found, here = 0, delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        way = way_of(words(link[at.K_EVENT]))
        if way == at.ACK or way == at.REJECT or way == at.DEAD_LETTER:
            return at.UNKNOWN
        if way == at.REQUEUE and found == 0:
            found = link[at.K_EVENT]
        here = link[at.K_NEXT]
    return found


def last_extend(thread: Words, delivery: Words) -> int:
    """The time of a delivery, or of its last extend, in time or not."""
    event = words(delivery[at.D_EVENT])
    latest, here = event[at.AT], delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        if way_of(said) == at.EXTEND and said[at.AT] > latest:
            latest = said[at.AT]
        here = link[at.K_NEXT]
    return latest


def judge_redelivery(
    context: Words, thread: Words, run: int, number: int, timeout: int, limit: int, acks: int
) -> None:
    """Whether a delivery had to come again, and when."""
    delivery = delivery_at(thread, number)
    event, requeued = words(delivery[at.D_EVENT]), requeue_of(thread, delivery)
    if requeued == at.UNKNOWN:
        return
    if limit != 0 and counted(delivery) >= limit - 1:
        return
    when, delay, cause = 0, 0, 0
    if requeued != 0:
        said = words(requeued)
        when, delay, cause = said[at.AT], said[at.NUM], row_of(said) + 1
    if delivery[at.D_END] != 0:
        end = words(delivery[at.D_END])
        if cause == 0 or end[at.M_AT] < when:
            when, delay, cause = end[at.M_AT], 0, (end[at.M_WHO] & at.ROW) + 1
    if timeout < at.FOREVER:
        over = last_extend(thread, delivery) + timeout
        if cause == 0 or over < when:
            when, delay, cause = over, 0, row_of(event) + 1
    if cause != 0:
        judge_deadline(context, thread, run, delivery, when + delay * 1000000, cause - 1, acks)


def judge_deadline(
    context: Words, thread: Words, run: int, delivery: Words, due: int, cause: int, acks: int
) -> None:
    """Whether a delivery that must come again did so in time; else, whether anybody was there, see later."""
    deadline, known = due + context[at.WITHIN], of_run(context, run)
    judged = 1 if deadline <= known[at.U_END] or delivery[at.D_NEXT] != 0 else 0
    count_judged(thread, run, at.REDELIVERY, judged, 1)
    if judged == 0:
        return
    if delivery[at.D_NEXT] != 0:
        following = delivery_at(thread, delivery[at.D_NEXT])
        again = words(following[at.D_EVENT])
        if again[at.AT] <= deadline:
            return
    if acks != 0:
        pairs = words(thread[at.ACKS])
        if pairs[0] <= deadline:
            return
    found = delivered_finding(thread, at.LATE, run, row_of(words(delivery[at.D_EVENT])), delivery, deadline)
    found[at.X_LAST] = cause
    found[at.X_MEASURE] = context[at.WITHIN]
    found[at.X_DUE] = due
