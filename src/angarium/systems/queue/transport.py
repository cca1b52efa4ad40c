"""The transport that the queue was made for: numbered messages, cumulative acknowledgements, and a timer.

After the message service on which the authors of the verified queue (Ivy) tried it. Every message that one
host sends to another gets the next number, is put into a queue and transmitted at once. The receiver delivers
the number that it expects, acknowledges this and every older one by its own number, and drops what is later.
An acknowledgement deletes everything up to its number from the queue; a timer transmits the lowest number
that is left. A host keeps its numbers and its queue for each peer apart, so one sender and one receiver are
all there is to check: order is promised for a pair, and nothing else is shared.

Published, and the default here: no duplication, no invention, order. Beyond that: what fair loss gives, a
full queue, restarts of either side, and numbers that begin again. What stands where:
- The network loses what it likes, makes `duplicates` copies, reorders, and never changes or invents anything.
  It holds `under_way` datagrams each way; what does not fit is lost (if it is not `lossy`, who sends waits
  for room). Without reordering, what is lost is lost at the end of the line, which is the same to both sides.
- Fair loss: of the data that is sent again and again some arrives, and so it is with answers. That is strong
  fairness of the three arrivals; the timer needs none, for as long as something is in the queue it can fire.
  It is why copies are counted: a network that copies for ever may keep what is new out for ever.
- `when_full`: as published, a refused message uses its number up, and the receiver waits for it for ever. The
  variant keeps the number for the next message. The application gives the refused message up, and goes on.
- `numbers`: a number is before another if it is at most half of all numbers behind (RFC 1982, which leaves
  exactly half open; here both are before each other, so that nothing is delivered or deleted). With 16
  numbers and at most 8 messages none begins again, which is the published counter without an end.
- `lifetime` bounds the age of datagrams, counted in messages, so that old numbers can be used again.
- A restart takes the memory of a side: the queue and numbers, or the number expected. With `incarnations` a
  datagram carries the sender's life and the life of the receiver that it is meant for, if the sender knows
  it. Data meant for another life is answered by a notice of the present one, and not looked at. A sender that
  learns of a later life begins at number 0. Whether what it had not heard of has arrived, nobody can say: it
  gives that up and tells the application, or sends it again (`unsure`).

Each action is one thing that the code does (`sans_io/`) or that the network does to one datagram: `send` and
`refuse` are a call of the application, `retransmit` the timer, `data_arrives`, `ack_arrives` and
`notice_arrives` a datagram that is handed in, together with what is answered. A datagram is known by its
message and by the receiver's life in it.
"""

from angarium import (
    Model,
    action,
    array,
    budget,
    count,
    initial,
    integer,
    invariant,
    leads_to,
    ltl,
    option,
    param,
    require,
    seq,
    setof,
    spend,
    strong,
)

from .transport_kinds import Answer, Data, Fate, Kind, Life, Message, Packet, Unsure, WhenFull


