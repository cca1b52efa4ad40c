"""Counting probes: which numbers of a stream have come, which are missing, and how many came twice.

Only the gaps are kept, as ranges, and only so many of them and of streams: who sends nonsense cannot make us
remember it all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from angarium.mesh.protocol.messages import Packet

MOST_STREAMS, MOST_GAPS = 64, 4096

Gap = tuple[int, int]
"""The first and the last number of a row that is missing."""


@dataclass(slots=True)
class Stream:
    """The packets of one life of a broker, numbered from 0 on."""

    received: int = 0
    doubled: int = 0
    expected: int = 0
    """One more than the largest number that has come."""
    gaps: list[Gap] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return sum(last - first + 1 for first, last in self.gaps)

    def take(self, number: int) -> bool:
        """Count a packet; False if there is no room to say which are missing."""
        if number >= self.expected:
            return self._advance(number)
        for place, (first, last) in enumerate(self.gaps):
            if first <= number <= last:
                left = _without(first, last, number)
                if len(self.gaps) + len(left) > MOST_GAPS + 1:
                    return False
                self.gaps[place : place + 1] = left
                self.received += 1
                return True
        self.doubled += 1
        return True

    def _advance(self, number: int) -> bool:
        if number > self.expected:
            if len(self.gaps) >= MOST_GAPS:
                return False
            self.gaps.append((self.expected, number - 1))
        self.expected = number + 1
        self.received += 1
        return True


def _without(first: int, last: int, number: int) -> list[Gap]:
    parts = (first, number - 1), (number + 1, last)
    return [part for part in parts if part[0] <= part[1]]


@dataclass(slots=True)
class Counted:
    """All streams that have come."""

    streams: dict[tuple[str, int], Stream] = field(default_factory=dict)
    """By broker and its life."""
    uncounted: int = 0
    """Packets for which there was no room."""

    def take(self, packet: Packet) -> None:
        """Count a packet."""
        key = packet.source, packet.life
        has_room = key in self.streams or len(self.streams) < MOST_STREAMS
        if not (has_room and self.streams.setdefault(key, Stream()).take(packet.number)):
            self.uncounted += 1
