"""no-loss and no-phantom: whom a message should have reached, and whether anybody had sent it."""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.knowledge_core import (
    count_judged,
    delivered_finding,
    finding,
    location_of,
    of_run,
)
from angarium.history.kernel.life_core import (
    delivery_at,
    domain_of,
    found_in,
    op_of,
    phase_of,
    row_of,
    tolerance,
)
from angarium.history.kernel.store_core import precedes
from angarium.native.lowlevel import Words, address_of, offset, words

# --- sends ------------------------------------------------------------------------------------------

SENDS, N_FIRST, N_CONFIRMED, N_INVOKED, N_FAILED, N_CERTAIN, N_LAST_FAILURE, N_AGAIN = 8, 0, 1, 2, 3, 4, 5, 6
"""What is known of a message's sends: addresses, counts, and a time."""


def gather_sends(thread: Words, count: int, sends: Words) -> None:
    """What the sends of a message amount to."""
    pairs = words(thread[at.PAIRS])
    for word in range(SENDS):
        sends[word] = 0
    for number in range(count):
        event = words(pairs[2 * number + 1])
        if op_of(event) == at.SEND:
            phase = phase_of(event)
            if sends[N_FIRST] == 0:
                sends[N_FIRST] = address_of(event)
            if phase == at.OK and sends[N_CONFIRMED] == 0:
                sends[N_CONFIRMED] = address_of(event)
            if phase == at.OK or phase == at.IN_DOUBT:
                sends[N_CERTAIN] = 1
            elif phase == at.INVOKED:
                sends[N_INVOKED] += 1
            else:
                sends[N_FAILED] += 1
                if event[at.AT] > sends[N_LAST_FAILURE]:
                    sends[N_LAST_FAILURE] = event[at.AT]
            sends[N_AGAIN] |= event[at.KIND] & at.AGAIN


def may_be_sent(context: Words, thread: Words, count: int, delivery: Words) -> int:
    """Whether some send of a message is not later than a delivery, as far as clocks can tell."""
    pairs = words(thread[at.PAIRS])
    for number in range(count):
        event = words(pairs[2 * number + 1])
        if op_of(event) == at.SEND:
            tolerated = tolerance(context, domain_of(event), domain_of(delivery))
            if event[at.AT] <= delivery[at.AT] + tolerated:
                return 1
    return 0


# --- no-loss and no-phantom -------------------------------------------------------------------------


def judge_loss(context: Words, thread: Words, run: int, sends: Words, size: int, deliveries: int) -> None:
    """Whom a confirmed message should have reached."""
    sent, confirmed = words(sends[N_FIRST]), words(sends[N_CONFIRMED])
    location, known = location_of(context, sent), of_run(context, run)
    figures = offset(words(thread[at.FIGURES]), run * at.FIGURE)
    overdue = 1 if confirmed[at.AT] + context[at.TAIL] <= known[at.U_END] else 0
    for number in range(location[at.L_FROM], location[at.L_TO]):
        sight = offset(words(context[at.SEEING]), number * at.SIGHT)
        tolerated = tolerance(context, sight[at.H_DOMAIN], domain_of(sent))
        if number == location[at.L_FROM] or sight[at.H_AT] + tolerated <= sent[at.AT]:
            there = 0
            if deliveries > 0:
                reader = found_in(words(thread[at.REACHED]), size, sight[at.H_SUBSCRIBER] + 1)
                there = reader[0]
            count_judged(thread, run, at.NO_LOSS, overdue | there, 1)
            if there == 0 and overdue == 0:
                figures[at.UNSEEN] += 1
            elif there == 0:
                figures[at.GONE] += 1
                found = finding(thread, at.LOST, run, row_of(sent), confirmed, known[at.U_END])
                found[at.X_SUBSCRIBER] = sight[at.H_SUBSCRIBER] + 1


def judge_phantom(context: Words, thread: Words, run: int, count: int, sends: Words) -> None:
    """Whether a message was delivered that nobody had sent."""
    delivery = delivery_at(thread, 1)
    event, known = words(delivery[at.D_EVENT]), of_run(context, run)
    if known[at.U_ATTACHED] != 0:
        reader = words(delivery[at.D_REACHED])
        first = offset(words(thread[at.KNOWN]), (reader[at.E_SUBSCRIBER] - 1) * at.MOMENT)
        if first[at.M_AT] == 0 or precedes(context, offset(event, at.AT), first, at.M_AT) != 0:
            count_judged(thread, run, at.NO_PHANTOM, 0, 1)
            return
    count_judged(thread, run, at.NO_PHANTOM, known[at.U_SENDS], 1)
    if known[at.U_SENDS] != 0:
        found_at = event[at.AT] + context[at.SKEW]
        if may_be_sent(context, thread, count, event) == 0:
            delivered_finding(thread, at.NEVER_SENT, run, row_of(event), delivery, found_at)
        elif sends[N_CERTAIN] == 0 and sends[N_FAILED] > 0 and sends[N_INVOKED] == sends[N_FAILED]:
            if sends[N_LAST_FAILURE] > found_at:
                found_at = sends[N_LAST_FAILURE]
            delivered_finding(thread, at.FAILED_SEND, run, row_of(words(sends[N_FIRST])), delivery, found_at)
