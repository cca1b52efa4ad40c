"""Kafka from the producer to a reader: the settings that bear on delivery, and the faults that they meet.

Partitions are replicated on brokers. The producer sends each message to its partition's leader, followers
fetch from the leader, and a reader gets what all in-sync replicas have. What can go wrong is bounded by
budgets; nothing does by default. After Kafka 4 with KRaft:
- Requests of one connection arrive in order, `max_in_flight` of them before the first is answered. What fails
  goes back to the front of the producer's queue, and is given up after so many `retries`.
- acks=all: a leader refuses while too few replicas are in sync, answers when all in-sync replicas have the
  message, and answers with an error, although it has appended, if they became too few in the meantime.
- The idempotent producer: a leader answers a message that is in its log without appending it, and refuses one
  while an earlier one is missing. What it knows for that is part of the log, so that a new leader has it too.
  A producer that gives a message up starts a new sequence: what is settled is not missed.
- Leader epochs: a broker that was deposed and does not know takes requests, but no follower fetches from it,
  and the controller does not listen to it. Epochs are only ever compared with the newest, so the model keeps
  who is `stale`, not numbers. By epochs a follower finds what a new leader has not, and drops it, and only
  then does it count; equal entries stay, for nobody can tell whether they were fetched again.
- Eligible leaders (KIP-966): a replica that leaves fewer than `min_insync_replicas` in sync has all that is
  committed while they are so few, and may lead if nobody in sync can; not if it has crashed since.
- The reader neither fails nor commits (that is `kafka-group`); an unclean election sets it back to the end of
  what is left.

A crash leaves what was written on disk; a broker whose disk is lost comes back empty. That brokers come back
and that what is cut off is connected again is no fault. Only failures cause retries, so every run ends.
"""

from angarium import (
    Model,
    action,
    array,
    at_rest,
    budget,
    count,
    initial,
    integer,
    invariant,
    option,
    require,
    seq,
    setof,
    setting,
    spend,
)

from .delivery_kinds import Acks, Broker, Message, Partition, Phase


