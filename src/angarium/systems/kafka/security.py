"""Kafka's security: a producer, a broker and a consumer, and an intruder on the wires between them.

After Xu, Yin, Zhu and Xiao, "Formalization and Verification of Kafka Messaging Mechanism Using CSP"
(Computer Science and Information Systems 2023), section 5, which checks with PAT what an intruder can do to
Kafka without protection (its System_I) and with Kerberos (System_K). The intruder hears everything on its
wires, holds back what it likes, and says whatever it can make of what it has heard. It cannot break a
cipher.

The paper's parts: ComPL and ComCL are the wires `to_broker` and `to_client` of the producer and of the
consumer; Intercept... and Fake... are the steps of the intruder; Producer', Consumer' with USER_AS, USER_TGS
and USER_Server are the process `client`; Broker' with Server is `broker`; AS, TGS and Clock are
`authentication_server`, `ticket_granting_server` and `tick`; TGT, ST, Auth' and the server's answer are
`tgt`, `ticket`, `authenticator` and `proof`. Its System_FakingP and System_FakingC share nothing: here a run
has one of the clients, whichever comes first (`side`), and both only with `together=true`.

What the words mean here:
- Faking is to be accepted as somebody: the broker stores data on a connection that it takes for the
  producer's, or reads data out on one that it takes for the consumer's, and that client did not open it. A
  client opens a connection with an authenticator, and one authenticator opens one connection. To hold it
  back and pass it on later is not faking, to use it twice is. Without protection each message is a
  connection of its own.
- With Kerberos alone what follows on a connection is in the clear: an intruder can put its own data into the
  producer's own connection. That is not faking, and the paper does not look at it: it is
  `no-producer-tampering`.
- `deadlock-free`: an intruder can hold back everything, and where it can say something the system never
  rests. So this asks for more than rest: as long as the clock has not run out, every client can still
  finish. A client that is refused or gets no answer starts over. In the paper it stops (`start_over=false`),
  and that no deadlock is found there is the clock's merit, which ticks for ever.

Where the paper contradicts itself, or would cost states without telling anything:
- Its Server compares two names that it never set, and reads no time. Here the broker compares the names in
  ticket and authenticator, and checks both times, as its TGS does; `check_names` and `check_lifetimes`
  switch that off.
- Its checks let times of the future pass, and nothing keeps an authenticator from being used again. In
  Kerberos a time must be near on either side, and servers remember authenticators as long as they are good:
  `replay_cache`.
- It writes public keys, where Kerberos has shared ones. Its authenticators carry the time of the ticket,
  where those of Kerberos carry their own; for the ticket-granting server they still do.
- As in the paper, the intruder does not sit on the wires to Kerberos; the tests have a model in which it
  does.
- A session key is the same for all tickets that a user gets in the same moment, and a client that starts
  over in the same moment would repeat itself: the broker refuses that, and the client needs a tick.
- What a receiver does not expect it ignores, as if it had come on another connection.

Beyond the paper: everything on a connection encrypted with the session key (its future work), data signed by
the producer besides, TLS with and without certificates of clients, and what can go wrong: session keys that
leak, an intruder with an account, brokers that check too little. A secret of TLS is called `session` too,
and its handshake is taken to be fresh as an authenticator is.
"""

from angarium import (
    AG,
    EF,
    Model,
    action,
    array,
    budget,
    channel,
    count,
    ctl,
    either,
    finished,
    implies,
    initial,
    invariant,
    knowledge,
    option,
    param,
    require,
    setof,
    spend,
    until,
)

from .security_facts import (
    Age,
    Datum,
    Fact,
    Moment,
    Protection,
    Stage,
    User,
    ack,
    ask,
    common,
    data,
    everyday,
    false_login,
    hello,
    login,
    private_key,
    proof,
    secret_ack,
    secret_ask,
    secret_data,
    secret_signed_data,
    session,
    signed_hello,
    ticket,
)
from .security_letters import Letter, as_reply, as_request, expired, tgs_reply, tgs_request


