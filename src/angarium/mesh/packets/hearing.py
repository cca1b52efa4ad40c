"""Heartbeats: when a broker stops to hear its neighbour over a link, and when it hears it again.

Every router sends a heartbeat (OSPF calls it hello) over each of its links at equal distances, from a
beginning of its own, by the seed: the same that a node of this name has. What is cut meanwhile is not heard.
A router that has heard nothing for the *dead interval* takes the link for dead. So that takes between the
dead interval less one heartbeat, and the dead interval: as the thesis says of OSPF, 30 to 40 s of 10 and 40.

Nothing else is looked at: heartbeats go before other packets, and none gets lost but by a cut. They have been
sent for ever when a simulation begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.mesh.packets.clock import NEVER
from angarium.mesh.packets.happenings import Outage, works


@dataclass(frozen=True, slots=True)
class Beat:
    """The heartbeats of one link."""

    interval: int
    phase: int
    """When one is sent; others are whole intervals before and after."""
    delay: int
    """How long each takes to cross."""
    outages: Sequence[Outage]

    def sent_from(self, time: int) -> int:
        """When the first one is sent, at a time or after it."""
        return self.phase - (self.phase - time) // self.interval * self.interval

    def heard_from(self, time: int) -> int:
        """When the first one is heard that is sent at a time or after it, and gets through."""
        sent = self.sent_from(time)
        for since, until in self.outages:
            if works([(since, until)], sent, sent + self.delay):
                continue
            if until == NEVER:
                return NEVER
            sent = self.sent_from(max(until, sent))
        return sent + self.delay

    def heard_before(self, time: int) -> int:
        """When the last one is heard before a time, if nothing is cut before."""
        latest = time - 1 - self.delay
        return self.sent_from(latest - self.interval + 1) + self.delay


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing is heard over a link, long enough to be noticed."""

    noticed: int
    over: int
    """When something is heard again."""


def silences(beat: Beat, dead: int, comebacks: Sequence[int]) -> list[Silence]:
    """When a listener takes a link for dead, and when it hears something again.

    A listener that comes back from the dead has heard nothing yet: it begins to count anew.
    """
    gaps: list[tuple[int, int]] = []
    for since, until in beat.outages:
        last = beat.heard_before(since)
        if gaps and last < gaps[-1][1]:
            last, _ = gaps.pop()
        gaps.append((last, NEVER if until == NEVER else beat.heard_from(until)))
    found = []
    for last, first in gaps:
        counted = max([last, *(back for back in comebacks if back < first)])
        if first - counted > dead:
            found.append(Silence(counted + dead, first))
    return found
