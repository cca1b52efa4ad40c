"""A simulated network: datagrams that get lost, doubled or overtaken, and a clock that only events move.

A protocol sans I/O has no socket, no clock and no randomness of its own. It takes datagrams and the time,
and gives datagrams and the time at which it wants to be woken. So a whole network of such endpoints can
be run in one loop: a heap of events, each with its time; the loop takes the earliest, sets the clock, and
does it. An hour of the network takes as long as its events take to compute. A run is a function of the
seed: whoever has the seed has the run, also its failure.

What can go wrong with a datagram is decided when it is sent, by `Impairment.journeys`: how long each of its
copies is on its way. No copy means that it is lost, two that it is doubled, and one that takes longer
than those behind it is overtaken. Nothing is corrupted and nothing is invented.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Protocol

Address = Hashable
"""What endpoints call each other by."""
Deferred = Callable[[], None]


class Endpoint(Protocol):
    """A protocol sans I/O. Whoever runs it brings datagrams and the time, and takes datagrams away."""

    @property
    def next_timer(self) -> float | None:
        """When it wants to be woken; None if only a datagram can move it."""
        ...

    def receive(self, data: bytes, now: float) -> None:
        """A datagram has arrived."""
        ...

    def tick(self, now: float) -> None:
        """The time for which it asked has come."""
        ...

    def take_outgoing(self) -> Sequence[tuple[Address, bytes]]:
        """What it wants to transmit and has not given away before: each with where it goes."""
        ...


@dataclass(frozen=True, slots=True)
class Impairment:
    """How bad a network is: the share of datagrams to which each thing happens, and times in seconds."""

    loss: float = 0.0
    duplication: float = 0.0
    reordering: float = 0.0
    delay: float = 0.01
    """How long a datagram is on its way."""
    late: float = 0.01
    """How much longer one takes, at most, that is to be overtaken."""

    def journeys(self, random: Random) -> list[float]:
        """How long each copy of one datagram is on its way; no copy if it is lost."""
        if random.random() < self.loss:
            return []
        copies = 2 if random.random() < self.duplication else 1
        return [self._journey(random) for _ in range(copies)]

    def _journey(self, random: Random) -> float:
        if random.random() < self.reordering:
            return self.delay + self.late * random.random()
        return self.delay


@dataclass(slots=True)
class Tally:
    """What a network has done so far."""

    sent: int = 0
    arrived: int = 0
    lost: int = 0
    duplicated: int = 0
    overtaken: int = 0
    """Datagrams that came after one that was sent later, between the same two ends."""
    _latest: dict[tuple[Address, Address], int] = field(default_factory=dict)

    def send(self, copies: int) -> int:
        """Note that a datagram is sent, and of how many copies; the datagram's number."""
        self.sent += 1
        self.lost += copies == 0
        self.duplicated += copies > 1
        return self.sent

    def pass_on(self, source: Address, to: Address, number: int) -> None:
        """Note that a datagram comes to its end, or to where nothing can overtake it any more."""
        latest = self._latest.get((source, to), 0)
        self.overtaken += number < latest
        self._latest[source, to] = max(number, latest)


class Network:
    """Endpoints by their addresses, and everything that is going to happen to them."""

    def __init__(
        self, endpoints: Mapping[Address, Endpoint], impairment: Impairment | None = None, *, seed: int = 0
    ) -> None:
        self.now = 0.0
        self.tally = Tally()
        self._endpoints = dict(endpoints)
        self._impairment = impairment or Impairment()
        self._random = Random(seed)
        self._ahead: list[tuple[float, int, Deferred]] = []
        self._planned = 0
        self._alarms: dict[Address, float] = {}

    # --- what is done from outside ------------------------------------------------------------

    def at(self, when: float, what: Deferred) -> None:
        """Do something at a time: an application that sends, a host that restarts."""
        if when < self.now:
            raise ValueError(f"it is {self.now} already: nothing can be done at {when}")
        heappush(self._ahead, (when, self._planned, what))
        self._planned += 1

    def attend(self, address: Address) -> None:
        """Take what an endpoint wants to transmit, and note when it wants to be woken.

        After whatever is done to an endpoint from outside; the network does it after its own events.
        """
        endpoint = self._endpoints[address]
        for to, data in endpoint.take_outgoing():
            self._transmit(address, to, data)
        self._set_alarm(address, endpoint.next_timer)

    def replace(self, address: Address, endpoint: Endpoint) -> None:
        """Put another endpoint at an address, such as a host that has restarted and forgotten everything.

        What is on its way to the address will arrive at the new one.
        """
        self._endpoints[address] = endpoint
        self.attend(address)

    def run(self, *, until: Callable[[], bool], deadline: float) -> bool:
        """Let things happen until a condition is true; False if it is not by the deadline, or never."""
        while not until():
            if not self._ahead or self._ahead[0][0] > deadline:
                return False
            self.now, _, deferred = heappop(self._ahead)
            deferred()
        return True

    # --- events ---------------------------------------------------------------------------------

    def _transmit(self, source: Address, to: Address, data: bytes) -> None:
        journeys = self._impairment.journeys(self._random)
        number = self.tally.send(len(journeys))
        for journey in journeys:
            self.at(self.now + journey, partial(self._arrive, source, to, number, data))

    def _arrive(self, source: Address, to: Address, number: int, data: bytes) -> None:
        endpoint = self._endpoints.get(to)
        if endpoint is None:
            return  # nobody lives there: as good as lost
        self.tally.arrived += 1
        self.tally.pass_on(source, to, number)
        endpoint.receive(data, self.now)
        self.attend(to)

    def _set_alarm(self, address: Address, when: float | None) -> None:
        """An alarm that is no longer wished for is left to ring: it is cheaper to look then."""
        if when is None or self._alarms.get(address, when + 1) <= when:
            return
        self._alarms[address] = when
        self.at(when, partial(self._ring, address, when))

    def _ring(self, address: Address, when: float) -> None:
        if self._alarms.get(address) != when:
            return  # an earlier one has been set since, and has rung
        del self._alarms[address]
        endpoint = self._endpoints[address]
        wished = endpoint.next_timer
        if wished is not None and wished <= self.now:
            endpoint.tick(self.now)
        self.attend(address)
