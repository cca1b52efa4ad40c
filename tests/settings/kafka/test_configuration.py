"""The value that counts, where it comes from, and the defaults that depend on other settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import SettingsError
from angarium.settings.kafka.configuration import Configuration, configuration, find_setting


def conf(**overrides: str) -> Configuration:
    return configuration([], {"replication.factor": "3", **overrides})


def value(found: Configuration, name: str) -> tuple[str, str]:
    return found.values[name].value, found.values[name].origin


def write(folder: Path, **files: str) -> list[Path]:
    paths = [folder / f"{name}.properties" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_what_nobody_sets_is_kafkas_default() -> None:
    found = configuration([], {})

    assert value(found, "acks") == ("all", "default")
    assert value(found, "partition.assignment.strategy") == ("range,cooperative-sticky", "default")
    assert value(found, "transactional.id") == ("", "default")


def test_a_topic_counts_before_its_broker_whichever_file_comes_first(tmp_path: Path) -> None:
    topic, server = write(
        tmp_path,
        topic="min.insync.replicas=2\nreplication.factor=3",
        server="min.insync.replicas=1\ndefault.replication.factor=2\nunclean.leader.election.enable=true",
    )

    for files in ([topic, server], [server, topic]):
        found = configuration(files, {})
        assert value(found, "min.insync.replicas") == ("2", "topic.properties line 1")
        assert value(found, "replication.factor") == ("3", "topic.properties line 2")
        assert value(found, "unclean.leader.election.enable") == ("true", "server.properties line 3")


def test_a_topic_has_its_brokers_number_of_replicas(tmp_path: Path) -> None:
    found = configuration(write(tmp_path, server="default.replication.factor=2"), {})

    assert value(found, "replication.factor") == ("2", "server.properties line 1, default.replication.factor")


def test_overrides_count_before_files(tmp_path: Path) -> None:
    files = write(tmp_path, producer="acks=1", server="min.insync.replicas=1", topic="min.insync.replicas=1")

    found = configuration(files, {"acks": "0", "min_insync_replicas": "2", "replication.factor": "3"})

    assert value(found, "acks") == ("0", "--set")
    assert value(found, "min.insync.replicas") == ("2", "--set")


def test_of_several_files_the_last_counts_and_a_difference_is_remarked(tmp_path: Path) -> None:
    files = write(tmp_path, server_1="default.replication.factor=3", server_2="default.replication.factor=2")

    found = configuration(files, {})

    assert value(found, "default.replication.factor")[0] == "2"
    assert (
        "default.replication.factor is 3 (server_1.properties line 1), then 2 (server_2.properties line 1): "
        "the last counts"
    ) in found.remarks


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("acks", "acks"),
        ("min_insync_replicas", "min.insync.replicas"),
        ("min-isr", "min.insync.replicas"),
        ("producer.acks", "acks"),
        ("broker.session.timeout.ms", "broker.session.timeout.ms"),
        ("max-in-flight", "max.in.flight.requests.per.connection"),
        ("idempotence", "enable.idempotence"),
        ("replication_factor", "replication.factor"),
        ("assignment", "partition.assignment.strategy"),
        ("commit-on-revoke", "commit.on.revoke"),
    ],
)
def test_a_name_on_the_command_line_is_understood(word: str, name: str) -> None:
    assert find_setting(word).name == name


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("min.insync.replica", "did you mean min.insync.replicas?"),
        ("xyzzy", "possible: acks, "),
        ("log.dirs", "does not bear on delivery"),
    ],
)
def test_a_name_that_is_no_setting_is_an_error(word: str, says: str) -> None:
    with pytest.raises(SettingsError) as error:
        configuration([], {word: "1"})

    assert error.value.code == "ANG061"
    assert says in str(error.value)


# --- defaults that depend on other settings -----------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({}, ("true", "default")),
        ({"acks": "-1"}, ("true", "default")),
        ({"acks": "1"}, ("false", "default, because acks=1")),
        ({"acks": "0"}, ("false", "default, because acks=0")),
        ({"retries": "0"}, ("false", "default, because retries=0")),
        ({"idempotence": "false"}, ("false", "--set")),
        ({"transactional.id": "t"}, ("true", "default")),
    ],
)
def test_idempotence_is_on_unless_something_rules_it_out(
    overrides: dict[str, str], expected: tuple[str, str]
) -> None:
    found = conf(**overrides)

    assert value(found, "enable.idempotence") == expected
    assert any("turns it off" in each for each in found.remarks) == expected[1].startswith("default, because")


def test_an_unset_delivery_timeout_is_raised() -> None:
    found = conf(**{"request.timeout.ms": "200000"})

    assert value(found, "delivery.timeout.ms")[0] == "200005"
    assert any("delivery.timeout.ms is raised to 200005" in each for each in found.remarks)


@pytest.mark.parametrize(
    ("overrides", "commit", "on_revoke", "auto"),
    [
        ({}, "after", "true", "true"),
        ({"enable.auto.commit": "false"}, "after", "false", "false"),
        ({"commit": "before"}, "before", "false", "false"),
        ({"commit": "after", "commit.on.revoke": "true"}, "after", "true", "false"),
        ({"commit.on.revoke": "false"}, "after", "false", "false"),
        ({"enable.auto.offset.store": "true"}, "any-time", "true", "true"),
        ({"enable.auto.offset.store": "false"}, "after", "true", "true"),
        ({"enable.auto.offset.store": "true", "enable.auto.commit": "false"}, "after", "false", "false"),
    ],
)
def test_who_commits_and_when(overrides: dict[str, str], commit: str, on_revoke: str, auto: str) -> None:
    found = conf(**overrides)

    names = ("commit", "commit.on.revoke", "enable.auto.commit")
    assert tuple(found.values[name].value for name in names) == (commit, on_revoke, auto)


@pytest.mark.parametrize(("replicas", "brokers"), [("1", "3"), ("3", "3"), ("5", "5")])
def test_there_are_brokers_for_all_replicas(replicas: str, brokers: str) -> None:
    assert conf(**{"replication.factor": replicas}).values["brokers"].value == brokers


# --- remarks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "remark"),
    [
        (
            {"acks": "1", "min.isr": "2"},
            "min.insync.replicas=2 (--set) has no effect on what is acknowledged",
        ),
        ({"acks": "0", "retries": "3"}, "retries=3 (--set) has no effect with acks=0"),
        ({"isolation.level": "read_committed"}, "has no effect where no producer has a transactional.id"),
        ({"transactional.id": "t"}, "the models have no transactions"),
        ({"enable.auto.commit": "false"}, "the application commits itself: taken to do so after"),
        ({"enable.auto.commit": "false"}, "taken not to commit when a rebalance"),
        ({"enable.auto.commit": "true"}, "taken to be the Java client"),
        ({"enable.auto.offset.store": "true"}, "may commit a record before the application has processed it"),
        ({"enable.auto.offset.store": "false"}, "the application stores offsets itself"),
        ({"group.protocol": "consumer"}, "checked as cooperative-sticky"),
        ({"assignment": "cooperative-sticky,range"}, "checked as sticky"),
        ({"group.instance.id": "c1"}, "a quick restart causes no rebalance"),
        ({"auto.offset.reset": "none"}, "a group that has committed nothing stops"),
        ({"auto.offset.reset": "by_duration:PT1H"}, "checked as earliest"),
        ({"offsets.topic.replication.factor": "1"}, "all committed offsets are lost"),
        ({"min.insync.replicas": "2"}, "eligible leader replicas are taken to be on"),
    ],
)
def test_what_an_operator_should_know_is_remarked(overrides: dict[str, str], remark: str) -> None:
    unremarkable = {"commit": "after", "commit.on.revoke": "true", "auto.offset.reset": "earliest"}

    assert any(remark in each for each in conf(**overrides).remarks)
    assert conf(**unremarkable).remarks == ()


def test_nobody_says_how_many_replicas_there_are() -> None:
    remark = "nobody says how many replicas the topic has"

    assert any(remark in each for each in configuration([], {}).remarks)
    assert not any(remark in each for each in conf().remarks)


# --- changes --------------------------------------------------------------------------------------------


def test_a_change_counts_before_everything_and_leaves_the_rest(tmp_path: Path) -> None:
    files = write(tmp_path, producer="acks=1\nacks=1\nmy.own=1", server="default.replication.factor=3")
    before = configuration(files, {"acks": "0"})

    after = before.with_changes({"acks": "all", "min_insync_replicas": "2"})

    assert value(after, "acks") == ("all", "changed")
    assert value(after, "enable.idempotence") == ("true", "default")
    assert value(before, "acks") == ("0", "--set")
    assert after.ignored == before.ignored == ("my.own (producer.properties line 3)",)
    assert before.remarks[0] == after.remarks[0]
    assert value(after.with_changes({"acks": "1"}), "acks") == ("1", "changed")


def test_a_change_that_cannot_be_is_an_error() -> None:
    with pytest.raises(SettingsError, match="needs acks=all"):
        conf(acks="1").with_changes({"enable.idempotence": "true"})