class KafkaSecurity(Model):
    """An intruder on the network cannot pass for a client, and learns and changes nothing."""

    protection = param(Protection.KERBEROS)
    together = param(False)  # both clients in one run, not one in each (the paper's two systems)
    moments = count(Moment, 2, high=6)  # so many moments the clock shows, and then it stands still
    lifetime = param(1, high=5)  # a ticket is good for so many ticks after its moment
    skew = param(0, high=5)  # and an authenticator for so many before and after
    check_lifetimes = param(True)  # the broker refuses what is too old
    check_names = param(True)  # the broker compares the names in ticket and authenticator
    replay_cache = param(True)  # the broker takes an authenticator only once
    start_over = param(True)  # a client that was refused, or had no answer, tries again
    insider = param(False)  # the intruder has an account of its own
    acl = param(True)  # only the producer may write, and only the consumer may read
    leaks = param(0, high=2)  # so many session keys get known to the intruder
    leak_when = param(Age.USED)  # as soon as they are used, or only when their tickets have expired

    leaks_left = budget(leaks)

    knows = knowledge(Fact)
    to_as = channel(Letter)
    from_as = array(User, channel(Letter))
    to_tgs = channel(Letter)
    from_tgs = array(User, channel(Letter))
    to_broker = array(User, channel(Fact, intruder=knows))
    to_client = array(User, channel(Fact, intruder=knows))

    side = option(User)  # the client that takes part
    now: Moment

    # The broker's side of a connection: whose session key it is under, since when, and what was just done.
    connected = array(User, bool)
    peer = array(User, User)
    since = array(User, Moment)
    settled = array(User, option(Datum))
    seen = array(User, setof(Moment))  # the replay cache: stamps of authenticators that are still good

    # What only we can see, to judge by.
    opened = array(User, setof(Moment))  # stamps with which a client opened a connection, not yet taken
    impostor = array(User, bool)  # whether somebody else is taken for the client of this wire
    stored = setof(Datum)
    taken = option(Datum)

    @initial
    def begin(self) -> None:
        """The intruder knows names and times, what clients ask, and data and keys of its own making."""
        for u in User:
            self.peer[u] = u
        self.knows.hear(common())
        for t in Moment:
            self.knows.hear(everyday(t))
        if self.insider:
            self.knows.hear(private_key(User.INTRUDER))
            self.knows.hear(ticket(User.INTRUDER, self.now))

    def kerberos(self) -> bool:
        return (
            self.protection == Protection.KERBEROS
            or self.protection == Protection.KERBEROS_ENCRYPTED
            or self.protection == Protection.KERBEROS_SIGNED
        )

    def takes_part(self, u: User) -> bool:
        return u != User.INTRUDER and (self.together or self.side == u)

    # --- the clock and Kerberos ---------------------------------------------------------------------

    @action
    def tick(self) -> None:
        """The replay cache forgets what is too old to be taken anyhow."""
        require(self.protection != Protection.NONE and self.now < self.moments - 1)
        self.now = Moment(self.now + 1)
        for u in User:
            for t in Moment:
                if self.now - t > self.skew:
                    self.seen[u].discard(t)
        if self.insider:
            self.knows.hear(ticket(User.INTRUDER, self.now))

    async def authentication_server(self) -> None:
        """A ticket for the ticket-granting server, for everybody who has an account."""
        while True:
            request = await self.to_as.receive()
            user: User = User.PRODUCER
            start: Moment = Moment(0)
            for u in User:
                for t in Moment:
                    if request == as_request(u, t):
                        user = u
                        start = t
            await self.from_as[user].send(as_reply(user, start))

    async def ticket_granting_server(self) -> None:
        """A ticket for the broker, for who has a ticket that is not too old, and its key."""
        while True:
            request = await self.to_tgs.receive()
            user: User = User.PRODUCER
            start: Moment = Moment(0)
            for u in User:
                for t in Moment:
                    if request == tgs_request(u, t):
                        user = u
                        start = t
            await self.from_tgs[user].send(self.grant(user, start))

    def grant(self, user: User, start: Moment) -> Letter:
        return expired() if self.now - start > self.lifetime else tgs_reply(user, start)

    # --- what is said, under each protection --------------------------------------------------------

    def credentials(self, u: User, start: Moment, stamp: Moment) -> Fact:
        """How a client opens a connection."""
        if self.protection == Protection.TLS:
            return hello(u, start)
        if self.protection == Protection.MUTUAL_TLS:
            return signed_hello(u, start)
        return login(u, start, stamp)

    def plain(self) -> bool:
        return self.protection == Protection.NONE or self.protection == Protection.KERBEROS

    def carried(self, u: User, start: Moment, d: Datum) -> Fact:
        if self.protection == Protection.KERBEROS_SIGNED:
            return secret_signed_data(u, start, d)
        return data(d) if self.plain() else secret_data(u, start, d)

    def asked(self, u: User, start: Moment) -> Fact:
        return ask() if self.plain() else secret_ask(u, start)

    def acked(self, u: User, start: Moment) -> Fact:
        return ack() if self.plain() else secret_ack(u, start)

    # --- clients ------------------------------------------------------------------------------------

    def says(self, u: User, stage: Stage, start: Moment, stamp: Moment) -> Fact:
        if stage == Stage.LOGIN:
            return self.credentials(u, start, stamp)
        return self.carried(u, start, Datum.NEW) if u == User.PRODUCER else self.asked(u, start)

    def awaits(self, u: User, stage: Stage, start: Moment, fact: Fact) -> bool:
        """Whether this is an answer to what a client has said."""
        if stage == Stage.LOGIN:
            return fact == proof(u, start)
        if u == User.PRODUCER:
            return fact == self.acked(u, start)
        return any(fact == self.carried(u, start, d) for d in Datum)

    def take(self, u: User, start: Moment, fact: Fact) -> None:
        for d in Datum:
            if u == User.CONSUMER and fact == self.carried(u, start, d):
                self.taken = d

    async def client(self, u: User) -> None:  # noqa: C901
        """A ticket from each server of Kerberos, a connection, and then one datum to or from the broker."""
        if u == User.INTRUDER:
            return
        if not self.together:
            await until(self.side is None)
            self.side = u
        stage: Stage = Stage.OUTSIDE
        start: Moment = Moment(0)
        stamp: Moment = Moment(0)
        while stage != Stage.DONE:
            if stage == Stage.OUTSIDE:
                if self.kerberos():
                    await self.to_as.send(as_request(u, self.now))
                    start = self.now
                    await self.from_as[u].receive()
                    await self.to_tgs.send(tgs_request(u, start))
                    granting = await self.from_tgs[u].receive()
                    stamp = self.now
                    if granting == expired():
                        if not self.start_over:
                            await until(False)
                        continue
                else:
                    start = self.now
                    stamp = self.now
                self.opened[u].add(stamp)
                stage = Stage.REQUEST if self.protection == Protection.NONE else Stage.LOGIN
            await self.to_broker[u].send(self.says(u, stage, start, stamp))
            waiting: bool = True
            while waiting:
                match await either(answer=self.to_client[u].receive(), give_up=until(self.start_over)):
                    case "answer", fact:
                        if self.awaits(u, stage, start, fact):
                            waiting = False
                            if stage == Stage.REQUEST:
                                self.take(u, start, fact)
                            stage = Stage.REQUEST if stage == Stage.LOGIN else Stage.DONE
                    case "give_up", _:
                        waiting = False
                        stage = Stage.OUTSIDE

    # --- the broker ---------------------------------------------------------------------------------

    def admits(self, w: User, u: User, start: Moment, stamp: Moment) -> bool:
        """Whether the broker takes a user's credentials on a wire."""
        allowed = u == w or not self.acl or self.protection == Protection.TLS
        new = not self.replay_cache or stamp not in self.seen[u]
        fresh = self.now - start <= self.lifetime and abs(self.now - stamp) <= self.skew
        return allowed and new and (fresh or not self.check_lifetimes)

    def connect(self, w: User, u: User, start: Moment, stamp: Moment, believed: User) -> None:
        self.connected[w] = True
        self.peer[w] = u
        self.since[w] = start
        self.impostor[w] = believed != u or (u != User.INTRUDER and stamp not in self.opened[u])
        self.opened[u].discard(stamp)
        if self.replay_cache:
            self.seen[u].add(stamp)

    def close(self, w: User) -> None:
        self.connected[w] = False
        self.peer[w] = w
        self.since[w] = Moment(0)
        self.impostor[w] = False
        self.settled[w] = None

    def settle(self, w: User, d: Datum) -> None:
        """Store what the producer says, or find what the consumer asks for."""
        self.settled[w] = d
        if self.protection == Protection.NONE:
            self.impostor[w] = d == Datum.BOGUS or Moment(0) not in self.opened[w]
            self.opened[w].clear()
        if w == User.PRODUCER and (self.impostor[w] or self.peer[w] == w):
            self.stored.add(d)

    def reply(self, w: User) -> Fact:
        if self.settled[w] is None:
            return proof(self.peer[w], self.since[w])
        if w == User.PRODUCER:
            return self.acked(self.peer[w], self.since[w])
        return self.carried(self.peer[w], self.since[w], Datum.KEPT)

    async def broker(self, w: User) -> None:  # noqa: C901
        """On each wire a connection is opened, and then one request answered; without protection at once."""
        if w == User.INTRUDER:
            return
        while True:
            fact = await self.to_broker[w].receive()
            user: User | None = None
            believed: User = w
            start: Moment = Moment(0)
            stamp: Moment = Moment(0)
            said: Datum | None = None
            for u in User:
                for t in Moment:
                    for s in Moment:
                        if fact == self.credentials(u, t, s) and (self.kerberos() or s == t):
                            user = u
                            believed = w if self.protection == Protection.TLS else u
                            start = t
                            stamp = s
                        if not self.check_names and fact == false_login(u, t, s):
                            user = User.INTRUDER
                            believed = u
                            start = t
                            stamp = s
            if self.connected[w] or self.protection == Protection.NONE:
                for d in Datum:
                    if w == User.PRODUCER and fact == self.carried(self.peer[w], self.since[w], d):
                        said = d
                if w == User.CONSUMER and fact == self.asked(self.peer[w], self.since[w]):
                    said = Datum.KEPT
            if user is not None and self.admits(w, believed, start, stamp):
                self.connect(w, user, start, stamp, believed)
            elif said is not None:
                self.settle(w, said)
            else:
                continue
            match await either(answer=self.to_client[w].send(self.reply(w)), drop=until(True)):
                case "answer", _:
                    if self.settled[w] is not None:
                        self.close(w)
                case "drop", _:
                    self.close(w)

    # --- leaks --------------------------------------------------------------------------------------

    @action
    def leak(self, u: User, start: Moment) -> None:
        """A session key that was used gets known to the intruder."""
        require(self.leaks > 0 and ticket(u, start) in self.knows and session(u, start) not in self.knows)
        require(self.leak_when == Age.USED or self.now - start > self.lifetime)
        spend(self.leaks_left)
        self.knows.hear(session(u, start))

    # --- the paper's guarantees ---------------------------------------------------------------------

    def in_time(self) -> bool:
        """Whether a client that starts over can still say something that it has not said before."""
        return self.protection == Protection.NONE or self.now < self.moments - 1

    def all_done(self) -> bool:
        done = sum(self.has_finished(u) for u in User)
        return done == 2 if self.together else done == 1

    @ctl
    def deadlock_free(self) -> bool:
        """Whatever the intruder has done, every client can still finish, as long as there is time."""
        return AG(implies(self.in_time(), EF(self.all_done())))

    def rightful(self, w: User) -> bool:
        """Whether what the broker has just done on a wire was for who opened the connection."""
        return not self.impostor[w] and (self.connected[w] or self.protection == Protection.NONE)

    @invariant
    def no_producer_faking(self) -> bool:
        """The broker stores nothing as the producer's on a connection that the producer did not open."""
        return self.settled[User.PRODUCER] is None or self.rightful(User.PRODUCER)

    @invariant
    def no_producer_data_leak(self) -> bool:
        """The intruder does not learn what the producer sends."""
        return data(Datum.NEW) not in self.knows

    @invariant
    def no_consumer_faking(self) -> bool:
        """The broker serves nobody as the consumer on a connection that the consumer did not open."""
        return self.settled[User.CONSUMER] is None or self.rightful(User.CONSUMER)

    @invariant
    def no_consumer_data_leak(self) -> bool:
        """The intruder does not learn what the broker has for the consumer."""
        return data(Datum.KEPT) not in self.knows

    # --- beyond the paper ---------------------------------------------------------------------------

    def has_finished(self, u: User) -> bool:
        return self.takes_part(u) and finished(self.client, u)

    @invariant
    def no_producer_tampering(self) -> bool:
        """What the broker stores as the producer's was sent by the producer."""
        return Datum.BOGUS not in self.stored

    @invariant
    def no_consumer_tampering(self) -> bool:
        """When the consumer has its answer, it is what the broker has for it."""
        return not self.has_finished(User.CONSUMER) or self.taken == Datum.KEPT

    @invariant
    def no_false_ack(self) -> bool:
        """When the producer has its acknowledgement, the broker has stored what it sent."""
        return not self.has_finished(User.PRODUCER) or Datum.NEW in self.stored
