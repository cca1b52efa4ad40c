"""NSQ: producers publish to nsqds, lookupds tell consumers where, and every channel gets every message.

After Wang, Yin, Chen and Zhu, "Formalization and Verification of Go-based New Simple Queue System" (QuASoQ
2023), which models NSQ in CSP and checks five guarantees with PAT. The defaults are that paper's scenario: 2
producers, 2 nsqds, 2 lookupds, 1 topic, 2 channels with a consumer each, 3 messages of which the first
producer sends two, and then the second one; with OUTTIME, as its System2 has it, so that one search decides
all five. `max_attempts` is how often a message may be requeued, as in go-nsq; the paper does not print it.

Its parts, under NSQ's own names: ExecLoop is the process `nsqd`, msgPump is `pump`, msgPush is `push`;
Register and Lookup are the process `lookupd`, ErrorHandler is `unlist`; the consumer's connecting is the
process `consumer`, its ReadLoop is `read`, its Handler is `handle`, `finish` (FIN) and `requeue` (REQ).
ComPD, ComCD and ComDL are `pub` and `pub_ok`, `sub` and `sub_ok`, `tell`; MsgTPC, MsgCHA and MsgCON are
`topic_queue`, `channel_queue` and `inbox`; an Attempts of -1 is `done`; LDStates and T2D are `listed`.

Where the paper prints nothing, contradicts itself, or would cost states without telling anything:
- Its producer names an nsqd freely. Here messages are dealt to producers in blocks, and producer p publishes
  to nsqd p, as NSQ advises. An nsqd that nobody chose would never register, and scalability could not hold.
- A consumer that asks a lookupd too early would never connect. go-nsq asks again from time to time, and so
  does the consumer here, while it handles messages; questions that tell it nothing new are left out.
- A question to a lookupd and its answer are one step: the answer is what the lookupd knows at that moment.
- Its pump starts with the first SUB. A channel that is created later would miss what was published before,
  as in NSQ, and reachability could not hold. Here the pump waits for all channels that the scenario's
  consumers want, as if the operator had created them first; `channels_first=false` is what nsqd does.
- Its queues are first in, first out. NSQ promises no order, so they are sets: any message may be next.
- Only PUB creates a topic. FIN, REQ and messages do not wait for ExecLoop: in nsqd each client has a loop of
  its own. TC2D, which nobody reads, is left out.
- RDY is what the consumer allows, and what is in flight counts against it, as in nsqd; the paper takes one
  from RDY for each message. Its reader drops what it has finished before; go-nsq does not.

What the paper does not have is off by default, and then costs no states: see the parameters.
No guarantee needs fairness: faults are bounded, and without them no run goes on for ever.
"""

from angarium import (
    Model,
    action,
    always,
    array,
    at_rest,
    budget,
    channel,
    choose,
    count,
    crashed,
    crashes,
    divergence_free,
    either,
    events,
    eventually,
    finished,
    integer,
    invariant,
    ltl,
    on_crash,
    option,
    param,
    require,
    setof,
    spend,
    until,
)

from .kinds import Channel, Command, Consumer, Lookupd, Message, Nsqd, Producer, Request, Store, Topic


