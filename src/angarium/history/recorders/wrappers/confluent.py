"""confluent-kafka's producer and consumer, recorded.

Destination is the topic. A message's name is its header `message_id`, which the producer's wrapper adds if
there is none; a consumer names a message without it after its topic, partition and offset. A commit settles
what was received of a partition up to its offset, one event each: confirmed, if it is waited for, and else
only invoked. Offsets that librdkafka commits by itself are not seen.

The library does not tell which generation of the group an assignment is of, so that column is empty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from angarium.history.recorders.client import Recorder
from angarium.history.recorders.wrappers.wrapper import ID_HEADER, Names, Wrapper

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

_REFUSALS = {
    "_QUEUE_FULL", "_PURGE_QUEUE", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "MSG_SIZE_TOO_LARGE",
    "RECORD_LIST_TOO_LARGE", "TOPIC_AUTHORIZATION_FAILED", "INVALID_REQUIRED_ACKS",
}  # fmt: skip
"""Errors after which a message is surely not in the log; after any other it may be."""
_MOST_OPEN = 100_000
"""Deliveries of a partition of which it is remembered that they are not committed."""


def confluent_producer(producer: Producer, recorder: Recorder) -> ConfluentProducer:
    """The producer, with all that it sends recorded."""
    return ConfluentProducer(producer, recorder)


def confluent_consumer(consumer: Consumer, recorder: Recorder, *, group: str) -> ConfluentConsumer:
    """The consumer, with its assignments, and all that it receives and commits, recorded."""
    return ConfluentConsumer(consumer, recorder, group)


class ConfluentProducer(Wrapper):
    """A recorded producer."""

    def __init__(self, producer: Producer, recorder: Recorder) -> None:
        super().__init__(producer)
        self._recorder, self._names = recorder, Names()

    def produce(
        self,
        topic: str,
        value: Any = None,  # noqa: ANN401
        key: Any = None,  # noqa: ANN401
        *rest: Any,  # noqa: ANN401
        callback: Callable[..., Any] | None = None,
        on_delivery: Callable[..., Any] | None = None,
        headers: Any = None,  # noqa: ANN401
        **others: Any,  # noqa: ANN401
    ) -> None:
        pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or ())
        message_id = _id_in(pairs)
        if message_id is None:
            message_id = self._names()
            pairs.append((ID_HEADER, message_id.encode()))
        delivered = self._delivered(message_id, topic, on_delivery or callback)
        self._recorder.sent(message_id, topic, message_key=_text(key))
        try:
            self.wrapped.produce(topic, value, key, *rest, on_delivery=delivered, headers=pairs, **others)
        except BaseException as problem:  # it has not left this process
            self._recorder.failed(message_id, topic, type(problem).__name__, surely=True)
            raise

    def _delivered(self, message_id: str, topic: str, then: Callable[..., Any] | None) -> Callable[..., Any]:
        def recorded(error: Any, message: Any) -> None:  # noqa: ANN401
            if error is None:
                place = {"partition_id": str(message.partition()), "offset": message.offset()}
                self._recorder.confirmed(message_id, topic, **place)
            else:
                refused = error.name() in _REFUSALS
                self._recorder.failed(message_id, topic, error.name(), surely=refused)
            if then is not None:
                then(error, message)

        return recorded


class ConfluentConsumer(Wrapper):
    """A recorded consumer."""

    def __init__(self, consumer: Consumer, recorder: Recorder, group: str) -> None:
        super().__init__(consumer)
        self._recorder, self._group = recorder, group
        self._consumer = recorder.new_consumer()
        self._partitions: set[str] = set()
        self._open: dict[tuple[str, int], deque[tuple[int, str]]] = {}
        """Deliveries that are not committed: offset and name, by topic and partition."""

    def subscribe(
        self,
        topics: list[str],
        on_assign: Callable[..., Any] | None = None,
        on_revoke: Callable[..., Any] | None = None,
        on_lost: Callable[..., Any] | None = None,
        **others: Any,  # noqa: ANN401
    ) -> None:
        def assigned(consumer: object, partitions: list[Any]) -> None:
            self._partitions |= {_partition(each) for each in partitions}
            self._recorder.assigned(self._group, self._partitions, consumer_id=self._consumer)
            if on_assign is not None:
                on_assign(consumer, partitions)

        def gone(then: Callable[..., Any] | None) -> Callable[..., Any]:
            return lambda consumer, partitions: self._gone(consumer, partitions, then)

        self._consumer = self._recorder.new_consumer()
        for topic in topics:
            self._recorder.subscribed(topic, self._consumer, consumer_group=self._group)
        callbacks = {
            "on_assign": assigned,
            "on_revoke": gone(on_revoke),
            "on_lost": gone(on_lost or on_revoke),
        }
        self.wrapped.subscribe(topics, **callbacks, **others)

    def poll(self, *timeout: Any, **others: Any) -> Any:  # noqa: ANN401
        message = self.wrapped.poll(*timeout, **others)
        self._received([message] if message is not None else [])
        return message

    def consume(self, *limits: Any, **others: Any) -> Any:  # noqa: ANN401
        messages = self.wrapped.consume(*limits, **others)
        self._received(messages)
        return messages

    def commit(
        self,
        message: Any = None,  # noqa: ANN401
        offsets: list[Any] | None = None,
        asynchronous: bool = True,
    ) -> Any:  # noqa: ANN401
        given = {"message": message, "offsets": offsets}
        if asynchronous:
            for place, end in self._ends(message, offsets):
                self._committed(place, end, confirmed=False)
        what = {name: value for name, value in given.items() if value is not None}
        done = self.wrapped.commit(**what, asynchronous=asynchronous)
        for each in done or ():
            if each.error is None:
                self._committed((each.topic, each.partition), each.offset, confirmed=True)
        return done

    def close(self) -> None:
        self._recorder.unsubscribed(self._consumer)
        self.wrapped.close()

    def _gone(self, consumer: object, partitions: list[Any], then: Callable[..., Any] | None) -> None:
        gone = {_partition(each) for each in partitions}
        self._partitions -= gone
        for each in partitions:
            self._open.pop((each.topic, each.partition), None)
        self._recorder.revoked(self._group, gone, consumer_id=self._consumer)
        if self._partitions:  # what a member keeps is an assignment, too
            self._recorder.assigned(self._group, self._partitions, consumer_id=self._consumer)
        if then is not None:
            then(consumer, partitions)

    def _received(self, messages: Iterable[Any]) -> None:
        for each in messages:
            if each.error() is None:
                self._received_one(each)

    def _received_one(self, message: Any) -> None:  # noqa: ANN401
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        name = _id_in(message.headers() or ()) or f"{topic}/{partition}/{offset}"
        opened = self._open.setdefault((topic, partition), deque(maxlen=_MOST_OPEN))
        opened.append((offset, name))
        place = self._place(partition, offset)
        self._recorder.received(name, topic, message_key=_text(message.key()), **place)

    def _ends(self, message: Any, offsets: list[Any] | None) -> list[tuple[tuple[str, int], int]]:  # noqa: ANN401
        """Up to where a commit goes, of each partition that it is of."""
        if message is not None:
            return [((message.topic(), message.partition()), message.offset() + 1)]
        if offsets is not None:
            return [((each.topic, each.partition), each.offset) for each in offsets]
        return [(place, opened[-1][0] + 1) for place, opened in self._open.items() if opened]

    def _committed(self, place: tuple[str, int], end: int, *, confirmed: bool) -> None:
        opened = self._open.get(place, deque())
        while opened and opened[0][0] < end:
            offset, name = opened.popleft()
            fields = self._place(place[1], offset)
            self._recorder.settled(name, place[0], "ack", confirmed=confirmed, **fields)

    def _place(self, partition: int, offset: int) -> dict[str, Any]:
        return {
            "partition_id": str(partition),
            "offset": offset,
            "consumer_group": self._group,
            "consumer_id": self._consumer,
        }


def _partition(each: Any) -> str:  # noqa: ANN401
    return f"{each.topic}/{each.partition}"


def _id_in(headers: Iterable[tuple[str, Any]]) -> str | None:
    return next((_text(value) for name, value in headers if name == ID_HEADER), None)


def _text(value: Any) -> str | None:  # noqa: ANN401
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
