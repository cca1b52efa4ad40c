"""What words of memory mean to the kernel: events, the context of an audit, and what it finds.

An event is a record of eight words, a cache line. No name is in it: places, people and subscribers are dense
numbers, a message is a hash of its name and place. Whatever may be absent is kept one larger, so that 0 is
none; numbers with a sign are kept with their highest bit turned, so that they compare as the words they are.

    KEY     the message: a hash of run, destination and message_id
    AT      the time, from 1 up to 2**62
    SEQ     the recorder's number, one larger
    WHO     the recorder << 32 | the row in the files
    NUM     producer_seq, its sign turned; of a settle delay_ms; 0 is none
    TAKER   the consumer << 32 | the client, one larger; of a send the producer is the consumer
    PLACE   the reader << 32 | the partition, one larger; of a virtual settle the row of its delivery
    KIND    op, phase, settle, flags, the clock domain and the broker's count of deliveries

Records of the second level begin with the same four words, so that all are grouped and sorted alike.
"""

from __future__ import annotations

RECORD = 8
KEY, AT, SEQ, WHO, NUM, TAKER, PLACE, KIND = range(RECORD)
ROW = 0xFFFF_FFFF
"""The lower half of a word."""
SIGN = 1 << 63

# --- kinds of events ----------------------------------------------------------------------------

SEND, RECEIVE, PROCESS, SETTLE = range(4)
INVOKED, OK, FAILED, IN_DOUBT = range(4)
ACK, REQUEUE, REJECT, DEAD_LETTER, EXTEND, NONE = range(6)
OPS, PHASE, WAY = 0, 4, 6
"""Where op, phase and settle begin in KIND."""
MARKED, AGAIN, GROUPED, UNORDERED, VIRTUAL, STORED = (1 << bit for bit in range(9, 15))
"""Said to be a redelivery; a second attempt; of a group's partition; of a system without order; made of a
settle of several; a send that has stored something."""
DOMAIN, DOMAINS = 16, 0xFF_FFFF
COUNT = 40
"""Where the clock domain begins, its mask, and where the broker's count begins."""

# --- stores -------------------------------------------------------------------------------------

PARTS_BITS, HEADS, TAILS, CHUNKS, USED, ROOM, FULL, STORE = range(8)
"""Words of a store: how many bits number its parts, the first and the last chunk of each part (one larger),
where chunks are, how many are used, how many there may be, and whether one was refused."""
CHUNK = 64
"""Records of a chunk; the first is its head: how many follow, and the next chunk of its part."""

# --- the context --------------------------------------------------------------------------------

(
    GRACE, SKEW, TAIL, DOUBT, WITHIN, RANKS, READERS, SUBSCRIBERS, PEOPLE, RUNS, GROUPS, PLACES, SEEING,
    ENDS, CHANGES, CREDITS, TAGS, GENERATIONS, TAKEN, CLOSED, LEAST_TIMES, BUCKETS, STORES, STORES_COUNT,
    CONTEXT,
) = range(25)  # fmt: skip
"""The words of a context: parameters, then tables of what is known, then the stores of events.

`SEEING`: the subscribers of every place, those seen first at the head. `TAGS`, `GENERATIONS`: a word a row,
their sign turned. `TAKEN`, `CLOSED`: a byte a row, what the kernel says of it. `LEAST_TIMES`: the least time
of each bucket of a histogram.
"""

