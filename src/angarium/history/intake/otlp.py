"""OpenTelemetry's spans as JSON lines: what the OTLP file exporter writes, or one span a line.

Names may be written as in JSON (resourceSpans, startTimeUnixNano, intValue) or as in the protocol
(resource_spans, start_time_unix_nano, int_value); attributes as a list of keys and values or as an object;
times in nanoseconds or as text. The attributes are those of the messaging conventions, older names included.

A span is an interval, an event is a moment:

- send: `send` invoke at its start, and at its end ok, or info if it has an error: the broker may have stored
  the message all the same.
- receive: `receive` ok at its END, fail if it has an error: it starts before there is a message.
- process: `process` ok at its START, because the message was delivered by then, whatever came of it; with an
  error also `process` fail at its end. The start counts one nanosecond more, so that it is after a
  `receive` that ends with it on a clock that ticks in milliseconds.
- settle: `settle` invoke at its start, fail at its end if it has an error. Never ok: a span ends when the
  client has spoken, and not when the broker has heard.
- create, and spans that are not about messages: `observe`.

A span of a batch has a link for each message; the attributes of a link go before those of the span, and each
link with a message makes events of its own, one nanosecond apart in the order of the links.

A message is messaging.message.id, or PARTITION:OFFSET where it has no id but these (Kafka). A span that
sends, receives or processes something that has neither goes to quarantine: taking its trace for a name would
make two messages of one wherever one side only has an id.

RabbitMQ's destinations are EXCHANGE:ROUTING KEY, with :QUEUE added where messages are received, each left out
if it is empty: the queue is taken for the subscription, so that both sides name one destination. The default
exchange is not named: its destination is the routing key, which is the queue.

What cannot be known from here: spans that were not sampled (record all of them); whether the end of a send
means a confirmation by the broker; credit, ends of consumers, generations of groups, redeliveries beyond
what a system counts; the order in which a producer sent. A consumer's spans of one partition are taken to
start in the order of its deliveries. Hosts have clocks of their own: each is a clock domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from angarium.history.intake.foreign import (
    Event,
    Rows,
    digits,
    listed,
    nanoseconds,
    parsed,
    shaped,
    table,
    text,
)
from angarium.history.intake.json_lines import BadLineError, Format, object_of, objects
from angarium.history.intake.otlp_names import ALIASES, ENDS_OF_SETTLE, OPERATIONS

NO_SPAN = "the line is no span of OpenTelemetry"
NO_MESSAGE = "a message without messaging.message.id, and without partition and offset, cannot be followed"
_RESOURCES = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_BEGIN = ("startTimeUnixNano", "start_time_unix_nano")
_END = ("endTimeUnixNano", "end_time_unix_nano")
_VALUES = tuple(
    name
    for kind in ("string", "int", "bool", "double", "array")
    for name in (f"{kind}Value", f"{kind}_value")
)
_ERRORS = ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR")
_KINDS = {"4": "send", "PRODUCER": "send", "5": "process", "CONSUMER": "process"}
Attributes = Mapping[str, str | None]


def _recognises(lines: Sequence[str]) -> bool:
    whole = {"resourceSpans", "resource_spans", "scopeSpans", "scope_spans"}
    times = {"startTimeUnixNano", "start_time_unix_nano", "start_time"}
    ids = {"traceId", "trace_id", "context"}

    def ours(record: dict[str, object]) -> bool:
        return bool(whole & set(record)) or bool(times & set(record) and ids & set(record))

    return any(map(ours, objects(lines)))


FORMAT = Format("otlp", _recognises)


def rows_of(line: str) -> Rows:
    """The events of a line."""
    found: Rows = []
    for resource, span in _spans(object_of(line)):
        found += _rows_of_span(resource, span)
    return found


def _spans(given: Mapping[str, Any]) -> Iterator[tuple[Attributes, Mapping[str, Any] | None]]:
    """All spans of a line, with their resource's attributes; none for a line without place for any."""
    groups = _first(given, _RESOURCES)
    if isinstance(groups, list):
        for group in groups:
            yield from _of_resource(table(group))
    elif isinstance(_first(given, _SCOPES), list):
        yield from _of_resource(given)
    elif _first(given, (*_BEGIN, "start_time")) is not None:
        yield _map(text(table(given.get("resource")).get("attributes"))), given
    else:
        yield {}, None


def _of_resource(group: Mapping[str, Any]) -> Iterator[tuple[Attributes, Mapping[str, Any]]]:
    resource = _map(text(table(group.get("resource")).get("attributes")))
    for scope in listed(_first(group, _SCOPES)) or []:
        for span in listed(table(scope).get("spans")) or []:
            yield resource, table(span)


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 (a value)
    return next((given[name] for name in names if given.get(name) is not None), None)


def _map(given: str | None) -> Attributes:
    """Attributes by their names: of an object, or of a list of keys and values, the first of each key."""
    found = parsed(given)
    if isinstance(found, dict):
        return {name: text(value) for name, value in found.items()}
    named: dict[str, str | None] = {}
    for pair in map(table, listed(found) or []):
        key = text(pair.get("key"))
        if key is not None:
            named.setdefault(key, text(_first(table(pair.get("value")), _VALUES)))
    return named


def _rows_of_span(resource: Attributes, span: Mapping[str, Any] | None) -> Rows:
    """A row for every message and moment of a span: its links that name a message, or else itself."""
    if span is None:
        return [BadLineError(NO_SPAN, "startTimeUnixNano")]
    own = _map(text(span.get("attributes")))
    links = [_map(text(table(link).get("attributes"))) for link in listed(span.get("links")) or []]
    names = (*ALIASES["message_id"], *ALIASES["offset"])
    linked = [link for link in links if any(link.get(name) is not None for name in names)] or [{}]
    return [
        row
        for place, link in enumerate(linked)
        for row in _Message(span, link, own, resource, len(linked) - 1 - place).rows()
    ]


