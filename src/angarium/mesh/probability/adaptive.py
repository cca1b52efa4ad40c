"""When to send the next heartbeat, and when to believe that a link is dead, by what is measured.

A fixed dead interval is wrong twice. On a quiet link it waits longer than it needs; on a busy one heartbeats
queue behind data or are dropped with it, and a link that lives is taken for dead. The thesis leaves it to
future work to let both follow the load, as TCP's retransmission timer does (RFC 6298). This is the rule:

    receiver    notes how late each heartbeat is, measured from the last one and what that announced, and
                keeps a smoothed lateness and its smoothed deviation. The link is believed dead when no
                heartbeat has come for

                    announced interval + lateness + 4 deviations,

                at least `PATIENCE` announced intervals and at most `LONGEST` bases.
    sender      sends every `base`. With a `stretch` of more than 1 it sends less often on a busy link: if
                that was busy for a share u of the time lately, every base / (1 - u), up to stretch times
                base. Each heartbeat says when the next one will be sent at the latest: it is sent up to a
                quarter of the interval earlier, at random, as BFD does (RFC 5880, 6.8.7). Else heartbeats
                fall into step with a full queue, and all of them find it full.

In one thing it is not TCP's: the averages rise by an eighth and a quarter of the difference, as in RFC 6298,
but fall 512 times slower. A retransmission too early costs a packet; a false alarm switches the tables of all
brokers, and bursts come after lulls in which a quicker timer has forgotten them. As in RFC 6298, heartbeats
that are on time again after a burst count as deviations, too: the dead interval is longest just behind one.

The thesis would also send less often on a busy link. `angarium mesh heartbeats` shows that this does not pay:
heartbeats are small, and it is many of them within one dead interval that make a false alarm unlikely. So the
stretch is 1 unless somebody asks for more.

Times are whole numbers of a small unit (nanoseconds; any will do), so that the compiled simulation does
exactly the same, and so does every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

PATIENCE = 3
"""The shortest dead interval, in announced intervals."""
LONGEST = 64
"""The longest dead interval, in bases."""
EARLY = 4
"""A heartbeat is sent up to one EARLY-th of its interval before it is due."""
CAUTIOUS = 17
"""The first dead interval, in bases."""
DEVIATIONS = 4
LATENESS_BITS, DEVIATION_BITS, SLOWER_BITS = 3, 2, 9
"""What is added of a difference, as powers of a half; SLOWER_BITS more when it falls."""
WHOLE = 1 << 16
"""The share of a link that is busy all the time."""
BUSY_BITS = 3
"""How fast the measured load follows the load, up and down."""


def moved(average: int, value: int, bits: int, slower: int) -> int:
    """An average after one more value: up by a part of the difference, down by a smaller part of it."""
    if value >= average:
        return average + ((value - average) >> bits)
    return average - ((average - value) >> (bits + slower))


@dataclass(slots=True)
class Sender:
    """Decides how long to wait before the next heartbeat."""

    base: int
    stretch: int = 1
    """The longest interval between heartbeats, in bases."""
    busy: int = 0
    """The smoothed share of time in which the link was busy, of `WHOLE`."""

    def measured(self, busy: int, elapsed: int) -> None:
        """The link was busy for so long of so long a time."""
        share = min(busy * WHOLE // elapsed, WHOLE) if elapsed else 0
        self.busy = moved(self.busy, share, BUSY_BITS, 0)

    @property
    def interval(self) -> int:
        """How long until the next heartbeat at the latest, which the one that is sent now announces."""
        idle = max(WHOLE - self.busy, WHOLE // self.stretch)
        return self.base * WHOLE // idle


@dataclass(slots=True)
class Receiver:
    """Decides how long to wait for the next heartbeat before the link is believed dead."""

    base: int
    last: int
    """When something was heard last; at first, when listening began."""
    announced: int = 0
    """When the next heartbeat is to be sent, counted from the last; the base if nobody has said."""
    lateness: int = 0
    deviation: int = 0
    """At first, that with which the dead interval is `CAUTIOUS` bases: nothing is known of the link yet."""

    def __post_init__(self) -> None:
        self.announced = self.announced or self.base
        self.deviation = self.deviation or (CAUTIOUS - 1) * self.base // DEVIATIONS

    def heard(self, now: int, announced: int = 0) -> None:
        """A heartbeat has come, and says when the next one will be sent."""
        gap = now - self.last
        late = gap - self.announced if gap > self.announced else 0
        off = late - self.lateness if late >= self.lateness else self.lateness - late
        self.deviation = moved(self.deviation, off, DEVIATION_BITS, SLOWER_BITS)
        self.lateness = moved(self.lateness, late, LATENESS_BITS, SLOWER_BITS)
        self.last, self.announced = now, announced or self.base

    @property
    def dead_after(self) -> int:
        """How long after the last heartbeat the link is believed dead, if none comes."""
        overdue = self.announced + self.lateness + DEVIATIONS * self.deviation
        return min(max(overdue, PATIENCE * self.announced), LONGEST * self.base)

    @property
    def dead_at(self) -> int:
        """When the link is believed dead, if no heartbeat comes."""
        return self.last + self.dead_after