class Nsq(Model):
    """Every message reaches every channel of its topic, and one consumer of each channel."""

    producers = count(Producer, 2, high=8)
    nsqds = count(Nsqd, 2, high=8)
    lookupds = count(Lookupd, 2, high=8)
    consumers = count(Consumer, 2, high=8)
    topics = count(Topic, 1, high=4)
    channels = count(Channel, 2, high=4)
    messages = count(Message, 3, high=16)
    max_attempts = param(1, high=10)  # so often a message may be requeued
    max_in_flight = param(0, high=16)  # of a consumer, on all connections; 0: RDY 1 on each (paper)
    backoff = param(False)  # after a REQ a consumer allows nothing (RDY 0) until it resumes
    touch = param(False)  # what is being handled never times out, only what waits behind it
    channels_first = param(True)  # the pump waits for all channels that somebody wants
    queue = param(Store.MEMORY)  # on disk: a crash loses only what is in flight, not what is queued
    outtime = param(True)  # System2: all is finished and connected, and the first nsqd falls silent
    timeouts = param(0, high=4)  # so often a message that is not finished in time is queued again
    consumer_crash = param(0, high=4)  # so many consumers may die; what they had in flight times out
    nsqd_crash = param(0, high=4)  # so many nsqds may die
    nsqd_restarts = param(0, high=4)  # and so many of them may come back
    lookupd_crash = param(0, high=4)  # so many lookupds may die

    timeouts_left = budget(timeouts)
    consumer_crashes = budget(consumer_crash)
    nsqd_crashes = budget(nsqd_crash)
    restarts_left = budget(nsqd_restarts)
    lookupd_crashes = budget(lookupd_crash)

    pub = array(Nsqd, channel(Message))
    pub_ok = array(Producer, channel(Message))
    sub = array(Nsqd, channel(Consumer))
    sub_ok = array(Consumer, channel(Nsqd))
    tell = array(Lookupd, channel(Request))

    linked = setof(Producer)
    acknowledged = setof(Message)

    # What nsqds know. A message stays where it was published, so queues need no Nsqd as an index.
    clients = array(Nsqd, setof(Consumer))
    has_topic = array(Nsqd, setof(Topic))
    has_channel = array(Nsqd, array(Topic, setof(Channel)))
    topic_queue = setof(Message)
    channel_queue = array(Channel, setof(Message))
    in_flight = array(Channel, array(Message, option(Consumer)))
    pushing = array(Nsqd, array(Consumer, option(Message)))
    attempts = array(Channel, array(Message, integer(0, max_attempts)))
    done = array(Channel, setof(Message))

    dead_lookupds = setof(Lookupd)
    listed = array(Lookupd, array(Topic, setof(Nsqd)))
    listed_channels = array(Lookupd, array(Topic, setof(Channel)))

    found = array(Consumer, setof(Nsqd))
    rdy = array(Consumer, array(Nsqd, integer(0, max(1, max_in_flight // nsqds))))
    backing_off = setof(Consumer)
    inbox = array(Consumer, array(Message, integer(0, 1 + timeouts + nsqd_restarts)))
    handling = array(Consumer, option(Message))

    taken = array(Channel, setof(Message))  # what handlers were given and did not give back
    doubled: bool  # whether one got such a message again

    def publisher(self, m: Message) -> Producer:
        return Producer(m * self.producers // self.messages)

    def home(self, m: Message) -> Nsqd:
        return Nsqd(self.publisher(m) % self.nsqds)

    def topic_of(self, m: Message) -> Topic:
        return Topic(m % self.topics)

    def topic_for(self, c: Consumer) -> Topic:
        return Topic(c // self.channels % self.topics)

    def channel_for(self, c: Consumer) -> Channel:
        return Channel(c % self.channels)

    def wanted(self, m: Message, ch: Channel) -> bool:
        return any(self.topic_for(c) == self.topic_of(m) and self.channel_for(c) == ch for c in Consumer)

    # --- producers ----------------------------------------------------------------------------------

    async def producer(self, p: Producer) -> None:
        """PUB one message after the other, each when the one before is answered."""
        if p > 0:
            await until(finished(self.producer, p - 1))
        for m in Message:
            if self.publisher(m) == p:
                match await either(
                    pub=self.pub[self.home(m)].send(m), refused=until(crashed(self.nsqd, self.home(m)))
                ):
                    case "refused", _:
                        continue
                    case "pub", _:
                        self.linked.add(p)
                match await either(ok=self.pub_ok[p].receive(), broken=until(p not in self.linked)):
                    case "ok", _:
                        self.acknowledged.add(m)
                    case "broken", _:
                        pass

    # --- nsqd ---------------------------------------------------------------------------------------

    @crashes(nsqd_crashes, restarts=restarts_left)
    async def nsqd(self, d: Nsqd) -> None:  # noqa: C901
        """PUB and SUB, which create topics and channels; these are registered with every lookupd."""
        if self.nsqd_restarts > 0:
            for t in Topic:
                if t in self.has_topic[d]:
                    for ld in Lookupd:
                        await self.tell[ld].send(Request(Command.REGISTER, d, t, None))
        while True:
            match await either(pub=self.pub[d].receive(), sub=self.sub[d].receive()):
                case "pub", m:
                    if self.topic_of(m) not in self.has_topic[d]:
                        self.has_topic[d].add(self.topic_of(m))
                        for ld in Lookupd:
                            await self.tell[ld].send(Request(Command.REGISTER, d, self.topic_of(m), None))
                        for ld in Lookupd:
                            await self.tell[ld].send(Request(Command.LOOKUPCHA, d, self.topic_of(m), None))
                            for ch in Channel:
                                if ch in self.listed_channels[ld][self.topic_of(m)]:
                                    self.has_channel[d][self.topic_of(m)].add(ch)
                    self.topic_queue.add(m)
                    await self.pub_ok[self.publisher(m)].send(m)
                case "sub", c:
                    self.clients[d].add(c)
                    if self.channel_for(c) not in self.has_channel[d][self.topic_for(c)]:
                        self.has_channel[d][self.topic_for(c)].add(self.channel_for(c))
                        for ld in Lookupd:
                            await self.tell[ld].send(
                                Request(Command.REGISTER, d, self.topic_for(c), self.channel_for(c))
                            )
                    match await either(ok=self.sub_ok[c].send(d), gone=until(crashed(self.consumer, c))):
                        case "ok", _:
                            pass
                        case "gone", _:
                            pass

    @on_crash(nsqd)
    def nsqd_dies(self, d: Nsqd) -> None:
        """Connections break. `synced`: the disk queue's read position is behind what was in flight."""
        synced = choose(True, False)
        require(synced or self.queue == Store.DISK)
        self.clients[d].clear()
        for p in Producer:
            if p % self.nsqds == d:
                self.linked.discard(p)
        for c in Consumer:
            self.pushing[d][c] = None
        for m in Message:
            if self.home(m) == d:
                self.lose(m, synced)

    def lose(self, m: Message, synced: bool) -> None:
        if self.queue == Store.MEMORY:
            self.topic_queue.discard(m)
        for ch in Channel:
            if self.queue == Store.MEMORY:
                self.channel_queue[ch].discard(m)
            elif self.in_flight[ch][m] is not None and not synced:
                self.channel_queue[ch].add(m)
            self.in_flight[ch][m] = None

    def reaches(self, m: Message, ch: Channel) -> bool:
        return ch in self.has_channel[self.home(m)][self.topic_of(m)]

    @action
    def pump(self, m: Message) -> None:
        """Copy a message of a topic to each of the topic's channels."""
        require(m in self.topic_queue and not crashed(self.nsqd, self.home(m)))
        require(any(self.reaches(m, ch) for ch in Channel))
        if self.channels_first:
            require(all(self.reaches(m, ch) or not self.wanted(m, ch) for ch in Channel))
        self.topic_queue.discard(m)
        for ch in Channel:
            if self.reaches(m, ch):
                self.channel_queue[ch].add(m)

    def waits_for(self, c: Consumer, m: Message) -> bool:
        return m in self.channel_queue[self.channel_for(c)] and self.topic_of(m) == self.topic_for(c)

    def in_flight_to(self, c: Consumer, d: Nsqd) -> int:
        return sum(self.in_flight[self.channel_for(c)][m] == c and self.home(m) == d for m in Message)

    def ready(self, c: Consumer, d: Nsqd) -> int:
        return 0 if c in self.backing_off else self.rdy[c][d]

    @action
    def push(self, c: Consumer, m: Message) -> None:
        """Send a message to any client of a channel whose RDY allows it; an nsqd sends one at a time."""
        d = self.home(m)
        require(self.waits_for(c, m) and c in self.clients[d])
        require(self.in_flight_to(c, d) < self.ready(c, d))
        require(all(self.pushing[d][other] is None for other in Consumer))
        self.channel_queue[self.channel_for(c)].discard(m)
        self.in_flight[self.channel_for(c)][m] = c
        self.pushing[d][c] = m

    def unfinished(self, c: Consumer, m: Message) -> bool:
        return self.in_flight[self.channel_for(c)][m] == c and self.pushing[self.home(m)][c] != m

    def queue_again(self, ch: Channel, m: Message) -> None:
        self.in_flight[ch][m] = None
        self.channel_queue[ch].add(m)

    @action
    def time_out(self, c: Consumer, m: Message) -> None:
        """A consumer does not finish a message in time."""
        require(self.unfinished(c, m) and not crashed(self.consumer, c))
        require(not self.touch or (self.handling[c] is not None and self.handling[c] != m))
        spend(self.timeouts_left)
        self.queue_again(self.channel_for(c), m)

    @action
    def take_back(self, c: Consumer, m: Message) -> None:
        """What a dead consumer had in flight times out for certain: this is no fault."""
        require(self.unfinished(c, m) and crashed(self.consumer, c))
        self.queue_again(self.channel_for(c), m)

    # --- nsqlookupd ---------------------------------------------------------------------------------

    async def lookupd(self, ld: Lookupd) -> None:
        """REGISTER and LOOKUPCHA; what is sent to a dead lookupd is lost, and keeps nobody waiting."""
        while True:
            request = await self.tell[ld].receive()
            if request.command == Command.REGISTER and ld not in self.dead_lookupds:
                self.listed[ld][request.topic].add(request.nsqd)
                if request.channel is not None:
                    self.listed_channels[ld][request.topic].add(request.channel)

    @action
    def crash_lookupd(self, ld: Lookupd) -> None:
        require(ld not in self.dead_lookupds)
        spend(self.lookupd_crashes)
        self.dead_lookupds.add(ld)
        for t in Topic:
            self.listed[ld][t].clear()
            self.listed_channels[ld][t].clear()

    def lists(self, ld: Lookupd, d: Nsqd) -> bool:
        return any(d in self.listed[ld][t] for t in Topic)

    def silent(self, d: Nsqd) -> bool:
        return crashed(self.nsqd, d) or (self.outtime and d == 0 and self.reachability() and self.connected())

    def connected(self) -> bool:
        return all(c in self.clients[d] or not self.serves(d, c) for d in Nsqd for c in Consumer)

    @action
    def unlist(self, ld: Lookupd, d: Nsqd) -> None:
        """A lookupd hears no more of an nsqd (OUTTIME), and forgets it."""
        require(self.lists(ld, d) and self.silent(d))
        for t in Topic:
            self.listed[ld][t].discard(d)

    # --- consumers ----------------------------------------------------------------------------------

    def new(self, c: Consumer, ld: Lookupd, d: Nsqd) -> bool:
        """Whether a lookupd tells a consumer of an nsqd that it could connect to and has not."""
        known = d not in self.listed[ld][self.topic_for(c)] or c in self.clients[d]
        return not known and not crashed(self.nsqd, d)

    def share(self, c: Consumer, n: Nsqd) -> int:
        """The RDY count for a new connection, so that all together stay within max_in_flight."""
        share = max(1, self.max_in_flight // self.nsqds)
        others = sum(self.rdy[c][d] for d in Nsqd if d != n)
        return share if self.max_in_flight == 0 or others + share <= self.max_in_flight else 0

    @crashes(consumer_crashes)
    async def consumer(self, c: Consumer) -> None:  # noqa: C901
        """LOOKUPD, then SUB at each nsqd that was new in the answer."""
        while True:
            match await either(lookup=until(any(self.new(c, ld, d) for ld in Lookupd for d in Nsqd))):
                case "lookup", _:
                    asked = choose(ld for ld in Lookupd if any(self.new(c, ld, d) for d in Nsqd))
                    for d in Nsqd:
                        if self.new(c, asked, d):
                            self.found[c].add(d)
            for n in Nsqd:
                if n in self.found[c]:
                    self.found[c].discard(n)
                    match await either(sub=self.sub[n].send(c), refused=until(crashed(self.nsqd, n))):
                        case "refused", _:
                            continue
                        case "sub", _:
                            pass
                    match await either(ok=self.sub_ok[c].receive(), broken=until(c not in self.clients[n])):
                        case "ok", _:
                            self.rdy[c][n] = self.share(c, n)
                        case "broken", _:
                            pass

    @on_crash(consumer)
    def consumer_dies(self, c: Consumer) -> None:
        self.found[c].clear()
        self.backing_off.discard(c)
        self.handling[c] = None
        for m in Message:
            self.inbox[c][m] = 0
        for d in Nsqd:
            self.rdy[c][d] = 0
            self.pushing[d][c] = None
            self.clients[d].discard(c)

    @action
    def read(self, d: Nsqd, c: Consumer, m: Message) -> None:
        require(self.pushing[d][c] == m)
        self.pushing[d][c] = None
        self.inbox[c][m] += 1

    @action
    def handle(self, c: Consumer, m: Message) -> None:
        ch = self.channel_for(c)
        require(self.handling[c] is None and self.inbox[c][m] > 0)
        self.inbox[c][m] -= 1
        self.handling[c] = m
        if m in self.taken[ch]:
            self.doubled = True
        self.taken[ch].add(m)

    @action
    def finish(self, c: Consumer, m: Message) -> None:
        """FIN: an nsqd takes it only if the message is still in flight to this consumer."""
        ch = self.channel_for(c)
        require(self.handling[c] == m)
        self.handling[c] = None
        if self.in_flight[ch][m] == c:
            self.in_flight[ch][m] = None
            self.attempts[ch][m] = 0
            self.done[ch].add(m)

    @action
    def requeue(self, c: Consumer, m: Message) -> None:
        """REQ: the handler failed, and gives the message back."""
        ch = self.channel_for(c)
        require(self.handling[c] == m and self.attempts[ch][m] < self.max_attempts)
        self.handling[c] = None
        if self.backoff:
            self.backing_off.add(c)
        if self.in_flight[ch][m] == c:
            self.attempts[ch][m] += 1
            self.taken[ch].discard(m)
            self.queue_again(ch, m)

    @action
    def resume(self, c: Consumer) -> None:
        """A backoff ends."""
        require(c in self.backing_off)
        self.backing_off.discard(c)

    def waits_at(self, c: Consumer, d: Nsqd) -> bool:
        return c in self.clients[d] and any(self.waits_for(c, m) and self.home(m) == d for m in Message)

    @action
    def redistribute(self, c: Consumer, idle: Nsqd, busy: Nsqd) -> None:
        """Move RDY to a connection with work from one without, where there is not enough for all."""
        require(0 < self.max_in_flight < self.nsqds)
        require(self.rdy[c][idle] > 0 and self.in_flight_to(c, idle) == 0 and not self.waits_at(c, idle))
        require(self.rdy[c][busy] == 0 and self.waits_at(c, busy))
        self.rdy[c][idle] = 0
        self.rdy[c][busy] = 1

    # --- the paper's guarantees ---------------------------------------------------------------------

    visible = events(pub, pub_ok, sub, sub_ok, tell, finish)

    @divergence_free
    def divergence_free(self) -> None:
        """Messages are not pushed, handled and requeued for ever without anything that others can see."""

    @eventually
    def reachability(self) -> bool:
        """Every channel finishes every message some day."""
        return all(m in self.done[ch] or not self.wanted(m, ch) for m in Message for ch in Channel)

    @eventually
    def scalability(self) -> bool:
        """Some day every lookupd that is up knows every nsqd that somebody publishes to."""
        return all(
            self.lists(ld, self.home(m)) or ld in self.dead_lookupds for ld in Lookupd for m in Message
        )

    def lists_right(self, ld: Lookupd) -> bool:
        return all(self.lists(ld, d) == (len(self.has_topic[d]) > 0 and not self.silent(d)) for d in Nsqd)

    @ltl
    def availability(self) -> bool:
        """From some day on every lookupd that is up knows the nsqds that have topics and are not silent."""
        require(self.outtime + self.nsqd_crash > 0)
        return eventually(always(all(self.lists_right(ld) or ld in self.dead_lookupds for ld in Lookupd)))

    def serves(self, d: Nsqd, c: Consumer) -> bool:
        return any(self.home(m) == d and self.topic_of(m) == self.topic_for(c) for m in Message)

    @ltl
    def flow_control(self) -> bool:
        """An nsqd does not push to a consumer until the connection's RDY is above 0, which it is some day."""
        return all(
            until(self.pushing[d][c] is None, self.ready(c, d) > 0 or not self.serves(d, c))
            for d in Nsqd
            for c in Consumer
        )

    # --- the operator's guarantees ------------------------------------------------------------------

    @invariant
    def rdy_respected(self) -> bool:
        """While an nsqd pushes, no more is in flight on the connection than its RDY allows."""
        return all(
            self.pushing[d][c] is None or self.in_flight_to(c, d) <= self.ready(c, d)
            for d in Nsqd
            for c in Consumer
        )

    def owed(self, m: Message, ch: Channel) -> bool:
        return m in self.acknowledged and m not in self.done[ch] and self.wanted(m, ch)

    def kept(self, m: Message, ch: Channel) -> bool:
        return m in self.topic_queue or m in self.channel_queue[ch] or self.in_flight[ch][m] is not None

    @invariant
    def no_loss(self) -> bool:
        """What was acknowledged to its producer is queued, in flight or finished, for every channel."""
        return all(self.kept(m, ch) or not self.owed(m, ch) for m in Message for ch in Channel)

    @at_rest
    def delivery(self) -> bool:
        """When nothing more can happen, what was acknowledged is finished on every channel."""
        return not any(self.owed(m, ch) for m in Message for ch in Channel)

    @invariant
    def no_duplicates(self) -> bool:
        """No message comes to a handler of a channel again, unless a handler gave it back (REQ)."""
        return not self.doubled
