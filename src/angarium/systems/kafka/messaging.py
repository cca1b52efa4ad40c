"""Kafka: what is produced is copied to followers, acknowledged, and read by one consumer of a group.

After Xu, Yin, Zhu and Xiao, "Formalization and Verification of Kafka Messaging Mechanism Using CSP" (ComSIS),
which models Kafka in CSP and checks five guarantees with PAT. The defaults are that paper's scenario: 2
partitions with 2 followers each, 2 consumers of one group, 2 data items in each partition.

Its parts: ZooKeeper, Producer, LPartition, FPartition and GroupCoordinator are the processes `zookeeper`,
`producer`, `leader`, `follower` and `coordinator`; a Consumer's joining is `consumer`, its pulling `fetcher`.
ComZP is `find_leader` and `has_leader`; ComPL is `publish` and `p_ack`; ComLF is `pull`, `copy` and `f_ack`;
ComGC is `join`, `joined`, `sync` and `sync_ack`; ComLC and ComFC are `ask_leader`, `ask_follower` and `data`.
P_ack is `acknowledged`; stateF is `copies`, and GetStateF is `all_have`; consumer[l][c] is `owner`, and what
consumers are told of it is `assigned`; DataS is `sent`; Data is `from_leader`, DataF is `from_follower`.

Where the paper prints nothing, contradicts itself, or would cost states without telling anything:
- All its processes start over for ever, and nothing would be at stake in the end. Here the producer ends with
  its last item, and consumers join once. A run ends when nobody can do anything new.
- Its leader goes back to waiting for the producer when one follower has stored an item and another has not;
  that one would never get it. Here a leader takes whatever comes next: an item, a pull or a request. It deals
  with one follower or consumer at a time, as in the paper, and acknowledges when the last follower is done.
- Its producer may write to any partition. Here it has one hand for each: an item waits for the item before it
  in the same partition, and for no other. It asks ZooKeeper once, as real producers do: the answer lasts.
- Its partitions count what they have sent. Here, as in Kafka, a consumer keeps its own place, and goes on
  from there at another replica. So item k+1 may come from a replica that never sent item k, and `sent` is of
  the partition, not of the leader. To read from every follower in one run takes as many items.
- Its text lets a follower answer only when the leader is down, its formulas while it is up. Both are possible
  here, as in Kafka since fetching from followers came (KIP-392). There is no election: after a leader's crash
  followers go on answering, and the producer gives up. Elections are in the system `kafka-delivery`.
- A replica shows only what the leader and all followers have stored (Kafka's high watermark). That a follower
  hears of it a moment later is left out: it could only answer later.
- Questions that nobody could answer with anything new, by followers or by consumers, are left out: the answer
  would change nothing, so whatever can happen can happen without them.
- Which member leads the group is open in the paper. As in Kafka it is the first to join; it deals partitions
  round, and its plan goes with its SyncGroup request. The coordinator answers members in their order.

A broker that is down keeps its log and shows it to nobody. No guarantee needs fairness: every run ends.
"""

from angarium import (
    Model,
    array,
    budget,
    channel,
    count,
    crashed,
    crashes,
    deadlock_free,
    either,
    finished,
    integer,
    invariant,
    leads_to,
    ltl,
    on_crash,
    option,
    param,
    reaches,
    require,
    seq,
    setof,
    until,
)

from .messaging_kinds import Acks, Consumer, Follower, Item, Partition


