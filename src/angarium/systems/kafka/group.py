"""A Kafka consumer group: members share the partitions, process records, and commit how far they have come.

The logs are fixed: what is in them is committed, and its offset is its place (how it comes there is in the
model `kafka-delivery`). The group is that of Kafka 4 with `group.protocol=classic`, and all its members
subscribe to all topics. Every setting keeps Kafka's name where it has one; nothing goes wrong by default.

What is modelled:
- The coordinator begins a generation when all members have joined; the group's leader assigns the partitions;
  then each member gets its own, and reads from the committed offsets. A new member, a member that is gone, or
  one that joins again starts the next round. A member that died is taken off the list some day
  (`session.timeout.ms`): that is no fault, it only comes late.
- Eager assignors (range, round-robin, sticky): who joins again gives up everything first. cooperative-sticky:
  it keeps what it has and polls on (with commit=after) while it waits, learns from the assignment what it
  must give up, gives that up, and joins once more; only then does somebody else get it.
- A poll returns up to `max_poll_records` records of one partition, and a client meets the group only when it
  polls, so with nothing in hand. With commit=after, offsets are committed now or later, as with auto-commit
  or asynchronous commits: more may be polled and processed before. With commit=before, a batch is processed
  only if its commit was accepted. With commit=any-time a batch counts as done as soon as the application has
  it, and offsets are committed now or later, as librdkafka does with `enable.auto.offset.store`.
- `commit_on_revoke`: what was processed is committed when a partition is given up, as an application does in
  its rebalance listener. With `auto_commit` it is the Java client that does it, and it does it when it joins.
  For eager assignors that is the same. For cooperative-sticky it is not: what is processed while a member
  waits for its partitions is not committed, for nobody can commit while it joins, and if the partition is
  then revoked, somebody else processes it again.
- `consumer_pause`: a member takes longer than `max.poll.interval.ms`. It is taken off the list while it still
  has records in hand, and goes on with them. Its commits are refused from then on; when it learns of it, it
  gives up everything and joins again. With commit=after others process its records as well. With
  commit=before they do not, but they go on behind them, so that its records come too late: order breaks.

Where Kafka knows more than the model:
- Generations have no numbers. The only question that is ever asked is whether a member's is the newest; it is
  as long as the coordinator lists the member, for no generation begins before all who are listed have joined.
- Who waits for its assignment when the next round starts joins again without a step of its own.
- Members are called up in the order of their numbers, where Kafka orders by member id, or not at all.
- sticky: what a member had in the generation before is what it claims. Older claims are forgotten.
- The last consumer that is alive does not crash: a group without members processes nothing, whatever is set.
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
    setof,
    setting,
    spend,
)

from .group_kinds import Assignment, Commit, Consumer, Entry, Partition, Phase, Reset, Stage, Topic


class Group(Model):
    """The members of a consumer group process every record of their topics, each in its turn."""

    topics = count(Topic, 1, high=4)
    partitions = count(Partition, 2, high=6)  # of each topic
    consumers = count(Consumer, 2, high=6)
    records = count(Entry, 2, high=8)  # of each partition

    commit = setting(Commit.AFTER)
    assignment = setting(Assignment.RANGE)
    commit_on_revoke = setting(True)
    auto_commit = setting(False)  # commit_on_revoke is the client's, and happens when it joins
    max_poll_records = setting(1, low=1, high=2)
    offset_reset = setting(Reset.LATEST)
    new_group = setting(False)  # nothing is committed, and the logs were empty when the first members came

    consumer_crash = setting(0, high=3)  # so many consumers crash
    consumer_joins = setting(0, high=3)  # so many of the consumers, the last ones, join later
    consumer_pause = setting(0, high=3)  # so often a consumer is too slow

    crashes_left = budget(consumer_crash)
    joins_left = budget(consumer_joins)
    pauses_left = budget(consumer_pause)

    # The coordinator. What the leader plans is empty again when it has assigned.
    phase: Phase
    members = setof(Consumer)
    planned = array(Topic, array(Partition, option(Consumer)))
    assigned = array(Topic, array(Partition, option(Consumer)))
    committed = array(Topic, array(Partition, integer(0, records)))

    # The consumers. Of what a consumer has polled up to its position, so much is still in hand.
    stage = array(Consumer, Stage)
    holds = array(Consumer, array(Topic, setof(Partition)))
    position = array(Consumer, array(Topic, array(Partition, integer(0, records))))
    in_hand = array(Consumer, array(Topic, array(Partition, integer(0, 2))))
    uncommitted = setof(Consumer)

    # The application.
    processed = array(Topic, array(Partition, setof(Entry)))
    doubled: bool
    disordered: bool

    @initial
    def first_members(self) -> None:
        for c in Consumer:
            if c == 0 or c < self.consumers - self.consumer_joins:
                self.stage[c] = Stage.JOINING
                self.members.add(c)
        self.phase = Phase.SYNC

    def cooperative(self) -> bool:
        return self.assignment == Assignment.COOPERATIVE_STICKY

    def is_free(self, c: Consumer) -> bool:
        """Whether a consumer has nothing in hand, so that it may poll."""
        return all(self.in_hand[c][t][p] == 0 for t in Topic for p in Partition)

    # --- the coordinator ----------------------------------------------------------------------------

    @action
    def begin_generation(self) -> None:
        """All members have joined."""
        require(self.phase == Phase.JOIN and len(self.members) > 0)
        require(all(self.stage[c] == Stage.JOINING for c in self.members))
        self.phase = Phase.SYNC

    @action
    def expire(self, c: Consumer) -> None:
        """The session of a dead member times out."""
        require(self.stage[c] == Stage.DEAD and c in self.members)
        self.members.discard(c)
        self.phase = Phase.JOIN

    @action
    def assign(self, leader: Consumer) -> None:
        """The first member assigns every partition to a member, if it lives."""
        require(self.phase == Phase.SYNC and self.stage[leader] == Stage.JOINING and self.is_free(leader))
        require(leader in self.members and not any(c < leader for c in self.members))
        if self.assignment == Assignment.RANGE:
            self.plan_blocks()
        else:
            self.plan_what_stays()
            self.plan_the_rest()
            if self.cooperative():
                self.keep_back_what_moves()
        for t in Topic:
            for p in Partition:
                self.assigned[t][p] = self.planned[t][p]
                self.planned[t][p] = None
        self.phase = Phase.STABLE

    # --- range --------------------------------------------------------------------------------------

    def block_of(self, p: Partition) -> int:
        """In which member's block a partition is, if the first blocks have one more where it must be."""
        small = self.partitions // len(self.members)
        larger = self.partitions % len(self.members)
        if p < larger * (small + 1):
            return p // (small + 1)
        return larger + (p - larger * (small + 1)) // max(small, 1)

    def place_of(self, c: Consumer) -> int:
        return sum(d < c for d in self.members)

    def plan_blocks(self) -> None:
        for t in Topic:
            for p in Partition:
                for c in self.members:
                    if self.place_of(c) == self.block_of(p):
                        self.planned[t][p] = c

    # --- round-robin, sticky and cooperative-sticky -------------------------------------------------

    def claims(self, c: Consumer, t: Topic, p: Partition) -> bool:
        """Whether a member says, when it joins, that a partition is its own."""
        if self.cooperative():
            return c in self.members and p in self.holds[c][t]
        return c in self.members and self.assigned[t][p] == c and self.assignment == Assignment.STICKY

    def claims_in_all(self, c: Consumer) -> int:
        return sum(self.claims(c, t, p) for t in Topic for p in Partition)

    def claims_before(self, c: Consumer, t: Topic, p: Partition) -> int:
        """So many claims of the member come first: those of lower partitions, then of lower topics."""
        return sum(self.claims(c, u, q) and (q < p or (q == p and u < t)) for u in Topic for q in Partition)

    def least(self) -> int:
        """Every member gets so many partitions, and some get one more."""
        return self.topics * self.partitions // len(self.members)

    def stays_with(self, c: Consumer) -> int:
        """So many partitions stay with a member. Who claims more than the least may keep one more, if
        there are not enough such members before it already."""
        claimed = self.claims_in_all(c)
        above = sum(d < c and self.claims_in_all(d) > self.least() for d in self.members)
        may_be_above = above < self.topics * self.partitions % len(self.members)
        return min(claimed, self.least() + 1 if may_be_above else self.least())

    def plan_what_stays(self) -> None:
        for t in Topic:
            for p in Partition:
                for c in self.members:
                    if self.claims(c, t, p) and self.claims_before(c, t, p) < self.stays_with(c):
                        self.planned[t][p] = c

    def share(self, c: Consumer) -> int:
        return sum(self.planned[t][p] == c for t in Topic for p in Partition)

    def next_in_turn(self) -> Consumer:
        """Who gets a partition that nobody keeps: members with less than the least come first; among
        those that come first, who got the fewest new ones."""
        short = any(self.share(c) < self.least() for c in self.members)
        limit = self.least() if short else self.least() + 1
        turn = min(
            (self.share(c) - self.stays_with(c)) * self.consumers + c
            for c in self.members
            if self.share(c) < limit
        )
        return Consumer(turn % self.consumers)

    def plan_the_rest(self) -> None:
        for t in Topic:
            for p in Partition:
                if self.planned[t][p] is None:
                    self.planned[t][p] = self.next_in_turn()

    def keep_back_what_moves(self) -> None:
        """What somebody else still has is nobody's until it is given up."""
        for t in Topic:
            for p in Partition:
                if any(self.claims(c, t, p) and self.planned[t][p] != c for c in Consumer):
                    self.planned[t][p] = None

    # --- members come and go ------------------------------------------------------------------------

    def forget(self, c: Consumer) -> None:
        """A consumer no longer has any partition."""
        self.uncommitted.discard(c)
        for t in Topic:
            for p in Partition:
                self.drop(c, t, p)

    def drop(self, c: Consumer, t: Topic, p: Partition) -> None:
        self.holds[c][t].discard(p)
        self.position[c][t][p] = 0
        self.in_hand[c][t][p] = 0

    def enter(self, c: Consumer) -> None:
        self.members.add(c)
        self.stage[c] = Stage.JOINING
        self.phase = Phase.JOIN

    @action
    def join(self, c: Consumer) -> None:
        """A further member comes."""
        require(self.stage[c] == Stage.LATER)
        spend(self.joins_left)
        self.enter(c)

    @action
    def join_again(self, c: Consumer) -> None:
        """A consumer learns that the group waits for it, or that it is no longer a member."""
        require(self.stage[c] == Stage.ACTIVE and self.is_free(c))
        require(c not in self.members or self.phase == Phase.JOIN)
        if c in self.members and self.commit_on_revoke and (self.auto_commit or not self.cooperative()):
            self.write(c)
        if c not in self.members or not self.cooperative():
            self.forget(c)
        self.enter(c)

    def is_taken_away(self, c: Consumer, t: Topic, p: Partition) -> bool:
        return p in self.holds[c][t] and self.assigned[t][p] != c

    def beginning(self, t: Topic, p: Partition) -> int:
        """Where a member begins: where somebody has read, but nobody committed, `latest` skips everything."""
        lost = self.new_group and self.committed[t][p] == 0 and len(self.processed[t][p]) > 0
        return self.records if lost and self.offset_reset == Reset.LATEST else self.committed[t][p]

    @action
    def sync(self, c: Consumer) -> None:
        """A member gets its partitions; if it must give up some, it does, and joins again."""
        require(self.phase == Phase.STABLE and self.stage[c] == Stage.JOINING and self.is_free(c))
        self.stage[c] = Stage.ACTIVE
        if any(self.is_taken_away(c, t, p) for t in Topic for p in Partition):
            if self.commit_on_revoke and not self.auto_commit:
                self.write(c)
            self.enter(c)
        for t in Topic:
            for p in Partition:
                if self.is_taken_away(c, t, p):
                    self.drop(c, t, p)
                elif self.assigned[t][p] == c and p not in self.holds[c][t]:
                    self.holds[c][t].add(p)
                    self.position[c][t][p] = self.beginning(t, p)
        if not self.is_ahead(c):
            self.uncommitted.discard(c)

    @action
    def crash(self, c: Consumer) -> None:
        require(self.stage[c] == Stage.JOINING or self.stage[c] == Stage.ACTIVE)
        require(any(d != c and self.stage[d] != Stage.DEAD for d in Consumer))
        spend(self.crashes_left)
        self.stage[c] = Stage.DEAD
        self.forget(c)

    @action
    def pause(self, c: Consumer) -> None:
        """A member is too slow with what it has in hand, and the group goes on without it."""
        require(c in self.members and not self.is_free(c))
        spend(self.pauses_left)
        self.stage[c] = Stage.ACTIVE
        self.members.discard(c)
        self.phase = Phase.JOIN

    # --- records ------------------------------------------------------------------------------------

    def may_poll(self, c: Consumer) -> bool:
        """Whether a consumer gets records: also while it joins, if it keeps what it has."""
        joins = self.stage[c] == Stage.JOINING and self.cooperative() and self.commit != Commit.BEFORE
        return (self.stage[c] == Stage.ACTIVE or joins) and c in self.members and self.is_free(c)

    @action
    def poll(self, c: Consumer, t: Topic, p: Partition) -> None:
        require(self.may_poll(c))
        require(p in self.holds[c][t] and self.position[c][t][p] < self.records)
        polled = min(self.max_poll_records, self.records - self.position[c][t][p])
        self.in_hand[c][t][p] = polled
        self.position[c][t][p] += polled
        if self.commit != Commit.AFTER:
            self.uncommitted.add(c)

    @action
    def process(self, c: Consumer, t: Topic, p: Partition) -> None:
        require(self.in_hand[c][t][p] > 0)
        require(self.commit != Commit.BEFORE or c not in self.uncommitted)
        r = Entry(self.position[c][t][p] - self.in_hand[c][t][p])
        self.in_hand[c][t][p] -= 1
        if r in self.processed[t][p]:
            self.doubled = True
        elif any(k > r and k in self.processed[t][p] for k in Entry):
            self.disordered = True
        self.processed[t][p].add(r)
        if self.commit == Commit.AFTER:
            self.uncommitted.add(c)

    def is_ahead(self, c: Consumer) -> bool:
        return any(
            p in self.holds[c][t] and self.position[c][t][p] > self.committed[t][p]
            for t in Topic
            for p in Partition
        )

    def write(self, c: Consumer) -> None:
        """The coordinator stores a member's positions."""
        self.uncommitted.discard(c)
        for t in Topic:
            for p in Partition:
                if p in self.holds[c][t]:
                    self.committed[t][p] = self.position[c][t][p]

    @action
    def commit_offsets(self, c: Consumer) -> None:
        """A consumer commits how far it is; refused if it is no longer a member, and has then lost all."""
        require(self.stage[c] == Stage.ACTIVE and c in self.uncommitted)
        require(self.commit != Commit.AFTER or self.is_free(c))
        if c in self.members:
            self.write(c)
        else:
            self.forget(c)

    # --- what the group promises --------------------------------------------------------------------

    def has(self, c: Consumer, t: Topic, p: Partition, r: Entry) -> bool:
        """Whether a consumer has a record in hand."""
        end = self.position[c][t][p]
        return end - self.in_hand[c][t][p] <= r and r < end

    @invariant
    def no_loss(self) -> bool:
        """What offsets say is done was processed, or somebody has it in hand: no record is skipped."""
        return all(
            r >= self.committed[t][p]
            or r in self.processed[t][p]
            or any(self.has(c, t, p, r) for c in Consumer)
            for t in Topic
            for p in Partition
            for r in Entry
        )

    @invariant
    def no_duplicates(self) -> bool:
        """No record is processed twice."""
        return not self.doubled

    @invariant
    def order(self) -> bool:
        """No record is processed for the first time after a later one of its partition."""
        return not self.disordered

    @invariant
    def exclusive(self) -> bool:
        """No two members of the present generation have the same partition."""
        return all(
            sum(c in self.members and p in self.holds[c][t] for c in Consumer) <= 1
            for t in Topic
            for p in Partition
        )

    def assigned_to(self, c: Consumer) -> int:
        return sum(self.assigned[t][p] == c for t in Topic for p in Partition)

    def is_settled(self) -> bool:
        """Whether all is assigned, and nothing has happened to the group since."""
        return self.phase == Phase.STABLE and all(
            self.assigned[t][p] is not None for t in Topic for p in Partition
        )

    @invariant
    def balanced(self) -> bool:
        """No member is assigned two partitions more than another."""
        return not self.is_settled() or all(
            self.assigned_to(c) <= self.assigned_to(d) + 1 for c in self.members for d in self.members
        )

    @at_rest
    def delivery(self) -> bool:
        """When nothing more can happen, every record was processed."""
        return all(r in self.processed[t][p] for t in Topic for p in Partition for r in Entry)
