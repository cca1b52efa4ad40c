"""Which file is whose, which names are mistakes, and which are somebody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import SettingsError
from angarium.settings.kafka.configuration import Configuration, configuration

EXAMPLES = Path(__file__).parents[3] / "examples" / "kafka"


def conf(folder: Path, name: str, text: str, **overrides: str) -> Configuration:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return configuration([path], overrides)


def given_in(found: Configuration) -> dict[str, str]:
    return {each.setting.name: each.value for each in found.given}


def test_the_examples_are_read_without_a_complaint() -> None:
    found = configuration(
        [EXAMPLES / f"{name}.properties" for name in ("server", "producer", "consumer")], {}
    )

    assert found.ignored == ()
    assert found.values["acks"].value == "1"
    assert found.values["acks"].origin == "producer.properties line 10"
    assert found.values["replication.factor"].value == "3"
    assert found.values["unclean.leader.election.enable"].value == "true"


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("server.properties", "min.insync.replicas=2\ndefault.replication.factor=3", 2),
        ("broker-2.properties", "num.partitions=2", 1),
        ("controller.properties", "num.partitions=2", 1),
        ("orders-topic.properties", "replication.factor=3\npartitions=2", 2),
        ("my-producer.properties", "acks=1\nrequest.timeout.ms=1000", 2),
        ("consumer.properties", "request.timeout.ms=1000\nmax.poll.records=1", 1),
        ("server.properties", "request.timeout.ms=1000", 0),
        ("client.properties", "request.timeout.ms=1000\ngroup.id=g\nmax.poll.records=1", 1),
        ("client.properties", "request.timeout.ms=1000\nbatch.size=1\nacks=1", 2),
        ("app.properties", "acks=1\nmax.poll.records=1\nrequest.timeout.ms=1", 3),
        ("connect-distributed.properties", "producer.acks=1\nconsumer.max.poll.records=5\nacks=0", 2),
        ("connector.properties", "producer.override.acks=1", 1),
        ("mm2.properties", "eu.producer.acks=1\neu->us.consumer.isolation.level=read_committed", 2),
        ("server.properties", "producer.id.expiration.ms=1", 0),
        ("application.properties", "spring.kafka.producer.acks=1\nspring.kafka.consumer.group-id=g", 1),
    ],
)
def test_a_file_is_read_as_whose_it_is(tmp_path: Path, file: str, text: str, expected: int) -> None:
    assert len(conf(tmp_path, file, text).given) == expected


def test_a_name_in_the_wrong_file_has_no_effect_and_is_remarked(tmp_path: Path) -> None:
    found = conf(tmp_path, "server.properties", "acks=0\nreplication.factor=3")

    assert found.given == ()
    assert (
        "server.properties line 1: acks has no effect here: it is a producer's setting, "
        "which Kafka reads from producer.properties"
    ) in found.remarks
    assert any("a broker has default.replication.factor instead" in each for each in found.remarks)


@pytest.mark.parametrize(
    ("file", "name", "meant"),
    [
        ("server.properties", "min.insync.replica", "min.insync.replicas"),
        ("server.properties", "min_insync_replicas", "min.insync.replicas"),
        ("producer.properties", "ack", "acks"),
        ("producer.properties", "Enable.Idempotence", "enable.idempotence"),
        ("consumer.properties", "enable.autocommit", "enable.auto.commit"),
        ("any.properties", "unclean.leader.election.enabled", "unclean.leader.election.enable"),
        ("connect-x.properties", "producer.akcs", "producer.acks"),
    ],
)
def test_a_slip_is_an_error_at_its_place(tmp_path: Path, file: str, name: str, meant: str) -> None:
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, file, f"# one\n  {name}=2")

    assert error.value.code == "ANG061"
    assert f"did you mean {meant}?" in str(error.value)
    assert error.value.place and (error.value.place.line, error.value.place.column) == (2, 3)


def test_an_unknown_name_that_is_like_no_other_is_listed(tmp_path: Path) -> None:
    text = "confluent.license.topic=x\nlistener.name.internal.ssl.keystore.location=/x\nlog.dirs=z"

    found = conf(tmp_path, "server.properties", text)

    assert found.ignored == ("confluent.license.topic (server.properties line 1)",)


def test_a_name_is_shown_so_that_no_terminal_obeys_it(tmp_path: Path) -> None:
    found = conf(tmp_path, "server.properties", "my\\u001b[31m.name=1\nmy\\uD83D\\uDE00=2")
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, "producer.properties", "acks=\\u001b[31m")

    assert found.ignored[0] == "my\\u001b[31m.name (server.properties line 1)"
    assert found.ignored[1].startswith("my\U0001f600 ")
    assert "\x1b" not in str(error.value) and "acks cannot be \\u001b[31m" in str(error.value)


def test_what_does_not_bear_on_delivery_is_neither_kept_nor_shown(tmp_path: Path) -> None:
    found = conf(tmp_path, "producer.properties", "ssl.key.password=hunter2\nmy.password=hunter2")
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, "producer.properties", "ssl.key.pasword=hunter2")

    assert "hunter2" not in repr(found)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("file", "text", "possible"),
    [
        ("producer.properties", "acks=2", "0, 1, all, -1 (the same as all)"),
        ("server.properties", "min.insync.replicas=0", "a whole number from 1"),
        ("producer.properties", "enable.idempotence=maybe", "true or false"),
        ("producer.properties", "acks=", "0, 1, all"),
    ],
)
def test_an_impossible_value_is_an_error_at_its_place(
    tmp_path: Path, file: str, text: str, possible: str
) -> None:
    name, _, _ = text.partition("=")
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, file, text)

    assert error.value.code == "ANG062"
    assert f"{name} cannot be" in error.value.what
    assert possible in error.value.possible
    assert error.value.remedy.startswith("what it is for: ")
    assert error.value.place and error.value.place.column == len(name) + 2


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, "producer.properties", "ack=1\nretries=x", brokrs="3")

    assert "3 things are wrong" in str(error.value)
    assert all(each in str(error.value) for each in ("did you mean acks?", "retries cannot be x", "brokers?"))


def test_what_kafka_fills_in_must_be_given_by_hand(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="fills in") as error:
        conf(tmp_path, "producer.properties", "acks=${env:ACKS}")

    assert error.value.remedy == "give the value itself: --set acks=..."
    assert conf(tmp_path, "producer.properties", "acks=${env:ACKS}", acks="1").values["acks"].value == "1"


def test_a_name_that_is_given_twice_is_remarked(tmp_path: Path) -> None:
    found = conf(tmp_path, "producer.properties", "acks=1\nacks=0\nlinger.ms=1\nacks=all")

    assert found.values["acks"].value == "all"
    assert found.remarks[0] == "producer.properties: acks is given more than once; line 4 counts, not 1, 2"


def test_librdkafkas_names_are_understood(tmp_path: Path) -> None:
    found = conf(tmp_path, "producer.properties", "request.required.acks=-1\nmax.in.flight=1")

    assert given_in(found) == {"acks": "all", "max.in.flight.requests.per.connection": "1"}
    assert any("librdkafka's name for acks" in each for each in found.remarks)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("acks=ALL", "write it in lower case: acks=all"),
        ("acks=1 # leader", "comments stand on lines of their own: here write only acks=1"),
        ("retries=3 ! few", "comments stand on lines of their own: here write only retries=3"),
        ("acks=2 # more", "what it is for: "),
    ],
)
def test_what_was_probably_meant_is_said(tmp_path: Path, text: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as error:
        conf(tmp_path, "producer.properties", text)

    assert error.value.remedy.startswith(remedy)


@pytest.mark.parametrize("text", ["", "# acks=1\n", "my.own=1\n", "request.timeout.ms=1\nlog.dirs=/x"])
def test_a_file_that_gives_nothing_is_remarked(tmp_path: Path, text: str) -> None:
    remark = "server.properties: nothing in it bears on delivery"

    assert remark in conf(tmp_path, "server.properties", text).remarks
    assert remark not in conf(tmp_path, "server.properties", text + "\nnum.partitions=1").remarks
    assert remark not in conf(tmp_path, "server.properties", text + "\nacks=1").remarks


def test_a_file_whose_only_value_is_given_by_hand_is_not_without_effect(tmp_path: Path) -> None:
    found = conf(tmp_path, "producer.properties", "acks=${env:ACKS}", acks="1")

    assert found.remarks[0] == (
        "producer.properties line 1: what Kafka fills in is not known here; --set counts"
    )


def test_a_file_that_is_given_twice_is_read_once_where_it_comes_last(tmp_path: Path) -> None:
    first, second = tmp_path / "producer-1.properties", tmp_path / "producer-2.properties"
    first.write_text("acks=1\nmy.own=1", encoding="utf-8")
    second.write_text("acks=0", encoding="utf-8")

    found = configuration([first, second, tmp_path / "." / first.name], {})

    assert found.values["acks"].value == "1"
    assert found.ignored == ("my.own (producer-1.properties line 2)",)
    assert "producer-1.properties is given more than once: it is read once" in found.remarks


# --- older clusters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text", "remarked"),
    [
        ("server.properties", "zookeeper.connect=z:2181", True),
        ("server.properties", "inter.broker.protocol.version=3.9-IV0", True),
        ("server.properties", "zookeeper.connect=z\ninter.broker.protocol.version=3.9", True),
        ("server.properties", "inter.broker.protocol.version=0.11.0", True),
        ("server.properties", "inter.broker.protocol.version=4.0", False),
        ("consumer.properties", "zookeeper.connect=z:2181", False),
        ("server.properties", "process.roles=broker", False),
    ],
)
def test_an_older_cluster_is_remarked_once(tmp_path: Path, file: str, text: str, remarked: bool) -> None:
    def remarks(**overrides: str) -> list[str]:
        found = conf(tmp_path, file, text, **overrides).remarks
        return [each for each in found if "the answers are for Kafka 4.1 with KRaft" in each]

    assert len(remarks()) == remarked
    assert remarks(**{"eligible.leader.replicas.version": "0"}) == []


# --- Spring ---------------------------------------------------------------------------------------------


def test_springs_names_are_those_of_the_clients(tmp_path: Path) -> None:
    text = """
        spring.kafka.producer.acks=all
        spring.kafka.producer.transaction-id-prefix=tx-
        spring.kafka.producer.properties.enable.idempotence=true
        spring.kafka.consumer.auto-offset-reset=earliest
        spring.kafka.consumer.isolation-level=READ-COMMITTED
        spring.kafka.consumer.heartbeat-interval=3s
        spring.kafka.listener.ack-mode=record
    """

    found = conf(tmp_path, "application.properties", text)

    assert given_in(found) == {
        "acks": "all",
        "transactional.id": "tx-",
        "enable.idempotence": "true",
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
    assert [each.partition(" ")[0] for each in found.ignored] == [
        "spring.kafka.consumer.heartbeat-interval",
        "spring.kafka.listener.ack-mode",
    ]


def test_behind_springs_prefix_for_kafkas_own_names_a_slip_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"mean spring\.kafka\.producer\.properties\.acks\?"):
        conf(tmp_path, "application.properties", "spring.kafka.producer.properties.akcs=1")


@pytest.mark.parametrize(
    ("text", "overrides", "remarked"),
    [
        ("spring.kafka.consumer.group-id=g", {}, True),
        ("spring.kafka.consumer.enable-auto-commit=true", {}, False),
        ("spring.kafka.consumer.properties.enable.auto.commit=true", {}, False),
        ("spring.kafka.consumer.group-id=g", {"auto.commit": "false"}, False),
        ("spring.kafka.producer.acks=1", {}, False),
    ],
)
def test_who_commits_with_spring_is_remarked(
    tmp_path: Path, text: str, overrides: dict[str, str], remarked: bool
) -> None:
    found = conf(tmp_path, "application.properties", text, **overrides)

    assert any("Spring's listeners" in each for each in found.remarks) == remarked
