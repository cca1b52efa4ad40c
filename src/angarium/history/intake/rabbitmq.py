r"""RabbitMQ's own view: records of the firehose and of the event exchange, one JSON object a line.

    {"recv_unix_nano": …, "exchange": "amq.rabbitmq.trace", "routing_key": "deliver.QUEUE", "headers": {…}, …}

Every time is the recorder's (`recv_unix_nano`): the firehose has none, and that of the event exchange is in
milliseconds. One clock orders both.

- `publish.EXCHANGE`: the broker took the message over: `send` ok, once for each queue it was routed to.
  Routed to none: `send` info, unroutable. A message that may expire is `send` info too: no delivery is
  promised.
- `deliver.QUEUE`: `receive` ok.
- consumer, channel, connection and queue events: `control`. Everything else: `observe`.

A client is its connection, by the broker's name of it: names that users give may be there twice, and the end
of one connection would end its namesakes. A consumer is its tag and its channel (a tag alone is unique on
one channel only). The firehose does not tell the tag of a delivery. It is that of the consumer which the
channel had on the queue at that time, as consumer.created and consumer.deleted say; both reach the recorder
by another way than deliveries do, so a delivery to a channel that has no consumer any more goes to its next
one. Without these events the channel is the consumer.

What cannot be known from here: acknowledgements, and so what is in flight, and which redelivery had a
cause; whether a producer was told of a confirm; deaths of messages (expired, too many, rejected): what comes
out of a dead-letter queue is noted as `observe`, because nobody was seen to send it there. Messages with a
priority have no producer_seq: they overtake legally. A message without message_id cannot be followed, and a
hash of its body would make one message of two that say the same: it is noted as `observe`, too.

So all files are first looked through for the event exchange's records, which are few: `links`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from angarium.history.intake.foreign import Event, Rows, digits, listed, number, shaped, table, text
from angarium.history.intake.json_lines import BadLineError, Format, object_of, objects
from angarium.history.schema import NAMELESS

NO_RECORD = "the line is no record of RabbitMQ's firehose or event exchange"
_TRACE = "amq.rabbitmq.trace"
_EVENT = "amq.rabbitmq.event"
_KNOWN = ("consumer.created", "consumer.deleted", "channel.closed", "connection.closed", "queue.created")
_SINGLE_ACTIVE = re.compile(r"x-single-active-consumer\W+(bool\W+)?true")
_CONNECTION = re.compile(r"(.*) \(\d+\)", re.DOTALL)


def _recognises(lines: Sequence[str]) -> bool:
    return any(record.get("exchange") in (_TRACE, _EVENT) for record in objects(lines))


FORMAT = Format("rabbitmq", _recognises)


class _Life(NamedTuple):
    """When a consumer begins, or ends."""

    at: int
    tag: str
    begins: bool


@dataclass
class Links:
    """What the event exchange says of channels and consumers, in all files together."""

    channels: dict[str, str] = field(default_factory=dict)
    """The names of channels by their process, which is never the same twice."""
    lives: dict[tuple[str, str], list[_Life]] = field(default_factory=dict)
    """The consumers that each channel had on each queue: their beginnings and ends, in order."""

    def current(self, channel: str, queue: str, at: int | None) -> str | None:
        """The tag of the consumer that a channel has on a queue at the time of a delivery."""
        lives = self.lives.get((channel, queue), [])
        if at is None or not lives:
            return None
        place = bisect_right(lives, at, key=lambda life: life.at)
        past = lives[place - 1] if place else None
        if past and past.begins:
            return past.tag
        coming = next((life.tag for life in lives[place:] if life.begins), None)
        return coming if coming is not None else past.tag if past else None


def links(lines: Iterable[bytes]) -> Links:
    """What all lines of all files say of channels and consumers."""
    found, consumers = Links(), []
    for line in lines:
        if _EVENT.encode() in line:
            try:
                given = object_of(line.decode())
            except (BadLineError, UnicodeDecodeError):
                continue
            if given.get("exchange") == _EVENT:
                consumers.append(given)
    for given in consumers:
        _note_channel(found, given)
    for given in consumers:
        _note_consumer(found, given)
    for lives in found.lives.values():
        lives.sort()
    return found


def _note_channel(found: Links, given: Mapping[str, Any]) -> None:
    headers = table(given.get("headers"))
    pid, name = text(headers.get("pid")), text(headers.get("name"))
    if given.get("routing_key") == "channel.created" and pid is not None and name is not None:
        found.channels[pid] = min(name, found.channels.get(pid, name))


def _note_consumer(found: Links, given: Mapping[str, Any]) -> None:
    headers, name = table(given.get("headers")), given.get("routing_key")
    channel = found.channels.get(text(headers.get("channel")) or "")
    queue, tag, at = (
        text(headers.get("queue")),
        text(headers.get("consumer_tag")),
        number(given.get("recv_unix_nano")),
    )
    if name in ("consumer.created", "consumer.deleted") and None not in (channel, queue, tag, at):
        life = _Life(at or 0, tag or "", name == "consumer.created")
        found.lives.setdefault((channel or "", queue or ""), []).append(life)


@dataclass(frozen=True)
class Records:
    """How the lines are read, when it is known who had which channel."""

    links: Links

    def __call__(self, line: str) -> Rows:
        given = object_of(line)
        exchange, name = text(given.get("exchange")), text(given.get("routing_key"))
        headers = table(given.get("headers"))
        if exchange == _EVENT:
            return [self._event(given, headers, name or "")]
        return self._traced(given, headers, exchange, name)

    # --- the firehose -------------------------------------------------------------------------------

    def _traced(
        self, given: Mapping[str, Any], headers: Mapping[str, Any], exchange: str | None, name: str | None
    ) -> Rows:
        own = (text(headers.get("exchange_name")) or "").startswith("amq.rabbitmq.")
        properties = table(headers.get("properties"))
        kind = _kind(name, own=own, dead="x-death" in table(properties.get("headers")))
        routed = [text(each) or "" for each in listed(headers.get("routed_queues")) or []]
        publish = name is not None and name.startswith("publish.")
        places: list[str | None] = (
            [*routed] if publish and routed else [_place(headers, name, publish=publish)]
        )
        if exchange != _TRACE:
            return [BadLineError(NO_RECORD, "exchange", exchange)] * len(places)
        if kind is None:
            return [BadLineError(NO_RECORD, "routing_key", name)] * len(places)
        nameless = not own and properties.get("message_id") is None
        return [
            self._row(given, headers, properties, kind, name, place, nameless=nameless, routed=bool(routed))
            for place in places
        ]

    def _row(
        self,
        given: Mapping[str, Any],
        headers: Mapping[str, Any],
        properties: Mapping[str, Any],
        kind: str,
        name: str | None,
        place: str | None,
        *,
        nameless: bool,
        routed: bool,
    ) -> Event:
        send, receive = kind == "send" and not nameless, kind == "receive" and not nameless
        unroutable = send and not routed
        doubtful = unroutable or properties.get("expiration") is not None
        connection, number_ = text(headers.get("connection")), text(headers.get("channel"))
        channel = None if None in (connection, number_) else f"{connection} ({number_})"
        counted = digits(text(table(properties.get("headers")).get("seq")))
        operation = {"send": "basic.publish", "receive": "basic.deliver"}
        return shaped(
            _common(given, headers)
            | {
                "op_type": "observe" if nameless else kind, "op_name": operation.get(kind, name),
                "phase": "info" if send and doubtful else "ok",
                "error_type": NAMELESS if nameless else "unroutable" if unroutable else None,
                "message_id": text(properties.get("message_id")),
                "producer_seq": counted if properties.get("priority") is None else None,
                "destination": place, "client_id": connection,
                "consumer_id": self._consumer(given, channel, place) if receive else None,
                "redelivered": _redelivered(headers) if receive else None,
            }
        )  # fmt: skip

    def _consumer(self, given: Mapping[str, Any], channel: str | None, queue: str | None) -> str | None:
        if channel is None or queue is None:
            return channel
        tag = self.links.current(channel, queue, number(given.get("recv_unix_nano")))
        return channel if tag is None else f"{tag} on {channel}"

    # --- the event exchange -------------------------------------------------------------------------

    def _event(self, given: Mapping[str, Any], headers: Mapping[str, Any], name: str) -> Event:
        known, created = name in _KNOWN, name == "queue.created"
        of_channel = text(headers.get("pid" if name.startswith("channel.") else "channel"))
        channel = self.links.channels.get(of_channel or "")
        connection = _CONNECTION.fullmatch(channel or "")
        own = text(headers.get("name")) if name == "connection.closed" else None
        client = own if name == "connection.closed" else connection[1] if connection else None
        counted = number(headers.get("prefetch_count"))
        arguments = text(headers.get("arguments"))
        acknowledged = name == "consumer.created" and headers.get("ack_required") is True
        return shaped(
            _common(given, headers)
            | {
                "op_type": "control" if known else "observe", "op_name": "queue.declare" if created else name,
                "phase": "ok",
                "destination": text(headers.get("name" if created else "queue")) if known else None,
                "client_id": (client or None) if known else None,
                "consumer_id": _event_consumer(headers, name, channel),
                "prefetch": counted if acknowledged else None,
                "single_active": bool(_SINGLE_ACTIVE.search(arguments))
                if created and arguments is not None
                else None,
            }
        )  # fmt: skip


def _event_consumer(headers: Mapping[str, Any], name: str, channel: str | None) -> str | None:
    """The consumer; of a channel that ends the channel, which is the consumer where no tag is known."""
    if name == "channel.closed":
        return text(headers.get("pid")) if channel is None else channel
    tag = text(headers.get("consumer_tag"))
    return tag if tag is None or channel is None else f"{tag} on {channel}"


def _kind(name: str | None, *, own: bool, dead: bool) -> str | None:
    """send, receive, or observe: of the broker's own affairs, and what died and was routed anew."""
    if own or dead:
        return "observe"
    if name is not None and name.startswith("publish."):
        return "send"
    return "receive" if name is not None and name.startswith("deliver.") else None


def _place(headers: Mapping[str, Any], name: str | None, *, publish: bool) -> str | None:
    """The queue of a delivery; where a message was to go that went nowhere."""
    if not publish:
        return None if name is None else name.removeprefix("deliver.")
    keys = listed(headers.get("routing_keys")) or []
    parts = (text(headers.get("exchange_name")), text(keys[0]) if keys else None)
    return "/".join(each for each in parts if each is not None)


def _redelivered(headers: Mapping[str, Any]) -> bool | None:
    said = text(headers.get("redelivered"))
    return None if said is None else said in ("1", "true")


def _common(given: Mapping[str, Any], headers: Mapping[str, Any]) -> Event:
    return {
        "recorder": "rabbitmq", "seq": number(given.get("seq")),
        "time_unix_nano": number(given.get("recv_unix_nano")), "vantage": "broker", "system": "rabbitmq",
        "broker_id": text(headers.get("node")),
    }  # fmt: skip
