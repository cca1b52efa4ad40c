"""From settings to the parameters of the models, and to the changes that might mend what is violated.

The models are small, and their ranges are: two retries stand for any larger number, since two messages and a
few faults need no more to go wrong, and two records of a poll for five hundred.
"""

from __future__ import annotations

from dataclasses import dataclass

from angarium.core.errors import SettingsError
from angarium.settings.kafka.configuration import Configuration
from angarium.settings.kafka.contradictions import COOPERATIVE, IN_FLIGHT, STRATEGY, eager
from angarium.settings.setting import OVERRIDE

_ACKS = {"0": "none", "1": "leader", "all": "all"}


def delivery_parameters(configuration: Configuration) -> dict[str, str]:
    """The parameters of kafka-delivery: the producer, the brokers and what they replicate."""
    values = {name: found.value for name, found in configuration.values.items()}
    replicas = int(values["replication.factor"])
    asked = configuration.values["partitions"].origin == OVERRIDE
    return {
        "brokers": values["brokers"],
        "partitions": values["partitions"] if asked else "1",
        "messages": values["messages"],
        "replication_factor": values["replication.factor"],
        "min_insync_replicas": _at_most(replicas, values["min.insync.replicas"]),
        "acks": _ACKS[values["acks"]],
        "unclean_election": values["unclean.leader.election.enable"],
        "eligible_leaders": "true" if values["eligible.leader.replicas.version"] == "1" else "false",
        "retries": "0" if values["acks"] == "0" else _at_most(2, values["retries"]),
        "idempotence": values["enable.idempotence"],
        "max_in_flight": _at_most(5, values[IN_FLIGHT]),
    }


def group_parameters(configuration: Configuration) -> dict[str, str]:
    """The parameters of kafka-group: consumers that share partitions and commit what they have processed."""
    values = {name: found.value for name, found in configuration.values.items()}
    return {
        "records": "3",  # one more than a poll takes, or nothing could be overtaken
        "commit": values["commit"],
        "assignment": _assignment(values),
        "commit_on_revoke": values["commit.on.revoke"],
        "auto_commit": _commits_only_when_it_joins(values),
        "offset_reset": "latest" if values["auto.offset.reset"] == "latest" else "earliest",
        "max_poll_records": _at_most(2, values["max.poll.records"]),
    }


def _at_most(limit: int, text: str) -> str:
    return str(min(limit, int(text)))


def _assignment(values: dict[str, str]) -> str:
    """The first assignor of the list; a cooperative one among others that are not stops everybody, too."""
    if values["group.protocol"] == "consumer":
        return COOPERATIVE
    first = values[STRATEGY].split(",")[0]
    return "sticky" if first == COOPERATIVE and eager(values[STRATEGY]) else first


def _commits_only_when_it_joins(values: dict[str, str]) -> str:
    """The classic client's way to commit by itself. That of group.protocol=consumer (KIP-848) commits
    whenever it is about to give a partition up, as an application's rebalance listener does: commit_on_revoke
    is true for it as for every client that commits by itself."""
    return values["enable.auto.commit"] if values["group.protocol"] == "classic" else "false"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting with another value, and what that costs."""

    setting: str
    value: str
    price: str


SENSIBLE = (
    Change("acks", "all", "a write waits for all replicas in sync"),
    Change("min.insync.replicas", "2", "writes are refused while only one replica is in sync"),
    Change("min.insync.replicas", "1", "a write may be acknowledged that only the leader has"),
    Change("replication.factor", "3", "three copies of everything on disk and on the network"),
    Change(
        "unclean.leader.election.enable",
        "false",
        "a partition is unavailable until a replica in sync is back",
    ),
    Change("unclean.leader.election.enable", "true", "a leader may lack records that were acknowledged"),
    Change("eligible.leader.replicas.version", "1", "hardly anything; clusters made before Kafka 4.1 have 0"),
    Change("enable.idempotence", "true", "hardly anything, but acks=all and retries are needed, too"),
    Change(IN_FLIGHT, "1", "one request at a time: less throughput"),
    Change("retries", "2147483647", "without idempotence a record that is sent again may be stored twice"),
    Change("auto.offset.reset", "earliest", "a group without offsets reads the whole log"),
    Change("commit", "after", "what was being processed at a crash is processed again"),
    Change("commit", "before", "what was being processed at a crash is skipped"),
    Change("enable.auto.offset.store", "false", "the application must store each offset when it is done"),
    Change(STRATEGY, COOPERATIVE, "rebalances take a second round, and every member must have it"),
    Change("commit.on.revoke", "true", "the application needs a rebalance listener that commits"),
    Change(
        "retries",
        "0",
        "after one failed request the application must send the record again itself, and then may double it",
    ),
)
"""What is tried as a remedy. The last only moves the fault into the application."""


def changes(configuration: Configuration) -> list[Change]:
    """All that would change something, whether or not Kafka would start with them alone."""
    return [each for each in SENSIBLE if _changes(configuration.values[each.setting].value, each)]


def _changes(present: str, change: Change) -> bool:
    """Nobody wants fewer replicas than there are."""
    fewer = change.setting == "replication.factor" and int(present) > int(change.value)
    return present not in ("", change.value) and not fewer


def possible_changes(configuration: Configuration) -> list[Change]:
    """The single changes with which everything still fits together, and which the models can tell."""
    return [each for each in changes(configuration) if _tells(configuration, each)]


def _tells(configuration: Configuration, change: Change) -> bool:
    try:
        changed = configuration.with_changes({change.setting: change.value})
    except SettingsError:
        return False
    return _parameters(changed) != _parameters(configuration)


def _parameters(configuration: Configuration) -> dict[str, str]:
    return delivery_parameters(configuration) | group_parameters(configuration)
