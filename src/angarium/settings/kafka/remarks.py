"""What an operator should know although nothing is wrong: what has no effect, and what is assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from angarium.settings.kafka.contradictions import STRATEGY, said
from angarium.settings.setting import Resolved

Values = Mapping[str, Resolved]

COOPERATIVE = "cooperative-sticky"


def remarks(values: Values) -> list[str]:
    """All that apply."""
    return [text for remark in _REMARKS for text in remark(values)]


def eager(strategies: str) -> bool:
    """Whether everybody gives up everything at a rebalance: if one assignor of the list wants it so."""
    return any(each != COOPERATIVE for each in strategies.split(","))


def _acknowledgements(values: Values) -> Iterator[str]:
    acks = values["acks"].value
    if acks != "all" and int(values["min.insync.replicas"].value) > 1:
        yield (
            f"{said(values, 'min.insync.replicas')} has no effect on what is acknowledged with acks={acks}: "
            "only acks=all waits for other replicas"
        )
    if acks == "0" and values["retries"].given and values["retries"].value != "0":
        yield f"{said(values, 'retries')} has no effect with acks=0: the producer learns of no failure"


def _changed_defaults(values: Values) -> Iterator[str]:
    idempotence = values["enable.idempotence"]
    if not idempotence.given and idempotence.value == "false":
        reason = idempotence.origin.removeprefix("default, because ")
        yield f"enable.idempotence is true by default, but Kafka turns it off without an error with {reason}"
    timeout = values["delivery.timeout.ms"]
    if not timeout.given and timeout.origin != "default":
        reason = timeout.origin.removeprefix("default, because ")
        yield f"delivery.timeout.ms is raised to {timeout.value}: {reason}"


def _replicas(values: Values) -> Iterator[str]:
    if not values["replication.factor"].given:
        yield (
            "nobody says how many replicas the topic has: Kafka's default is 1 (--set replication.factor=3 "
            "if there are more)"
        )
    least = values["min.insync.replicas"]
    eligible = values["eligible.leader.replicas.version"]
    if least.given and "server" in least.origin and eligible.value == "1":
        yield (
            f"{said(values, 'min.insync.replicas')}: with eligible leader replicas Kafka takes the value of "
            "the cluster, at first the active controller's: give it to controllers, or set it for the topic"
        )
    if eligible.origin == "default" and int(least.value) > 1:
        yield (
            "eligible leader replicas are taken to be on, as in clusters made with Kafka 4.1 or later "
            "(--set eligible.leader.replicas.version=0 if they are off)"
        )
    if values["offsets.topic.replication.factor"].value == "1":
        yield (
            f"{said(values, 'offsets.topic.replication.factor')}: with the one broker that has them, all "
            "committed offsets are lost, and the groups start at auto.offset.reset"
        )


def _transactions(values: Values) -> Iterator[str]:
    if values["transactional.id"].given:
        yield "transactional.id: the models have no transactions; the producer is checked as idempotent"
    elif values["isolation.level"].value == "read_committed":
        yield f"{said(values, 'isolation.level')} has no effect where no producer has a transactional.id"


def _commits(values: Values) -> Iterator[str]:
    auto, stores = values["enable.auto.commit"], values["enable.auto.offset.store"].value
    if values["commit"].given:
        return
    if auto.value == "false":
        yield (
            "the application commits itself: taken to do so after it has processed a record "
            "(--set commit=before if not)"
        )
    elif stores == "true":
        yield (
            "librdkafka with enable.auto.offset.store=true may commit a record before the application has "
            "processed it"
        )
    elif stores == "false":
        yield "the application stores offsets itself: taken to do so after it has processed a record"
    else:
        yield (
            "enable.auto.commit=true: taken to be the Java client, whose next poll() commits what the last "
            "one gave, and an application that has processed it by then (with librdkafka say "
            "--set enable.auto.offset.store=true)"
        )


def _revocations(values: Values) -> Iterator[str]:
    revoke = values["commit.on.revoke"]
    if not revoke.given and revoke.value == "false":
        yield (
            "the application is taken not to commit when a rebalance takes a partition away "
            "(--set commit.on.revoke=true if it does)"
        )


def _assignment(values: Values) -> Iterator[str]:
    strategies = values[STRATEGY].value
    if values["group.protocol"].value == "consumer":
        yield (
            "group.protocol=consumer: the broker assigns the partitions and moves only what must move, and "
            "a client that commits by itself does so before it gives one up; checked as cooperative-sticky"
        )
    elif strategies.startswith(COOPERATIVE) and eager(strategies):
        yield (
            f"{said(values, STRATEGY)}: rebalances stop everybody as long as the list has an assignor that "
            "is not cooperative; checked as sticky"
        )
    if values["group.instance.id"].given:
        yield "group.instance.id: a quick restart causes no rebalance; every crash that is checked does"


def _offset_reset(values: Values) -> Iterator[str]:
    reset = values["auto.offset.reset"].value
    if reset == "none":
        yield "auto.offset.reset=none: a group that has committed nothing stops; checked is one that reads"
    elif reset.startswith("by_duration"):
        yield f"{said(values, 'auto.offset.reset')}: checked as earliest, with a span that reaches far enough"


_REMARKS: tuple[Callable[[Values], Iterator[str]], ...] = (
    _acknowledgements,
    _changed_defaults,
    _replicas,
    _transactions,
    _commits,
    _revocations,
    _assignment,
    _offset_reset,
)
