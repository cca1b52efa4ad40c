"""How long things take: all in seconds, or in another unit of which `second` says how many one has."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.core.errors import UsageError

SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT = 0.001, 3600.0


@dataclass(frozen=True, slots=True)
class Timing:
    """When something is sent, and when one stops waiting for it."""

    heartbeat: float = 0.05
    """Between two signs of life over an interface, and between two link tests."""
    missed: int = 4
    """So many heartbeats without anything heard, and an interface has failed (four, as in OSPF)."""
    tries: int = 8
    """How often notifications are sent, if none of them is acknowledged, before the interface has failed."""
    longest_wait: int = 4
    """Between two tries: the first wait is one heartbeat, then twice as long each time, up to so many."""
    tests: int = 3
    """So many tests in a row must be answered before a failed interface is used again."""
    differing: int = 3
    """So many heartbeats in a row tell that a neighbour holds other statements, though it has acknowledged
    all, before it is told everything: one or two may have been overtaken by what they do not know of."""
    second: float = 1.0
    """So many units of time are a second. Who counts in whole nanoseconds has sums that are exact."""

    def __post_init__(self) -> None:
        heartbeat = self.heartbeat / self.second
        if not SHORTEST_HEARTBEAT <= heartbeat <= LONGEST_HEARTBEAT:
            raise UsageError(
                "ANG013",
                f"a heartbeat every {heartbeat * 1000:g} ms",
                possible=f"{SHORTEST_HEARTBEAT * 1000:g} ms to {LONGEST_HEARTBEAT:g} s",
                remedy="for example --heartbeat 50ms",
            )
        if min(self.missed, self.tries, self.longest_wait, self.tests, self.differing) < 1:
            raise ValueError(f"{self}: every count is at least 1")

    @property
    def dead_after(self) -> float:
        """The dead interval."""
        return self.missed * self.heartbeat

    def wait(self, tries: int) -> float:
        """How long to wait for an acknowledgement after so many tries."""
        return self.heartbeat * min(1 << min(tries - 1, 30), self.longest_wait)
