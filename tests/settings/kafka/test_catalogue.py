"""The catalogue is complete and agrees with itself, and each kind of value takes what Kafka takes."""

from __future__ import annotations

import pytest

from angarium.settings.kafka.catalogue import ALIASES, CATALOGUE, SETTINGS, SHORT, plain
from angarium.settings.kafka.known_names import CONNECT, EVERY_NAME, FORMER, KNOWN, LIBRDKAFKA, is_known
from angarium.settings.setting import Scope

IN_NO_FILE = {"eligible.leader.replicas.version", "commit", "commit.on.revoke", "messages", "brokers"}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_is_a_possible_value_written_our_way(name: str) -> None:
    setting = SETTINGS[name]

    assert setting.default == "" or setting.kind.canonical(setting.default) == setting.default


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_says_what_it_becomes_or_why_it_does_not(name: str) -> None:
    setting = SETTINGS[name]

    assert setting.becomes or setting.why_not
    assert setting.what.endswith(".")
    assert setting.inherits in ("", *SETTINGS)


def test_the_scenarios_settings_are_the_only_ones_that_no_file_has() -> None:
    ours = {setting.name for setting in CATALOGUE if Scope.SCENARIO in setting.scopes}

    assert ours == IN_NO_FILE == set(SETTINGS) - EVERY_NAME


def test_a_setting_is_known_where_it_is_read() -> None:
    kafkas = [each for each in CATALOGUE if each.name not in IN_NO_FILE | LIBRDKAFKA]

    assert [each.name for each in kafkas for scope in each.scopes if each.name not in KNOWN[scope]] == []


def test_other_names_lead_to_settings() -> None:
    assert set(ALIASES.values()) | set(SHORT.values()) <= set(SETTINGS)
    assert not (set(ALIASES) | set(SHORT)) & set(SETTINGS)


def test_names_of_other_times_and_clients_are_not_those_of_today() -> None:
    todays = frozenset().union(*KNOWN.values())

    assert not todays & (FORMER | LIBRDKAFKA)
    assert len(EVERY_NAME) > 600
    assert {"zookeeper.connect", "log.dirs", "ssl.ca.location", "plugin.path"} <= EVERY_NAME
    assert "plugin.path" in CONNECT


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("acks", "all", "all"),
        ("acks", " -1 ", "all"),
        ("acks", "0", "0"),
        ("acks", "2", None),
        ("acks", "ALL", None),
        ("retries", "2147483647", "2147483647"),
        ("retries", "2147483648", None),
        ("retries", "-1", None),
        ("retries", "+3", "3"),
        ("retries", "many", None),
        ("retries", "1_000", None),
        ("retries", "٣", None),
        ("retries", "9" * 5000, None),
        ("min.insync.replicas", "0", None),
        ("min.insync.replicas", "02", "2"),
        ("enable.idempotence", "TRUE", "true"),
        ("enable.idempotence", "maybe", None),
        ("enable.idempotence", "1", None),
        ("isolation.level", "read_committed", "read_committed"),
        ("isolation.level", "READ_COMMITTED", None),
        ("group.protocol", "CONSUMER", "consumer"),
        ("transactional.id", "  ", None),
        ("auto.offset.reset", "earliest", "earliest"),
        ("auto.offset.reset", "by_duration:PT1H30M", "by_duration:PT1H30M"),
        ("auto.offset.reset", "by_duration:P1DT0.5S", "by_duration:P1DT0.5S"),
        ("auto.offset.reset", "by_duration:P", None),
        ("auto.offset.reset", "by_duration:P1DT", None),
        ("auto.offset.reset", "smallest", None),
        ("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor", "range"),
        ("partition.assignment.strategy", "class RoundRobinAssignor", "round-robin"),
        ("partition.assignment.strategy", "roundrobin, range", "round-robin,range"),
        ("partition.assignment.strategy", "com.example.RangeAssignor", "com.example.RangeAssignor"),
        ("partition.assignment.strategy", "Cooperative_Sticky", "cooperative-sticky"),
        ("partition.assignment.strategy", "range,", None),
        ("commit", "before", "before"),
        ("brokers", "0", None),
    ],
)
def test_a_value_is_read_as_kafka_reads_it(name: str, text: str, value: str | None) -> None:
    assert SETTINGS[name].kind.canonical(text) == value


def test_words_may_be_joined_by_anything() -> None:
    assert plain("Min_insync-replicas") == "min.insync.replicas"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("log.dirs", True),
        ("listener.name.internal.ssl.keystore.location", True),
        ("config.providers.vault.param.url", True),
        ("rsm.config.bucket", True),
        ("key.converter.schema.registry.url", True),
        ("listener.name", False),
        ("confluent.license", False),
    ],
)
def test_names_with_your_own_words_in_them_are_kafkas(name: str, known: bool) -> None:
    assert is_known(name) is known
