"""What an audit takes for granted, each with a default: times, limits, and what nobody recorded.

A correct broker must never be accused. So where clients cannot know when their word reaches the broker, or
where clocks differ, some time is allowed for.
"""

from __future__ import annotations

from dataclasses import dataclass

MILLISECOND = 1_000_000
SECOND = 1000 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an audit; times in nanoseconds."""

    message_timeout: int | None = None
    """After this time without a settle the broker takes a message back. None: as events say (ack_wait_ms)."""
    grace: int = 20 * MILLISECOND
    """The time that a client's word (a new credit, an acknowledgement) may need to reach the broker."""
    clock_skew: int = 100 * MILLISECOND
    """By how much clocks of different domains may differ."""
    in_flight_tail: int = 5 * SECOND
    """A message confirmed so shortly before the history's end, and not delivered, is unseen and not lost."""
    ack_doubt: int = 5 * SECOND
    """An unconfirmed acknowledgement is in doubt if its client, or a broker, ends within this time."""
    retry_limit: int | None = None
    """How often one message may be delivered. None: as the events say (max_deliveries)."""
    redelivery_within: int = 10 * SECOND
    """The time that a redelivery may take after a consumer's end, a requeue or a timeout."""
    balance_within: int = 10 * SECOND
    """The time after which an assignment that still stands must be balanced."""
    single_active: tuple[str, ...] = ()
    """Patterns of queues that have a single active consumer, where no event says so."""
