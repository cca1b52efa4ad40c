"""The schemes, their timers, and what happens in the brokers.

    pcrt       heartbeats; who notices a dead link tells all others, and each uses the tables that were
               calculated for it beforehand, at once; a healed link is tested
    ospf       hellos; who notices a dead link tells all others, and each calculates new tables
    ospf-fast  the same with faster timers
    lfa        ospf-fast, and the broker beside a dead link leads packets over a neighbour that is nearer to
               their destination than the way back, if it has one (loop-free alternates)
    rrl        the broker beside a dead link marks packets with a layer in which the link is not needed, and
               all forward what is marked by the layer's tables (Resilient Routing Layers); others are not
               told

A timeline says who notices, who learns, and who forwards by which table from when on.

The timers say how long brokers of a scheme wait for what. Of OSPF the thesis names hello 10 s, dead 40 s, a
delay of 5 s before a calculation and a hold of 10 s between two of them, and what a calculation takes on a
router of its time, by the number of nodes. Cisco documents 33 ms from one update over an interface to the
next, and 5 s from one of the same link state to the next. That new tables take 200 ms to get into forwarding,
and a message 1 ms to be looked at, are our choices, of the order that measurements of such routers found. The
fast ones have the least whole second for the hello, and the calculation's delays of today's routers, 200 ms
and 1 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets.links import MILLISECOND, SECOND

DEAD_AFTER = 4
"""Heartbeats that are missed until a link is taken for dead; OSPF's default, and PCRT's."""
QUADRATIC, CONSTANT = 2.47e-6, 9.78e-4
"""Seconds of a calculation of shortest paths (Cisco 3600): by the square of the number of nodes, plus."""
EXCHANGES = 3
"""Round trips until two OSPF routers that hear each other have the same database: who leads, what there is,
what is missing."""


@dataclass(frozen=True, slots=True)
class Timers:
    """All in nanoseconds."""

    heartbeat: int
    dead: int
    resend: int
    """Until a message about links is sent again, if it was not acknowledged."""
    processing: int = MILLISECOND
    """What it takes a broker to look at such a message."""
    pacing: int = 0
    """Between two updates over the same link."""
    advertising: int = 0
    """Between two statements of the same broker about its links."""
    delay: int = 0
    """From the first news to a calculation."""
    hold: int = 0
    """From one calculation to the next."""
    update: int = 0
    """Until a calculated table is the one that packets meet."""

    def beating(self, heartbeat: int | None) -> Timers:
        """With another heartbeat, dead interval and time to send again, in the same ratio; or as they are."""
        if heartbeat is None:
            return self
        resend = max(1, self.resend * heartbeat // self.heartbeat)
        return replace(self, heartbeat=heartbeat, dead=DEAD_AFTER * heartbeat, resend=resend)


def calculation(brokers: int) -> int:
    """What it takes to calculate the shortest paths between so many brokers."""
    return round((QUADRATIC * brokers**2 + CONSTANT) * SECOND)


PRECALCULATED = Timers(heartbeat=SECOND, dead=4 * SECOND, resend=SECOND, update=200 * MILLISECOND)
"""PCRT. Tables that are there are used at once; what must be calculated takes its time to be used."""
LOCAL = Timers(heartbeat=SECOND, dead=4 * SECOND, resend=SECOND)
CLASSIC = Timers(
    heartbeat=10 * SECOND,
    dead=40 * SECOND,
    resend=5 * SECOND,
    pacing=33 * MILLISECOND,
    advertising=5 * SECOND,
    delay=5 * SECOND,
    hold=10 * SECOND,
    update=200 * MILLISECOND,
)
FAST = replace(
    CLASSIC, heartbeat=SECOND, dead=4 * SECOND, resend=SECOND, delay=200 * MILLISECOND, hold=SECOND
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the brokers of a mesh recover."""

    name: str
    timers: Timers
    routers: bool = True
    """Whether brokers are routers that speak OSPF; else they are the nodes of `mesh.protocol`."""
    leads_around: bool = False

    def beating(self, heartbeat: int | None) -> Scheme:
        """The same with another heartbeat."""
        return replace(self, timers=self.timers.beating(heartbeat))


PCRT = Scheme("pcrt", PRECALCULATED, routers=False)
OSPF = Scheme("ospf", CLASSIC)
OSPF_FAST = Scheme("ospf-fast", FAST)
LFA = Scheme("lfa", FAST, leads_around=True)
RRL = Scheme("rrl", LOCAL, routers=False, leads_around=True)
SCHEMES = {scheme.name: scheme for scheme in (PCRT, OSPF, OSPF_FAST, LFA, RRL)}

NOTICES, LEARNS = "notices", "learns"


@dataclass(frozen=True, slots=True)
class News:
    """A broker gets to know that a link is dead, or that it works again."""

    time: int
    broker: str
    how: str
    """Whether it `notices` itself, or `learns` from others."""
    link: str
    dead: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """From a time on, a broker forwards by another table."""

    time: int
    broker: str
    known: Failures = NOTHING
    """The tables are those of a mesh in which this is dead."""
    around: frozenset[str] = frozenset()
    """Cables at the broker itself that it takes for dead, and leads packets around by what it has ready."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All of it, in the order of time."""

    news: tuple[News, ...]
    switches: tuple[Switch, ...]

    def settled(self, start: int, end: int) -> int | None:
        """When the last broker switched its table within some time."""
        return max((each.time for each in self.switches if start <= each.time < end), default=None)

    def noticed(self, start: int, end: int) -> int | None:
        """When the first broker noticed something within some time."""
        return min((each.time for each in _noticing(self.news) if start <= each.time < end), default=None)


def _noticing(news: Sequence[News]) -> list[News]:
    return [each for each in news if each.how == NOTICES]
