"""What Kafka refuses is refused, with what it says; what it takes is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import SettingsError
from angarium.settings.kafka.configuration import configuration

REPLICAS = {"replication.factor": "3"}


@pytest.mark.parametrize(
    ("overrides", "code", "says"),
    [
        ({"enable.idempotence": "true", "acks": "1"}, "ANG063", "needs acks=all, but acks=1 (--set)"),
        ({"enable.idempotence": "true", "retries": "0"}, "ANG063", "needs retries above 0"),
        ({"max.in.flight": "6"}, "ANG063", "is more than an idempotent producer may have"),
        ({"max.in.flight": "6", "acks": "1"}, "ANG063", "is more than an idempotent producer may have"),
        ({"transactional.id": "t", "idempotence": "false"}, "ANG063", "transactional.id=t (--set) needs"),
        (
            {"transactional.id": "t", "acks": "1"},
            "ANG063",
            "enable.idempotence=false (default, because acks=1)",
        ),
        ({"delivery.timeout.ms": "30004"}, "ANG063", "set delivery.timeout.ms to 30005 or more"),
        ({"heartbeat.interval.ms": "45000"}, "ANG063", "is not below session.timeout.ms=45000 (default)"),
        ({"session.timeout.ms": "3000"}, "ANG063", "heartbeat.interval.ms=3000 (default) is not below"),
        (
            {"group.protocol": "consumer", "session.timeout.ms": "9000"},
            "ANG063",
            "cannot be set with group.protocol",
        ),
        (
            {"group.protocol": "consumer", "assignment": "range"},
            "ANG063",
            "cannot be set with group.protocol",
        ),
        ({"group.remote.assignor": "range"}, "ANG063", "cannot be set with group.protocol=classic (default)"),
        ({"brokers": "2"}, "ANG063", "is more than there are brokers: brokers=2 (--set)"),
        ({"min.isr": "4"}, "ANG063", "is more than the topic has replicas: replication.factor=3"),
        ({"auto.commit": "true", "commit": "before"}, "ANG063", "the client commits itself (after)"),
        (
            {"enable.auto.offset.store": "true", "commit": "after"},
            "ANG063",
            "the client commits itself (any-time)",
        ),
        ({"auto.commit": "true", "commit.on.revoke": "false"}, "ANG063", "cannot be with enable.auto.commit"),
        ({"assignment": "com.example.Mine"}, "ANG064", "what com.example.Mine does is not known here"),
        ({"group.protocol": "consumer", "group.remote.assignor": "mine"}, "ANG064", "not known here"),
        ({"replication.factor": "6", "brokers": "5"}, "ANG063", "is more than there are brokers"),
        ({"replication.factor": "6"}, "ANG064", "replication.factor=6 (--set) is more than the model has"),
        ({"partitions": "64"}, "ANG064", "partitions=64 (--set) is more than the model has"),
        ({"messages": "9"}, "ANG064", "possible: 1 to 4"),
        ({"brokers": "6"}, "ANG064", "check with --set brokers=5"),
        ({"min.isr": "1", "min.insync.replicas": "2"}, "ANG063", "min.isr=1 and min.insync.replicas=2"),
        ({"acks": "1", "producer.acks": "1"}, "ANG063", "--set gives acks twice"),
    ],
)
def test_what_cannot_be_together_is_refused(overrides: dict[str, str], code: str, says: str) -> None:
    with pytest.raises(SettingsError) as error:
        configuration([], REPLICAS | overrides)

    assert error.value.code == code
    assert says in str(error.value)
    assert code != "ANG063" or "things are wrong" in str(error.value) or error.value.possible


@pytest.mark.parametrize(
    "overrides",
    [
        {"enable.idempotence": "true", "acks": "-1", "retries": "1", "max.in.flight": "5"},
        {"idempotence": "false", "max.in.flight": "100"},
        {"delivery.timeout.ms": "30005"},
        {"delivery.timeout.ms": "5", "linger.ms": "0", "request.timeout.ms": "5"},
        {"heartbeat.interval.ms": "44999"},
        {"group.protocol": "consumer", "group.remote.assignor": "range"},
        {"group.protocol": "classic", "session.timeout.ms": "9000", "assignment": "sticky,com.example.Mine"},
        {"brokers": "3"},
        {"num.partitions": "64"},
        {"min.isr": "3"},
        {"min.isr": "4", "acks": "1"},
        {"auto.commit": "true", "commit": "after"},
        {"auto.commit": "true", "enable.auto.offset.store": "false", "commit": "before"},
        {"transactional.id": "t", "enable.idempotence": "true"},
    ],
)
def test_what_kafka_takes_is_taken(overrides: dict[str, str]) -> None:
    assert configuration([], REPLICAS | overrides).values


def test_contradictions_are_told_together_and_where_they_are(tmp_path: Path) -> None:
    producer = tmp_path / "producer.properties"
    producer.write_text("enable.idempotence=true\nacks=1\nretries=0\n", encoding="utf-8")

    with pytest.raises(SettingsError) as error:
        configuration([producer], {"brokers": "2", **REPLICAS})

    text = str(error.value)
    assert "3 things are wrong with the settings" in text
    assert f"{producer}:2:6: enable.idempotence=true (producer.properties line 1) needs acks=all" in text
    assert f"{producer}:3:9" in text
    assert "brokers=2 (--set)" in text


def test_a_single_contradiction_has_its_place(tmp_path: Path) -> None:
    server = tmp_path / "server.properties"
    server.write_text("min.insync.replicas=2\n", encoding="utf-8")

    with pytest.raises(SettingsError) as error:
        configuration([server], {})

    assert error.value.place and error.value.place.line == 1
    assert "say how many replicas the topic has: --set replication.factor=3" in error.value.remedy
    assert "since then it quietly takes 1 instead" in error.value.possible
