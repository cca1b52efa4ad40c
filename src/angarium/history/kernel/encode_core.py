"""Rows as events: names become numbers, and what is said of a row becomes its eight words.

A column of names comes as its codes, halves of words, and a table from codes to numbers with that of no name
in front. A column that is not there has no address.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.pairs_core import pair
from angarium.native.lowlevel import Words, address_of, byte, half, put_byte, words

(
    I_OP, I_PHASE, I_WAY, I_MESSAGE, I_DESTINATION, I_CLIENT, I_CONSUMER, I_RECORDER, I_WHO, I_GROUP,
    I_SUBSCRIPTION, I_PARTITION, I_DOMAIN, I_CLOCK, I_SYSTEM, I_RUN_NAME, I_UNORDERED, I_NAMELESS, I_NAMES,
) = range(19)  # fmt: skip
"""Columns of names: codes and table of each are two words. `I_MESSAGE`: hashes; `I_WHO`: the recorder as
events have it; `I_CLOCK`: the clock domain as a name; the last two say whether a name is of a kind."""
(
    I_FIT, I_RUN, I_TIME, I_SEQ, I_NUMBER, I_DELAY, I_COUNT, I_ATTEMPT, I_TAG, I_OFFSET, I_MARKED, I_REPEATED,
    I_MULTIPLE, INPUT,
) = range(2 * I_NAMES, 2 * I_NAMES + 14)  # fmt: skip
"""Then other columns: whether a row is an event (a byte; no address: all are), its run, numbers, truths."""
O_PLACE, O_READER, O_OP, O_FLAGS, OUTPUT = range(at.RECORD, at.RECORD + 5)
"""Behind the eight columns of words: place and reader, and a byte each for op and what the row is."""
CHOSEN, TAKEN_, SEVERAL, STORING, EVENT = 1, 2, 4, 8, 16
"""It is followed; a delivery; settles several; has stored something; is an event at all."""
I_PLACES, I_PEOPLE, I_CHANNELS, I_READERS, I_TAKEN = range(5)
"""Tables of pairs; the last: readers that take something."""
NO_WAY = 7
"""The code of a settle that does not say how."""


def coded(given: Words, column: int, row: int) -> int:
    """What a name stands for."""
    codes, table = words(given[2 * column]), words(given[2 * column + 1])
    if address_of(codes) == 0:
        return table[0]
    return table[(half(codes, row) + 1) & at.ROW]


def there(given: Words, column: int, row: int) -> int:
    """Whether there is a name."""
    codes = words(given[2 * column])
    return 1 if address_of(codes) != 0 and half(codes, row) != at.ROW else 0


def number_in(given: Words, column: int, row: int) -> int:
    """A number; its sign alone is none."""
    values = words(given[column])
    return values[row] if address_of(values) != 0 else at.SIGN


def positive(given: Words, column: int, row: int) -> int:
    """A number that is not below 0; 0 if there is none."""
    value = number_in(given, column, row)
    return value if value < at.SIGN else 0


def is_true(given: Words, column: int, row: int) -> int:
    values = words(given[column])
    return 1 if address_of(values) != 0 and byte(values, row) == 1 else 0


def is_event(given: Words, row: int) -> int:
    fit = words(given[I_FIT])
    return 1 if address_of(fit) == 0 or byte(fit, row) != 0 else 0


def flags_of(given: Words, row: int, op: int, way: int) -> int:
    """What a row is."""
    ok = 1 if coded(given, I_PHASE, row) == at.OK else 0
    named = there(given, I_MESSAGE, row)
    flags = EVENT
    if op == at.SEND and ok != 0 and is_true(given, I_REPEATED, row) == 0:
        flags |= STORING
    if op == at.SETTLE and way <= at.DEAD_LETTER and is_true(given, I_MULTIPLE, row) != 0:
        if number_in(given, I_TAG, row) != at.SIGN:
            return flags | SEVERAL
    if named != 0:
        if ok != 0 and (op == at.RECEIVE or op == at.PROCESS):
            return flags | CHOSEN | TAKEN_
        if op == at.SEND or (op == at.SETTLE and way != NO_WAY):
            return flags | CHOSEN
    return flags


def kind_of(given: Words, row: int, op: int, way: int, flags: int) -> int:
    """The last word of an event."""
    count = positive(given, I_COUNT, row)
    kind = op | (coded(given, I_PHASE, row) << at.PHASE) | (way << at.WAY)
    if count > 1 or is_true(given, I_MARKED, row) != 0:
        kind |= at.MARKED
    if positive(given, I_ATTEMPT, row) > 1:
        kind |= at.AGAIN
    if flags & TAKEN_ != 0 and there(given, I_GROUP, row) != 0 and there(given, I_PARTITION, row) != 0:
        kind |= at.GROUPED
    if flags & STORING != 0:
        kind |= at.STORED
    if coded(given, I_UNORDERED, row) != 0:
        kind |= at.UNORDERED
    return kind | ((coded(given, I_DOMAIN, row) + 1) << at.DOMAIN) | (count << at.COUNT)


def people_of(given: Words, people: Words, row: int, run: int, op: int) -> int:
    """Who takes or settles, or of a send its producer, with the client beside."""
    client, own = coded(given, I_CLIENT, row), coded(given, I_CONSUMER, row)
    consumer = coded(given, I_RECORDER, row)
    beside = 0
    if client < at.SIGN:
        consumer = client
        beside = pair(people, run, client) + 1
    if own < at.SIGN and op != at.SEND:
        consumer = own
    return (pair(people, run, consumer) << 32) | beside


def reader_in(given: Words, pairs: Words, row: int, place: int, flags: int) -> int:
    """Who reads: for all but deliveries, whoever reads the place without a name."""
    channels, readers = words(pairs[I_CHANNELS]), words(pairs[I_READERS])
    if flags & TAKEN_ == 0:
        return pair(readers, place, pair(channels, 0 - 1, 0 - 1))
    group, subscription = coded(given, I_GROUP, row), coded(given, I_SUBSCRIPTION, row)
    reader = pair(readers, place, pair(channels, group, subscription))
    pair(words(pairs[I_TAKEN]), reader, 0 - 1)
    return reader


def encode(given: Words, pairs: Words, count: int, first: int, out: Words) -> int:
    """The words of rows that are followed or settle several; whether some number is too large for them.

    The key is a hash of the name alone: the place's is not known before all places have a number.
    """
    runs, times = words(given[I_RUN]), words(given[I_TIME])
    keys, moments, numbers, who = words(out[0]), words(out[1]), words(out[2]), words(out[3])
    producers, takers, reading, kinds = words(out[4]), words(out[5]), words(out[6]), words(out[7])
    places, readers, ops, marks = (
        words(out[O_PLACE]),
        words(out[O_READER]),
        words(out[O_OP]),
        words(out[O_FLAGS]),
    )
    wide = 0
    for row in range(count):
        op, flags, place, reader, key, kind = 15, 0, 0, 0, 0, 0
        if is_event(given, row) != 0:
            op, way = coded(given, I_OP, row), coded(given, I_WAY, row)
            flags = flags_of(given, row, op, way)
            if flags & (CHOSEN | SEVERAL) != 0:
                run, seq = runs[row], number_in(given, I_SEQ, row)
                key = coded(given, I_MESSAGE, row)
                moments[row] = times[row]
                numbers[row] = 0 if seq == at.SIGN else seq + 1
                who[row] = (coded(given, I_WHO, row) << 32) | (first + row)
                producers[row] = number_in(given, I_NUMBER, row) ^ at.SIGN
                if op == at.SETTLE:
                    producers[row] = positive(given, I_DELAY, row)
                takers[row] = people_of(given, words(pairs[I_PEOPLE]), row, run, op)
                if coded(given, I_DOMAIN, row) + 1 > at.DOMAINS or positive(given, I_COUNT, row) > at.DOMAINS:
                    wide = 1
                kind = kind_of(given, row, op, way, flags)
                if flags & CHOSEN != 0:
                    place = pair(words(pairs[I_PLACES]), run, coded(given, I_DESTINATION, row))
                    reader = reader_in(given, pairs, row, place, flags)
                    reading[row] = (reader << 32) | ((coded(given, I_PARTITION, row) + 1) & at.ROW)
        keys[row] = key
        kinds[row] = kind
        places[row] = place
        readers[row] = reader
        put_byte(ops, row, op)
        put_byte(marks, row, flags)
    return wide


# --- counting -------------------------------------------------------------------------------------------

(
    T_EVENTS, T_SENDS, T_CONFIRMED, T_RECEIVES, T_PROCESSES, T_SETTLES, T_ACKS, T_REQUEUES, T_NUMBERED,
    T_SEQUENCED, T_PLACED, T_GROUPED, T_MULTIPLES, T_STORED, T_NAMELESS, T_BEGIN, T_END, TALLY,
) = range(18)  # fmt: skip
"""What is counted of each run, and its first and its last time."""
I_SYSTEMS, I_RECORDERS, I_CLOCKS, I_SOURCES = range(4)
"""Tables of pairs: what each run has, and the recorders of each run."""


def count_rows(given: Words, marks: Words, pairs: Words, count: int, counts: Words, sources: Words) -> int:
    """Count events for the profiles of their runs, and say of which source each is; how many there are."""
    runs, times, found = words(given[I_RUN]), words(given[I_TIME]), 0
    for row in range(count):
        flags = byte(marks, row)
        sources[row] = 0
        if flags != 0:
            run, name, recorder = runs[row], coded(given, I_RUN_NAME, row), coded(given, I_RECORDER, row)
            mine = words(address_of(counts) + run * TALLY * 8)
            mine[T_EVENTS] += 1
            if mine[T_BEGIN] == 0 or times[row] < mine[T_BEGIN]:
                mine[T_BEGIN] = times[row]
            if times[row] > mine[T_END]:
                mine[T_END] = times[row]
            if number_in(given, I_SEQ, row) != at.SIGN:
                mine[T_NUMBERED] += 1
            count_row(given, mine, row, flags)
            pair(words(pairs[I_SYSTEMS]), run, coded(given, I_SYSTEM, row))
            pair(words(pairs[I_RECORDERS]), run, recorder)
            pair(words(pairs[I_CLOCKS]), run, coded(given, I_CLOCK, row))
            sources[row] = pair(words(pairs[I_SOURCES]), name, recorder)
            found += 1
    return found


def count_row(given: Words, mine: Words, row: int, flags: int) -> None:
    """Count what kind of event it is."""
    op, phase, way = coded(given, I_OP, row), coded(given, I_PHASE, row), coded(given, I_WAY, row)
    if there(given, I_MESSAGE, row) == 0:
        mine[T_NAMELESS] += is_nameless(given, row, op, phase)
    elif op == at.SEND:
        mine[T_SENDS] += 1
        if phase == at.OK:
            mine[T_CONFIRMED] += 1
            if given[I_OFFSET] != 0 and flags & STORING != 0:
                mine[T_STORED] += 1
        count_told(given, mine, row)
    elif flags & TAKEN_ != 0:
        mine[T_RECEIVES + op - at.RECEIVE] += 1
        if there(given, I_GROUP, row) != 0 and there(given, I_PARTITION, row) != 0:
            mine[T_GROUPED] += 1
        count_told(given, mine, row)
    if op == at.SETTLE and phase != at.FAILED and way <= at.NONE:
        mine[T_SETTLES] += 1
        mine[T_MULTIPLES] += is_true(given, I_MULTIPLE, row)
        if way <= at.REQUEUE:
            mine[T_ACKS + way] += 1


def is_nameless(given: Words, row: int, op: int, phase: int) -> int:
    """Whether an event is of a message that has no name."""
    done = 1 if phase == at.OK and (op == at.SEND or op == at.PROCESS) else 0
    if done != 0 and there(given, I_DESTINATION, row) != 0:
        return 1
    return coded(given, I_NAMELESS, row)


def count_told(given: Words, mine: Words, row: int) -> None:
    """Count what a send or a delivery says."""
    if number_in(given, I_OFFSET, row) != at.SIGN:
        mine[T_PLACED] += 1
    if number_in(given, I_NUMBER, row) != at.SIGN:
        mine[T_SEQUENCED] += 1
