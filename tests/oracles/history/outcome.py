"""What a rule says of a run: its violations, and how much of the run it could judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.history.results import Violation
from tests.oracles.history.events import Event


@dataclass(frozen=True)
class Outcome:
    """The outcome of one rule in one run."""

    violations: Sequence[Violation]
    judged: int
    unjudged: int = 0


@dataclass(frozen=True)
class Kind:
    """A way in which a guarantee is broken."""

    guarantee: str
    name: str

    def delivered(
        self,
        first: Event,
        delivery: Event,
        found_at: int | None = None,
        measure: int | None = None,
        bound: int | None = None,
    ) -> Violation:
        """A violation that a delivery is: to its subscriber and consumer."""
        return self.violation(
            first, delivery, delivery, found_at, delivery.subscriber, delivery.consumer,
            measure=measure, bound=bound,
        )  # fmt: skip

    def violation(
        self,
        first: Event,
        last: Event,
        about: Event,
        found_at: int | None = None,
        subscriber: str | None = None,
        consumer: str | None = None,
        broker: str | None = None,
        measure: int | None = None,
        bound: int | None = None,
    ) -> Violation:
        """`about`: the event whose run, place and message it concerns."""
        return Violation(
            run_id=about.run,
            guarantee=self.guarantee,
            kind=self.name,
            destination=about.destination,
            partition_id=about.partition_id,
            subscriber=subscriber,
            message_id=about.message_id,
            broker_id=broker,
            consumer_id=consumer,
            first_recorder=first.recorder,
            first_seq=first.seq,
            first_time=first.at,
            last_recorder=last.recorder,
            last_seq=last.seq,
            last_time=last.at,
            found_at=last.at if found_at is None else found_at,
            measure=measure,
            bound=bound,
        )