class Messaging(Model):
    """What is produced is copied to followers, acknowledged, and read by one consumer of a group."""

    partitions = count(Partition, 2, high=8)
    followers = count(Follower, 2, high=8)
    consumers = count(Consumer, 2, high=8)
    items = count(Item, 2, high=8)
    stored_by = param(Acks.ALL)  # who must have an item before it counts as delivered
    subscribe = param(True)  # false: no group, every consumer takes every partition for itself (assign)
    leader_crash = param(0, high=8)  # so many leaders may die
    follower_crash = param(0, high=8)  # so many followers may die

    leader_crashes = budget(leader_crash)
    follower_crashes = budget(follower_crash)

    find_leader = channel(Partition)
    has_leader = array(Partition, channel(bool))
    publish = array(Partition, channel(Item))
    p_ack = array(Partition, channel(Item))
    pull = array(Partition, channel(Follower))
    copy = array(Partition, array(Follower, channel(Item)))
    f_ack = array(Partition, array(Follower, channel(Item)))
    join = channel(Consumer)
    joined = array(Consumer, channel(bool))
    sync = channel(Consumer)
    sync_ack = array(Consumer, channel(bool))
    ask_leader = array(Partition, channel(Consumer))
    ask_follower = array(Partition, channel(Consumer))
    data = array(Partition, array(Consumer, channel(Item)))

    acknowledged = array(Partition, setof(Item))
    log = array(Partition, seq(Item))
    copies = array(Partition, array(Follower, seq(Item)))
    leader_serves = array(Partition, option(Consumer))
    follower_serves = array(Partition, array(Follower, option(Consumer)))
    sent = array(Partition, setof(Item))

    owner = array(Partition, option(Consumer))
    assigned = array(Consumer, setof(Partition))
    offset = array(Consumer, array(Partition, integer(0, items)))
    read = array(Consumer, array(Partition, seq(Item)))
    from_leader = array(Partition, setof(Consumer))
    from_follower = array(Partition, array(Follower, setof(Consumer)))

    # --- production ---------------------------------------------------------------------------------

    async def zookeeper(self) -> None:
        """Knows of every partition whether its leader is up."""
        while True:
            p = await self.find_leader.receive()
            await self.has_leader[p].send(not crashed(self.leader, p))

    async def producer(self, p: Partition) -> None:
        """Send one item after the other to the partition's leader, each when the one before is answered."""
        await self.find_leader.send(p)
        led = await self.has_leader[p].receive()
        if not led:
            return
        for k in Item:
            match await either(sent=self.publish[p].send(k), refused=until(crashed(self.leader, p))):
                case "sent", _:
                    pass
                case "refused", _:
                    pass
            if self.stored_by != Acks.NONE:
                match await either(ack=self.p_ack[p].receive(), broken=until(crashed(self.leader, p))):
                    case "ack", _:
                        pass
                    case "broken", _:
                        return
            self.acknowledged[p].add(k)

    def all_have(self, p: Partition, n: int) -> bool:
        """Whether the leader and all followers have stored so many items."""
        return len(self.log[p]) >= n and all(len(self.copies[p][f]) >= n for f in Follower)

    @crashes(leader_crashes)
    async def leader(self, p: Partition) -> None:  # noqa: C901
        """Store what the producer sends, let followers copy it, acknowledge it, and send it to consumers."""
        while True:
            match await either(
                item=self.publish[p].receive(), pull=self.pull[p].receive(), read=self.ask_leader[p].receive()
            ):
                case "item", k:
                    self.log[p].append(k)
                    if self.stored_by == Acks.LEADER:
                        await self.p_ack[p].send(k)
                case "pull", f:
                    require(len(self.copies[p][f]) < len(self.log[p]))
                    match await either(
                        copy=self.copy[p][f].send(self.log[p][len(self.copies[p][f])]),
                        gone=until(crashed(self.follower, p, f)),
                    ):
                        case "copy", _:
                            pass
                        case "gone", _:
                            continue
                    match await either(
                        stored=self.f_ack[p][f].receive(), gone=until(crashed(self.follower, p, f))
                    ):
                        case "stored", k:
                            if self.stored_by == Acks.ALL and self.all_have(p, len(self.log[p])):
                                await self.p_ack[p].send(k)
                        case "gone", _:
                            pass
                case "read", c:
                    require(self.all_have(p, self.offset[c][p] + 1))
                    self.leader_serves[p] = c
                    self.sent[p].add(self.log[p][self.offset[c][p]])
                    await self.data[p][c].send(self.log[p][self.offset[c][p]])
                    self.leader_serves[p] = None
                    self.from_leader[p].add(c)

    @on_crash(leader)
    def leader_dies(self, p: Partition) -> None:
        self.leader_serves[p] = None

    @crashes(follower_crashes)
    async def follower(self, p: Partition, f: Follower) -> None:
        """Pull what the leader has, say when it is stored, and send it to consumers."""
        while True:
            match await either(pull=self.pull[p].send(f), read=self.ask_follower[p].receive()):
                case "pull", _:
                    match await either(copy=self.copy[p][f].receive(), gone=until(crashed(self.leader, p))):
                        case "copy", k:
                            self.copies[p][f].append(k)
                        case "gone", _:
                            continue
                    match await either(ack=self.f_ack[p][f].send(k), gone=until(crashed(self.leader, p))):
                        case "ack", _:
                            pass
                        case "gone", _:
                            pass
                case "read", c:
                    require(self.all_have(p, self.offset[c][p] + 1))
                    self.follower_serves[p][f] = c
                    self.sent[p].add(self.copies[p][f][self.offset[c][p]])
                    await self.data[p][c].send(self.copies[p][f][self.offset[c][p]])
                    self.follower_serves[p][f] = None
                    self.from_follower[p][f].add(c)

    @on_crash(follower)
    def follower_dies(self, p: Partition, f: Follower) -> None:
        self.follower_serves[p][f] = None

    # --- the group ----------------------------------------------------------------------------------

    async def coordinator(self) -> None:
        """When all have joined, say who leads; when all have synchronized, tell all the leader's plan."""
        if self.subscribe:
            first: Consumer | None = None
            for _ in Consumer:
                c = await self.join.receive()
                if first is None:
                    first = c
            for member in Consumer:
                await self.joined[member].send(member == first)
            for _ in Consumer:
                await self.sync.receive()
            for member in Consumer:
                await self.sync_ack[member].send(True)

    async def consumer(self, c: Consumer) -> None:
        """Join the group, make the plan if it is told to lead, and learn what it says."""
        if self.subscribe:
            await self.join.send(c)
            leads = await self.joined[c].receive()
            await self.sync.send(c)
            if leads:
                for p in Partition:
                    self.owner[p] = Consumer(p % self.consumers)
            await self.sync_ack[c].receive()
        for p in Partition:
            if self.owner[p] == c or not self.subscribe:
                self.assigned[c].add(p)

    # --- consumption --------------------------------------------------------------------------------

    def served(self, c: Consumer, p: Partition) -> bool:
        """Whether some replica of a partition is about to send a consumer what it asked for."""
        return self.leader_serves[p] == c or any(self.follower_serves[p][f] == c for f in Follower)

    async def fetcher(self, c: Consumer, p: Partition) -> None:
        """A consumer asks any replica of a partition that was assigned to it for the next item."""
        while True:
            match await either(leader=self.ask_leader[p].send(c), follower=self.ask_follower[p].send(c)):
                case "leader", _:
                    pass
                case "follower", _:
                    pass
            require(p in self.assigned[c])
            match await either(data=self.data[p][c].receive(), broken=until(not self.served(c, p))):
                case "data", k:
                    self.read[c][p].append(k)
                    self.offset[c][p] += 1
                case "broken", _:
                    pass

    # --- the paper's guarantees ---------------------------------------------------------------------

    def done(self, p: Partition) -> bool:
        """Whether the producer has nothing more to send, and nothing is missing unless the leader is down."""
        return finished(self.producer, p) and (
            crashed(self.leader, p) or all(k in self.acknowledged[p] for k in Item)
        )

    @deadlock_free
    def deadlock_free(self) -> bool:
        """Nobody is stuck: in the end the producer is done, consumers have joined, no question is open."""
        return (
            all(self.done(p) for p in Partition)
            and finished(self.consumer)
            and not any(self.served(c, p) for c in Consumer for p in Partition)
        )

    @reaches
    def acknowledgement(self) -> bool:
        """It can happen that every item of every partition is acknowledged."""
        return all(k in self.acknowledged[p] for p in Partition for k in Item)

    @reaches
    def parallelism(self) -> bool:
        """It can happen that every consumer has read its partitions, from their leaders, and no others."""
        return all(
            (c in self.from_leader[p]) == (c == p % self.consumers) for c in Consumer for p in Partition
        )

    @invariant
    def sequentiality(self) -> bool:
        """No partition sends an item before it has sent all earlier ones."""
        return all(
            j in self.sent[p] or k not in self.sent[p] for p in Partition for k in Item for j in Item if j < k
        )

    @reaches
    def fault_tolerance(self) -> bool:
        """It can happen that every partition's consumer has read from each of the partition's followers."""
        require(self.items >= self.followers)
        return all(
            Consumer(p % self.consumers) in self.from_follower[p][f] for p in Partition for f in Follower
        )

    # --- their strong forms -------------------------------------------------------------------------

    def stored(self, p: Partition, k: Item) -> bool:
        return k in self.log[p] and all(k in self.copies[p][f] for f in Follower)

    @invariant
    def stored_before_acknowledged(self) -> bool:
        """Nothing is acknowledged before the leader and all followers have stored it."""
        return all(self.stored(p, k) or k not in self.acknowledged[p] for p in Partition for k in Item)

    @invariant
    def owner_only(self) -> bool:
        """No consumer reads a partition that the group's plan does not give to it."""
        return all(self.owner[p] == c or len(self.read[c][p]) == 0 for c in Consumer for p in Partition)

    @invariant
    def read_in_order(self) -> bool:
        """A consumer reads the items of a partition in order, each once, and leaves none out."""
        return all(
            self.read[c][p][n] == n
            for c in Consumer
            for p in Partition
            for n in range(self.items)
            if n < len(self.read[c][p])
        )

    @invariant
    def stored_before_read(self) -> bool:
        """Nothing is read before the leader and all followers have stored it."""
        return all(
            self.stored(p, k) or k not in self.read[c][p] for c in Consumer for p in Partition for k in Item
        )

    @ltl
    def acknowledged_is_read(self) -> bool:
        """What is acknowledged is read some day, also when the leader crashes."""
        return all(
            leads_to(k in self.acknowledged[p], any(k in self.read[c][p] for c in Consumer))
            for p in Partition
            for k in Item
        )