class Transport(Model):
    """What one host sends to another is delivered once, in order, and some day."""

    messages = count(Message, 3, high=8)
    capacity = param(3, low=1, high=8)  # of the queue of what is not acknowledged: the window
    when_full = param(WhenFull.NUMBER_IS_USED_UP)
    numbers = param(16, low=2, high=16)  # so many there are; then they begin again at 0
    under_way = param(2, low=1, high=8)  # so many datagrams the network holds, each way
    lossy = param(True)  # it loses anything, as often as it likes
    reordering = param(True)  # a datagram may overtake another
    duplicates = param(1, high=8)  # so often it makes another copy of a datagram
    lifetime = param(0, high=8)  # nothing is under way of what was sent so many messages ago; 0: no limit
    sender_lives = param(1, low=1, high=3)  # it restarts once less
    receiver_lives = count(Life, 1, high=3)  # it restarts once less
    incarnations = param(False)  # datagrams say in which life both sides are
    unsure = param(Unsure.GIVES_UP)

    sender_restarts = budget(sender_lives - 1)
    receiver_restarts = budget(receiver_lives - 1)
    copies_left = budget(duplicates)

    asked = integer(0, messages)  # so many messages the application has asked to send
    fate = array(Message, Fate)
    next_number = integer(0, numbers - 1)
    queue = seq(Packet, capacity)
    sender_life = integer(0, sender_lives - 1)
    peer = option(Life)  # in which life the sender believes the receiver to be

    expected = integer(0, numbers - 1)
    receiver_life: Life
    sender_known = integer(0, sender_lives - 1)  # the latest life of the sender that the receiver knows

    data = seq(Data, under_way)
    answers = seq(Answer, under_way)

    delivered = setof(Message)
    doubled: bool
    disordered: bool

    @initial
    def begin(self) -> None:
        """Without incarnations the sender takes every receiver for the same."""
        if not self.incarnations:
            self.peer = Life(0)

    def is_before(self, number: int, other: int) -> bool:
        """Whether a number comes before another: it is at most half of all numbers behind."""
        distance = (other - number) % self.numbers
        return 0 < distance <= self.numbers // 2

    # --- the sender ---------------------------------------------------------------------------------

    def is_asked_for(self, m: Message) -> bool:
        return m == self.asked and (self.lifetime == 0 or not self.is_outlived(m - self.lifetime))

    def is_outlived(self, last: int) -> bool:
        """Whether something is under way that belongs to this message or to an earlier one."""
        return any(d.message <= last for d in self.data) or any(
            a.kind == Kind.ACK and a.message <= last for a in self.answers
        )

    @action
    def send(self, m: Message) -> None:
        """Number a message, put it into the queue, and transmit it at once."""
        require(self.is_asked_for(m) and len(self.queue) < self.capacity)
        require(self.lossy or self.has_room())
        self.asked += 1
        self.fate[m] = Fate.ACCEPTED
        self.queue.append(Packet(m, self.next_number))
        self.transmit(Packet(m, self.next_number))
        self.next_number = (self.next_number + 1) % self.numbers

    @action
    def refuse(self, m: Message) -> None:
        """The queue is full, and the application gives the message up."""
        require(self.is_asked_for(m) and len(self.queue) == self.capacity)
        self.asked += 1
        self.fate[m] = Fate.REFUSED
        if self.when_full == WhenFull.NUMBER_IS_USED_UP:
            self.next_number = (self.next_number + 1) % self.numbers

    @action
    def retransmit(self, m: Message) -> None:
        """The timer: transmit the lowest number again. (Into a full network that would change nothing.)"""
        require(len(self.queue) > 0 and self.queue[0].message == m and self.has_room())
        self.transmit(self.queue[0])

    def transmit(self, packet: Packet) -> None:
        self.put_data(Data(packet.message, self.peer, packet.number, self.sender_life))

    @action
    def ack_arrives(self, m: Message, life: Life) -> None:
        """Everything up to the number of the acknowledgement leaves the queue."""
        require(self.has_answer(self.ack_rank(m, life)))
        answer = self.answers.pop(self.answer_place(self.ack_rank(m, life)))
        if answer.source == self.sender_life and self.peer == answer.target:
            for _ in range(self.capacity):
                if len(self.queue) > 0 and not self.is_before(answer.number, self.queue[0].number):
                    self.fate[self.queue[0].message] = Fate.ACKNOWLEDGED
                    self.queue.pop(0)

    @action
    def notice_arrives(self, life: Life) -> None:
        """The sender learns that the receiver has restarted, or in which life it finds it."""
        require(self.has_answer(life))
        self.answers.pop(self.answer_place(life))
        if self.peer is None:
            self.peer = life
        elif any(self.peer == earlier and earlier < life for earlier in Life):
            self.begin_again(life)

    def begin_again(self, life: Life) -> None:
        """Numbers start at 0 for a receiver that has forgotten them."""
        self.peer = life
        if self.unsure == Unsure.GIVES_UP:
            self.give_up()
        for place in range(len(self.queue)):
            self.queue[place].number = place
        self.next_number = len(self.queue)

    def give_up(self) -> None:
        for packet in self.queue:
            self.fate[packet.message] = Fate.GIVEN_UP
        self.queue.clear()

    @action
    def restart_sender(self) -> None:
        """The sender forgets its queue and its numbers; messages that are not asked for yet come later."""
        spend(self.sender_restarts)
        self.give_up()
        self.next_number = 0
        if self.incarnations:
            self.sender_life += 1
            self.peer = None

    # --- the receiver -------------------------------------------------------------------------------

    @action
    def data_arrives(self, m: Message, target: Life | None) -> None:
        """What is expected is delivered; this and what is older is acknowledged; what is later is dropped."""
        require(self.has_data(self.data_rank(m, target)) and (self.lossy or self.has_room_back()))
        data = self.data.pop(self.data_place(self.data_rank(m, target)))
        if self.incarnations and data.target != self.receiver_life:
            self.put_answer(Answer(Kind.NOTICE, Message(0), self.receiver_life, 0, 0))
        elif data.source >= self.sender_known:
            self.meet(data.source)
            if data.number == self.expected or self.is_before(data.number, self.expected):
                self.put_answer(Answer(Kind.ACK, data.message, self.receiver_life, data.number, data.source))
            if data.number == self.expected:
                self.deliver(data.message)

    def meet(self, source: int) -> None:
        """A sender that has restarted begins to number at 0."""
        if source > self.sender_known:
            self.sender_known = source
            self.expected = 0

    def deliver(self, m: Message) -> None:
        self.expected = (self.expected + 1) % self.numbers
        if m in self.delivered:
            self.doubled = True
        if any(other > m and other in self.delivered for other in Message):
            self.disordered = True
        self.delivered.add(m)

    @action
    def restart_receiver(self) -> None:
        """The receiver forgets what it expects, and from whom."""
        spend(self.receiver_restarts)
        self.expected = 0
        self.sender_known = 0
        if self.incarnations:
            self.receiver_life = Life(self.receiver_life + 1)

    # --- the network --------------------------------------------------------------------------------
    # Where it reorders, what is under way is a bag, kept in an order of its own so that equal bags are equal
    # states. Where it does not, only what was sent first can arrive, get lost or be copied.

    def data_rank(self, m: Message, target: Life | None) -> int:
        known = sum(life + 1 for life in Life if target == life)
        return m * (self.receiver_lives + 1) + known

    def ack_rank(self, m: Message, life: Life) -> int:
        return (m + 1) * self.receiver_lives + life

    def answer_rank(self, answer: Answer) -> int:
        return answer.target if answer.kind == Kind.NOTICE else self.ack_rank(answer.message, answer.target)

    def data_place(self, rank: int) -> int:
        return sum(self.data_rank(d.message, d.target) < rank for d in self.data) if self.reordering else 0

    def answer_place(self, rank: int) -> int:
        return sum(self.answer_rank(a) < rank for a in self.answers) if self.reordering else 0

    def has_data(self, rank: int) -> bool:
        place = self.data_place(rank)
        return place < len(self.data) and rank == self.data_rank(
            self.data[place].message, self.data[place].target
        )

    def has_answer(self, rank: int) -> bool:
        place = self.answer_place(rank)
        return place < len(self.answers) and self.answer_rank(self.answers[place]) == rank

    def has_room(self) -> bool:
        return len(self.data) < self.under_way

    def has_room_back(self) -> bool:
        return len(self.answers) < self.under_way

    def put_data(self, data: Data) -> None:
        place = self.data_place(self.data_rank(data.message, data.target))
        if self.has_room():
            self.data.insert(place if self.reordering else len(self.data), data)

    def put_answer(self, answer: Answer) -> None:
        place = self.answer_place(self.answer_rank(answer))
        if self.has_room_back():
            self.answers.insert(place if self.reordering else len(self.answers), answer)

    @action
    def lose_data(self, m: Message, target: Life | None) -> None:
        require(self.lossy and self.has_data(self.data_rank(m, target)))
        self.data.pop(self.data_place(self.data_rank(m, target)))

    @action
    def lose_ack(self, m: Message, life: Life) -> None:
        require(self.lossy and self.has_answer(self.ack_rank(m, life)))
        self.answers.pop(self.answer_place(self.ack_rank(m, life)))

    @action
    def lose_notice(self, life: Life) -> None:
        require(self.lossy and self.has_answer(life))
        self.answers.pop(self.answer_place(life))

    @action
    def duplicate_data(self, m: Message, target: Life | None) -> None:
        require(self.has_data(self.data_rank(m, target)) and self.has_room())
        spend(self.copies_left)
        place = self.data_place(self.data_rank(m, target))
        self.data.insert(place, self.data[place])

    @action
    def duplicate_ack(self, m: Message, life: Life) -> None:
        require(self.has_answer(self.ack_rank(m, life)) and self.has_room_back())
        spend(self.copies_left)
        place = self.answer_place(self.ack_rank(m, life))
        self.answers.insert(place, self.answers[place])

    @action
    def duplicate_notice(self, life: Life) -> None:
        require(self.has_answer(life) and self.has_room_back())
        spend(self.copies_left)
        self.answers.insert(self.answer_place(life), self.answers[self.answer_place(life)])

    # --- guarantees ---------------------------------------------------------------------------------

    @invariant
    def no_duplicates(self) -> bool:
        """No message is delivered twice."""
        return not self.doubled

    @invariant
    def no_invention(self) -> bool:
        """What is delivered was sent: the application asked for it, and was not refused."""
        return not any(m in self.delivered and self.fate[m] in (Fate.UNSENT, Fate.REFUSED) for m in Message)

    @invariant
    def order(self) -> bool:
        """Messages are delivered in the order in which they were sent."""
        return not self.disordered

    @invariant
    def acknowledged_is_delivered(self) -> bool:
        """What the sender takes for delivered has been delivered."""
        return all(m in self.delivered or self.fate[m] != Fate.ACKNOWLEDGED for m in Message)

    @ltl(fairness=strong(data_arrives, ack_arrives, notice_arrives))
    def delivery(self) -> bool:
        """What is accepted is delivered some day, or given up because somebody restarted."""
        return all(
            leads_to(self.fate[m] == Fate.ACCEPTED, m in self.delivered or self.fate[m] == Fate.GIVEN_UP)
            for m in Message
        )

    @ltl(fairness=strong(data_arrives, ack_arrives, notice_arrives))
    def acknowledgement(self) -> bool:
        """What is accepted is acknowledged or given up some day, so that the queue has room again."""
        return all(leads_to(self.fate[m] == Fate.ACCEPTED, self.fate[m] != Fate.ACCEPTED) for m in Message)
