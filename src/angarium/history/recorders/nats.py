"""What NATS JetStream says of itself, as events: stored messages, samples of acknowledgements, advisories.

A message's name is its header `Nats-Msg-Id`, or else `STREAM:NUMBER`. A stream is a destination; for
consumers with a filter, the stream and the filter are one of their own (`STREAM/FILTER`), with a `send` for
each message that fits: such a consumer is expected to get just these.

JetStream does not say when it delivers, only that a message was acknowledged and how long that took: the
delivery is concluded from it. So it is from refused (`nak`, `term`) and given up messages, at the time of the
record at the latest, and without an offset, for its place in the order is not known. A delivery that nobody
answered, and that was followed by another, is not seen; the count of deliveries tells of it. Of consumers
that do not tell of every acknowledgement nothing can be judged: what they tell is only observed.

Times are the servers' own. In a cluster, streams and consumers may be led by servers with different clocks.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

ACKED = "io.nats.jetstream.metric.v1.consumer_ack"
_SETTLES = {
    ACKED: ("ack", "ack"),
    "io.nats.jetstream.advisory.v1.nak": ("nak", "requeue"),
    "io.nats.jetstream.advisory.v1.terminated": ("term", "reject"),
    "io.nats.jetstream.advisory.v1.max_deliver": ("max_deliver", "dead_letter"),
}
"""What each record says of a message: what it is called, and what it means."""
_ELECTED = "_leader_elected"
_MOST_REMEMBERED = 200_000
_TIME = re.compile(r"(.+?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class Told:
    """An event, but for its recorder and number."""

    op_type: str
    op_name: str
    phase: str
    at: int
    fields: Mapping[str, Any]
    concluded: bool = False
    """Whether it follows from the one after it."""


class Bounded(OrderedDict[Any, Any]):
    """Remembers what was last put into it, and forgets the oldest."""

    def __setitem__(self, key: object, value: object) -> None:
        super().__setitem__(key, value)
        if len(self) > _MOST_REMEMBERED:
            self.popitem(last=False)


class Stream:
    """Turns what is said of one stream into events; knows its consumers and the names of its messages."""

    def __init__(self, name: str, server: str | None) -> None:
        self.name, self._server = name, server
        self.names = Bounded()
        """The names of messages, by their numbers."""
        self._filters: dict[str, tuple[str, ...]] = {}
        """Of each consumer, what it wants; nothing means all."""
        self._sampled: set[str] = set()
        self._shown = Bounded()
        """The last count of deliveries that was told, by consumer and number."""

    def consumer(self, config: Any, at: int) -> Told:  # noqa: ANN401 (nats-py's)
        """A consumer is there: what it wants, and its limits."""
        name = config.durable_name or config.name
        filters = getattr(config, "filter_subjects", None) or [config.filter_subject]
        self._filters[name] = tuple(each for each in filters if each)
        if is_sampled(config):
            self._sampled.add(name)
        kind = "control" if name in self._sampled else "observe"
        return Told(kind, "consumer.created", "ok", at, self._of(name) | _limits(config))

    def stored(self, number: int, subject: str, headers: Mapping[str, str], at: int) -> Iterator[Told]:
        """A message was stored: a `send` to the stream, and to each filter that it fits."""
        name = self.names[number] = headers.get("Nats-Msg-Id") or self.numbered(number)
        wanted = {each for each in self._filters.values() if each and _fits(subject, each)}
        for destination in [self.name, *sorted(self._place(each) for each in wanted)]:
            fields = {"message_id": name, "destination": destination, "offset": number}
            yield Told("send", "js.publish", "ok", at, fields | {"clock_domain": self._clock()})

    def said(self, record: Mapping[str, Any]) -> Iterator[Told]:
        """The events of a metric or an advisory about this stream."""
        kind, at = str(record.get("type")), nanoseconds(str(record.get("timestamp")))
        if kind in _SETTLES:
            yield from self._settled(kind, record, at)
        elif kind.endswith(_ELECTED):
            yield Told("control", "leader_elected", "ok", at, self._leader(record))
        else:
            what = str(record.get("action") or kind.rpartition(".")[2])
            yield from self._other(kind, what, record.get("consumer"), at)

    def numbered(self, number: int) -> str:
        return f"{self.name}:{number}"

    def _settled(self, kind: str, record: Mapping[str, Any], at: int) -> Iterator[Told]:
        name, number, count = record["consumer"], record["stream_seq"], record.get("deliveries")
        op, settle = _SETTLES[kind]
        place = self._of(name) | {
            "consumer_id": name,
            "message_id": self.names.get(number) or self.numbered(number),
            "offset": number,
            "delivery_tag": record.get("consumer_seq"),
            "delivery_count": count,
        }
        if name not in self._sampled:
            yield Told("observe", op, "ok", at, place)
            return
        if self._shown.get((name, number)) != count:
            self._shown[name, number] = count
            yield self._delivered(place, record, at)
        if kind == ACKED:
            self._shown.pop((name, number), None)
        yield Told("settle", op, "ok", at, place | {"settle": settle})

    def _delivered(self, place: Mapping[str, Any], record: Mapping[str, Any], at: int) -> Told:
        """The delivery that was answered: before it was, if it is not known how long before."""
        taken, count = record.get("ack_time"), record.get("deliveries")
        more = {
            "redelivered": None if count is None else count > 1,
            "offset": None if taken is None else place["offset"],
        }
        return Told("receive", "js.deliver", "ok", at - (taken or 1), {**place, **more}, concluded=True)

    def _leader(self, record: Mapping[str, Any]) -> dict[str, Any]:
        replicas = record.get("replicas") or ()
        current = sorted(each["name"] for each in replicas if each.get("current"))
        name = record.get("consumer")
        place = self._of(name) if name else {"destination": self.name, "clock_domain": self._clock()}
        return place | {"broker_id": record.get("leader"), "isr": current or None}

    def _other(self, kind: str, what: str, name: str | None, at: int) -> Iterator[Told]:
        gone = name and kind.endswith("consumer_action") and what == "delete"
        op_type, op_name = ("control", "consumer.deleted") if gone else ("observe", what)
        place = self._of(name) if name else {"destination": self.name}
        place |= {"consumer_id": name} if gone else {}
        yield Told(op_type, op_name, "ok", at, place)
        if gone:
            self._filters.pop(str(name), None)

    def _of(self, consumer: str) -> dict[str, Any]:
        destination = self._place(self._filters.get(consumer, ()))
        return {"destination": destination, "subscription": consumer, "clock_domain": self._clock(consumer)}

    def _place(self, filters: tuple[str, ...]) -> str:
        return "/".join((self.name, *filters))

    def _clock(self, consumer: str | None = None) -> str:
        """One server has one clock; in a cluster it is the clock of whoever leads the stream or consumer."""
        return self._server or "/".join((self.name, *filter(None, [consumer])))


def is_sampled(config: Any) -> bool:  # noqa: ANN401 (nats-py's)
    """Whether every acknowledgement of a consumer is told."""
    policy = str(getattr(config.ack_policy, "value", config.ack_policy))
    return (config.sample_freq or "").rstrip("%") == "100" and policy == "explicit"


def _limits(config: Any) -> dict[str, Any]:  # noqa: ANN401 (nats-py's)
    credit, retries = config.max_ack_pending or 0, config.max_deliver or 0
    waits = config.ack_wait and not config.backoff  # with steps of waiting there is no single timeout
    return {
        "credit": credit if credit > 0 else None,
        "max_deliveries": retries if retries > 0 else None,
        "ack_wait_ms": int(config.ack_wait * 1000) if waits else None,
    }


def nanoseconds(text: str) -> int:
    """A time of RFC 3339, exactly."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(text)
    whole = datetime.fromisoformat(match[1] + match[3].replace("Z", "+00:00"))
    return int(whole.timestamp()) * 10**9 + int((match[2] or "").ljust(9, "0"))


def _fits(subject: str, filters: tuple[str, ...]) -> bool:
    return any(_matches(subject.split("."), each.split(".")) for each in filters)


def _matches(subject: list[str], pattern: list[str]) -> bool:
    if pattern[-1:] == [">"]:
        head = pattern[:-1]
        return len(subject) > len(head) and _matches(subject[: len(head)], head)
    return len(subject) == len(pattern) and all(
        wanted in ("*", token) for token, wanted in zip(subject, pattern, strict=True)
    )
