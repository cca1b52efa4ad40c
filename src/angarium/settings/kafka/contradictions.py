"""What cannot be together, and what an operator should know although nothing is wrong.

*Contradictions* are settings with which Kafka does not start, or does not do what is written. Each rule
looks at the values that count and says what is wrong, or nothing. The rules are Kafka's own, as of the
version that the catalogue names, with what its clients answer; all that apply are reported together.
*Remarks* are about what has no effect, and what is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from angarium.core.errors import SettingsError
from angarium.settings.kafka.catalogue import ASSIGNORS, MOST
from angarium.settings.setting import OVERRIDE, Resolved

Values = Mapping[str, Resolved]
Rule = Callable[[Values], Iterator[SettingsError]]

IN_FLIGHT = "max.in.flight.requests.per.connection"
STRATEGY = "partition.assignment.strategy"


def contradictions(values: Values) -> list[SettingsError]:
    """Everything that does not fit together."""
    return [error for rule in RULES for error in rule(values)]


def text(values: Values, name: str) -> str:
    """A setting as a message shows it: `acks=1 (producer.properties line 3)`."""
    found = values[name]
    return f"{name}={found.value} ({found.origin})" if found.value else f"{name} is not set"


def _error(values: Values, name: str, what: str, kafka: str, remedy: str) -> SettingsError:
    return SettingsError("ANG063", what, possible=kafka, remedy=remedy, place=values[name].place)


def _idempotence(values: Values) -> Iterator[SettingsError]:
    asked = values["enable.idempotence"]
    if not (asked.given and asked.value == "true"):
        return
    idempotence = text(values, "enable.idempotence")
    for name, wrong, needs in (
        ("acks", values["acks"].value != "all", "acks=all"),
        ("retries", values["retries"].value == "0", "retries above 0"),
    ):
        if wrong:
            yield _error(
                values,
                name,
                f"{idempotence} needs {needs}, but {text(values, name)}",
                "Kafka: the producer does not start (ConfigException)",
                f"set {needs}, or leave enable.idempotence out: then it is off",
            )


def _too_many_in_flight(values: Values) -> Iterator[SettingsError]:
    """Since Kafka 4.0 also where idempotence is on only by default; acks=1 does not help."""
    asked = values["enable.idempotence"]
    if int(values[IN_FLIGHT].value) > 5 and not (asked.given and asked.value == "false"):
        yield _error(
            values,
            IN_FLIGHT,
            f"{text(values, IN_FLIGHT)} is more than an idempotent producer may have",
            "Kafka: the producer does not start (ConfigException), even if nobody asked for idempotence",
            f"set {IN_FLIGHT} to 5 or less, or say enable.idempotence=false",
        )


def _transactions(values: Values) -> Iterator[SettingsError]:
    if values["transactional.id"].given and values["enable.idempotence"].value == "false":
        yield _error(
            values,
            "transactional.id",
            f"{text(values, 'transactional.id')} needs idempotence, but {text(values, 'enable.idempotence')}",
            "Kafka: the producer does not start (ConfigException)",
            "turn idempotence on (acks=all, retries above 0), or remove transactional.id",
        )


def _delivery_timeout(values: Values) -> Iterator[SettingsError]:
    parts = ("linger.ms", "request.timeout.ms")
    least = sum(int(values[name].value) for name in parts)
    if int(values["delivery.timeout.ms"].value) < least:
        yield _error(
            values,
            "delivery.timeout.ms",
            f"{text(values, 'delivery.timeout.ms')} is less than "
            f"{' + '.join(text(values, name) for name in parts)}",
            "Kafka: the producer does not start (ConfigException): a record would be given up before its "
            "first request can be",
            f"set delivery.timeout.ms to {least} or more",
        )


def _heartbeat(values: Values) -> Iterator[SettingsError]:
    names = ("heartbeat.interval.ms", "session.timeout.ms")
    beat, session = (int(values[name].value) for name in names)
    if values["group.protocol"].value == "classic" and beat >= session:
        yield _error(
            values,
            names[0],
            f"{text(values, names[0])} is not below {text(values, names[1])}",
            "Kafka: the consumer does not start (IllegalArgumentException): it would be taken for dead "
            "between two signs of life",
            "set heartbeat.interval.ms to a third of session.timeout.ms",
        )


_ONLY_FOR = {
    "classic": ("group.remote.assignor",),
    "consumer": (STRATEGY, "heartbeat.interval.ms", "session.timeout.ms"),
}


def _group_protocol(values: Values) -> Iterator[SettingsError]:
    protocol = values["group.protocol"].value
    for name in _ONLY_FOR[protocol]:
        if values[name].given:
            yield _error(
                values,
                name,
                f"{text(values, name)} cannot be set with {text(values, 'group.protocol')}",
                "Kafka: the consumer does not start (ConfigException)",
                f"remove {name}, or choose the other protocol",
            )


def _replicas_and_brokers(values: Values) -> Iterator[SettingsError]:
    if int(values["replication.factor"].value) > int(values["brokers"].value):
        yield _error(
            values,
            "replication.factor",
            f"{text(values, 'replication.factor')} is more than there are brokers: {text(values, 'brokers')}",
            "Kafka: the topic cannot be created (InvalidReplicationFactorException)",
            "lower replication.factor, or say how many brokers there are: --set brokers=...",
        )


def _replicas_in_sync(values: Values) -> Iterator[SettingsError]:
    replicas, least = values["replication.factor"], values["min.insync.replicas"]
    if values["acks"].value != "all" or int(least.value) <= int(replicas.value):
        return
    known = "" if replicas.given else ", or say how many replicas the topic has: --set replication.factor=3"
    yield _error(
        values,
        "min.insync.replicas",
        f"{text(values, 'min.insync.replicas')} is more than the topic has replicas: "
        f"{text(values, 'replication.factor')}",
        f"Kafka before 3.7: every write with acks=all is refused (NotEnoughReplicas); since then it quietly "
        f"takes {replicas.value} instead, and you do not have the safety that you asked for",
        f"raise replication.factor, or lower min.insync.replicas{known}",
    )


def _commit(values: Values) -> Iterator[SettingsError]:
    """The client that commits by itself decides when."""
    if values["enable.auto.commit"].value == "false":
        return
    stores = values["enable.auto.offset.store"].value
    own = {"": "after", "true": "any-time", "false": values["commit"].value}[stores]
    if values["commit"].value != own:
        yield _error(
            values,
            "enable.auto.commit",
            f"{text(values, 'commit')} is for an application that commits itself, but "
            f"{text(values, 'enable.auto.commit')}: the client commits itself ({own})",
            "with the Java client the next poll() commits what the last one gave; librdkafka with "
            "enable.auto.offset.store=true commits what it has just handed over",
            "set enable.auto.commit=false, or leave commit out",
        )
    if values["commit.on.revoke"].value == "false":
        yield _error(
            values,
            "enable.auto.commit",
            f"{text(values, 'commit.on.revoke')} cannot be with {text(values, 'enable.auto.commit')}",
            "a client that commits by itself does so, too, when it gives a partition up",
            "set enable.auto.commit=false, or leave commit.on.revoke out",
        )


def _beyond_the_models(values: Values) -> Iterator[SettingsError]:
    first = values[STRATEGY].value.split(",")[0]
    remote = values["group.remote.assignor"].value
    if first not in ASSIGNORS.values():
        yield SettingsError(
            "ANG064",
            f"{text(values, STRATEGY)}: what {first} does is not known here",
            possible=f"possible: {', '.join(ASSIGNORS.values())}",
            remedy=f"check with the one that it is most like: --set {STRATEGY}=sticky",
            place=values[STRATEGY].place,
        )
    if remote not in ("", "uniform", "range"):
        yield SettingsError(
            "ANG064",
            f"{text(values, 'group.remote.assignor')}: what it does is not known here",
            possible="possible: uniform, range",
            remedy="check with the one that it is most like: --set group.remote.assignor=uniform",
            place=values["group.remote.assignor"].place,
        )


def _too_large(values: Values) -> Iterator[SettingsError]:
    for name, most in MOST.items():
        if int(values[name].value) > most and _counts(values, name):
            yield SettingsError(
                "ANG064",
                f"{text(values, name)} is more than the model has",
                possible=f"possible: 1 to {most}",
                remedy=f"check with --set {name}={most}",
                place=values[name].place,
            )


def _counts(values: Values, name: str) -> bool:
    """Whether the model gets it: partitions only if --set has them; brokers by default follow replicas."""
    return values[name].origin == OVERRIDE if name == "partitions" else values[name].given


RULES: tuple[Rule, ...] = (
    _idempotence,
    _too_many_in_flight,
    _transactions,
    _delivery_timeout,
    _heartbeat,
    _group_protocol,
    _replicas_and_brokers,
    _replicas_in_sync,
    _commit,
    _beyond_the_models,
    _too_large,
)


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
            f"{text(values, 'min.insync.replicas')} has no effect on what is acknowledged with acks={acks}: "
            "only acks=all waits for other replicas"
        )
    if acks == "0" and values["retries"].given and values["retries"].value != "0":
        yield f"{text(values, 'retries')} has no effect with acks=0: the producer learns of no failure"


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
            f"{text(values, 'min.insync.replicas')}: with eligible leader replicas Kafka takes the value of "
            "the cluster, at first the active controller's: give it to controllers, or set it for the topic"
        )
    if eligible.origin == "default" and int(least.value) > 1:
        yield (
            "eligible leader replicas are taken to be on, as in clusters made with Kafka 4.1 or later "
            "(--set eligible.leader.replicas.version=0 if they are off)"
        )
    if values["offsets.topic.replication.factor"].value == "1":
        yield (
            f"{text(values, 'offsets.topic.replication.factor')}: with the one broker that has them, all "
            "committed offsets are lost, and the groups start at auto.offset.reset"
        )


def _unused_transactions(values: Values) -> Iterator[str]:
    if values["transactional.id"].given:
        yield "transactional.id: the models have no transactions; the producer is checked as idempotent"
    elif values["isolation.level"].value == "read_committed":
        yield f"{text(values, 'isolation.level')} has no effect where no producer has a transactional.id"


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
            f"{text(values, STRATEGY)}: rebalances stop everybody as long as the list has an assignor that "
            "is not cooperative; checked as sticky"
        )
    if values["group.instance.id"].given:
        yield "group.instance.id: a quick restart causes no rebalance; every crash that is checked does"


def _offset_reset(values: Values) -> Iterator[str]:
    reset = values["auto.offset.reset"].value
    if reset == "none":
        yield "auto.offset.reset=none: a group that has committed nothing stops; checked is one that reads"
    elif reset.startswith("by_duration"):
        yield f"{text(values, 'auto.offset.reset')}: checked as earliest, with a span that reaches far enough"


_REMARKS: tuple[Callable[[Values], Iterator[str]], ...] = (
    _acknowledgements,
    _changed_defaults,
    _replicas,
    _unused_transactions,
    _commits,
    _revocations,
    _assignment,
    _offset_reset,
)
