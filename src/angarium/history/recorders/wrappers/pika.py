"""pika's blocking channel, recorded.

A message's destination is its exchange and routing key, for that is what both ends know of it; on the default
exchange it is the queue. The queue that it is read from is the subscription. Messages that were dead-lettered
come with a routing key that nobody sent them with: they are noted as observed, and not followed.

An acknowledgement in AMQP is never confirmed, so it is only invoked. A publish is confirmed on channels with
`confirm_delivery`; elsewhere its outcome is not known. What a cancelled consumer had fetched and never
looked at is never noted as received.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from angarium.history.recorders.client import Recorder
from angarium.history.recorders.wrappers.wrapper import Names, Wrapper

if TYPE_CHECKING:
    from pika import BasicProperties
    from pika.adapters.blocking_connection import BlockingChannel

_REFUSED = ("UnroutableError", "NackError")
"""Exceptions of a publish that say that the broker does not have the message."""


def pika_channel(channel: BlockingChannel, recorder: Recorder) -> PikaChannel:
    """The channel, with all that passes through it recorded."""
    return PikaChannel(channel, recorder)


class PikaChannel(Wrapper):
    """A recorded channel; callbacks get it instead of the channel that it wraps."""

    def __init__(self, channel: BlockingChannel, recorder: Recorder) -> None:
        super().__init__(channel)
        self._recorder, self._names = recorder, Names()
        self._confirms, self._prefetch = False, 0
        self._open: dict[int, dict[str, Any]] = {}
        """Deliveries that are not settled, by their tags."""
        self._consumers: dict[str, str] = {}
        """The names of consumers, by their tags."""

    def confirm_delivery(self) -> None:
        self.wrapped.confirm_delivery()
        self._confirms = True

    def basic_publish(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        properties: BasicProperties | None = None,
        mandatory: bool = False,
    ) -> None:
        properties = _named(properties, self._names)
        message = properties.message_id, _destination(exchange, routing_key)
        self._recorder.sent(*message)
        try:
            self.wrapped.basic_publish(exchange, routing_key, body, properties, mandatory)
        except BaseException as problem:
            refused = type(problem).__name__ in _REFUSED
            self._recorder.failed(*message, type(problem).__name__, surely=refused)
            raise
        if self._confirms:
            self._recorder.confirmed(*message)
        else:
            self._recorder.failed(*message, "no confirmation was asked for", surely=False)

    def basic_qos(self, prefetch_size: int = 0, prefetch_count: int = 0, global_qos: bool = False) -> None:
        self.wrapped.basic_qos(prefetch_size, prefetch_count, global_qos)
        if not global_qos:  # one that is for the whole channel limits no single consumer
            self._prefetch = prefetch_count

    def basic_consume(
        self,
        queue: str,
        on_message_callback: Callable[..., Any],
        auto_ack: bool = False,
        **others: Any,  # noqa: ANN401
    ) -> str:
        def recorded(_channel: object, method: Any, properties: Any, body: bytes) -> None:  # noqa: ANN401
            self._received(queue, self._consumers.get(tag), method, properties, auto_ack)
            on_message_callback(self, method, properties, body)

        tag: str = self.wrapped.basic_consume(queue, recorded, auto_ack, **others)
        self._subscribed(queue, tag, auto_ack)
        return tag

    def consume(self, queue: str, auto_ack: bool = False, **others: Any) -> Iterator[Any]:  # noqa: ANN401
        consumer = f"consume {queue}"
        for method, properties, body in self.wrapped.consume(queue, auto_ack, **others):
            if consumer not in self._consumers:
                self._subscribed(queue, consumer, auto_ack)
            if method is not None:
                self._received(queue, self._consumers[consumer], method, properties, auto_ack)
            yield method, properties, body

    def basic_get(self, queue: str, auto_ack: bool = False) -> Any:  # noqa: ANN401
        method, properties, body = self.wrapped.basic_get(queue, auto_ack)
        if method is not None:
            consumer = self._consumers.setdefault(f"get {queue}", self._recorder.new_consumer())
            self._received(queue, consumer, method, properties, auto_ack)
        return method, properties, body

    def basic_ack(self, delivery_tag: int = 0, multiple: bool = False) -> None:
        self._settled("ack", delivery_tag, multiple)
        self.wrapped.basic_ack(delivery_tag, multiple)

    def basic_nack(self, delivery_tag: int = 0, multiple: bool = False, requeue: bool = True) -> None:
        self._settled("requeue" if requeue else "reject", delivery_tag, multiple)
        self.wrapped.basic_nack(delivery_tag, multiple, requeue)

    def basic_reject(self, delivery_tag: int = 0, requeue: bool = True) -> None:
        self._settled("requeue" if requeue else "reject", delivery_tag, multiple=False)
        self.wrapped.basic_reject(delivery_tag, requeue)

    def basic_cancel(self, consumer_tag: str) -> Any:  # noqa: ANN401
        if consumer := self._consumers.pop(consumer_tag, None):
            self._recorder.record("control", "basic.cancel", "invoke", consumer_id=consumer)
        return self.wrapped.basic_cancel(consumer_tag)

    def cancel(self) -> Any:  # noqa: ANN401
        for name in [name for name in self._consumers if name.startswith("consume ")]:
            self._recorder.unsubscribed(self._consumers.pop(name))
        return self.wrapped.cancel()

    def close(self, *why: Any) -> None:  # noqa: ANN401
        for consumer in self._consumers.values():
            self._recorder.unsubscribed(consumer)
        self._consumers.clear()
        self.wrapped.close(*why)

    def _subscribed(self, queue: str, tag: str, auto_ack: bool) -> None:
        consumer = self._consumers[tag] = self._recorder.new_consumer()
        prefetch = 0 if auto_ack else self._prefetch
        self._recorder.subscribed(queue, consumer, subscription=queue, prefetch=prefetch)

    def _received(
        self,
        queue: str,
        consumer: str | None,
        method: Any,  # noqa: ANN401
        properties: BasicProperties,
        auto_ack: bool,
    ) -> None:
        headers = properties.headers or {}
        place = {
            "message_id": properties.message_id,
            "destination": _destination(method.exchange, method.routing_key),
            "subscription": queue,
            "consumer_id": consumer,
            "delivery_tag": method.delivery_tag,
        }
        if "x-death" in headers:
            self._recorder.record("observe", "dead_letter", "ok", **place)
            return
        counted = headers.get("x-delivery-count")
        number = None if counted is None else counted + 1
        again = bool(method.redelivered)
        self._recorder.record(
            "receive", "basic.deliver", "ok", redelivered=again, delivery_count=number, **place
        )
        if auto_ack:
            self._recorder.record("settle", "auto_ack", "ok", settle="ack", **place)
        else:
            self._open[method.delivery_tag] = place

    def _settled(self, settle: str, tag: int, multiple: bool) -> None:
        """One event for each delivery: tags are a channel's, and its consumers may be several."""
        tags = [each for each in self._open if not tag or each <= tag] if multiple else [tag]
        for each in tags:
            if place := self._open.pop(each, None):
                self._recorder.record("settle", f"basic.{settle}", "invoke", settle=settle, **place)


def _destination(exchange: str, routing_key: str) -> str:
    return f"{exchange}/{routing_key}" if exchange else routing_key


def _named(properties: BasicProperties | None, names: Names) -> BasicProperties:
    from pika import BasicProperties

    properties = properties or BasicProperties()
    properties.message_id = properties.message_id or names()
    return properties
