"""A correct log with partitions, replicas and groups, as Kafka is."""

from __future__ import annotations

from functools import partial

from tests.history.generated_world import MS, Row, World

REPLICAS = ("n1", "n2", "n3")


class Log:
    """A topic with partitions and replicas, and a group that shares its partitions."""

    def __init__(self, world: World) -> None:
        self.world, self.chance = world, world.chance
        self.partitions = [str(number) for number in range(self.chance.randint(2, 5))]
        self.logs: dict[str, list[str]] = {partition: [] for partition in self.partitions}
        self.committed = dict.fromkeys(self.partitions, 0)
        self.isr = {partition: list(REPLICAS) for partition in self.partitions}
        self.members: list[str] = []
        self.generation = self.polled = 0
        """The newest generation, and that in which members get messages."""
        self.cooperative = self.chance.random() < 0.5
        """Whether members keep, while the group is dealt out anew, what stays theirs."""
        self.owner: dict[str, str] = {}
        self.position: dict[str, int] = {}
        self.joined = 0

    def play(self) -> None:
        for partition in self.partitions:
            self._tell_isr(partition)
        self._join()
        self.world.after(self.chance.randint(0, 300) * MS, self._join)
        for producer in ("p0", "p1"):
            self.world.after(50 * MS, self._produce, producer, 0)
        self.world.after(self.chance.randint(400, 900) * MS, self._shrink)
        self.world.after(self.chance.randint(500, 1200) * MS, self.chance.choice((self._join, self._leave)))
        self.world.play()

    # sends, and what replicas store

    def _tell_isr(self, partition: str) -> None:
        isr = list(self.isr[partition])
        self.world.note("n1", "replica", "isr", "ok", destination="t", partition_id=partition, isr=isr)

    def _shrink(self) -> None:
        partition = self.chance.choice(self.partitions)
        self.isr[partition].remove("n3")
        self._tell_isr(partition)

    def _produce(self, producer: str, number: int) -> None:
        if number < 14:
            partition = self.chance.choice(self.partitions)
            about = {"message_id": f"{producer}-{number}", "destination": "t", "partition_id": partition}
            self._send(producer, about | {"client_id": producer, "producer_seq": number, "attempt": 1})
            self.world.after(self.chance.randint(30, 120) * MS, lambda: self._produce(producer, number + 1))

    def _send(self, producer: str, about: Row) -> None:
        self.world.note(producer, "send", "produce", "invoke", **about)
        self.world.travel((producer, "to"), lambda: self._append(producer, about))

    def _append(self, producer: str, about: Row) -> None:
        partition, name = about["partition_id"], about["message_id"]
        known = name in self.logs[partition]
        if not known:
            self.logs[partition].append(name)
            self._replicate(partition, name)
        offset = self.logs[partition].index(name)
        wait = 12 * MS
        if about["attempt"] == 1 and self.chance.random() < 0.1:  # the answer is lost, so it is sent again
            self.world.after(wait, lambda: self.world.note(producer, "send", "produce", "info", **about))
            self.world.after(2 * wait, lambda: self._send(producer, about | {"attempt": 2}))
        else:
            answer = about | {"offset": offset, "deduplicated": known}
            self.world.after(wait, lambda: self.world.note(producer, "send", "produce", "ok", **answer))

    def _replicate(self, partition: str, name: str) -> None:
        """All that are in step store it, before the producer hears of it."""
        offset = len(self.logs[partition]) - 1
        for broker in self.isr[partition]:
            about = {"broker_id": broker, "destination": "t", "partition_id": partition, "offset": offset}
            if self.chance.random() < 0.5:
                about["message_id"] = name
            write = partial(self.world.note, broker, "replica", "append", "ok", vantage="broker", **about)
            self.world.after(self.chance.randint(1, 9) * MS, write)

    # the group

    def _join(self) -> None:
        self.joined += 1
        self.world.note(f"m{self.joined}", "control", "subscribe", "ok", **self._member(f"m{self.joined}"))
        self.members.append(f"m{self.joined}")
        self._rebalance()

    def _leave(self) -> None:
        leaver = self.members.pop(0)
        self.world.note(leaver, "control", "leave", "ok", **self._member(leaver))
        self._rebalance()

    def _member(self, member: str) -> Row:
        return {"client_id": member, "consumer_id": member, "consumer_group": "g", "destination": "t"}

    def _rebalance(self) -> None:
        """Everybody gives back everything, or what goes to another, and gets a new share a little later."""
        self.generation += 1
        generation = self.generation
        shares = self._shares() if self.cooperative else {}
        moved = {each: owner for each, owner in self.owner.items() if each not in shares.get(owner, ())}
        for member in sorted(set(moved.values())):
            about: Row = {"client_id": member, "consumer_id": member, "consumer_group": "g"}
            if self.cooperative:
                about["partitions"] = [f"t/{each}" for each, owner in moved.items() if owner == member]
            self.world.note(member, "group", "revoke", "ok", **about)
        self.owner = {each: owner for each, owner in self.owner.items() if each not in moved}
        if not self.cooperative:
            self.polled = generation
        self.world.after(150 * MS, lambda: self._assign(generation))

    def _shares(self) -> dict[str, list[str]]:
        """The partitions of each member, dealt out one by one."""
        count = len(self.members)
        return {member: self.partitions[place::count] for place, member in enumerate(self.members)}

    def _assign(self, generation: int) -> None:
        if generation != self.generation or not self.members:
            return
        self.polled = generation
        self.position = self.committed | {each: self.position[each] for each in self.owner}
        for member, share in self._shares().items():
            self.owner |= dict.fromkeys(share, member)
            about = {
                "client_id": member,
                "consumer_id": member,
                "consumer_group": "g",
                "generation": generation,
            }
            self.world.note(
                member, "group", "assign", "ok", **about, partitions=[f"t/{each}" for each in share]
            )
            self.world.after(self.chance.randint(1, 20) * MS, self._poll, member, generation)

    def _poll(self, member: str, generation: int) -> None:
        if generation != self.polled:
            return
        for partition, owner in self.owner.items():
            if owner == member and self.position[partition] < len(self.logs[partition]):
                self._receive(member, partition, generation)
        self.world.after(self.chance.randint(20, 60) * MS, lambda: self._poll(member, generation))

    def _receive(self, member: str, partition: str, generation: int) -> None:
        offset = self.position[partition]
        self.position[partition] += 1
        about = self._member(member) | {"partition_id": partition, "offset": offset}
        about["message_id"] = self.logs[partition][offset]
        self.world.note(member, "receive", "poll", "ok", **about, generation=generation)
        self.world.rows[-1]["time_unix_nano"] += int(partition)
        self.world.travel((member, generation, "work"), lambda: self._commit(about, generation), 90 * MS)

    def _commit(self, about: Row, generation: int) -> None:
        """Commit an offset; one of an old generation is refused."""
        member, taken = about["client_id"], generation == self.generation
        self.world.note(member, "settle", "commit", "invoke", **about, settle="ack")
        if taken:
            self.committed[about["partition_id"]] = max(
                self.committed[about["partition_id"]], about["offset"] + 1
            )
        phase = "ok" if taken else "fail"
        self.world.after(
            5 * MS, lambda: self.world.note(member, "settle", "commit", phase, **about, settle="ack")
        )
