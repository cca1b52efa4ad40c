"""The simulation of packets, in the low-level language: compiled, never run by Python.

Three streams of events are merged by time. *Changes* (what breaks, heals, and which broker gets which table)
and the packets that are *sent* are known beforehand, in order. What is *under way* waits in a heap. At the
same instant changes come first, in their order; then what is under way, in the order in which it was set off;
then what is sent. So a run is one sequence of events, the same on every machine. Times are whole nanoseconds.

A link sends one packet after the other: each takes its bits by the rate of the link, then crosses in the
link's delay, while the next one is being sent already. What finds the link sending waits in a queue; one
packet more than fits is dropped, the last that came. The queues are chains through the packets themselves.

A link, and a broker, has an *epoch*, which ends whenever it fails. A packet knows the epoch in which it set
out; if that is over when it would arrive, it was on the way when the link failed, and is lost.

`tests/oracles/packets.py` does the same in plain Python, event for event.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, byte, half, offset, put_byte, put_half, words

NOWHERE = 0xFFFFFFFF
SECOND = 1000000000

# Of a run.
LINKS, BROKERS, FLOWS, ROWS, HEAP, COUNT, ORDER, NOW, END, EVENTS = range(10)
SENDING, TO_SEND, CHANGE, CHANGES, CHANGED, HOP_LIMIT, USED, COPIES = range(10, 18)
SENT, FLOW, DONE, FATE, HOPS, MARK, AT, EPOCHS, BEHIND = range(18, 27)
RUN = 27
"""SENDING and CHANGE: the next packet and change of TO_SEND and CHANGES; CHANGED: their list. COPIES: packets
that arrived once more. From SENT on: what is known of each packet. DONE: when it ended, or began to wait. AT:
the link or broker where it is. EPOCHS: in which it set out. BEHIND: the packet that waits behind it."""

# Of a link.
RATE, DELAY, CAPACITY, TARGET, PATIENCE, DOWN, EPOCH, BUSY, HEAD, TAIL, WAITING, AWAITED = range(12)
LINK = 12
"""RATE: bits a second, or 0 if it has no limit. PATIENCE: how long packets wait for a link that is down.
DOWN: for how many reasons. AWAITED: which return the first packet over it tells of, + 1."""

# Of a broker.
LATENCY, ROW, DEAD, LIVES = range(4)
BROKER = 4
"""ROW: where its table begins among the rows."""

# Of a flow: from where, where to, which column of a row, the bits of a packet; and the columns of a row.
ORIGIN, DESTINATION, COLUMN, SIZE, COLUMNS = range(5)
FLOW_SIZE = 5

# Of a change.
TIME, KIND, WHAT, MORE = range(4)
CHANGE_SIZE = 4
CUT, CUT_WITH_QUEUE, HEAL, DIE, RETURN, SWITCH = range(6)
"""A broker that dies takes what waits for its links with it."""

# What becomes of a packet.
UNDER_WAY, ARRIVED, ON_THE_WAY, AT_DEAD_LINK, AT_FULL_QUEUE, NO_ROUTE, TOO_FAR, IN_DEAD_BROKER = range(8)

# Of the heap: what happens, and to which packet. In a word is room for 2^36 events of 2^26 packets: more than
# ten million packets can have in 255 hops.
LEAVES, LANDS, IS_READY = range(3)
ORDER_BITS, KIND_BITS = 28, 26
PACKETS = (1 << KIND_BITS) - 1
LINK_BITS = 24
LINK_MASK = (1 << LINK_BITS) - 1
"""Of an entry of a table: the link; above it the mark that the packet gets."""


# --- the heap: pairs of a time and, in one word, the order, the kind and the packet ------------------


def earlier(heap: Words, one: int, time: int, tag: int) -> int:
    """Whether an event of the heap comes before another."""
    if heap[2 * one] == time:
        return 1 if heap[2 * one + 1] < tag else 0
    return 1 if heap[2 * one] < time else 0


def push(run: Words, time: int, kind: int, packet: int) -> None:
    """Let something happen to a packet at a time."""
    heap = words(run[HEAP])
    tag = run[ORDER] << ORDER_BITS | kind << KIND_BITS | packet
    run[ORDER] = run[ORDER] + 1
    place = run[COUNT]
    run[COUNT] = place + 1
    while place and not earlier(heap, (place - 1) >> 1, time, tag):
        above = (place - 1) >> 1
        heap[2 * place] = heap[2 * above]
        heap[2 * place + 1] = heap[2 * above + 1]
        place = above
    heap[2 * place] = time
    heap[2 * place + 1] = tag


def pop(run: Words) -> None:
    """Take the first event away."""
    heap = words(run[HEAP])
    left = run[COUNT] - 1
    run[COUNT] = left
    time = heap[2 * left]
    tag = heap[2 * left + 1]
    place = 0
    child = 1
    while child < left:
        if child + 1 < left and earlier(heap, child + 1, heap[2 * child], heap[2 * child + 1]):
            child += 1
        if not earlier(heap, child, time, tag):
            break
        heap[2 * place] = heap[2 * child]
        heap[2 * place + 1] = heap[2 * child + 1]
        place = child
        child = 2 * place + 1
    heap[2 * place] = time
    heap[2 * place + 1] = tag


# --- packets ------------------------------------------------------------------------------------------


def end(run: Words, packet: int, fate: int) -> None:
    """Write down what became of a packet; one that arrives again is a copy."""
    if byte(words(run[FATE]), packet) != UNDER_WAY:
        run[COPIES] = run[COPIES] + 1
        return
    put_byte(words(run[FATE]), packet, fate)
    words(run[DONE])[packet] = run[NOW]


def begin(run: Words, link: Words, number: int, packet: int) -> None:
    """Send a packet over a link that is free."""
    if link[AWAITED]:
        use(run, link[AWAITED] - 1)
        link[AWAITED] = 0
    hops = words(run[HOPS])
    put_byte(hops, packet, byte(hops, packet) + 1)
    put_half(words(run[AT]), packet, number)
    put_half(words(run[EPOCHS]), packet, link[EPOCH])
    if link[RATE]:
        link[BUSY] = 1
        bits = words(run[FLOWS])[half(words(run[FLOW]), packet) * FLOW_SIZE + SIZE]
        push(run, run[NOW] + (bits * SECOND + link[RATE] - 1) // link[RATE], LEAVES, packet)
    else:
        push(run, run[NOW] + link[DELAY], LANDS, packet)


def use(run: Words, heal: int) -> None:
    """Note when what has healed is used for the first time."""
    used = words(run[USED])
    if used[heal] == 0:
        used[heal] = run[NOW]


def wait(run: Words, link: Words, packet: int) -> None:
    """Let a packet wait for a link, if there is room."""
    if link[WAITING] >= link[CAPACITY]:
        end(run, packet, AT_FULL_QUEUE)
        return
    words(run[DONE])[packet] = run[NOW]
    if link[WAITING]:
        put_half(words(run[BEHIND]), link[TAIL], packet)
    else:
        link[HEAD] = packet
    link[TAIL] = packet
    link[WAITING] = link[WAITING] + 1


def next_waiting(run: Words, link: Words) -> int:
    """Take the first packet of a queue that is not empty."""
    packet = link[HEAD]
    link[HEAD] = half(words(run[BEHIND]), packet)
    link[WAITING] = link[WAITING] - 1
    return packet


def send_waiting(run: Words, link: Words, number: int) -> None:
    """Send what waits for a link, as long as it is free."""
    while link[WAITING] and not link[BUSY]:
        begin(run, link, number, next_waiting(run, link))


def forward(run: Words, broker: int, packet: int) -> None:
    """A broker has a packet in its hands."""
    flow = offset(words(run[FLOWS]), half(words(run[FLOW]), packet) * FLOW_SIZE)
    if flow[DESTINATION] == broker:
        end(run, packet, ARRIVED)
        return
    marks = words(run[MARK])
    row = words(run[BROKERS])[broker * BROKER + ROW]
    entry = half(words(run[ROWS]), row + byte(marks, packet) * flow[COLUMNS] + flow[COLUMN])
    if entry == NOWHERE:
        end(run, packet, NO_ROUTE)
        return
    if byte(words(run[HOPS]), packet) >= run[HOP_LIMIT]:
        end(run, packet, TOO_FAR)
        return
    put_byte(marks, packet, entry >> LINK_BITS)
    number = entry & LINK_MASK
    link = offset(words(run[LINKS]), number * LINK)
    if link[DOWN] and link[PATIENCE] == 0:
        end(run, packet, AT_DEAD_LINK)
        return
    if link[DOWN] or link[BUSY]:
        wait(run, link, packet)
        return
    begin(run, link, number, packet)


# --- what is under way ----------------------------------------------------------------------------------


def leave(run: Words, packet: int) -> None:
    """A link has sent the last bit of a packet, if it has not failed since."""
    number = half(words(run[AT]), packet)
    link = offset(words(run[LINKS]), number * LINK)
    if half(words(run[EPOCHS]), packet) != link[EPOCH]:
        end(run, packet, ON_THE_WAY)
        return
    link[BUSY] = 0
    push(run, run[NOW] + link[DELAY], LANDS, packet)
    send_waiting(run, link, number)


def land(run: Words, packet: int) -> int:
    """A packet has crossed a link: the broker that can forward it at once, or NOWHERE."""
    link = offset(words(run[LINKS]), half(words(run[AT]), packet) * LINK)
    if half(words(run[EPOCHS]), packet) != link[EPOCH]:
        end(run, packet, ON_THE_WAY)
        return NOWHERE
    return enter(run, link[TARGET], packet)


def enter(run: Words, number: int, packet: int) -> int:
    """A packet comes to a broker: the broker if it can forward it at once, else NOWHERE."""
    broker = offset(words(run[BROKERS]), number * BROKER)
    if broker[DEAD]:
        end(run, packet, IN_DEAD_BROKER)
        return NOWHERE
    if broker[LATENCY] == 0:
        return number
    put_half(words(run[AT]), packet, number)
    put_half(words(run[EPOCHS]), packet, broker[LIVES])
    push(run, run[NOW] + broker[LATENCY], IS_READY, packet)
    return NOWHERE


def ready(run: Words, packet: int) -> int:
    """A broker has done with a packet what it does with each: the broker, or NOWHERE if it died meanwhile."""
    number = half(words(run[AT]), packet)
    if half(words(run[EPOCHS]), packet) != words(run[BROKERS])[number * BROKER + LIVES]:
        end(run, packet, IN_DEAD_BROKER)
        return NOWHERE
    return number


def happen(run: Words, kind: int, packet: int) -> int:
    """Something under way happens: the broker that has the packet in its hands now, or NOWHERE."""
    if kind == LANDS:
        return land(run, packet)
    if kind == IS_READY:
        return ready(run, packet)
    leave(run, packet)
    return NOWHERE


# --- changes --------------------------------------------------------------------------------------------


def cut(run: Words, link: Words, with_queue: int) -> None:
    """A link fails, for one more reason."""
    link[DOWN] = link[DOWN] + 1
    if link[DOWN] == 1:
        link[EPOCH] = link[EPOCH] + 1
        link[BUSY] = 0
    if with_queue or link[PATIENCE] == 0:
        while link[WAITING]:
            end(run, next_waiting(run, link), IN_DEAD_BROKER if with_queue else AT_DEAD_LINK)


def heal(run: Words, link: Words, number: int, return_number: int) -> None:
    """A link has one reason less to be down; what has waited for too long is lost."""
    link[DOWN] = link[DOWN] - 1
    if link[DOWN]:
        return
    link[AWAITED] = return_number + 1
    began = words(run[DONE])
    while link[WAITING] and run[NOW] - began[link[HEAD]] > link[PATIENCE]:
        end(run, next_waiting(run, link), AT_DEAD_LINK)
    send_waiting(run, link, number)


def change(run: Words, each: Words) -> None:
    """Let one change happen."""
    what = each[WHAT]
    link = offset(words(run[LINKS]), what * LINK)
    broker = offset(words(run[BROKERS]), what * BROKER)
    if each[KIND] == SWITCH:
        broker[ROW] = each[MORE]
    elif each[KIND] == HEAL:
        heal(run, link, what, each[MORE])
    elif each[KIND] == DIE:
        broker[DEAD] = 1
        broker[LIVES] = broker[LIVES] + 1
    elif each[KIND] == RETURN:
        broker[DEAD] = 0
    else:
        cut(run, link, each[KIND])


# --- the loop -------------------------------------------------------------------------------------------


def simulate(run: Words, most: int) -> int:
    """Let at most so many events happen; whether there are more before the end."""
    heap = words(run[HEAP])
    sent = words(run[SENT])
    changes = words(run[CHANGED])
    last = run[EVENTS] + most
    while run[EVENTS] < last:
        under_way = heap[0] if run[COUNT] else run[END]
        sending = sent[run[SENDING]] if run[SENDING] < run[TO_SEND] else run[END]
        changing = changes[run[CHANGE] * CHANGE_SIZE] if run[CHANGE] < run[CHANGES] else run[END]
        if changing < run[END] and changing <= under_way and changing <= sending:
            run[NOW] = changing
            change(run, offset(changes, run[CHANGE] * CHANGE_SIZE))
            run[CHANGE] = run[CHANGE] + 1
            continue
        if under_way >= run[END] and sending >= run[END]:
            run[NOW] = run[END]
            return 0
        run[EVENTS] = run[EVENTS] + 1
        if under_way <= sending:
            run[NOW] = under_way
            tag = heap[1]
            pop(run)
            packet = tag & PACKETS
            broker = happen(run, (tag >> KIND_BITS) & 3, packet)
        else:
            run[NOW] = sending
            packet = run[SENDING]
            run[SENDING] = packet + 1
            flow = half(words(run[FLOW]), packet)
            broker = enter(run, words(run[FLOWS])[flow * FLOW_SIZE + ORIGIN], packet)
        if broker != NOWHERE:
            forward(run, broker, packet)
    return 1