class Delivery(Model):
    """What the producer was told is stored comes to the reader, once and in order."""

    brokers = count(Broker, 3, high=5)
    partitions = count(Partition, 1, high=3)
    messages = count(Message, 2, high=4)

    replication_factor = setting(3, low=1, high=5)
    min_insync_replicas = setting(1, low=1, high=5)
    acks = setting(Acks.ALL)
    retries = setting(2, high=2)
    idempotence = setting(True)
    max_in_flight = setting(5, low=1, high=5)
    unclean_election = setting(False)
    eligible_leaders = setting(True)

    broker_crash = setting(0, high=3)  # so many brokers crash
    lost_disk = setting(0, high=2)  # so many brokers crash and lose what they had written
    lost_request = setting(0, high=2)  # so many requests of the producer are lost
    lost_acknowledgement = setting(0, high=2)  # so many answers to it are lost
    isolation = setting(0, high=2)  # so often a leader is cut off from the other brokers
    cut_off = setting(0, high=2)  # so often a leader is cut off from the controller as well
    lag = setting(0, high=4)  # so often a follower falls behind

    crashes_left = budget(broker_crash)
    disks_left = budget(lost_disk)
    requests_left = budget(lost_request)
    acknowledgements_left = budget(lost_acknowledgement)
    isolations_left = budget(isolation)
    cuts_left = budget(cut_off)
    lags_left = budget(lag)

    phase = array(Message, Phase)  # of the producer
    attempts = array(Message, integer(0, 2))
    acknowledged = setof(Message)
    requests = array(Partition, seq(Message))
    # A message is at most three times in a log: sent once, and again twice.
    down = setof(Broker)
    log = array(Partition, array(Broker, seq(Message, 3 * ((messages + partitions - 1) // partitions))))
    leader = array(Partition, option(Broker))  # as the controller knows
    isr = array(Partition, setof(Broker))
    eligible = array(Partition, setof(Broker))
    synced = array(Partition, setof(Broker))  # whose log is the beginning of the leader's
    stale = array(Partition, setof(Broker))
    alone = setof(Partition)  # where a stale leader was the only one in sync
    isolated = option(Broker)  # on the network
    unheard: bool  # by the controller, too
    position = array(Partition, integer(0, 3 * messages))
    processed = setof(Message)
    doubled: bool
    disordered: bool

    def partition_of(self, m: Message) -> Partition:
        return Partition(m % self.partitions)

    def is_replica(self, p: Partition, b: Broker) -> bool:
        return (b - p) % self.brokers < self.replication_factor

    @initial
    def begin(self) -> None:
        for p in Partition:
            self.leader[p] = Broker(p % self.brokers)
            for b in Broker:
                self.synced[p].add(b)
                if self.is_replica(p, b):
                    self.isr[p].add(b)

    # --- the producer -------------------------------------------------------------------------------

    def can_send(self, p: Partition) -> bool:
        in_flight = sum(
            self.partition_of(m) == p and (self.phase[m] == Phase.SENT or self.phase[m] == Phase.APPENDED)
            for m in Message
        )
        return in_flight < self.max_in_flight and (self.leader[p] is not None or len(self.stale[p]) > 0)

    def waits_before(self, m: Message, phase: Phase) -> bool:
        return any(
            k < m and self.phase[k] == phase and self.partition_of(k) == self.partition_of(m) for k in Message
        )

    @action
    def send(self, m: Message) -> None:
        """Send a message for the first time; with acks=0 the application takes it for stored."""
        p = self.partition_of(m)
        require(self.phase[m] == Phase.UNSENT and self.can_send(p))
        require(not self.waits_before(m, Phase.UNSENT) and not self.waits_before(m, Phase.RETRY))
        self.phase[m] = Phase.SENT
        self.requests[p].append(m)
        if self.acks == Acks.NONE:
            self.acknowledged.add(m)

    @action
    def resend(self, m: Message) -> None:
        """Send again what failed, the earliest first."""
        p = self.partition_of(m)
        require(self.phase[m] == Phase.RETRY and self.can_send(p))
        require(not self.waits_before(m, Phase.RETRY))
        self.attempts[m] += 1
        self.phase[m] = Phase.SENT
        self.requests[p].append(m)

    def fail(self, m: Message) -> None:
        """A request failed: it is sent again, unless that was the last time."""
        if self.acks == Acks.NONE or self.attempts[m] >= self.retries:
            self.phase[m] = Phase.SETTLED
        else:
            self.phase[m] = Phase.RETRY

    @action
    def lose_request(self, m: Message) -> None:
        require(m in self.requests[self.partition_of(m)])
        spend(self.requests_left)
        self.requests[self.partition_of(m)].remove(m)
        self.fail(m)

    @action
    def time_out(self, m: Message) -> None:
        """A request to a broker that is dead or deposed fails; later ones may have gone elsewhere."""
        p = self.partition_of(m)
        require(self.phase[m] == Phase.SENT and (m not in self.requests[p] or len(self.stale[p]) > 0))
        self.requests[p].discard(m)
        self.fail(m)

    # --- leaders ------------------------------------------------------------------------------------

    def has_too_few(self, p: Partition) -> bool:
        return self.acks == Acks.ALL and len(self.isr[p]) < self.min_insync_replicas

    def misses_earlier(self, m: Message, p: Partition, b: Broker) -> bool:
        """Whether a leader sees a gap in the sequence numbers."""
        return any(
            k < m and self.partition_of(k) == p and k not in self.log[p][b] and self.phase[k] != Phase.SETTLED
            for k in Message
        )

    @action
    def receive(self, m: Message, b: Broker) -> None:
        """The first request on its way comes to a broker that leads, or believes so."""
        p = self.partition_of(m)
        require(len(self.requests[p]) > 0 and self.requests[p][0] == m)
        require(self.leader[p] == b or b in self.stale[p])
        self.requests[p].pop(0)
        too_few = self.leader[p] == b and self.has_too_few(p)
        if too_few or (self.idempotence and self.misses_earlier(m, p, b)):
            self.fail(m)
        else:
            if not self.idempotence or m not in self.log[p][b]:
                self.log[p][b].append(m)
                if self.leader[p] != b:
                    self.synced[p].discard(b)
            self.phase[m] = Phase.SETTLED if self.acks == Acks.NONE else Phase.APPENDED
            if self.acks == Acks.ALL and b in self.stale[p]:
                self.answer_alone(m, p)

    def answer_alone(self, m: Message, p: Partition) -> None:
        """A stale leader waits in vain for those that it believes in sync, if there are any."""
        if p in self.alone and self.min_insync_replicas <= 1:
            self.phase[m] = Phase.SETTLED
            self.acknowledged.add(m)
        else:
            self.fail(m)

    def is_answered(self, m: Message) -> bool:
        """Whether the leader can answer: at once with acks=1, when the message is committed with acks=all."""
        p = self.partition_of(m)
        stored = any(
            self.leader[p] == b and self.log[p][b][i] == m and self.is_committed(p, i)
            for b in Broker for i in range(len(self.log[p][b]))
        )  # fmt: skip
        return self.phase[m] == Phase.APPENDED and (self.acks == Acks.LEADER or stored)

    @action
    def acknowledge(self, m: Message) -> None:
        """The answer comes that the message is stored."""
        require(self.is_answered(m) and not self.has_too_few(self.partition_of(m)))
        self.phase[m] = Phase.SETTLED
        self.acknowledged.add(m)

    @action
    def refuse_late(self, m: Message) -> None:
        """The answer comes that too few replicas are in sync after all; the message is in the log."""
        require(self.is_answered(m) and self.has_too_few(self.partition_of(m)))
        self.fail(m)

    @action
    def lose_acknowledgement(self, m: Message) -> None:
        require(self.is_answered(m) and not self.has_too_few(self.partition_of(m)))
        spend(self.acknowledgements_left)
        self.fail(m)

    # --- replication --------------------------------------------------------------------------------

    def hears(self, b: Broker) -> bool:
        """Whether the controller hears a broker."""
        return b not in self.down and not (self.unheard and self.isolated == b)

    def follows(self, p: Partition, b: Broker, lead: Broker) -> bool:
        """Whether a replica can fetch from the leader."""
        alive = self.is_replica(p, b) and b not in self.down
        return self.leader[p] == lead and b != lead and alive and self.isolated not in (b, lead)

    def agreed(self, p: Partition, b: Broker, lead: Broker) -> int:
        """How far a replica's log is its leader's."""
        both = min(len(self.log[p][b]), len(self.log[p][lead]))
        return sum(all(self.log[p][b][k] == self.log[p][lead][k] for k in range(i + 1)) for i in range(both))

    def is_committed(self, p: Partition, i: int) -> bool:
        """Whether all in-sync replicas have an entry. While they are too few, those that left count, too."""
        return all(
            b in self.synced[p] and i < len(self.log[p][b])
            for b in Broker if b in self.isr[p] or b in self.eligible[p]
        )  # fmt: skip

    def may_lead(self, p: Partition, b: Broker) -> bool:
        return b in self.isr[p] or (self.eligible_leaders and b in self.eligible[p])

    @action
    def fetch(self, p: Partition, b: Broker, lead: Broker) -> None:
        """A follower drops what a new leader has not; from then on it gets entry after entry."""
        require(self.follows(p, b, lead))
        end = len(self.log[p][b])
        if b in self.synced[p]:
            require(end < len(self.log[p][lead]))
            self.log[p][b].append(self.log[p][lead][end])
        else:
            for _ in range(self.agreed(p, b, lead), end):
                self.log[p][b].pop()
            self.synced[p].add(b)

    @action
    def shrink(self, p: Partition, b: Broker, lead: Broker) -> None:
        """A leader no longer counts on a follower that is down or cannot be reached."""
        require(self.leader[p] == lead and self.hears(lead) and b != lead and b in self.isr[p])
        require(b in self.down or self.isolated in (b, lead))
        self.leave(p, b)

    @action
    def expand(self, p: Partition, b: Broker, lead: Broker) -> None:
        """A follower that has all that its leader has counts again."""
        require(self.follows(p, b, lead) and self.hears(lead) and b not in self.isr[p])
        require(b in self.synced[p] and len(self.log[p][b]) == len(self.log[p][lead]))
        self.enter(p, b)

    @action
    def fall_behind(self, p: Partition, b: Broker) -> None:
        """A follower is too slow (`replica.lag.time.max.ms`), and is out of sync until it has caught up."""
        require(b in self.isr[p] and any(self.follows(p, b, lead) for lead in Broker))
        spend(self.lags_left)
        self.leave(p, b)

    def leave(self, p: Partition, b: Broker) -> None:
        self.isr[p].discard(b)
        if len(self.isr[p]) < self.min_insync_replicas:
            self.eligible[p].add(b)

    def enter(self, p: Partition, b: Broker) -> None:
        self.isr[p].add(b)
        self.eligible[p].discard(b)
        if len(self.isr[p]) >= self.min_insync_replicas:
            self.eligible[p].clear()

    # --- the controller -----------------------------------------------------------------------------

    def needs_leader(self, p: Partition) -> bool:
        return self.leader[p] is None or (self.unheard and self.leader[p] == self.isolated)

    def can_lead(self, p: Partition, b: Broker) -> bool:
        in_sync = any(other in self.isr[p] and self.hears(other) for other in Broker)
        return self.hears(b) and (b in self.isr[p] if in_sync else self.may_lead(p, b))

    def could_lead_unclean(self, p: Partition, b: Broker) -> bool:
        nobody = not any(self.can_lead(p, other) for other in Broker)
        return self.unclean_election and nobody and self.is_replica(p, b) and self.hears(b)

    @action
    def elect(self, p: Partition, b: Broker) -> None:
        """A replica that has all that is committed becomes the leader, with a new epoch."""
        require(self.needs_leader(p) and self.can_lead(p, b))
        self.depose(p)
        for other in Broker:
            if other in self.isr[p] and not self.hears(other):
                self.leave(p, other)
        self.lead(p, b)

    @action
    def elect_unclean(self, p: Partition, b: Broker) -> None:
        """A replica that is not in sync becomes the leader, because none that is can be heard."""
        require(self.needs_leader(p) and self.could_lead_unclean(p, b))
        self.depose(p)
        self.isr[p].clear()
        self.eligible[p].clear()
        self.lead(p, b)
        self.position[p] = min(self.position[p], len(self.log[p][b]))

    def lead(self, p: Partition, b: Broker) -> None:
        self.enter(p, b)
        self.leader[p] = b
        self.synced[p].clear()
        for other in Broker:
            if self.agreed(p, other, b) == len(self.log[p][other]):
                self.synced[p].add(other)

    def depose(self, p: Partition) -> None:
        """A leader that is not heard is none any more, but does not know."""
        for b in Broker:
            if self.leader[p] == b:
                self.stale[p].add(b)
                if len(self.isr[p]) == 1:
                    self.alone.add(p)
        for m in Message:
            if self.partition_of(m) == p and self.phase[m] == Phase.APPENDED and self.acks == Acks.ALL:
                self.fail(m)

    # --- what goes wrong, and what mends it ---------------------------------------------------------

    @action
    def crash_broker(self, b: Broker) -> None:
        """A broker crashes; what was on its way to it, or back, fails."""
        require(b not in self.down and any(self.is_replica(p, b) for p in Partition))
        spend(self.crashes_left)
        self.die(b)

    @action
    def lose_disk(self, b: Broker) -> None:
        """A broker crashes and loses its log; it is in sync no longer, unless nobody else is."""
        require(b not in self.down and any(self.is_replica(p, b) for p in Partition))
        spend(self.disks_left)
        self.die(b)
        for p in Partition:
            self.log[p][b].clear()
            self.distrust(p, b)

    def distrust(self, p: Partition, b: Broker) -> None:
        if any(other != b and self.may_lead(p, other) for other in Broker):
            self.isr[p].discard(b)
            self.eligible[p].discard(b)

    def die(self, b: Broker) -> None:
        self.down.add(b)
        for p in Partition:
            self.stale[p].discard(b)
            if self.leader[p] == b:
                self.leader[p] = None
                self.break_connections(p)
        if self.isolated == b:
            self.reconnect()

    def break_connections(self, p: Partition) -> None:
        """Requests go unanswered; when the producer notices matters for the order only."""
        self.requests[p].clear()
        for m in Message:
            if self.partition_of(m) == p and self.phase[m] in (Phase.SENT, Phase.APPENDED):
                self.phase[m] = Phase.SENT
                if self.idempotence or self.max_in_flight == 1:
                    self.fail(m)

    @action
    def restart_broker(self, b: Broker) -> None:
        """A broker comes back with what it had written; Kafka does not rely on that if others are left."""
        require(b in self.down)
        self.down.discard(b)
        for p in Partition:
            if self.eligible_leaders:
                self.distrust(p, b)

    @action
    def isolate_leader(self, b: Broker) -> None:
        """A leader is cut off from the other brokers; clients and the controller still reach it."""
        require(self.isolated is None and any(self.leader[p] == b for p in Partition))
        spend(self.isolations_left)
        self.isolated = b

    @action
    def cut_off_leader(self, b: Broker) -> None:
        """A leader is cut off from the other brokers and the controller; clients still reach it."""
        require(self.isolated is None and any(self.leader[p] == b for p in Partition))
        spend(self.cuts_left)
        self.isolated = b
        self.unheard = True

    @action
    def heal(self) -> None:
        """What was cut off is connected again, and learns who leads."""
        require(self.isolated is not None)
        self.reconnect()

    def reconnect(self) -> None:
        self.isolated = None
        self.unheard = False
        self.alone.clear()
        for p in Partition:
            self.stale[p].clear()

    # --- the reader ---------------------------------------------------------------------------------

    @action
    def read(self, m: Message, lead: Broker) -> None:
        """The reader processes the next message that is committed."""
        p = self.partition_of(m)
        require(self.leader[p] == lead and self.position[p] < len(self.log[p][lead]))
        require(self.log[p][lead][self.position[p]] == m and self.is_committed(p, self.position[p]))
        self.position[p] += 1
        if m in self.processed:
            self.doubled = True
        elif any(k > m and k in self.processed and self.partition_of(k) == p for k in Message):
            self.disordered = True
        self.processed.add(m)

    # --- guarantees ---------------------------------------------------------------------------------

    def is_kept(self, m: Message) -> bool:
        p = self.partition_of(m)
        return m in self.requests[p] or any(
            self.may_lead(p, b) and self.log[p][b][i] == m
            for b in Broker for i in range(self.position[p], len(self.log[p][b]))
        )  # fmt: skip

    @invariant
    def no_loss(self) -> bool:
        """What was acknowledged is processed, or still on a replica that may lead, ahead of the reader."""
        return all(m not in self.acknowledged or m in self.processed or self.is_kept(m) for m in Message)

    @invariant
    def no_duplicates(self) -> bool:
        """No message is processed twice."""
        return not self.doubled

    @invariant
    def order(self) -> bool:
        """Messages of a partition are processed in the order in which they were sent."""
        return not self.disordered

    def is_settled(self, p: Partition) -> bool:
        """Whether the cluster has dealt with what went wrong, as far as it can by itself."""
        electable = any(self.can_lead(p, b) or self.could_lead_unclean(p, b) for b in Broker)
        return not (self.needs_leader(p) and electable) and all(self.is_placed(p, b) for b in Broker)

    def is_placed(self, p: Partition, b: Broker) -> bool:
        """Whether a replica counts as in sync just if it can follow the leader."""
        follows = any(self.follows(p, b, lead) for lead in Broker)
        return self.leader[p] is None or self.leader[p] == b or follows == (b in self.isr[p])

    @invariant
    def availability_for_writes(self) -> bool:
        """When the cluster has dealt with what went wrong, as far as it can, every partition takes writes."""
        return not any(
            self.is_settled(p) and (self.needs_leader(p) or self.has_too_few(p)) for p in Partition
        )

    @at_rest
    def delivery(self) -> bool:
        """When nothing more can happen, everything that was acknowledged is processed."""
        return all(m not in self.acknowledged or m in self.processed for m in Message)
