"""A topic of Kafka's as the source of a stream: each message is an event of the schema, as a JSON object.

How far the topic was read stands in the progress of the audit, by partition, and not at the broker: so it is
one with what was found, and messages are judged once, whatever dies. No group is joined, and nothing is
committed. Messages that were deleted before they were read are noticed, and leave nothing certain.

A batch is all that is in the partitions when it begins: if one was read further than another, what is behind
would look as if it came late.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from angarium.core.errors import HistoryError, UsageError
from angarium.core.extras import demand
from angarium.history.intake import json_lines
from angarium.history.intake.reasons import LONGEST
from angarium.history.intake.rules import Refused
from angarium.history.intake.text import Lines
from angarium.history.live.arrivals import Rows
from angarium.history.live.settings import StoppedError
from angarium.history.live.sources import Fresh

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

SCHEME = "kafka"
GONE = "messages were deleted before they were read"
_AT_ONCE = 10_000
_WAIT = 0.2
"""Seconds for which a look at an empty topic waits."""
_PATIENCE = 30.0
"""Seconds within which a broker must answer."""
_LOOK = 10.0
"""Seconds after which it is looked whether the topic has more partitions."""


@dataclass(frozen=True)
class TopicPiece:
    """Some messages of a partition."""

    name: str
    run: str
    """The topic's name."""
    messages: Sequence[tuple[int, bytes]]
    """Offsets and values."""
    gone: int = 0
    """So many before them were deleted."""

    def rows(self) -> Iterator[Rows]:
        if self.gone:
            yield None, [(0, Refused(0, None, GONE, value=str(self.gone)))]
        yield from Lines(Path(self.name), 0, 0, json_lines.row_of).batches(self._lines())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Line ends within a message are blanks."""
        for offset, value in self.messages:
            yield offset, value.replace(b"\n", b" ").replace(b"\r", b" ")

    def lines(self, places: Collection[int]) -> Mapping[int, tuple[int, str]]:
        """The offsets of rows."""
        full = [(offset, value) for offset, value in self.messages if value.strip()]
        shown = {place: full[place] for place in places}
        return {
            place: (offset, value.decode(errors="replace").strip()[:LONGEST])
            for place, (offset, value) in shown.items()
        }


@dataclass
class TopicSource:
    """A topic."""

    address: str
    position: dict[str, int]
    """The offset of the next message, by partition."""
    stop: threading.Event
    ended: bool = False
    """Somebody may always send more."""
    _gone: dict[str, int] = field(default_factory=dict)
    _looked: float = float("-inf")
    _ahead: list[Message] = field(default_factory=list)
    """Messages that came when the batch before had begun already."""

    def __post_init__(self) -> None:
        demand("kafka")
        from confluent_kafka import Consumer

        self.brokers, self.topic = of_address(self.address)
        self._failed: Any = None
        self.consumer: Consumer = Consumer(
            {
                "bootstrap.servers": self.brokers, "group.id": "angarium", "enable.auto.commit": False,
                "auto.offset.reset": "error", "enable.partition.eof": True, "log_level": 0,
                "error_cb": self._fails,
            }
        )  # fmt: skip
        self._assigned: set[str] = set()

    def _fails(self, problem: object) -> None:
        self._failed = problem

    def fresh(self) -> Fresh | None:
        """Messages that were not read."""
        if time.monotonic() - self._looked > _LOOK:
            self._look()
        ends = {each: max(self._range(each)[1], self.position[each]) for each in self._assigned}
        if ends == self.position and not self._gone:
            return None
        begin, self.position = self.position, dict(ends)
        return Fresh(chain(self._deleted(), self._until(begin, ends)), ends)

    def _deleted(self) -> Iterator[TopicPiece]:
        for partition, count in self._gone.items():
            yield TopicPiece(f"{self.address}/{partition}", self.topic, (), count)
        self._gone = {}

    def _until(self, begin: Mapping[str, int], ends: Mapping[str, int]) -> Iterator[TopicPiece]:
        """The messages of all partitions up to where they end."""
        left = {each for each in ends if begin[each] < ends[each]}
        came, coming, self._ahead = time.monotonic(), self._ahead, []
        while left:
            taken: dict[str, list[tuple[int, bytes]]] = {}
            for message in coming or self._next():
                partition, offset = str(message.partition()), message.offset() or 0
                if message.error() or offset >= ends[partition] - 1:  # the last offset may be of no message
                    left.discard(partition)
                if not message.error() and offset < ends[partition]:
                    taken.setdefault(partition, []).append((offset, message.value() or b""))
                elif not message.error():
                    self._ahead.append(message)
                came = time.monotonic()
            coming = []
            for partition, messages in taken.items():
                yield TopicPiece(f"{self.address}/{partition}", self.topic, messages)
            if self.stop.is_set():
                raise StoppedError
            if time.monotonic() - came > _PATIENCE:
                raise self._error(self._failed or "no messages come")

    def _next(self) -> list[Message]:
        """Some messages, and the ends of partitions."""
        from confluent_kafka import KafkaError

        some = self.consumer.consume(_AT_ONCE, _WAIT)
        for message in some:
            problem = message.error()
            if problem is not None and problem.code() != KafkaError._PARTITION_EOF:
                raise self._error(problem)
        return some

    # --- partitions -------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Take every partition of the topic from where it was read to."""
        from confluent_kafka import TopicPartition

        partitions = self._partitions()
        if partitions - self._assigned:
            for partition in sorted(partitions - self._assigned, key=int):
                self._begin(partition)
            self._assigned = partitions
            places = [TopicPartition(self.topic, int(each), self.position[each]) for each in partitions]
            self.consumer.assign(places)
        self._looked = time.monotonic()

    def _partitions(self) -> set[str]:
        from confluent_kafka import KafkaException

        try:
            topics = self.consumer.list_topics(self.topic, timeout=_PATIENCE).topics
        except KafkaException as problem:
            raise self._error(self._failed or problem.args[0]) from None
        found = topics[self.topic]
        if found.error is not None:
            raise self._error(found.error)
        return {str(each) for each in found.partitions}

    def _begin(self, partition: str) -> None:
        """Begin with a partition: where it was read to, or where it begins now, if that is later."""
        low, _ = self._range(partition)
        read = self.position.get(partition, low)
        if read < low:
            self._gone[partition] = low - read
        self.position[partition] = max(read, low)

    def _range(self, partition: str) -> tuple[int, int]:
        """Where a partition begins, and where it ends."""
        from confluent_kafka import KafkaException, TopicPartition

        try:
            place = TopicPartition(self.topic, int(partition))
            found = self.consumer.get_watermark_offsets(place, timeout=_PATIENCE)
        except KafkaException as problem:
            raise self._error(problem.args[0]) from None
        if found is None:
            raise self._error(self._failed or "no broker answers")
        return found

    def _error(self, problem: object) -> HistoryError:
        return HistoryError(
            "ANG133",
            f"the topic {self.topic} cannot be followed at {self.brokers}: {problem}",
            possible="possible: a topic that is there, at brokers that can be reached",
            remedy="correct the address, or start the broker; the same command goes on from where it was",
        )

    def close(self) -> None:
        """Let go of the brokers."""
        self.consumer.close()


def of_address(address: str) -> tuple[str, str]:
    """The brokers and the topic of an address."""
    parts = urlsplit(address)
    topic = parts.path.strip("/")
    if not parts.netloc or not topic or "/" in topic or "@" in parts.netloc:
        what = "has a user, which Kafka's addresses have not" if "@" in parts.netloc else "names no topic"
        raise UsageError(
            "ANG013",
            f"{address} {what}",
            possible="possible: kafka://HOST:PORT/TOPIC, or several HOST:PORT with commas between them",
            remedy="give the address of a broker, and behind it the topic",
        )
    return parts.netloc, topic
