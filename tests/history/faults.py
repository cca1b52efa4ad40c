"""Faults, put into histories of correct brokers: each makes one, and says what must be found.

A fault may imply others: who gets a message that is not his may hold too many by it. These are named with it;
anything else that is found is a mistake of the rules.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from tests.history.generated import numbered
from tests.history.generated_world import MS, Row


@dataclass(frozen=True)
class Fault:
    """A history with a fault, and what an audit must say of it."""

    name: str
    rows: list[Row]
    guarantee: str
    kind: str
    message: str | None = None
    consumer: str | None = None


@dataclass(frozen=True)
class Injector:
    """How to make a fault, in histories of which systems, and which guarantees it may break besides."""

    name: str
    guarantee: str
    kind: str
    systems: tuple[str, ...]
    spoil: Callable[[Rows], tuple[str | None, str | None] | None]
    """Changes rows, and gives the message and the consumer; None if the history offers no place for it."""
    implies: tuple[str, ...] = ()

    def inject(self, rows: list[Row], seed: int) -> Fault | None:
        spoiled = Rows(copy.deepcopy(rows), random.Random(f"{self.name} {seed}"))
        found = self.spoil(spoiled)
        if found is None:
            return None
        rows = spoiled.rows if self.kind == "gap" else numbered(spoiled.rows)
        return Fault(self.name, rows, self.guarantee, self.kind, *found)


class Rows:
    """The rows of a history, with words to find and change them."""

    def __init__(self, rows: list[Row], chance: random.Random) -> None:
        self.rows = rows
        self.chance = chance

    def where(self, *op_types: str, **columns: object) -> list[Row]:
        return [
            row
            for row in self.rows
            if (not op_types or row["op_type"] in op_types)
            and all(row.get(name) == value for name, value in columns.items())
        ]

    def shuffled(self, *op_types: str, **columns: object) -> list[Row]:
        rows = self.where(*op_types, **columns)
        self.chance.shuffle(rows)
        return rows

    def remove(self, unwanted: list[Row]) -> None:
        gone = {id(row) for row in unwanted}
        self.rows = [row for row in self.rows if id(row) not in gone]

    def of(self, message: str) -> list[Row]:
        """What consumers saw and did of a message."""
        return self.where("receive", "process", "settle", message_id=message)

    def deliveries(self, message: str) -> list[Row]:
        """Its deliveries; a `process` that belongs to a `receive` aside."""
        seen = self.where("receive", "process", message_id=message)
        both = {row["recorder"] for row in seen if row["op_type"] == "receive"}
        return [row for row in seen if row["op_type"] == "receive" or row["recorder"] not in both]

    def peaceful(self) -> Iterator[Row]:
        """Deliveries of messages that were sent and confirmed once, delivered once and acknowledged."""
        for row in self.shuffled("receive", "process"):
            message = row["message_id"]
            sends = [send["phase"] for send in self.where("send", message_id=message)]
            settles = [
                (each["settle"], each.get("settle_multiple"))
                for each in self.where("settle", message_id=message)
            ]
            is_marked = row.get("redelivered") or row.get("delivery_count", 1) > 1
            calm = not is_marked and sends == ["invoke", "ok"] and settles and set(settles) == {("ack", None)}
            if calm and len(self.deliveries(message)) == 1 and row is self.deliveries(message)[0]:
                yield row

    def acknowledged(self, message: str) -> int:
        """When a consumer says that it is done with a message."""
        return int(min(row["time_unix_nano"] for row in self.where("settle", message_id=message)))

    def is_quiet(self, row: Row, until: int) -> bool:
        """Whether nothing ends, dies or moves from some time before a row until then."""
        since = row["time_unix_nano"] - 200 * MS
        troubles = [
            each for each in self.where("control", "group") if each["op_name"] not in ("subscribe", "declare")
        ]
        return not any(since <= each["time_unix_nano"] <= until + 6000 * MS for each in troubles)

    def give_to(self, row: Row, consumer: str) -> None:
        row["client_id"] = row["recorder"] = consumer.split(".")[0]
        row["consumer_id"] = consumer


Found = tuple[str | None, str | None] | None


def _loss(rows: Rows) -> Found:
    for row in rows.peaceful():
        rows.remove(rows.of(row["message_id"]))
        return row["message_id"], None
    return None


def _held(rows: Rows) -> Found:
    """While one consumer has it, it goes to the same once more."""
    for row in rows.peaceful():
        acked = rows.acknowledged(row["message_id"])
        if rows.is_quiet(row, acked) and acked - row["time_unix_nano"] > 10 * MS:
            again = row | {"time_unix_nano": (row["time_unix_nano"] + acked) // 2, "op_type": "receive"}
            rows.rows.append(again | _marks(row))
            return row["message_id"], row["consumer_id"]
    return None


def _marks(row: Row) -> Row:
    """What a broker says of a second delivery."""
    return {"redelivered": True} if "redelivered" in row else {"delivery_count": 2}


def _after_ack(rows: Rows) -> Found:
    for row in rows.peaceful():
        acked = rows.acknowledged(row["message_id"])
        if rows.is_quiet(row, acked):
            rows.rows.append(row | {"time_unix_nano": acked + 150 * MS, "op_type": "receive"} | _marks(row))
            return row["message_id"], row["consumer_id"]
    return None


def _swapped(rows: Rows, one: Row, other: Row) -> bool:
    """Whether two messages of a consumer could be given in the other order: both were sent before either."""
    first, second = sorted((one, other), key=lambda row: row["time_unix_nano"])
    names = (first["message_id"], second["message_id"])
    sent = max(row["time_unix_nano"] for name in names for row in rows.where("send", message_id=name))
    if sent + 150 * MS * ("clock_domain" in one) >= first["time_unix_nano"]:
        return False
    told = [(row, names[1 - names.index(name)]) for name in names for row in rows.of(name)]
    whats = {
        row["message_id"]: {key: row.get(key) for key in ("offset", "producer_seq")}
        for row in (first, second)
    }
    for row, name in told:
        row |= {"message_id": name} | {key: value for key, value in whats[name].items() if value is not None}
    return True


def _pairs(rows: Rows, *same: str) -> Iterator[tuple[Row, Row]]:
    """Two peaceful deliveries, one after the other, that agree in some columns."""
    calm = sorted(rows.peaceful(), key=lambda row: row["time_unix_nano"])
    pairs = [
        (one, other)
        for place, one in enumerate(calm)
        for other in calm[place + 1 :]
        if all(one.get(name) == other.get(name) for name in same)
    ]
    rows.chance.shuffle(pairs)
    return iter(pairs)


def _reorder(rows: Rows) -> Found:
    for one, other in _pairs(rows, "consumer_id"):
        first_of = [row["message_id"].split("-")[0] for row in (one, other)]
        if first_of[0] == first_of[1] and _swapped(rows, one, other):
            return other["message_id"], other["consumer_id"]
    return None


def _two_active(rows: Rows) -> Found:
    """Of the messages of the second consumer, one goes to the first."""
    if not rows.where("control", single_active=True):
        return None
    consumers = list(dict.fromkeys(row["consumer_id"] for row in rows.where("receive", "process")))
    for row in rows.peaceful():
        seen = [
            each["time_unix_nano"]
            for each in rows.where("receive", "process", consumer_id=row["consumer_id"])
        ]
        if consumers.index(row["consumer_id"]) == 1 and row["time_unix_nano"] > min(seen) + 150 * MS:
            for each in rows.of(row["message_id"]):
                rows.give_to(each, consumers[0])
            return None, consumers[0]
    return None


def _over_credit(rows: Rows) -> Found:
    """A consumer had asked for one message at a time."""
    for one, other in _pairs(rows, "consumer_id"):
        acked = rows.acknowledged(one["message_id"])
        if other["time_unix_nano"] < acked and rows.is_quiet(one, acked):
            for row in rows.where("control", "flow", consumer_id=one["consumer_id"]):
                row |= {key: 1 for key in ("prefetch", "credit") if key in row}
            return other["message_id"], other["consumer_id"]
    return None


def _never_sent(rows: Rows) -> Found:
    for row in rows.peaceful():
        rows.remove(rows.where("send", message_id=row["message_id"]))
        return row["message_id"], row["consumer_id"]
    return None


def _failed_send(rows: Rows) -> Found:
    for row in rows.peaceful():
        for send in rows.where("send", message_id=row["message_id"], phase="ok"):
            send["phase"] = "fail"
        return row["message_id"], row["consumer_id"]
    return None


def _skip(rows: Rows) -> Found:
    for row in rows.peaceful():
        same = {key: row[key] for key in ("partition_id", "consumer_id", "generation")}
        offsets = [each["offset"] for each in rows.where("receive", **same)]
        sent = max(each["time_unix_nano"] for each in rows.where("send", message_id=row["message_id"]))
        later = [
            each["time_unix_nano"] for each in rows.where("receive", **same) if each["offset"] > row["offset"]
        ]
        if min(offsets) < row["offset"] < max(offsets) and sent < min(later):
            rows.remove(rows.of(row["message_id"]))
            return row["message_id"], row["consumer_id"]
    return None


def _two_values(rows: Rows) -> Found:
    for row in rows.peaceful():
        for each in rows.of(row["message_id"]):
            each["message_id"] = "other"
        return None, None
    return None


def _two_offsets(rows: Rows) -> Found:
    for row in rows.peaceful():
        for each in rows.of(row["message_id"]):
            each["offset"] += 1000
        return row["message_id"], None
    return None


def _nonmonotonic(rows: Rows) -> Found:
    for one, other in _pairs(rows, "consumer_id", "partition_id", "generation"):
        if _swapped(rows, one, other):
            return other["message_id"], other["consumer_id"]
    return None


def _too_many(rows: Rows) -> Found:
    counts = {row["delivery_count"]: row for row in rows.where("receive", "process")}
    most = max(counts)
    if most < 2:
        return None
    for row in rows.where("control", op_name="declare"):
        row["max_deliveries"] = most - 1
    return None, counts[most]["consumer_id"]


def _late(rows: Rows) -> Found:
    """All that happens to a message after its requeue comes twelve seconds later."""
    for requeue in rows.shuffled("settle", settle="requeue"):
        message, since = requeue["message_id"], requeue["time_unix_nano"]
        later = [row for row in rows.of(message) if row["time_unix_nano"] > since]
        others = [row for row in rows.where("receive", "process") if row["message_id"] != message]
        is_busy = any(row["time_unix_nano"] > since + 900 * MS for row in others)
        if (
            len(rows.deliveries(message)) == 2
            and is_busy
            and any(row["op_type"] != "settle" for row in later)
        ):
            for row in later:
                row["time_unix_nano"] += 12_000 * MS
            return message, requeue["consumer_id"]
    return None


def _not_assigned(rows: Rows) -> Found:
    for row in rows.peaceful():
        for each in rows.of(row["message_id"]):
            rows.give_to(each, "m9")
        return row["message_id"], "m9"
    return None


def _stale_generation(rows: Rows) -> Found:
    """A member never hears that it has lost a partition, and gets something from it once more."""
    for row in rows.peaceful():
        member, partition = row["consumer_id"], f"t/{row['partition_id']}"
        takers = [
            assign
            for assign in rows.where("group", op_name="assign")
            if assign["generation"] > row["generation"] and partition in assign["partitions"]
        ]
        if takers and all(taker["consumer_id"] != member for taker in takers):
            moves = rows.where("group", consumer_id=member)
            rows.remove([each for each in moves if each["time_unix_nano"] > row["time_unix_nano"]])
            at = takers[0]["time_unix_nano"] + 220 * MS
            rows.rows.append(row | {"time_unix_nano": at})
            return row["message_id"], member
    return None


def _uneven(rows: Rows) -> Found:
    last = max(row["generation"] for row in rows.where("group", op_name="assign"))
    shares = rows.where("group", op_name="assign", generation=last)
    if len(shares) < 2:
        return None
    shares[0]["partitions"] = [*shares[0]["partitions"], *(f"u/{number}" for number in range(5))]
    return None, None


def _not_stored(rows: Rows) -> Found:
    for row in rows.peaceful():
        place = {"partition_id": row["partition_id"], "offset": row["offset"]}
        stores = rows.where("replica", **place, broker_id="n2")
        rows.remove(stores)
        return row["message_id"], None
    return None


def _gap(rows: Rows) -> Found:
    recorder = rows.chance.choice(rows.rows)["recorder"]
    numbers = sorted(row["seq"] for row in rows.where(recorder=recorder))
    if len(numbers) < 2:
        return None
    after = rows.chance.choice(numbers[:-1])
    for row in rows.where(recorder=recorder):
        row["seq"] += 2 * (row["seq"] > after)
    return None, None


QUEUES = ("rabbitmq", "nsq", "nats")
ALL = (*QUEUES, "kafka")
KAFKA = ("kafka",)
RABBITMQ = ("rabbitmq",)
AGAIN = ("flow-control", "one-active-consumer")
"""Who gets a message that he should not get may hold too many, or be active though another is."""

INJECTORS = (
    Injector("loss", "no-loss", "lost", ALL, _loss, ("consistent-offsets",)),
    Injector("duplicate while held", "no-duplicates", "held", QUEUES, _held, AGAIN),
    Injector("duplicate after ack", "duplicates-after-ack", "after-ack", QUEUES, _after_ack, AGAIN),
    Injector("reorder", "order", "inversion", ("rabbitmq", "nats"), _reorder, ("consistent-offsets", *AGAIN)),
    Injector("two active", "one-active-consumer", "two-active", RABBITMQ, _two_active, ("flow-control",)),
    Injector("over credit", "flow-control", "over-credit", ("rabbitmq", "nsq"), _over_credit),
    Injector("never sent", "no-phantom", "never-sent", ALL, _never_sent),
    Injector("failed send", "no-phantom", "failed-send", ALL, _failed_send),
    Injector("skipped offset", "consistent-offsets", "skip", KAFKA, _skip, ("no-loss",)),
    Injector("two values", "consistent-offsets", "two-values", KAFKA, _two_values, ("no-loss", "no-phantom")),
    Injector("two offsets", "consistent-offsets", "two-offsets", KAFKA, _two_offsets),
    Injector("polls back", "consistent-offsets", "nonmonotonic-poll", KAFKA, _nonmonotonic, ("order",)),
    Injector("too many retries", "bounded-retries", "too-many", ("nats",), _too_many),
    Injector("late redelivery", "redelivery-time", "late", ("rabbitmq", "nsq"), _late, AGAIN),
    Injector("not assigned", "ownership", "not-assigned", KAFKA, _not_assigned, ("one-active-consumer",)),
    Injector(
        "stale generation", "ownership", "stale-generation", KAFKA, _stale_generation,
        ("one-active-consumer", "duplicates-after-ack", "no-duplicates", "balance"),
    ),
    Injector("uneven", "balance", "uneven", KAFKA, _uneven),
    Injector("replica not stored", "acks-all", "not-stored", KAFKA, _not_stored),
    Injector("gap", "complete-log", "gap", ALL, _gap),
)  # fmt: skip


def faults(injector: Injector, histories: dict[str, list[list[Row]]], each: int) -> list[Fault]:
    """Some faults of a kind in every system's histories; not every history has a place for every fault."""
    found: list[Fault] = []
    for system in injector.systems:
        made = (injector.inject(rows, seed) for seed, rows in enumerate(histories[system]))
        found += islice(filter(None, made), each)
    return found
