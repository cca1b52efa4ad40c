"""What an audit ends in, as plain data: verdicts with counts, figures of each run, and what was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from angarium.core.result import Verdict


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of the input: read = accepted + quarantined, always."""

    read: int
    accepted: int
    quarantined: int
    reasons: Mapping[str, int]
    """How many rows are in quarantine for each reason."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one guarantee in one run: a row of the summary."""

    run_id: str
    guarantee: str
    verdict: Verdict
    judged: int
    unjudged: int
    violations: int
    reason: str | None
    """Why the verdict is unknown, or why some of it could not be judged."""
    doubtful: bool = False
    """Whether something is missing from the run's log that could change the verdict."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What happened in a run, counted."""

    run_id: str
    attempted: int
    """Messages that somebody tried to send."""
    confirmed: int
    """Messages whose send was ok."""
    unconfirmed: int
    """Messages that were attempted, never confirmed and never delivered."""
    delivered: int
    """Messages that were delivered."""
    deliveries: int
    redelivered: int
    """Messages that were delivered more than once to a subscriber."""
    max_deliveries: int
    """The most deliveries of one message to one subscriber."""
    requeues: int
    unseen: int
    lost: int


@dataclass(frozen=True, slots=True)
class Violation:
    """One row of the violations: see `tables.VIOLATIONS`."""

    run_id: str
    guarantee: str
    kind: str
    destination: str | None
    partition_id: str | None
    subscriber: str | None
    message_id: str | None
    broker_id: str | None
    consumer_id: str | None
    first_recorder: str | None
    first_seq: int | None
    first_time: int | None
    last_recorder: str | None
    last_seq: int | None
    last_time: int | None
    found_at: int
    measure: int | None = None
    bound: int | None = None
    explanation: str = ""