@dataclass(frozen=True)
class _Message:
    """A span, as far as it is about one message."""

    span: Mapping[str, Any]
    link: Attributes
    own: Attributes
    resource: Attributes
    apart: int

    def named(self, field: str) -> str | None:
        """An attribute of the conventions, under any of its names: of the message, the span, the resource."""
        owners = (self.link, self.own, self.resource)
        values = (owner.get(name) for owner in owners for name in ALIASES[field])
        return next((value for value in values if value is not None), None)

    def rows(self) -> Rows:
        if self.begin is None:
            return [BadLineError(NO_SPAN, "startTimeUnixNano")] * max(len(self._moments()), 1)
        nameless = self.deed in ("send", "receive", "process") and self.message is None
        lost = nameless and self.named("batch") != "0"
        return [
            BadLineError(NO_MESSAGE, "messaging.message.id")
            if lost and phase != "fail"
            else self._row(phase, at)
            for phase, at in self._moments()
        ]

    # --- what it tells ------------------------------------------------------------------------------

    @cached_property
    def begin(self) -> int | None:
        return self._time(_BEGIN, "start_time")

    def _time(self, names: tuple[str, ...], written: str) -> int | None:
        found = digits(text(_first(self.span, names)))
        return nanoseconds(text(self.span.get(written))) if found is None else found

    @cached_property
    def failed(self) -> bool:
        status = table(self.span.get("status"))
        code = text(_first(status, ("code", "status_code")))
        return (code is not None and code.upper() in _ERRORS) or self.named("error_type") is not None

    @cached_property
    def message(self) -> str | None:
        partition, offset = self.named("partition_id"), self.named("offset")
        placed = None if None in (partition, offset) else f"{partition}:{offset}"
        found = self.named("message_id")
        return placed if found is None else found

    @cached_property
    def deed(self) -> str:
        """send, receive, process or settle, else observe. The kind decides where no operation is named."""
        if all(self.named(field) is None for field in ("system", "destination", "operation")):
            return "observe"
        words = ((self.named(field) or "").lower() for field in ("operation", "op_name"))
        kind = re.sub(r"^(SpanKind\.|SPAN_KIND_)", "", text(self.span.get("kind")) or "").upper()
        by_name = next((OPERATIONS[word] for word in words if word in OPERATIONS), None)
        return by_name or _KINDS.get(kind, "observe")

    def _moments(self) -> list[tuple[str, int | None]]:
        """Its events: phase and time."""
        begin, end = self.begin, self._time(_END, "end_time")
        end = begin if end is None else end
        started = None if begin is None else begin + 1
        match self.deed, self.failed:
            case "send", failed:
                return [("invoke", begin), ("info" if failed else "ok", end)]
            case "receive", False:
                return [("ok", end)]
            case "process", failed:
                return [("ok", started), *([("fail", end)] if failed else [])]
            case "settle", False:
                return [("invoke", begin)]
            case "observe", _:
                return [("info", begin)]
        return [("fail", end)]

    # --- columns ------------------------------------------------------------------------------------

    def _row(self, phase: str, at: int | None) -> Event:
        plain = ("system", "message_key", "partition_id", "consumer_group", "broker_id", "consumer_id")
        numbers = ("offset", "delivery_tag", "delivery_count")
        operation = (self.named("op_name"), self.named("operation"), text(self.span.get("name")))
        host, client = self.named("host"), self.named("client_id")
        return shaped(
            {name: self.named(name) for name in plain}
            | {name: digits(self.named(name)) for name in numbers}
            | self._place()
            | {
                "recorder": self._recorder, "time_unix_nano": None if at is None else at - self.apart,
                "clock_domain": self._recorder if host is None else host, "op_type": self.deed,
                "op_name": next((each for each in operation if each is not None), None), "phase": phase,
                "error_type": self.named("error_type") if phase in ("fail", "info") else None,
                "message_id": self.message, "client_id": self._recorder if client is None else client,
                "settle": self._settle() if self.deed == "settle" else None,
            }
        )  # fmt: skip

    @cached_property
    def _recorder(self) -> str:
        """The service and which instance of it; its host and process where instances have no names."""
        beside = (self.named("host"), self.named("process"))
        instance = self.named("instance")
        if instance is None:
            instance = "/".join(each for each in beside if each is not None)
        known = (self.named("service"), instance or None)
        return "/".join(each for each in known if each is not None) or "opentelemetry"

    def _place(self) -> Event:
        """Destination and subscription; for RabbitMQ what both sides name alike, and the queue."""
        destination, key, subscription = (
            self.named(name) for name in ("destination", "routing_key", "subscription")
        )
        if self.named("system") == "rabbitmq" and destination is not None:
            parts = destination.split(":")
            keyless = key is None and len(parts) == 2 and self.deed != "send"
            if len(parts) == 3 or keyless:
                destination = ":".join(parts[:-1])
                subscription = parts[-1] if subscription is None else subscription
            elif destination in ("", "amq.default", "<default>") and key is not None:
                destination = key
        return {"destination": destination, "subscription": subscription}

    def _settle(self) -> str:
        """What was decided, in the system's own attribute or the operation's name; else nothing."""
        said = (self.named(field) for field in ("settle", "op_name", "operation"))
        word = next((each for each in said if each is not None), "")
        return ENDS_OF_SETTLE.get(word.lower(), "none")
