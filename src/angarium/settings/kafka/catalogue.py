"""Every setting of Kafka that bears on delivery: what it can be, what it is by default, what it becomes.

Types, ranges and defaults are those of the documentation of the version that `KAFKA_VERSION` names. The
settings of scope `scenario` are in no file: a cluster's features, what an application does, the model's size.
The reference page of the settings is made from this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from angarium.settings.setting import Flag, Scope, Setting, Text, Whole, Words

KAFKA_VERSION = "4.1"

DELIVERY = "kafka-delivery"
GROUP = "kafka-group"

MOST = {"replication.factor": 5, "partitions": 3, "messages": 4, "brokers": 5}
"""The models have no more."""

ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "round-robin",
    "StickyAssignor": "sticky",
    "CooperativeStickyAssignor": "cooperative-sticky",
}
"""Kafka's own, by their Java classes."""

_ASSIGNOR = {name.lower(): text for name, text in ASSIGNORS.items()} | {
    re.sub("[^a-z]", "", text): text for text in ASSIGNORS.values()
}


@dataclass(frozen=True, slots=True)
class Assignors:
    """A list of classes that assign partitions, or of their short names. Your own class stays as it is."""

    possible: str = (
        f"a list of {', '.join(ASSIGNORS.values())}, of their Java classes, or of your own classes"
    )

    def canonical(self, text: str) -> str | None:
        names = [each.strip().removeprefix("class ") for each in text.split(",")]
        if not all(re.fullmatch(r"[\w.$-]+", name) for name in names):
            return None
        return ",".join(self._short(name) for name in names)

    @staticmethod
    def _short(name: str) -> str:
        package, _, simple = name.rpartition(".")
        ours = package in ("", "org.apache.kafka.clients.consumer")
        key = re.sub("[^a-z]", "", simple.lower())
        return _ASSIGNOR.get(key, name) if ours else name


@dataclass(frozen=True, slots=True)
class OffsetReset:
    """Where a group starts that has no offset: a word, or a time span."""

    possible: str = (
        "earliest, latest, none, or by_duration: and an ISO 8601 duration, such as by_duration:PT1H"
    )

    def canonical(self, text: str) -> str | None:
        word = text.strip()
        span = re.fullmatch(r"by_duration:P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", word)
        return word if span or word in ("earliest", "latest", "none") else None


_MILLISECONDS = Whole()
_AT_ANY_MOMENT = (
    "it says how soon: in the models a wait ends when a fault ends it, at any moment, or not at all"
)

