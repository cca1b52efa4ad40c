"""Lives as they are told: of every message and subscriber one row, or the word that its letters spell.

`tell` gives the rows of the table of messages (`layout`, `Y_…`), `spell` the words that are held against a
model: what is a letter, and where its place is, `automaton.letters` says. Both ask the rules of the fold, and
come after it: when it is known who was seen first.
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
    judge_phantom,
)
from angarium.history.kernel.knowledge_core import location_of, of_run, reader_of
from angarium.history.kernel.life_core import (
    consumer_of,
    delivery_at,
    domain_of,
    found_in,
    live,
    phase_of,
    room_for,
    row_of,
    tolerance,
    way_of,
)
from angarium.history.kernel.message_core import is_requeued
from angarium.history.kernel.store_core import gather, group, precedes, sorted_group
from angarium.native.lowlevel import Words, local, offset, words


def fresh(thread: Words) -> Words:
    """Room for a row of what is told."""
    place = thread[at.FOUND] if thread[at.FOUND] < thread[at.FINDINGS_ROOM] else thread[at.FINDINGS_ROOM]
    thread[at.FOUND] += 1
    found = offset(words(thread[at.FINDINGS]), place * at.FINDING)
    for word in range(at.FINDING):
        found[word] = 0
    return found


# --- the table of messages ----------------------------------------------------------------------------


def tell(context: Words, thread: Words, part: int) -> int:
    """Rows of all messages of a part."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    for number in range(groups):
        tell_message(context, thread, sorted_group(context, thread, number))
    return groups


def tell_message(context: Words, thread: Words, count: int) -> None:
    """A row for each subscriber that a message has reached, or should have; if there is none, one alone."""
    size, sends = room_for(count), local(SENDS)
    deliveries = live(context, thread, count, size)
    gather_sends(thread, count, sends)
    told = 0
    phantom = is_phantom(context, thread, count, sends) if deliveries != 0 else 0
    for number in range(1, deliveries + 1):
        delivery = delivery_at(thread, number)
        if delivery[at.D_NUMBER] == 1:
            tell_reader(thread, delivery, sends, phantom)
            told = 1
    if sends[N_CONFIRMED] != 0:
        told = told | tell_missing(context, thread, sends, size, deliveries)
    if told == 0 and sends[N_FIRST] != 0:
        state = at.UNSEEN_STATE if sends[N_CONFIRMED] != 0 else at.UNCONFIRMED_STATE
        tell_sent(fresh(thread), sends, state)


def is_phantom(context: Words, thread: Words, count: int, sends: Words) -> int:
    """Whether no-phantom finds something of a message; what it finds is told already."""
    pairs = words(thread[at.PAIRS])
    reader, before = reader_of(context, words(pairs[1])), thread[at.FOUND]
    judge_phantom(context, thread, reader[at.R_RUN], count, sends)
    found = thread[at.FOUND] - before
    thread[at.FOUND] = before
    return found


def tell_sent(told: Words, sends: Words, state: int) -> None:
    """What is known of a message's send."""
    outcome = at.NEVER
    if sends[N_FIRST] != 0:
        sent = words(sends[N_FIRST])
        outcome = at.NOBODY_KNOWS
        told[at.Y_ROW] = ((sent[at.PLACE] >> 32) << 32) | row_of(sent)
        told[at.Y_PRODUCER] = consumer_of(sent) + 1
        told[at.Y_PARTITION] = sent[at.PLACE] & at.ROW
        told[at.Y_NUMBER] = sent[at.NUM]
        told[at.Y_SENT] = sent[at.AT]
        if sends[N_CERTAIN] == 0 and sends[N_FAILED] > 0 and sends[N_INVOKED] == sends[N_FAILED]:
            outcome = at.IN_VAIN
    if sends[N_CONFIRMED] != 0:
        confirmed = words(sends[N_CONFIRMED])
        outcome = at.CERTAIN
        told[at.Y_CONFIRMED] = confirmed[at.AT]
    told[at.Y_STATE] = state | (outcome << 8)