READER, R_RUN, R_PLACE, R_SUBSCRIBER, R_GROUP = 4, 0, 1, 2, 3
SUBSCRIBER, S_TIMEOUT, S_LIMIT, S_CREDITS, S_CREDITED, S_WATCHED = 5, 0, 1, 2, 3, 4
"""Of a subscriber: its message timeout, its retry limit (one larger), where the limits of what it has in
flight are (from, to), and whether its deliveries' times are asked for."""
PERSON = 7
P_ENDS, P_ENDED, P_CLIENT_ENDS, P_CLIENT_ENDED, P_CREDITS, P_CREDITED, P_SEVERAL = range(PERSON)
"""Of a person: where are what ends it as a consumer (from, to), what ends it as a client, and its credits;
and whether it settles several messages at a time."""
RUN, U_END, U_SILENT, U_ACKNOWLEDGES, U_ATTACHED, U_SENDS, U_CHANGES, U_CHANGED = 8, 0, 1, 2, 3, 4, 5, 6
GROUP, C_FROM, C_TO = 2, 0, 1
LOCATION, L_MAY_READ, L_SINGLE, L_FROM, L_TO = 4, 0, 1, 2, 3
"""Of a place: how many subscribers it has at most, whether one consumer is active at a time, and where its
subscribers are in `SEEING`."""
SIGHT, H_SUBSCRIBER, H_AT, H_DOMAIN = 4, 0, 1, 2
"""A subscriber, when it was seen first, and by whose clock."""
MOMENT, M_AT, M_SEQ, M_WHO, M_DOMAIN = 4, 0, 1, 2, 3
"""An end, a change, a first sight: the same order as that of events."""
M_VALUE = 3
"""Of a credit: how many it allows."""

UNKNOWN = (1 << 64) - 1
FOREVER = 1 << 61
"""Message timeouts."""

# --- what a thread has to itself -----------------------------------------------------------------

(
    PAIRS, SPARE, ADDRESSES, FIRSTS, LASTS, NEXTS, TABLE, DELIVERIES, LINKS, TAKERS, REACHED, ACKS,
    SEQUENCES, HOLDERS, UNITS, SETTLERS, VIRTUALS, FINDINGS, FINDINGS_ROOM, FOUND, JUDGED, FIGURES, HISTOGRAM,
    SEEN, KNOWN, POSTPONED, COLLIDED, CRAMPED, LINKS_ROOM, THREAD,
) = range(30)  # fmt: skip

DELIVERY = 16
(
    D_EVENT, D_NUMBER, D_NEXT, D_BEFORE, D_BEFORE_OF_TAKER, D_SETTLES, D_LAST_SETTLE, D_REFUSALS,
    D_LAST_REFUSAL, D_REACHED, D_TAKER, D_END, D_ACKED, D_ACKED_BY_ANY, D_ACKED_BY_TAKER,
) = range(15)  # fmt: skip
"""A delivery of a message; other deliveries by their places, one larger; ends and events by addresses."""
LINK, K_EVENT, K_NEXT = 2, 0, 1
SLOT = 8
T_TAKER, T_OP, T_LAST, T_FLIGHT, T_ACKED, T_ACKED_OF = range(6)
"""A consumer of a message."""
E_SUBSCRIBER, E_COUNT, E_FIRST, E_LAST, E_FLIGHT, E_ACKED = range(6)
"""A subscriber that a message has reached."""

# --- records of the second level -----------------------------------------------------------------

Q_NUMBER, Q_PEOPLE, Q_PLACE, Q_DOMAIN = 4, 5, 6, 7
"""A first delivery in its sequence: number, producer and consumer, subscriber and partition, clock."""
F_UNTIL, F_UNTIL_SEQ, F_UNTIL_WHO, F_DOMAIN = 4, 5, 6, 7
"""A delivery in flight at its holder: until when, its clock, and with it whether it is judged already (<< 31)
and its run (<< 32)."""
A_GENERATION, A_CONSUMER, A_DOMAIN = 4, 5, 6
"""A delivery where one consumer is active at a time."""
STRAND, B_CONSUMER, B_GENERATION, B_FIRST, B_NEXT, B_TOLD = 16, 0, 1, 2, 3, 4
"""What a consumer gets in one generation: its first delivery, the first strand that it was not compared with,
and with which behind that it was found active."""
V_MESSAGE, V_TAG, V_DEED, V_TARGET = 4, 5, 6, 7
"""What a consumer does who settles several at a time: a delivery, a settle of one, or a settle of several."""
V_DELIVERED, V_CLOSED, V_SETTLED = 0, 1, 2
ALL_TAGS = SIGN
"""The tag 0 of a settle: whatever tags they have."""
CONSUMER = 32
"""Where the consumer begins in TAKER."""