CATALOGUE: tuple[Setting, ...] = (
    Setting(
        "default.replication.factor",
        (Scope.BROKER,),
        Whole(1, 32767),
        "1",
        "How many brokers keep a copy of a topic that does not say so itself.",
        why_not="it is the value of replication.factor where a topic has none",
    ),
    Setting(
        "num.partitions",
        (Scope.BROKER,),
        Whole(1),
        "1",
        "How many partitions a topic has that does not say so itself.",
        why_not="it is the value of partitions where a topic has none",
    ),
    Setting(
        "min.insync.replicas",
        (Scope.TOPIC, Scope.BROKER),
        Whole(1),
        "1",
        "With acks=all: so many replicas must be in sync, or a write is refused.",
        f"{DELIVERY} min_insync_replicas",
    ),
    Setting(
        "unclean.leader.election.enable",
        (Scope.TOPIC, Scope.BROKER),
        Flag(),
        "false",
        "Whether a replica that lacks acknowledged records may lead when no other is left.",
        f"{DELIVERY} unclean_election",
    ),
    Setting(
        "eligible.leader.replicas.version",
        (Scope.SCENARIO,),
        Whole(0, 1),
        "1",
        "A feature level. 1: a replica out of sync may lead if it has all that is committed.",
        f"{DELIVERY} eligible_leaders",
    ),
    Setting(
        "offsets.topic.replication.factor",
        (Scope.BROKER,),
        Whole(1, 32767),
        "3",
        "How many brokers keep a copy of what the groups have committed.",
        why_not=f"{GROUP} takes what is committed to be safe",
    ),
    Setting(
        "broker.session.timeout.ms",
        (Scope.BROKER,),
        _MILLISECONDS,
        "9000",
        "How long a silent broker is taken to be alive.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "replica.lag.time.max.ms",
        (Scope.BROKER,),
        Whole(0, 2**63 - 1),
        "30000",
        "How long a follower may lag before it is no longer in sync.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "replication.factor",
        (Scope.TOPIC,),
        Whole(1, 32767),
        "1",
        "How many brokers keep a copy of the topic (an option of kafka-topics).",
        f"{DELIVERY} replication_factor, at most {MOST['replication.factor']}",
        inherits="default.replication.factor",
    ),
    Setting(
        "partitions",
        (Scope.TOPIC,),
        Whole(1),
        "1",
        "How many partitions the topic has (an option of kafka-topics).",
        f"{DELIVERY} partitions, if --set asks for more than one, at most {MOST['partitions']}: they share "
        "nothing that bears on delivery",
        inherits="num.partitions",
    ),
    Setting(
        "acks",
        (Scope.PRODUCER,),
        Words(("0", "1", "all"), also={"-1": "all"}),
        "all",
        "Who must have a record before it counts as sent: nobody, the leader, all replicas in sync.",
        f"{DELIVERY} acks",
    ),
    Setting(
        "retries",
        (Scope.PRODUCER,),
        Whole(),
        "2147483647",
        "How often a request is sent again when no answer came.",
        f"{DELIVERY} retries, two standing for more",
    ),
    Setting(
        "enable.idempotence",
        (Scope.PRODUCER,),
        Flag(),
        "true",
        "Whether brokers recognise what they already have, by producer and sequence number.",
        f"{DELIVERY} idempotence",
    ),
    Setting(
        "max.in.flight.requests.per.connection",
        (Scope.PRODUCER,),
        Whole(1),
        "5",
        "How many requests may be unanswered at once; later ones can overtake one that is sent again.",
        f"{DELIVERY} max_in_flight, five standing for more",
    ),
    Setting(
        "delivery.timeout.ms",
        (Scope.PRODUCER,),
        _MILLISECONDS,
        "120000",
        "When the producer gives a record up and tells the application.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "request.timeout.ms",
        (Scope.PRODUCER,),
        _MILLISECONDS,
        "30000",
        "How long the producer waits for an answer before it sends again.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "linger.ms",
        (Scope.PRODUCER,),
        _MILLISECONDS,
        "5",
        "How long a record waits for others to be sent with.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "transactional.id",
        (Scope.PRODUCER,),
        Text(),
        "",
        "Makes the producer transactional, which needs idempotence.",
        why_not="the models have no transactions",
    ),
    Setting(
        "enable.auto.commit",
        (Scope.CONSUMER,),
        Flag(),
        "true",
        "Whether the client commits by itself what it has given to the application.",
        f"{GROUP} auto_commit, commit and commit_on_revoke",
    ),
    Setting(
        "enable.auto.offset.store",
        (Scope.CONSUMER,),
        Flag(),
        "",
        "librdkafka: whether a record counts as processed as soon as the application has it.",
        f"{GROUP} commit",
    ),
    Setting(
        "auto.offset.reset",
        (Scope.CONSUMER,),
        OffsetReset(),
        "latest",
        "Where a group starts that has committed nothing: latest skips what is there.",
        f"{GROUP} offset_reset",
    ),
    Setting(
        "partition.assignment.strategy",
        (Scope.CONSUMER,),
        Assignors(),
        "range,cooperative-sticky",
        "Who gets which partition, and whether all stop at a rebalance; the first of the list counts.",
        f"{GROUP} assignment",
    ),
    Setting(
        "group.protocol",
        (Scope.CONSUMER,),
        Words(("classic", "consumer"), any_case=True),
        "classic",
        "Whether the group's leader assigns the partitions, or the broker.",
        f"{GROUP} assignment and auto_commit",
    ),
    Setting(
        "group.remote.assignor",
        (Scope.CONSUMER,),
        Text(),
        "",
        "With group.protocol=consumer: how the broker assigns the partitions, uniform or range.",
        f"{GROUP} assignment",
    ),
    Setting(
        "isolation.level",
        (Scope.CONSUMER,),
        Words(("read_uncommitted", "read_committed")),
        "read_uncommitted",
        "Whether records of transactions that were given up are read, too.",
        why_not="the models have no transactions",
    ),
    Setting(
        "max.poll.records",
        (Scope.CONSUMER,),
        Whole(1),
        "500",
        "How many records the application gets at once, and so how many a crash can touch.",
        f"{GROUP} max_poll_records, two standing for more",
    ),
    Setting(
        "max.poll.interval.ms",
        (Scope.CONSUMER,),
        Whole(1),
        "300000",
        "How long the application may work before its partitions are given to others.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "session.timeout.ms",
        (Scope.CONSUMER,),
        _MILLISECONDS,
        "45000",
        "How long a silent consumer keeps its partitions.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "heartbeat.interval.ms",
        (Scope.CONSUMER,),
        _MILLISECONDS,
        "3000",
        "How often a consumer says that it is alive.",
        why_not=_AT_ANY_MOMENT,
    ),
    Setting(
        "group.instance.id",
        (Scope.CONSUMER,),
        Text(),
        "",
        "A consumer with a name of its own keeps its partitions over a quick restart.",
        why_not=f"in {GROUP} a consumer that crashed does not come back under its name",
    ),
    Setting(
        "commit",
        (Scope.SCENARIO,),
        Words(("before", "after", "any-time")),
        "after",
        "Whether a record is committed before it is processed, after, or at any time once it is handed over.",
        f"{GROUP} commit",
    ),
    Setting(
        "commit.on.revoke",
        (Scope.SCENARIO,),
        Flag(),
        "false",
        "Whether what is processed is committed when a rebalance takes a partition away.",
        f"{GROUP} commit_on_revoke",
    ),
    Setting(
        "messages",
        (Scope.SCENARIO,),
        Whole(1),
        "2",
        "How many messages the producer sends.",
        f"{DELIVERY} messages, at most {MOST['messages']}",
    ),
    Setting(
        "brokers",
        (Scope.SCENARIO,),
        Whole(1),
        "3",
        "How many brokers there are; by default three, or as many as the topic has replicas.",
        f"{DELIVERY} brokers, at most {MOST['brokers']}",
    ),
)

SETTINGS: dict[str, Setting] = {setting.name: setting for setting in CATALOGUE}

ALIASES: dict[str, str] = {
    "request.required.acks": "acks",
    "message.send.max.retries": "retries",
    "max.in.flight": "max.in.flight.requests.per.connection",
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
}
"""librdkafka's other names for what Kafka calls otherwise."""

SHORT: dict[str, str] = {
    "min.isr": "min.insync.replicas",
    "unclean.leader.election": "unclean.leader.election.enable",
    "idempotence": "enable.idempotence",
    "max.in.flight.requests": "max.in.flight.requests.per.connection",
    "auto.commit": "enable.auto.commit",
    "offset.reset": "auto.offset.reset",
    "assignment": "partition.assignment.strategy",
    "assignment.strategy": "partition.assignment.strategy",
}
"""What people say on a command line."""


def plain(name: str) -> str:
    """A name with dots, however its words are joined: `min_insync_replicas` is `min.insync.replicas`."""
    return re.sub(r"[-_.]+", ".", name.strip()).lower()


def named(name: str) -> Setting | None:
    """The setting of this name, or of this other name."""
    return SETTINGS.get(ALIASES.get(name, name))
