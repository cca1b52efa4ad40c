"""From settings to the models' parameters, and the changes that might mend what is violated."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from angarium.core.errors import ParameterError, SettingsError
from angarium.core.result import setting_text
from angarium.settings.kafka.catalogue import MOST
from angarium.settings.kafka.configuration import Configuration, configuration
from angarium.settings.kafka.translate import (
    SENSIBLE,
    changes,
    delivery_parameters,
    group_parameters,
    possible_changes,
)
from angarium.systems.registry import load

EXAMPLES = Path(__file__).parents[3] / "examples" / "kafka"


def conf(**overrides: str) -> Configuration:
    return configuration([], {"replication.factor": "3", **overrides})


def test_the_examples_become_these_parameters() -> None:
    files = [EXAMPLES / f"{name}.properties" for name in ("server", "producer", "consumer")]

    found = configuration(files, {})

    assert delivery_parameters(found) == {
        "brokers": "3",
        "partitions": "1",
        "messages": "2",
        "replication_factor": "3",
        "min_insync_replicas": "1",
        "acks": "leader",
        "unclean_election": "true",
        "eligible_leaders": "true",
        "retries": "2",
        "idempotence": "false",
        "max_in_flight": "5",
    }
    assert group_parameters(found) == {
        "records": "3",
        "commit": "after",
        "assignment": "range",
        "commit_on_revoke": "false",
        "auto_commit": "false",
        "offset_reset": "earliest",
        "max_poll_records": "2",
    }


@pytest.mark.parametrize(
    ("overrides", "parameter", "value"),
    [
        ({"acks": "0"}, "acks", "none"),
        ({"acks": "1"}, "acks", "leader"),
        ({"acks": "-1"}, "acks", "all"),
        ({"acks": "0", "retries": "5"}, "retries", "0"),
        ({"retries": "1"}, "retries", "1"),
        ({"retries": "100"}, "retries", "2"),
        ({"idempotence": "false", "max.in.flight": "50"}, "max_in_flight", "5"),
        ({"acks": "1", "min.isr": "5"}, "min_insync_replicas", "3"),
        ({"replication.factor": "5"}, "brokers", "5"),
        ({"partitions": "2"}, "partitions", "2"),
        ({"num.partitions": "12"}, "partitions", "1"),
        ({"eligible.leader.replicas.version": "0"}, "eligible_leaders", "false"),
        ({"messages": "3"}, "messages", "3"),
        ({"unclean_leader_election_enable": "true"}, "unclean_election", "true"),
    ],
)
def test_a_setting_becomes_a_parameter_of_delivery(
    overrides: dict[str, str], parameter: str, value: str
) -> None:
    assert delivery_parameters(conf(**overrides))[parameter] == value


@pytest.mark.parametrize(
    ("overrides", "parameter", "value"),
    [
        ({"assignment": "RoundRobinAssignor,RangeAssignor"}, "assignment", "round-robin"),
        ({"assignment": "sticky"}, "assignment", "sticky"),
        ({"assignment": "cooperative-sticky"}, "assignment", "cooperative-sticky"),
        ({"assignment": "cooperative-sticky,range"}, "assignment", "sticky"),
        ({"group.protocol": "consumer"}, "assignment", "cooperative-sticky"),
        ({}, "assignment", "range"),
        ({"max.poll.records": "1"}, "max_poll_records", "1"),
        ({}, "offset_reset", "latest"),
        ({"auto.offset.reset": "by_duration:PT1H"}, "offset_reset", "earliest"),
        ({"commit": "before"}, "commit", "before"),
        ({"enable.auto.offset.store": "true"}, "commit", "any-time"),
        ({}, "commit_on_revoke", "true"),
        ({}, "auto_commit", "true"),
        ({"group.protocol": "consumer"}, "auto_commit", "false"),
        ({"group.protocol": "consumer"}, "commit_on_revoke", "true"),
        ({"group.protocol": "consumer", "auto.commit": "false"}, "commit_on_revoke", "false"),
        ({"auto.commit": "false"}, "commit_on_revoke", "false"),
        ({"auto.commit": "false", "commit.on.revoke": "true"}, "commit_on_revoke", "true"),
    ],
)
def test_a_setting_becomes_a_parameter_of_the_group(
    overrides: dict[str, str], parameter: str, value: str
) -> None:
    assert group_parameters(conf(**overrides))[parameter] == value


def changed(found: Configuration) -> dict[str, set[str]]:
    result: dict[str, set[str]] = {}
    for change in possible_changes(found):
        result.setdefault(change.setting, set()).add(change.value)
    return result


def test_the_changes_of_a_careless_configuration() -> None:
    found = configuration(
        [],
        {"acks": "1", "unclean.leader.election.enable": "true", "commit": "before", "retries": "0"},
    )

    assert changed(found) == {
        "acks": {"all"},
        "replication.factor": {"3"},
        "unclean.leader.election.enable": {"false"},
        "max.in.flight.requests.per.connection": {"1"},
        "retries": {"2147483647"},
        "auto.offset.reset": {"earliest"},
        "commit": {"after"},
        "partition.assignment.strategy": {"cooperative-sticky"},
        "commit.on.revoke": {"true"},
    }


def test_a_change_differs_from_what_is_and_fits() -> None:
    found = conf(acks="1", retries="10")

    for change in possible_changes(found):
        after = found.with_changes({change.setting: change.value})
        assert found.values[change.setting].value != after.values[change.setting].value == change.value
        assert change.price


def test_nobody_is_advised_to_have_fewer_replicas() -> None:
    assert "replication.factor" not in changed(conf(**{"replication.factor": "4"}))
    assert "replication.factor" in changed(conf(**{"replication.factor": "2"}))


def test_what_the_models_cannot_tell_is_no_change() -> None:
    assert changed(conf(retries="7"))["retries"] == {"0"}


def test_to_send_nothing_again_comes_last_and_says_what_the_application_then_does() -> None:
    last = SENSIBLE[-1]

    assert (last.setting, last.value) == ("retries", "0")
    assert "the application must send the record again itself, and then may double it" in last.price


def test_what_needs_another_change_is_possible_only_with_it() -> None:
    found = conf(acks="1", idempotence="false")
    assert "enable.idempotence" not in changed(found)

    pairs = []
    for pair in combinations(changes(found), 2):
        try:
            found.with_changes({each.setting: each.value for each in pair})
        except SettingsError:
            continue
        pairs.append({each.setting for each in pair})

    assert {"acks", "enable.idempotence"} in pairs


# --- the models themselves ----------------------------------------------------------------------------

MODELS = {"kafka-delivery": delivery_parameters, "kafka-group": group_parameters}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"acks": "0", "retries": "0", "commit": "before"},
        {"replication.factor": "5", "min.isr": "5", "assignment": "round-robin"},
        {"brokers": "5", "messages": "4", "partitions": "3", "assignment": "cooperative-sticky"},
    ],
)
def test_a_model_takes_the_parameters(name: str, overrides: dict[str, str]) -> None:
    parameters = MODELS[name](conf(**overrides))

    system = load(name, parameters)

    assert {key: setting_text(value) for key, value in system.parameters if key in parameters} == parameters


@pytest.mark.parametrize("name", MOST)
def test_the_most_that_is_possible_is_the_most_that_the_model_has(name: str) -> None:
    most, parameter = MOST[name], name.replace(".", "_")

    assert load("kafka-delivery", {"brokers": "5", parameter: str(most)})
    with pytest.raises(ParameterError):
        load("kafka-delivery", {"brokers": "5", parameter: str(most + 1)})
