"""Which events belong to a violation's story.

What proves a violation differs by its kind, so each kind names its *circumstances*: the life of the message,
the credits, what else was in flight, the assignments, the delivery before. The two events that prove it
belong to it always. A history is large and a story is short: each circumstance brings only the last events
before the violation, and never more than `MOST` of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST: dict[str, int] = {
    "proof": 8,
    "message": 200,
    "credit": 3,
    "flight": 400,
    "own": 2,
    "group": 24,
    "before": 1,
}
"""How many events a circumstance brings at most: those that are nearest to the violation."""

CIRCUMSTANCES: dict[str, tuple[str, ...]] = {
    "lost": ("message",),
    "never-sent": ("message",),
    "failed-send": ("message",),
    "held": ("message",),
    "after-ack": ("message",),
    "inversion": ("message",),
    "two-values": ("message",),
    "two-offsets": ("message",),
    "nonmonotonic-poll": (),
    "skip": ("message",),
    "two-active": ("before",),
    "not-assigned": ("own",),
    "stale-generation": ("own",),
    "over-credit": ("credit", "flight"),
    "too-many": ("message",),
    "late": ("message",),
    "uneven": ("group",),
    "not-stored": ("message",),
    "gap": (),
}
"""What belongs to the story of each kind, besides the two events that prove it."""

FIELDS = (
    "run_id", "at", "recorder", "seq", "op_type", "op_name", "phase", "error_type", "message_id",
    "producer_seq", "destination", "partition_id", "offset", "producer", "consumer", "consumer_id",
    "subscriber", "broker_id", "redelivered", "delivery_count", "settle", "delay_ms", "credit", "prefetch",
    "generation", "partitions", "isr",
)  # fmt: skip
"""The columns of an event that a story tells from."""


@dataclass(frozen=True, slots=True)
class Found:
    """An event that belongs to a story."""

    circumstance: str
    event: Mapping[str, Any]