def tell_reader(thread: Words, delivery: Words, sends: Words, phantom: int) -> None:
    """A message and a subscriber that it has reached; its first delivery is given."""
    event, reader = words(delivery[at.D_EVENT]), words(delivery[at.D_REACHED])
    told = fresh(thread)
    ended, requeues, people, acked = 0, 0, 0, 0
    number = reader[at.E_FIRST]
    while number != 0:
        here = delivery_at(thread, number)
        requeues += is_requeued(thread, here)
        people += is_first_of_taker(thread, here)
        ended = ended | is_over(thread, here)
        if here[at.D_ACKED] != 0:
            said = words(here[at.D_ACKED])
            if acked == 0 or said[at.AT] < acked:
                acked = said[at.AT]
        number = here[at.D_NEXT]
    state = at.SETTLED_STATE if ended != 0 else at.DELIVERED_STATE
    tell_sent(told, sends, at.PHANTOM_STATE if phantom != 0 else state)
    if sends[N_FIRST] == 0:
        told[at.Y_ROW] = ((event[at.PLACE] >> 32) << 32) | row_of(event)
    if told[at.Y_PARTITION] == 0:
        told[at.Y_PARTITION] = event[at.PLACE] & at.ROW
    told[at.Y_SUBSCRIBER] = reader[at.E_SUBSCRIBER]
    told[at.Y_DELIVERED] = event[at.AT]
    told[at.Y_COUNT] = reader[at.E_COUNT] | (people << 32)
    told[at.Y_REQUEUES] = requeues
    told[at.Y_ACKED] = acked


def is_over(thread: Words, delivery: Words) -> int:
    """Whether a delivery was acknowledged, rejected or put aside."""
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        way = way_of(words(link[at.K_EVENT]))
        if way == at.ACK or way == at.REJECT or way == at.DEAD_LETTER:
            return 1
        here = link[at.K_NEXT]
    return 0


def is_first_of_taker(thread: Words, delivery: Words) -> int:
    """Whether it is the first delivery of its subscriber to its consumer."""
    number = delivery[at.D_BEFORE_OF_TAKER]
    while number != 0:
        before = delivery_at(thread, number)
        if before[at.D_REACHED] == delivery[at.D_REACHED]:
            return 0
        number = before[at.D_BEFORE_OF_TAKER]
    return 1


def tell_missing(context: Words, thread: Words, sends: Words, size: int, deliveries: int) -> int:
    """A row for each subscriber that should have got a confirmed message, and did not; whether there is one.

    Who expects it, `judge_loss` says.
    """
    sent, confirmed = words(sends[N_FIRST]), words(sends[N_CONFIRMED])
    location, reader = location_of(context, sent), reader_of(context, sent)
    known, told = of_run(context, reader[at.R_RUN]), 0
    overdue = 1 if confirmed[at.AT] + context[at.TAIL] <= known[at.U_END] else 0
    for number in range(location[at.L_FROM], location[at.L_TO]):
        sight = offset(words(context[at.SEEING]), number * at.SIGHT)
        tolerated = tolerance(context, sight[at.H_DOMAIN], domain_of(sent))
        if number == location[at.L_FROM] or sight[at.H_AT] + tolerated <= sent[at.AT]:
            there = 0
            if deliveries > 0:
                reached = found_in(words(thread[at.REACHED]), size, sight[at.H_SUBSCRIBER] + 1)
                there = reached[0]
            if there == 0:
                row = fresh(thread)
                tell_sent(row, sends, at.LOST_STATE if overdue != 0 else at.UNSEEN_STATE)
                row[at.Y_SUBSCRIBER] = sight[at.H_SUBSCRIBER] + 1
                told = 1
    return told


# --- words -------------------------------------------------------------------------------------------


def spell(context: Words, thread: Words, part: int) -> int:
    """The words of all messages of a part that have reached somebody."""
    count = gather(words(context[at.STORES]), context[at.STORES_COUNT], part, words(thread[at.ADDRESSES]))
    groups = group(thread, count)
    for number in range(groups):
        events = sorted_group(context, thread, number)
        sends = local(SENDS)
        deliveries = live(context, thread, events, room_for(events))
        gather_sends(thread, events, sends)
        for place in range(1, deliveries + 1):
            delivery = delivery_at(thread, place)
            if delivery[at.D_NUMBER] == 1:
                spell_reader(context, thread, delivery, sends)
    return groups


def add_letter(
    letters: Words, count: int, moment: Words, domain: int, letter: int, consumer: int, end: int
) -> int:
    """Append a letter, whose moment is given; how many there are. `consumer`: one larger, 0 is none."""
    here = offset(letters, count * at.LETTER)
    here[at.LETTER_AT] = moment[at.M_AT]
    here[at.LETTER_SEQ] = moment[at.M_SEQ]
    here[at.LETTER_WHO] = moment[at.M_WHO]
    here[at.LETTER_DOMAIN] = domain
    here[at.LETTER_KIND] = letter
    here[at.LETTER_CONSUMER] = consumer
    here[at.LETTER_END] = end
    here[at.LETTER_NUMBER] = 0
    return count + 1


