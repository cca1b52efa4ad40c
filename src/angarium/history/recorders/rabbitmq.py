"""What RabbitMQ says of itself, as events: the firehose (`amq.rabbitmq.trace`) and the event exchange.

- `publish.EXCHANGE`: `send` ok for each queue that the message was routed to; `info`, if to none, or if it
  may expire there. `deliver.QUEUE`: `receive` ok. What comes out of a dead-letter queue, and a message
  without a message_id, is only observed: nobody was seen to send it there, and it cannot be followed.
- consumer, channel, connection and queue events: `control`. All others: `observe`.

The meanings are those of the reader of such records (`history.intake.rabbitmq`), but for what needs the
future: here, a delivery that overtakes the news of its consumer belongs to its channel.

All times are the recorder's own. But traces and events reach it by different ways, and from different nodes,
and may overtake each other; so each way has a clock domain, and an audit allows for the clock skew between
them. The firehose shows no acknowledgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from angarium.history.schema import NAMELESS

TRACE, EVENTS = "amq.rabbitmq.trace", "amq.rabbitmq.event"
_SINGLE_ACTIVE = re.compile(r"x-single-active-consumer\W+(bool\W+)?true", re.IGNORECASE)
"""In a queue's arguments, whether they come as a table or as Erlang's terms."""
_NODE = re.compile(r"<(.+?)\.\d+\.\d+\.\d+>")
_CONTROLS = ("consumer.created", "consumer.deleted", "channel.closed", "connection.closed", "queue.created")


@dataclass(frozen=True, slots=True)
class Said:
    """An event, but for its recorder, number and time."""

    op_type: str
    op_name: str
    phase: str
    fields: Mapping[str, Any]


class Rabbit:
    """Turns what a broker says into events; remembers the channels and consumers that it has."""

    def __init__(self, *, own: str, vhost: str = "/", queues: Sequence[str] = ()) -> None:
        self._own, self._vhost, self._patterns = own, vhost, tuple(queues)
        self._channels: dict[str, str] = {}
        """The names of channels, by their processes."""
        self._consumers: dict[tuple[str, str], str] = {}
        """The tag of the last consumer of a channel on a queue."""

    def said(self, exchange: str, routing_key: str, headers: Mapping[str, Any]) -> Iterator[Said]:
        """The events of one message of the firehose or of the event exchange."""
        if headers.get("vhost", self._vhost) != self._vhost:
            return
        if exchange == TRACE:
            yield from self._trace(routing_key, headers)
        else:
            yield from self._event(routing_key, headers)

    # --- the firehose ---------------------------------------------------------------------------

    def _trace(self, routing_key: str, headers: Mapping[str, Any]) -> Iterator[Said]:
        kind, _, place = routing_key.partition(".")
        publish = kind == "publish"
        routed = _texts(headers.get("routed_queues")) if publish else [place]
        wanted = [queue for queue in routed if self._wants(queue)]
        if publish and not routed and not self._patterns:
            wanted = [_nowhere(headers)]
        message = self._message(headers)
        for queue in wanted:
            fields = {**message, "destination": queue, "clock_domain": f"firehose {headers.get('node')}"}
            yield self._send(fields, headers) if publish else self._receive(fields, headers)

    def _message(self, headers: Mapping[str, Any]) -> dict[str, Any]:
        properties = headers.get("properties") or {}
        seq = (properties.get("headers") or {}).get("seq")
        numbered = isinstance(seq, int) and "priority" not in properties  # priorities overtake legally
        return {
            "message_id": _text(properties.get("message_id")),
            "producer_seq": seq if numbered else None,
            "broker_id": headers.get("node"),
            "client_id": headers.get("connection"),
        }

    def _send(self, fields: dict[str, Any], headers: Mapping[str, Any]) -> Said:
        if fields["message_id"] is None:
            return Said("observe", "basic.publish", "ok", {**fields, "error_type": NAMELESS})
        unroutable = not headers.get("routed_queues")
        expires = "expiration" in (headers.get("properties") or {})
        why = "unroutable" if unroutable else None
        phase = "info" if unroutable or expires else "ok"
        return Said("send", "basic.publish", phase, {**fields, "error_type": why})

    def _receive(self, fields: dict[str, Any], headers: Mapping[str, Any]) -> Said:
        properties = (headers.get("properties") or {}).get("headers") or {}
        if fields["message_id"] is None:
            return Said("observe", "basic.deliver", "ok", {**fields, "error_type": NAMELESS})
        if "x-death" in properties or str(headers.get("exchange_name")).startswith("amq.rabbitmq."):
            return Said("observe", "basic.deliver", "ok", fields)
        channel = f"{headers.get('connection')} ({headers.get('channel')})"
        tag = self._consumers.get((channel, fields["destination"]))
        more = {
            "consumer_id": f"{tag} on {channel}" if tag else channel,
            "redelivered": bool(headers.get("redelivered")),
            "delivery_count": _counted(properties),
        }
        return Said("receive", "basic.deliver", "ok", {**fields, **more})

    # --- the event exchange ---------------------------------------------------------------------

    def _event(self, name: str, headers: Mapping[str, Any]) -> Iterator[Said]:
        queue = _text(headers.get("name") if name == "queue.created" else headers.get("queue"))
        if queue is not None and not self._wants(queue):
            return
        process = _text(headers.get("pid" if name.startswith("channel.") else "channel"))
        if name == "channel.created" and process:
            self._channels[process] = str(headers.get("name"))
        channel = self._channels.get(process or "")
        known = name in _CONTROLS
        fields = {
            "destination": queue if known else None,
            "client_id": _connection(name, headers, channel) if known else None,
            "clock_domain": f"events {_node(headers)}",
            "broker_id": _node(headers),
        }
        more = self._more(name, headers, channel) if known else {}
        yield Said(
            "control" if known else "observe",
            "queue.declare" if name == "queue.created" else name,
            "ok",
            fields | more,
        )
        self._remember(name, headers, channel, queue)

    def _more(self, name: str, headers: Mapping[str, Any], channel: str | None) -> dict[str, Any]:
        tag = _text(headers.get("consumer_tag"))
        consumer = f"{tag} on {channel}" if tag and channel else tag
        if name == "queue.created":
            return {"single_active": bool(_SINGLE_ACTIVE.search(str(headers.get("arguments"))))}
        if name == "channel.closed":
            return {"consumer_id": channel or _text(headers.get("pid"))}
        limited = name == "consumer.created" and headers.get("ack_required")
        return {"consumer_id": consumer, "prefetch": headers.get("prefetch_count") if limited else None}

    def _remember(
        self, name: str, headers: Mapping[str, Any], channel: str | None, queue: str | None
    ) -> None:
        if name == "consumer.created" and channel and queue:
            self._consumers[channel, queue] = str(headers.get("consumer_tag"))
        elif name == "channel.closed" and channel:
            self._channels.pop(str(headers.get("pid")), None)
            for each in [each for each in self._consumers if each[0] == channel]:
                del self._consumers[each]

    def _wants(self, queue: str) -> bool:
        if queue == self._own:
            return False
        return not self._patterns or any(fnmatchcase(queue, pattern) for pattern in self._patterns)


def _nowhere(headers: Mapping[str, Any]) -> str:
    """Where a message was to go that went nowhere."""
    return "/".join([_text(headers.get("exchange_name")) or "", *_texts(headers.get("routing_keys"))[:1]])


def _connection(name: str, headers: Mapping[str, Any], channel: str | None) -> str | None:
    """A client is its connection, by the broker's name of it; a channel's name has a number behind."""
    return (
        _text(headers.get("name")) if name == "connection.closed" else channel and channel.rpartition(" (")[0]
    )


def _node(headers: Mapping[str, Any]) -> str | None:
    if headers.get("node"):
        return _text(headers["node"])
    match = _NODE.search(f"{headers.get('pid')} {headers.get('channel')} {headers.get('connection')}")
    return match[1] if match else None


def _counted(headers: Mapping[str, Any]) -> int | None:
    """Quorum queues count deliveries; the first one is without that header."""
    before = headers.get("x-delivery-count")
    return before + 1 if isinstance(before, int) else None


def _texts(values: object) -> list[str]:
    return [str(_text(each)) for each in values] if isinstance(values, list | tuple) else []


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)
