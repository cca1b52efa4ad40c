"""Jepsen's histories: operation maps as JSON, one a line.

    {"type": "ok", "f": "send", "value": [["send", 5, [272, 140]]], "process": 3, "time": 136203, "index": 7}

Keywords may keep their colon. Two workloads are known:

- that of logs (Kafka): `send`, `poll` and `txn` hold micro-operations: ["send", key, value], when it is ok
  ["send", key, [offset, value]], and ["poll", {key: [[offset, value], …]}]. A key is a partition, a message
  is KEY:VALUE, all of them in the destination `log`.
- that of queues: `enqueue`, `dequeue` and `drain`; a message is its value, in the destination `queue`.

`assign` is a group event, `subscribe` and `crash` (a kill) are control; what the nemesis does, and everything
else, is `observe`. An operation with several messages gives several events with its number. They are set one
nanosecond apart, up to the operation's time, so that the order within a poll is kept.

`index` is global and without a gap: one recorder, `jepsen`, whose seq is index + 1. Times are nanoseconds
since the test began; to them one second is added, because the schema's times are above 0.

A process that assigns, subscribes or is rebalanced may go back in the log. So its deliveries get a
generation that counts these, and polls are compared within one.

What cannot be known from here: which system it was, and so whether it takes messages back after a time (say
--message-timeout); acknowledgements; groups: any process may read any key, again and again, and a
message counts as delivered when one has polled it; in which order values were to come (no producer_seq).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from angarium.history.intake.foreign import (
    Event,
    Rows,
    digits,
    listed,
    number,
    parsed,
    shaped,
    text,
)
from angarium.history.intake.json_lines import BadLineError, Format, object_of, objects
from angarium.history.schema import PHASES

NO_OPERATION = "the line is no operation of Jepsen: it needs type, f and process"
NO_VALUE = "the value of an operation does not have the shape that its f has"
_LOG = ("send", "poll", "txn")
_QUEUE = ("enqueue", "dequeue", "drain")
_PLACED = ("assign", "subscribe")
_RECEIVES = ("poll", "dequeue", "drain")
_BEGIN = 1_000_000_000
_NO_REBALANCE = 2
"""So long is the text of an empty list of rebalances."""


def _recognises(lines: Sequence[str]) -> bool:
    def ours(record: dict[str, object]) -> bool:
        kind = str(record.get("type", "")).lstrip(":")
        return kind in PHASES and "f" in record and "process" in record

    return any(map(ours, objects(lines)))


FORMAT = Format("jepsen", _recognises)


class _Deed(NamedTuple):
    """What an operation did with one message. Not whole: the value does not have the shape."""

    op: str | None
    key: str | None = None
    offset: str | None = None
    message: str | None = None
    whole: bool = True


@dataclass
class Operations:
    """The operations of a file, in its order."""

    placed: Counter[str | None] = field(default_factory=Counter)
    """How often each process had its partitions placed anew."""

    def __call__(self, line: str) -> Rows:
        given = object_of(line)
        type_, op, process = (_plain(text(given.get(name))) for name in ("type", "f", "process"))
        held, rebalances = text(given.get("value")), text(given.get("rebalance-log"))
        if op in _PLACED or (rebalances is not None and len(rebalances) > _NO_REBALANCE):
            self.placed[process] += 1
        known = type_ in PHASES and op is not None and process is not None
        deeds = list(_deeds(op, type_, held))
        if not known:
            return [BadLineError(NO_OPERATION, "type", type_) for _ in deeds]
        said = {"type": type_, "f": op, "process": process, "held": held}
        return [
            self._row(given, said, deed, len(deeds) - 1 - place)
            if deed.whole
            else BadLineError(NO_VALUE, "value", held)
            for place, deed in enumerate(deeds)
        ]

    def _row(self, given: Mapping[str, Any], said: Mapping[str, Any], deed: _Deed, apart: int) -> Event:
        op, f, index, time = deed.op, said["f"], number(given.get("index")), number(given.get("time"))
        in_log, in_queue = f in _LOG or f in _PLACED, f in _QUEUE
        named = None if None in (deed.key, deed.message) else f"{deed.key}:{deed.message}"
        partitions = listed(parsed(said["held"])) if f in _PLACED else None
        return shaped(
            {
                "recorder": "jepsen", "system": "jepsen", "seq": None if index is None else index + 1,
                "time_unix_nano": None if time is None else time + _BEGIN - apart,
                "op_type": _op_type(op), "op_name": "kill" if op == "crash" else op, "phase": said["type"],
                "error_type": _plain(text(given.get("error"))),
                "message_id": named if in_log else deed.message,
                "destination": "log" if in_log else "queue" if in_queue else None,
                "partition_id": deed.key, "offset": digits(deed.offset),
                "client_id": re.sub(r"^(\d+)$", r"process \1", said["process"]),
                "generation": self.placed[said["process"]] if op in _RECEIVES else None,
                "partitions": None if partitions is None else [text(each) or "" for each in partitions],
            }
        )  # fmt: skip


def _plain(word: str | None) -> str | None:
    """A keyword without its colon."""
    return None if word is None else word.removeprefix(":")


def _op_type(op: str | None) -> str:
    if op in _RECEIVES:
        return "receive"
    if op in ("send", "enqueue"):
        return "send"
    return "group" if op == "assign" else "control" if op in ("subscribe", "crash") else "observe"


# --- values -----------------------------------------------------------------------------------------


def _deeds(op: str | None, type_: str | None, held: str | None) -> Iterator[_Deed]:
    """What an operation did, message by message; never nothing, so that no operation vanishes."""
    found: list[_Deed] = []
    whole = True
    if op in _LOG:
        parts = listed(parsed(held))
        whole = parts is not None and all(isinstance(part, list) for part in parts)
        for part in parts if whole and parts else []:
            texts = [text(each) for each in part]
            found += _polled(texts) if _name(texts) == "poll" else [_sent(texts)]
    elif op in ("enqueue", "dequeue"):
        found = [_of_queue(op, type_, held)]
    elif op == "drain":
        found = [_of_queue(op, type_, text(each)) for each in listed(parsed(held)) or []]
    yield from found or [_Deed(op, whole=whole)]


def _of_queue(op: str, type_: str | None, value: str | None) -> _Deed:
    """Only a dequeue that is not ok, or not over, has no message."""
    return _Deed(op, message=value, whole=value is not None or (op == "dequeue" and type_ != "ok"))


def _name(part: list[str | None]) -> str | None:
    return _plain(part[0]) if part else None


def _sent(part: list[str | None]) -> _Deed:
    """["send", key, value], or ["send", key, [offset, value]] with an offset that may be null."""
    key, third = (part[place] if place < len(part) else None for place in (1, 2))
    pair = listed(parsed(third)) if third is not None and third.startswith("[") else None
    offset, message = None, third
    if pair is not None and len(pair) == 2:
        offset, message = text(pair[0]), text(pair[1])
    whole = _name(part) == "send" and key is not None and message is not None
    return _Deed(_name(part), key, offset, message, whole)


def _polled(part: list[str | None]) -> list[_Deed]:
    """["poll"], or ["poll", {key: [[offset, value], …]}]: as many as messages, one if there is none."""
    given = part[1] if len(part) > 1 else None
    found = parsed(given)
    deeds: list[_Deed] = []
    for key, pairs in found.items() if isinstance(found, dict) else ():
        if not isinstance(pairs, list) or not all(isinstance(pair, list) for pair in pairs):
            deeds.append(_Deed("poll", key, whole=False))
            continue
        for pair in pairs:
            offset, message = (text(pair[place]) if place < len(pair) else None for place in (0, 1))
            deeds.append(_Deed("poll", key, offset, message, message is not None))
    return deeds or [_Deed("poll", whole=given is None or isinstance(found, dict))]