def of_event(letters: Words, count: int, event: Words, letter: int, delivery: Words) -> int:
    """Append a letter that an event is."""
    moment, taken = offset(event, at.AT), words(delivery[at.D_EVENT])
    consumer = consumer_of(taken) + 1
    return add_letter(letters, count, moment, domain_of(event), letter, consumer, delivery[at.D_END])


def spell_delivery(context: Words, thread: Words, letters: Words, count: int, delivery: Words) -> int:
    """The letters of a delivery: itself, its acknowledgement, its return, its consumer's end."""
    confirmed, returned, doubted = 0, 0, 0
    here = delivery[at.D_SETTLES]
    while here != 0:
        link = offset(words(thread[at.LINKS]), (here - 1) * at.LINK)
        said = words(link[at.K_EVENT])
        way = way_of(said)
        if way == at.ACK and phase_of(said) == at.OK and confirmed == 0:
            confirmed = link[at.K_EVENT]
        if way >= at.REQUEUE and way <= at.DEAD_LETTER and returned == 0:
            returned = link[at.K_EVENT]
        here = link[at.K_NEXT]
    first, end = delivery[at.D_ACKED], delivery[at.D_END]
    if first != 0 and end != 0:
        ack, over = words(first), words(end)
        doubted = 1 if over[at.M_AT] <= ack[at.AT] + context[at.DOUBT] else 0
    count = of_event(letters, count, words(delivery[at.D_EVENT]), at.A_DELIVERY, delivery)
    if confirmed != 0:
        count = of_event(letters, count, words(confirmed), at.A_CERTAIN_ACK, delivery)
    elif first != 0:
        letter = at.A_DOUBTED_ACK if doubted != 0 else at.AN_ACK
        count = of_event(letters, count, words(first), letter, delivery)
    if returned != 0:
        back = words(returned)
        letter = at.A_RETURN if way_of(back) == at.REQUEUE else at.A_REJECTION
        count = of_event(letters, count, back, letter, delivery)
    elif end != 0 and confirmed == 0 and (first == 0 or doubted != 0):
        over, taken = words(end), words(delivery[at.D_EVENT])
        consumer = consumer_of(taken) + 1
        count = add_letter(letters, count, over, over[at.M_DOMAIN], at.AN_END, consumer, end)
    return count


def spell_reader(context: Words, thread: Words, first: Words, sends: Words) -> None:
    """The word of a message and a subscriber, whose first delivery is given."""
    letters = local(at.LETTERS_ROOM)
    event, reader, count, flags = words(first[at.D_EVENT]), words(first[at.D_REACHED]), 0, 0
    if sends[N_FIRST] != 0:
        sent = words(sends[N_FIRST])
        in_vain = 0
        if sends[N_CERTAIN] == 0 and sends[N_FAILED] > 0 and sends[N_FAILED] >= sends[N_INVOKED]:
            in_vain = 1
        letter = at.A_VAIN_SEND if in_vain != 0 else at.A_SEND
        count = add_letter(letters, count, offset(sent, at.AT), domain_of(sent), letter, 0, 0)
    else:
        flags = at.IS_UNSENT
    if sends[N_INVOKED] > 1:
        flags |= at.IS_RESENT
    number = reader[at.E_FIRST]
    while number != 0:
        delivery = delivery_at(thread, number)
        if delivery[at.D_NUMBER] > at.MOST_DELIVERIES:
            flags |= at.IS_CUT
            break
        count = spell_delivery(context, thread, letters, count, delivery)
        number = delivery[at.D_NEXT]
    count = without_ends(context, letters, distinct(context, letters, count))
    number_consumers(letters, count)
    if is_blurred(context, letters, count) != 0:
        flags |= at.IS_BLURRED
    write_word(context, thread, letters, count, event, flags)


def same(one: Words, other: Words) -> int:
    """Whether two letters are the same, seen once."""
    for word in range(at.LETTER_NUMBER):
        if one[word] != other[word]:
            return 0
    return 1


def comes_first(context: Words, one: Words, other: Words) -> int:
    """Whether a letter goes before another: by moment, then by clock and letter."""
    if precedes(context, one, other, at.LETTER_AT) != 0:
        return 1
    if precedes(context, other, one, at.LETTER_AT) != 0:
        return 0
    if one[at.LETTER_DOMAIN] != other[at.LETTER_DOMAIN]:
        return 1 if one[at.LETTER_DOMAIN] < other[at.LETTER_DOMAIN] else 0
    return 1 if one[at.LETTER_KIND] < other[at.LETTER_KIND] else 0


