"""What is in a history: counts of each kind of event, by which it is decided what can be judged."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.history import schema


@dataclass(frozen=True, slots=True)
class Profile:
    """The counts of one run."""

    run_id: str
    systems: tuple[str, ...]
    events: int
    begin: int
    end: int
    """The time of the last event."""
    recorders: int
    clock_domains: int
    numbered: int
    """Events with a seq."""
    sends: int
    """Send events of a message, in any phase."""
    confirmed: int
    """Sends that are ok."""
    receives: int
    """Deliveries by `receive`: ok, with a message."""
    processes: int
    """Deliveries by `process`: ok, with a message."""
    settles: int
    acks: int
    requeues: int
    sequenced: int
    """Sends or deliveries with a producer_seq."""
    placed: int
    """Sends or deliveries with an offset."""
    subscriptions: int
    closings: int
    credits: int
    """Events with a credit or a prefetch above 0."""
    retry_limits: int
    """Events with max_deliveries."""
    timeouts: int
    """Events with ack_wait_ms."""
    single_actives: int
    """Events with single_active."""
    grouped: int
    """Deliveries with a consumer_group and a partition_id."""
    assignments: int
    """Assignments with partitions and a generation."""
    stores: int
    """Stores of replicas."""
    isrs: int
    """Events with isr."""
    attached: bool
    """Whether a recorder says that it attached to a running system."""
    multiples: int = 0
    """Settles with settle_multiple."""
    shares: int = 0
    """Assignments with partitions."""
    nameless: int = 0
    """Events of messages without an id, which nobody can follow."""

    @property
    def deliveries(self) -> int:
        return self.receives + self.processes

    @property
    def timerless(self) -> bool:
        """Whether its systems, all of which are named, never take a message back for its age."""
        return bool(self.systems) and set(self.systems) <= set(schema.TIMERLESS)

    @property
    def unsettled(self) -> str | None:
        """Why nobody can know what consumers gave back, as in what a broker traces; Kafka's never do."""
        silent = not self.settles and self.systems != ("kafka",)
        return "no event says what consumers settle" if silent else None
