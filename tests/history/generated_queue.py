"""A correct queue broker, as RabbitMQ, NSQ and NATS JetStream are, each with its own ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.history.generated_world import MS, Row, World


@dataclass(eq=False)
class Item:
    """A message in a queue."""

    name: str
    number: int
    offset: int
    count: int = 0
    holder: Consumer | None = None
    settled: bool = False
    deadline: int = 0
    """When its timeout is up."""


@dataclass(eq=False)
class Consumer:
    """A consumer, as the broker and as its client see it."""

    client: str
    name: str
    credit: int
    listed: bool = True
    """Whether the broker still delivers to it."""
    alive: bool = True
    cancelled: bool = False
    held: dict[int, Item] = field(default_factory=dict)
    """What the client has got and not answered, by tag."""
    tags: int = 0
    words: tuple[str, ...] = ("receive",)
    """What its client writes down of a delivery: `receive`, `process`, or both."""


class Queue:
    """A queue with competing consumers, or with a single active one."""

    def __init__(self, world: World) -> None:
        self.world, self.chance, self.system = world, world.chance, world.system
        self.single = self.system == "rabbitmq" and self.chance.random() < 0.5
        self.timeout = None if self.system == "rabbitmq" else 2000 * MS
        self.patient = self.timeout is not None and self.chance.random() < 0.5
        """Whether messages take long, and clients ask for more time."""
        self.max_deliveries = 6 if self.system == "nats" else None
        self.pending_limit = self.chance.randint(3, 8) if self.system == "nats" else 10**6
        self.subscription = {"rabbitmq": None, "nsq": "ch", "nats": "D"}[self.system]
        self.ready: list[Item] = []
        self.pending: dict[Item, int] = {}
        """What is in flight, with the number of that delivery."""
        self.consumers: list[Consumer] = []
        self.stored: dict[str, Item] = {}
        self.down = False
        self.count = 0

    def play(self) -> None:
        self._declare()
        for _ in range(self.chance.randint(2, 3)):
            self.world.after(self.chance.randint(0, 60 * MS), self._join)
        for producer in ("p0", "p1"):
            self.world.after(100 * MS, self._produce, producer, 0)
        self.world.after(self.chance.randint(300, 900) * MS, self._disturb)
        self.world.after(self.chance.randint(900, 1500) * MS, self._join)
        self.world.play()

    def _declare(self) -> None:
        columns: dict[str, object] = {"destination": "q", "single_active": self.single or None}
        if self.timeout:
            columns["ack_wait_ms"] = self.timeout // MS
        if self.system == "nats":
            columns |= {"max_deliveries": self.max_deliveries, "credit": self.pending_limit}
            columns["subscription"] = self.chance.choice((None, self.subscription))
            other = {"subscription": "E", "ack_wait_ms": 60_000, "max_deliveries": 1, "credit": 1}
            self.world.note("ctl", "control", "declare", "ok", destination="q", **other)
        self.world.note("ctl", "control", "declare", "ok", **columns)

    # sends

    def _produce(self, producer: str, number: int) -> None:
        if number < 14:
            self._send(producer, f"{producer}-{number}", number, 1)
            wait = self.chance.randint(1, 120) * MS
            self.world.after(wait, lambda: self._produce(producer, number + 1))

    def _send(self, producer: str, name: str, number: int, attempt: int) -> None:
        columns = {
            "message_id": name,
            "destination": "q",
            "client_id": producer,
            "producer_seq": number,
            "attempt": attempt,
        }
        self.world.note(producer, "send", "publish", "invoke", **columns)
        if self.down or self.chance.random() < 0.04:
            self._send_badly(producer, columns)
        else:
            self.world.travel((producer, "to"), lambda: self._store(producer, columns))

    def _send_badly(self, producer: str, columns: dict[str, Any]) -> None:
        """It fails for certain, or nobody knows; then it may be tried again."""
        unknown = self.down or self.chance.random() < 0.5
        if unknown and self.chance.random() < 0.5:
            self.world.travel((producer, "to"), lambda: self._store(producer, columns, silently=True))
        phase = "info" if unknown else "fail"
        self.world.after(20 * MS, lambda: self.world.note(producer, "send", "publish", phase, **columns))
        if columns["attempt"] == 1 and unknown and self.system == "nats":
            again = (producer, columns["message_id"], columns["producer_seq"], 2)
            self.world.after(1500 * MS, lambda: self._send(*again))

    def _store(self, producer: str, columns: dict[str, Any], silently: bool = False) -> None:
        name = columns["message_id"]
        known = name in self.stored
        if not known:
            self.count += 1
            self.stored[name] = item = Item(name, columns["producer_seq"], self.count)
            self.ready.append(item)
            self._deliver()
        if not silently:
            if self.system == "nats":
                columns |= {"offset": self.stored[name].offset, "deduplicated": known}
            self.world.travel(
                (producer, "from"), lambda: self.world.note(producer, "send", "publish", "ok", **columns)
            )

    # consumers

    def _join(self) -> None:
        client = f"c{len(self.consumers)}"
        credit = self.chance.randint(1, 5) if self.system != "nats" else 10**6
        words = self.chance.choice((("receive",), ("process",), ("receive", "process")))
        consumer = Consumer(client, f"{client}.q", credit, words=words)
        about: Row = {
            "client_id": client,
            "consumer_id": consumer.name,
            "destination": "q",
            "subscription": self.subscription,
        }
        if self.system == "rabbitmq":
            about["prefetch"] = credit
        self.consumers.append(consumer)
        self.world.note(client, "control", "subscribe", "invoke", **about)
        if self.system == "nsq":
            self._ready(consumer, credit)
            self.world.after(self.chance.randint(200, 700) * MS, lambda: self._ready(consumer, None))
        self.world.travel((client, "to"), self._deliver)

    def _ready(self, consumer: Consumer, credit: int | None) -> None:
        """NSQ's RDY: a new credit, which counts once the broker has it."""
        credit = self.chance.randint(0, 5) if credit is None else credit
        if consumer.alive:
            about = {"client_id": consumer.client, "consumer_id": consumer.name, "credit": credit}
            self.world.note(consumer.client, "flow", "RDY", "invoke", **about)
            self.world.travel((consumer.client, "to"), lambda: self._take_credit(consumer, credit))
            if credit == 0:
                self.world.after(300 * MS, lambda: self._ready(consumer, 3))

    def _take_credit(self, consumer: Consumer, credit: int) -> None:
        consumer.credit = credit
        self._deliver()

    # deliveries

    def _deliver(self) -> None:
        while not self.down and self.ready and (consumer := self._eligible()):
            item = self.ready.pop(0)
            if self.max_deliveries is None or item.count < self.max_deliveries:
                self._push(item, consumer)

    def _eligible(self) -> Consumer | None:
        listed = [each for each in self.consumers if each.listed]
        if self.single:
            listed = listed[:1]
        free = [each for each in listed if self._load(each) < each.credit]
        return self.chance.choice(free) if free and len(self.pending) < self.pending_limit else None

    def _load(self, consumer: Consumer) -> int:
        return sum(item.holder is consumer for item in self.pending)

    def _push(self, item: Item, consumer: Consumer) -> None:
        item.count += 1
        item.holder = consumer
        count = self.pending[item] = item.count
        if self.timeout:
            item.deadline = self.world.now + self.timeout
            self.world.after(self.timeout, self._expire, item, count)
        self.world.travel((consumer.client, "from"), lambda: self._arrive(item, count, consumer))

    def _expire(self, item: Item, count: int) -> None:
        """Take a delivery back when its time is up, which may have been put off."""
        if self.pending.get(item) == count and self.world.now < item.deadline:
            self.world.after(item.deadline - self.world.now, self._expire, item, count)
        else:
            self._give_back(item, count)

    def _give_back(self, item: Item, count: int) -> None:
        """Take a delivery back, if it is still that one; a queue puts it where it was."""
        if self.pending.get(item) == count:
            del self.pending[item]
            self.ready.append(item)
            self.ready.sort(key=lambda each: each.offset)
            self._deliver()

    def _arrive(self, item: Item, count: int, consumer: Consumer) -> None:
        if not consumer.alive:
            return
        if consumer.cancelled:  # the client's library gives back what nobody looked at
            self.world.travel((consumer.client, "to"), lambda: self._give_back(item, count))
            return
        consumer.tags += 1
        tag = consumer.tags
        consumer.held[tag] = item
        columns = self._columns(item, consumer, tag) | self._marks(item, count)
        for later, op_type in enumerate(consumer.words):
            self.world.note(consumer.client, op_type, "deliver", "ok", **columns)
            self.world.rows[-1]["time_unix_nano"] += later
        work = self.chance.choice((5, 30, 60, 60, 2100 if self.timeout else 200)) * MS
        if self.patient and self.chance.random() < 0.4:
            work = 4200 * MS
            for _ in range(self.chance.randint(1, 3)):
                self.world.after(self.chance.randint(1, 4100) * MS, self._extend, item, consumer, tag)
        self.world.after(self.chance.randint(2, work), lambda: self._answer(item, count, consumer, tag))

    def _columns(self, item: Item, consumer: Consumer, tag: int) -> Row:
        columns: Row = {"message_id": item.name, "destination": "q", "client_id": consumer.client}
        columns |= {"consumer_id": consumer.name, "delivery_tag": tag, "subscription": self.subscription}
        return columns | ({"offset": item.offset} if self.system == "nats" else {})

    def _marks(self, item: Item, count: int) -> Row:
        if self.system == "rabbitmq":
            return {"redelivered": count > 1, "producer_seq": item.number}
        return {"delivery_count": count}

    # settles

    def _answer(self, item: Item, count: int, consumer: Consumer, tag: int) -> None:
        if not consumer.alive or tag not in consumer.held:
            return
        del consumer.held[tag]
        way = self.chance.choices(("ack", "requeue", "none"), (14, 2, 1 if self.timeout else 0))[0]
        columns = self._columns(item, consumer, tag) | {"settle": way}
        if way == "ack" and self.system == "rabbitmq" and self.chance.random() < 0.3:
            self._answer_all(item, consumer, tag, columns)
        elif way == "ack":
            self.world.note(consumer.client, "settle", "ack", "invoke", **columns)
            self.world.travel((consumer.client, "to"), lambda: self._acked(item, count, consumer, columns))
        elif way == "requeue":
            delay = self.chance.choice((0, 100, 400)) if self.system == "nsq" else 0
            self.world.note(consumer.client, "settle", "nack", "invoke", **columns, delay_ms=delay or None)
            back = lambda: self.world.after(delay * MS, lambda: self._give_back(item, count))  # noqa: E731
            self.world.travel((consumer.client, "to"), back)
        else:
            self.world.note(consumer.client, "settle", "drop", "invoke", **columns)

    def _extend(self, item: Item, consumer: Consumer, tag: int) -> None:
        """Ask for more time, in time or too late: then the broker does nothing."""
        if consumer.alive and tag in consumer.held:
            columns = self._columns(item, consumer, tag) | {"settle": "extend"}
            self.world.note(consumer.client, "settle", "extend", "invoke", **columns)
            self.world.travel((consumer.client, "to"), lambda: self._put_off(item, consumer))

    def _put_off(self, item: Item, consumer: Consumer) -> None:
        if self.timeout and item in self.pending and item.holder is consumer and not self.down:
            item.deadline = self.world.now + self.timeout

    def _answer_all(self, item: Item, consumer: Consumer, tag: int, columns: Row) -> None:
        """Acknowledge this delivery and all before it at once."""
        others = [consumer.held.pop(each) for each in sorted(consumer.held) if each < tag]
        self.world.note(consumer.client, "settle", "ack", "invoke", **columns, settle_multiple=True)
        for each in (item, *others):
            self.world.travel((consumer.client, "to"), partial(self._finish, each, each.count, consumer))

    def _finish(self, item: Item, count: int, consumer: Consumer) -> bool:
        """Whether the broker takes an acknowledgement: NATS takes a late one, too; NSQ asks who holds it."""
        in_time = self.pending.get(item) == count
        is_holder = self.system == "nsq" and item in self.pending and item.holder is consumer
        taken = in_time or is_holder or self.system == "nats"
        if taken:
            self.pending.pop(item, None)
            if item in self.ready:
                self.ready.remove(item)
            self._deliver()
        return taken

    def _acked(self, item: Item, count: int, consumer: Consumer, columns: Row) -> None:
        if self.down:
            return
        taken = self._finish(item, count, consumer)
        if self.system == "nats" and taken:
            self.world.travel((consumer.client, "from"), lambda: self._confirm(consumer, columns))

    def _confirm(self, consumer: Consumer, columns: Row) -> None:
        if consumer.alive:
            self.world.note(consumer.client, "settle", "ack", "ok", **columns)

    # disturbances

    def _disturb(self) -> None:
        victims = [each for each in self.consumers if each.listed]
        if self.system == "nats" and self.chance.random() < 0.4:
            self._lose_leader()
        elif victims and self.chance.random() < 0.6:
            self._kill(victims[0])
        elif victims and self.system == "rabbitmq":
            self._cancel(victims[0])

    def _kill(self, consumer: Consumer) -> None:
        about = {"client_id": consumer.client}
        self.world.note("ctl", "control", "kill", "invoke", **about)
        self.world.after(2 * MS, lambda: self._die(consumer))
        self.world.after(30 * MS, lambda: self.world.note("ctl", "control", "kill", "ok", **about))

    def _die(self, consumer: Consumer) -> None:
        consumer.alive = False
        noticed = self.chance.randint(1, 15) * MS
        if self.system != "nats":  # which knows no connection of a consumer, only timeouts
            self.world.travel(
                (consumer.client, "to"), lambda: self.world.after(noticed, self._forget, consumer)
            )
        else:
            consumer.listed = False

    def _forget(self, consumer: Consumer) -> None:
        consumer.listed = False
        for item, count in list(self.pending.items()):
            if item.holder is consumer:
                self._give_back(item, count)
        self._deliver()

    def _cancel(self, consumer: Consumer) -> None:
        about = {"client_id": consumer.client, "consumer_id": consumer.name, "destination": "q"}
        self.world.note(consumer.client, "control", "basic.cancel", "invoke", **about)
        consumer.cancelled = True

        def unlist() -> None:
            consumer.listed = False
            self._deliver()

        self.world.travel((consumer.client, "to"), unlist)
        if self.chance.random() < 0.5:
            self.world.after(self.chance.randint(1, 150) * MS, lambda: self._kill(consumer))

    def _lose_leader(self) -> None:
        """The leader dies. What it alone had heard is lost, and what is in flight comes again."""
        self.world.note("ctl", "control", "kill_broker", "invoke", broker_id="n1")
        self.world.after(1 * MS, lambda: setattr(self, "down", True))
        self.world.after(1200 * MS, self._elect)

    def _elect(self) -> None:
        self.world.note("ctl", "control", "leader_elected", "ok", broker_id="n2")
        self.down = False
        for item, count in list(self.pending.items()):
            self._give_back(item, count)
        self._deliver()
