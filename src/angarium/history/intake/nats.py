"""NATS JetStream's own view: its metrics and advisories, one JSON object a line.

    {"recv_unix_nano": …, "subject": "$JS.EVENT.METRIC.CONSUMER.ACK.STREAM.CONSUMER", "body": {"type": …}}

or the bodies alone. The body's type says what it is, its timestamp says when, to the nanosecond; the time of
recording stands in where a body has none.

- An acknowledgement (sampled: a consumer needs sample_freq 100) gives two events, because it also says how
  long it took: `receive` ok at its time less ack_time, and `settle` ack. A time that is worked out so is too
  rough to order neighbours by it, so these deliveries have no offset.
- nak: `settle` requeue. terminated: `settle` reject. max_deliver: `settle` dead_letter.
- An elected leader: `control` leader_elected, isr: the leader and the replicas that are current. A lost
  quorum: `control` broker.down, for some broker is out of reach.
- Consumers and streams that are created or deleted: `control`. Answers of the API that hold a consumer's
  configuration: `control` with what it says of ack_wait, max_deliver and max_ack_pending. Everything else:
  `observe`.

A message is STREAM:SEQUENCE, a destination is a stream, a subscription is a JetStream consumer.

What cannot be known from here: what was published, and so what was lost; deliveries that nobody answered,
and when a message was delivered that was answered with a nak; which client got it; which server the
timestamp is from, so that servers are taken to share a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from angarium.history import schema
from angarium.history.intake.foreign import (
    Event,
    Rows,
    listed,
    nanoseconds,
    number,
    parsed,
    shaped,
    table,
    text,
)
from angarium.history.intake.json_lines import BadLineError, Format, object_of, objects

NO_ADVISORY = "the line is no metric or advisory of NATS"
NO_MESSAGE = "an advisory on a message does not name its stream and sequence"
_TYPE = "io.nats."
_SUBJECTS = ("$JS.EVENT.", "$SYS.")
_SETTLES = {"consumer_ack": "ack", "nak": "requeue", "terminated": "reject", "max_deliver": "dead_letter"}
_ACTIONS = {"create": "created", "delete": "deleted"}
_MILLISECOND = 1_000_000
_UNLIMITED = 2**31 - 1


def _recognises(lines: Sequence[str]) -> bool:
    def ours(record: dict[str, object]) -> bool:
        subject, kind = str(record.get("subject", "")), str(record.get("type", ""))
        return (subject.startswith(_SUBJECTS) and "body" in record) or kind.startswith(_TYPE)

    return any(map(ours, objects(lines)))


FORMAT = Format("nats", _recognises)


def rows_of(line: str) -> Rows:
    """The events of a line."""
    given = object_of(line)
    body = table(parsed(text(given["body"]))) if given.get("body") is not None else {}
    if given.get("body") is None and given.get("type") is not None:
        body = given
    topic, kind = text(given.get("subject")), text(body.get("type"))
    ours = kind.startswith(_TYPE) if kind is not None else topic is not None and topic.startswith(_SUBJECTS)
    if not ours:
        return [BadLineError(NO_ADVISORY, "type", kind)]
    known = _Advisory(given, body)
    if known.settled and (known.text("stream") is None or known.number("stream_seq") is None):
        sequence = known.number("stream_seq")
        problem = BadLineError(NO_MESSAGE, "stream_seq", None if sequence is None else str(sequence))
        return [problem] * len(known.deliveries)
    return [known.event(delivery) for delivery in known.deliveries]


class _Advisory:
    """A body, and what was recorded with it."""

    def __init__(self, given: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        self.given, self.body = given, body
        kind = self.text("type")
        self.kind = None if kind is None else kind.rpartition(".")[2]
        self.settled = self.kind in _SETTLES
        answer = table(parsed(self.text("response")))
        self.answer = answer if answer.get("stream_name") is not None and _is_configured(answer) else {}

    def text(self, name: str) -> str | None:
        return text(self.body.get(name))

    def number(self, name: str, kind: str = schema.LONG) -> int | None:
        return number(self.body.get(name), kind)

    @property
    def deliveries(self) -> list[bool]:
        """Every acknowledgement as what it tells of, too: the delivery."""
        twice = self.kind == "consumer_ack" and self.number("ack_time") is not None
        return [True, False] if twice else [False]

    def event(self, delivery: bool) -> Event:
        """What it says: of the delivery, or of the rest."""
        found = nanoseconds(self.text("timestamp"))
        at = number(self.given.get("recv_unix_nano")) if found is None else found
        if delivery and at is not None:
            at -= self.number("ack_time") or 0
        sequence = self.number("stream_seq")
        deliveries = self.number("deliveries", schema.INT)
        leader = self.text("leader")
        return shaped(
            self._operation(delivery) | self._settings() | {
                "recorder": "nats", "seq": None if delivery else number(self.given.get("seq")),
                "time_unix_nano": at, "vantage": "broker", "system": "nats",
                "error_type": "quorum lost" if self._quorum_lost else None,
                "message_id": f"{self.text('stream')}:{sequence}" if self.settled else None,
                "offset": sequence if self.settled and not delivery else None,
                "delivery_tag": self.number("consumer_seq") if self.settled else None,
                "delivery_count": deliveries if self.settled else None,
                "redelivered": deliveries > 1 if delivery and deliveries is not None else None,
                "broker_id": leader if leader is not None else self.text("server"),
                "isr": self._in_step(everybody=False),
                "replicas": None if leader is None else len(self._in_step(everybody=True) or ()),
            }
        )  # fmt: skip

    def _operation(self, delivery: bool) -> Event:
        control = self._control
        op = "receive" if delivery else "settle" if self.settled else "control" if control else "observe"
        named = (control, self.kind, text(self.given.get("subject")))
        return {
            "op_type": op, "phase": "ok",
            "op_name": "deliver" if delivery else next((each for each in named if each is not None), None),
            "settle": _SETTLES[str(self.kind)] if self.settled and not delivery else None,
        }  # fmt: skip

    @property
    def _quorum_lost(self) -> bool:
        return self.kind is not None and self.kind.endswith("quorum_lost")

    @property
    def _control(self) -> str | None:
        """What a control operation is called in the words of the schema; None if it is none."""
        kind, action = self.kind or "", self.text("action")
        if kind.endswith("leader_elected"):
            return "leader_elected"
        if self._quorum_lost:
            return "broker.down"
        if kind == "consumer_action":
            return None if action is None else f"consumer.{_ACTIONS.get(action, action)}"
        if kind == "stream_action":
            return None if action is None else f"stream.{action}"
        return "consumer.config" if kind == "api_audit" and self.answer else None

    def _settings(self) -> Event:
        """Stream and consumer, and what an answer of the API says of them; below 1 means without limit."""
        said = table(self.answer.get("config"))
        wait, most, pending = (number(said.get(n)) for n in ("ack_wait", "max_deliver", "max_ack_pending"))
        stream, consumer = self.text("stream"), self.text("consumer")
        return {
            "destination": text(self.answer.get("stream_name")) if stream is None else stream,
            "subscription": text(self.answer.get("name")) if consumer is None else consumer,
            "ack_wait_ms": wait // _MILLISECOND if wait is not None and wait > 0 else None,
            "max_deliveries": _UNLIMITED if most is not None and most < 1 else most,
            "credit": pending if pending is not None and pending > 0 else None,
        }

    def _in_step(self, *, everybody: bool) -> list[str] | None:
        """The brokers that have a copy in step, the leader among them; or all that have one."""
        leader = self.text("leader")
        if leader is None:
            return None
        copies = [table(each) for each in listed(self.body.get("replicas")) or []]
        names = [text(each.get("name")) for each in copies if everybody or each.get("current") is True]
        return list(dict.fromkeys([leader, *(each for each in names if each is not None)]))


def _is_configured(answer: Mapping[str, Any]) -> bool:
    """Whether an answer of the API holds a configuration."""
    return isinstance(answer.get("config"), dict)