# --- what is found -------------------------------------------------------------------------------

FINDING = 12
(
    X_KIND, X_FIRST, X_LAST, X_ABOUT, X_SUBSCRIBER, X_CONSUMER, X_FOUND_AT, X_MEASURE, X_BOUND, X_KEY, X_RUN,
    X_DUE,
) = range(FINDING)  # fmt: skip
"""A finding: rows, the subscriber and the consumer (one larger), and figures."""
(
    LOST, NEVER_SENT, FAILED_SEND, HELD, AFTER_ACK, TOO_MANY, LATE, INVERSION, OVER_CREDIT, TWO_ACTIVE,
) = range(10)  # fmt: skip

(
    NO_LOSS, NO_PHANTOM, NO_DUPLICATES, DUPLICATES_AFTER_ACK, ORDER, ONE_ACTIVE, FLOW_CONTROL, RETRIES,
    REDELIVERY, COUNTED,
) = range(10)  # fmt: skip
"""Guarantees of which the kernel counts how much it judged: a run has twice so many words, judged first."""
(
    ATTEMPTED, CONFIRMED, UNCONFIRMED, DELIVERED, DELIVERED_TIMES, REDELIVERED, MOST, REQUEUES, UNSEEN,
    GONE, FIGURE,
) = range(11)  # fmt: skip
CONFIRMING, DELIVERING, SETTLING, SPANS = range(4)
BUCKET = 3
"""Of a bucket: how many times are in it, the shortest, and the longest."""
IS_DELIVERY, IS_FIRST = 1, 2
"""Bits of `TAKEN`."""

# --- what is told of every message ---------------------------------------------------------------

(
    Y_STATE, Y_ROW, Y_SUBSCRIBER, Y_PRODUCER, Y_PARTITION, Y_NUMBER, Y_SENT, Y_CONFIRMED, Y_DELIVERED,
    Y_COUNT, Y_REQUEUES, Y_ACKED,
) = range(FINDING)  # fmt: skip
"""A row of the table of messages: state and outcome of the send (<< 8); reader << 32 | the row of its first
event; subscriber and producer (one larger); partition and producer_seq as an event has them; times, where 0
is none; deliveries and consumers (<< 32)."""
(
    SETTLED_STATE, DELIVERED_STATE, UNSEEN_STATE, LOST_STATE, UNCONFIRMED_STATE, PHANTOM_STATE,
) = range(6)  # fmt: skip
CERTAIN, IN_VAIN, NOBODY_KNOWS, NEVER = range(4)

WORD_RUN, WORD_ROW, WORD_COUNT, WORD_LETTERS = 0, 1, 2, 3
"""A row of a word: the run and what is known of it (<< 32); reader << 32 | the row of the first delivery; how
many letters it has and which of them is the first here (<< 32); letters, four in a word: which, and the
consumer (<< 4)."""
LETTERS_A_ROW = 4 * (FINDING - WORD_LETTERS)
IS_BLURRED, IS_RESENT, IS_CUT, IS_UNSENT = 1, 2, 4, 8
(
    LETTER,
    LETTER_AT,
    LETTER_SEQ,
    LETTER_WHO,
    LETTER_DOMAIN,
    LETTER_KIND,
    LETTER_CONSUMER,
    LETTER_END,
    LETTER_NUMBER,
) = 8, 0, 1, 2, 3, 4, 5, 6, 7
MOST_DELIVERIES = 60
"""Of a longer life only the beginning is put together."""
LETTERS_ROOM = (4 * MOST_DELIVERIES + 1) * LETTER
(
    _NO_LETTER, AN_ACK, A_DELIVERY, AN_END, A_CERTAIN_ACK, A_REJECTION, A_RETURN, A_SEND, A_DOUBTED_ACK,
    A_VAIN_SEND,
) = range(10)  # fmt: skip
"""Letters in the order of the alphabet."""
