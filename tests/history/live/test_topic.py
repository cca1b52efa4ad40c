"""A topic that is followed: with a broker that librdkafka plays itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.core.errors import HistoryError, UsageError
from angarium.history.intake.reasons import NOT_JSON
from angarium.history.live import written
from angarium.history.live.follow import follow
from angarium.history.live.progress import Progress
from angarium.history.live.topic import GONE, TopicPiece, of_address
from tests.history.live.streams import LIVE, PARAMETERS, alerts_in, expected
from tests.history.live.test_killed import many_files, stream
from tests.waiting import PATIENCE

confluent_kafka = pytest.importorskip("confluent_kafka")
TOPIC = "events"
IDLE = replace(LIVE, until_idle=2.0)


@pytest.fixture
def producer() -> Iterator[confluent_kafka.Producer]:
    """A producer with a cluster of its own."""
    made = confluent_kafka.Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "mock", "log_level": 0})
    yield made
    made.flush(PATIENCE)


def address(producer: confluent_kafka.Producer) -> str:
    (broker,) = producer.list_topics(timeout=PATIENCE).brokers.values()
    return f"kafka://{broker.host}:{broker.port}/{TOPIC}"


def send(producer: confluent_kafka.Producer, values: Iterator[bytes]) -> None:
    for value in values:
        producer.produce(TOPIC, value)
    assert producer.flush(PATIENCE) == 0


def test_what_is_sent_to_a_topic_is_judged_once_also_by_a_second_start(
    producer: confluent_kafka.Producer, tmp_path: Path
) -> None:
    files = list(many_files(seed=5))
    lines = [[json.dumps(row).encode() for row in file] for file in files]
    send(producer, (line for file in lines[:30] for line in file))
    source, checkpoint, told = address(producer), tmp_path / "checkpoint", list[Progress]()

    class EnoughError(Exception):
        pass

    def observer(progress: Progress) -> None:
        told.append(progress)
        if progress.accepted == sum(map(len, files[:30])):
            raise EnoughError  # as if it had been killed

    with pytest.raises(EnoughError):
        follow(source, checkpoint, PARAMETERS, IDLE, observer=observer)
    send(producer, iter([b"no event", b""]))
    send(producer, (line for file in lines[30:] for line in file))
    last = follow(source, checkpoint, PARAMETERS, IDLE)

    assert last.ended and last.accepted == len(stream())
    assert alerts_in(checkpoint) == expected(stream())
    assert last.quarantined == {NOT_JSON: 1}
    (row,) = written.read(checkpoint / "quarantine", last.batch)
    assert (row["raw"], row["reason"]) == ("no event", NOT_JSON)
    assert row["file"].startswith(f"{source}/") and row["line"] is not None


def test_messages_that_were_deleted_leave_nothing_certain() -> None:
    piece = TopicPiece("kafka://b:1/t/0", "t", [(7, b"{}")], gone=4)
    (nothing, refused), (batch, _) = piece.rows()
    assert nothing is None and batch is not None and batch.count == 1
    assert Counter((each.reason, each.value) for _, each in refused) == {(GONE, "4"): 1}


def test_a_broker_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.history.live.topic._PATIENCE", 0.5)
    with pytest.raises(HistoryError, match=r"cannot be followed at 127\.0\.0\.1:9"):
        follow("kafka://127.0.0.1:9/t", tmp_path, PARAMETERS, IDLE)


@pytest.mark.parametrize("wrong", ["kafka://", "kafka://host:1", "kafka://host:1/a/b"])
def test_an_address_without_a_topic_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="names no topic"):
        of_address(wrong)


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(UsageError, match="has a user"):
        of_address("kafka://me:s3cr3t@host:1/t")