def copied(to: Words, given: Words) -> None:
    for word in range(at.LETTER):
        to[word] = given[word]


def distinct(context: Words, letters: Words, count: int) -> int:
    """Sort letters, each once; how many they are. Two open deliveries end with their consumer once."""
    kept, moved = 0, local(at.LETTER)
    for number in range(count):
        copied(moved, offset(letters, number * at.LETTER))
        place, twice = kept, 0
        for other in range(kept):
            twice = twice | same(moved, offset(letters, other * at.LETTER))
        if twice == 0:
            while place > 0:
                before = offset(letters, (place - 1) * at.LETTER)
                if comes_first(context, moved, before) == 0:
                    break
                copied(offset(letters, place * at.LETTER), before)
                place -= 1
            copied(offset(letters, place * at.LETTER), moved)
            kept += 1
    return kept


def is_of(one: Words, other: Words) -> int:
    """Whether two letters are of the same life of a consumer; one that ends and comes back is another."""
    same_end = 1 if one[at.LETTER_END] == other[at.LETTER_END] else 0
    return same_end if one[at.LETTER_CONSUMER] == other[at.LETTER_CONSUMER] else 0


def is_in_hand(context: Words, letters: Words, count: int, end: Words) -> int:
    """Of a consumer's end: whether it had not settled its last delivery, and somebody got the message after
    it."""
    last, later = 0, 0
    for number in range(count):
        here = offset(letters, number * at.LETTER)
        letter = here[at.LETTER_KIND]
        if is_of(here, end) != 0 and letter != at.AN_END and letter != at.A_DOUBTED_ACK:
            last = letter
        if letter == at.A_DELIVERY and precedes(context, end, here, at.LETTER_AT) != 0:
            later = 1
    return later if last == at.A_DELIVERY else 0


def without_ends(context: Words, letters: Words, count: int) -> int:
    """Leave out ends of consumers that had nothing in hand; how many letters are left."""
    for number in range(count):
        here = offset(letters, number * at.LETTER)
        if here[at.LETTER_KIND] == at.AN_END:
            here[at.LETTER_NUMBER] = 1 - is_in_hand(context, letters, count, here)
    kept = 0
    for number in range(count):
        here = offset(letters, number * at.LETTER)
        if here[at.LETTER_NUMBER] == 0:
            copied(offset(letters, kept * at.LETTER), here)
            kept += 1
    return kept


def number_consumers(letters: Words, count: int) -> None:
    """Number the consumers as they appear."""
    numbers = 0
    for number in range(count):
        here = offset(letters, number * at.LETTER)
        if here[at.LETTER_CONSUMER] != 0:
            for other in range(number):
                before = offset(letters, other * at.LETTER)
                if is_of(before, here) != 0:
                    here[at.LETTER_NUMBER] = before[at.LETTER_NUMBER]
            if here[at.LETTER_NUMBER] == 0:
                numbers += 1
                here[at.LETTER_NUMBER] = numbers


def is_blurred(context: Words, letters: Words, count: int) -> int:
    """Whether two letters next to each other are of different clocks and near to each other."""
    for number in range(1, count):
        here = offset(letters, number * at.LETTER)
        before = offset(letters, (number - 1) * at.LETTER)
        if here[at.LETTER_DOMAIN] != before[at.LETTER_DOMAIN]:
            if here[at.LETTER_AT] - before[at.LETTER_AT] <= context[at.SKEW]:
                return 1
    return 0


def write_word(context: Words, thread: Words, letters: Words, count: int, event: Words, flags: int) -> None:
    """A word as rows, each with so many of its letters as there is room for."""
    run, written = reader_of(context, event), 0
    while written < count:
        told = fresh(thread)
        told[at.WORD_RUN] = run[at.R_RUN] | (flags << 32)
        told[at.WORD_ROW] = ((event[at.PLACE] >> 32) << 32) | row_of(event)
        told[at.WORD_COUNT] = count | (written << 32)
        place = 0
        while place < at.LETTERS_A_ROW and written < count:
            here = offset(letters, written * at.LETTER)
            letter = here[at.LETTER_KIND] | (here[at.LETTER_NUMBER] << 4)
            told[at.WORD_LETTERS + (place >> 2)] |= letter << (16 * (place & 3))
            place += 1
            written += 1
