"""The same endpoints over real UDP, on this machine's loopback: `Network` with sockets and a real clock.

Every endpoint has a socket of its own on a port that the operating system chooses. Loopback itself hardly
ever loses or reorders anything, so the same `Impairment` as in the simulated network stands between an
endpoint and its socket: it drops a datagram, doubles it, or holds it back for a while so that others
overtake it. One thread serves all sockets: it sleeps until a datagram comes, one that is held back may
go, or an endpoint wants to be woken.

What comes from an address that is none of the endpoints' is not looked at: a port on loopback is open to
every program of the machine.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from heapq import heappop, heappush
from random import Random
from time import monotonic
from types import TracebackType
from typing import Self

from angarium.checker.walks.datagrams import Address, Endpoint, Impairment, Tally

LOOPBACK = "127.0.0.1"
LARGEST = 65535
"""No UDP datagram has more bytes."""
AT_ONCE = 64
"""How many datagrams are taken from one socket before the others and the timers have their turn."""
LONGEST_SLEEP = 0.05
"""In seconds: so often, at least, a run looks whether it is done."""

Place = tuple[str, int]
"""Where a socket is: its machine and port."""


class UdpNetwork:
    """Endpoints by their addresses, each behind a socket; sockets are open as long as the `with` block."""

    def __init__(
        self, endpoints: Mapping[Address, Endpoint], impairment: Impairment | None = None, *, seed: int = 0
    ) -> None:
        self.tally = Tally()
        self._endpoints = dict(endpoints)
        self._impairment = impairment or Impairment(delay=0.0)
        self._random = Random(seed)
        self.sockets: dict[Address, socket.socket] = {}
        self._places: dict[Address, Place] = {}
        self._held: list[tuple[float, int, Address, Address, bytes]] = []  # until when, and which
        self._opened = ExitStack()
        self._selector = selectors.SelectSelector()  # the others sleep whole milliseconds

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            opened.callback(self._selector.close)
            for address in self._endpoints:
                line = opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                line.setblocking(False)
                line.bind((LOOPBACK, 0))
                self.sockets[address], self._places[address] = line, line.getsockname()
                self._selector.register(line, selectors.EVENT_READ, address)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    @property
    def now(self) -> float:
        """The time on a clock that is never set back."""
        return monotonic()

    def attend(self, address: Address) -> None:
        """Take what an endpoint wants to transmit; after whatever is done to it from outside."""
        for to, data in self._endpoints[address].take_outgoing():
            self._transmit(address, to, data)

    def replace(self, address: Address, endpoint: Endpoint) -> None:
        """Put another endpoint behind the socket of an address."""
        self._endpoints[address] = endpoint
        self.attend(address)

    def run(self, *, until: Callable[[], bool], deadline: float) -> bool:
        """Serve all sockets until a condition is true; False if it is not by the deadline."""
        while not until():
            now = self.now
            if now >= deadline:
                return False
            self._wake(now)
            self._let_go(now)
            for key, _ in self._selector.select(self._sleep(now)):
                self._serve(key.data)
        return True

    # --- out ------------------------------------------------------------------------------------

    def _transmit(self, source: Address, to: Address, data: bytes) -> None:
        journeys = self._impairment.journeys(self._random)
        number = self.tally.send(len(journeys))
        for journey in journeys:
            if journey > 0:
                heappush(self._held, (self.now + journey, number, source, to, data))
            else:
                self._put(number, source, to, data)

    def _let_go(self, now: float) -> None:
        """Send what has been held back long enough."""
        while self._held and self._held[0][0] <= now:
            _, number, source, to, data = heappop(self._held)
            self._put(number, source, to, data)

    def _put(self, number: int, source: Address, to: Address, data: bytes) -> None:
        if to not in self._places:
            self.tally.lost += 1
            return
        self.tally.pass_on(source, to, number)
        try:
            self.sockets[source].sendto(data, self._places[to])
        except OSError:
            self.tally.lost += 1  # a full buffer: the network may lose what it likes

    # --- in -------------------------------------------------------------------------------------

    def _serve(self, address: Address) -> None:
        endpoint = self._endpoints[address]
        for data in self._arrived(address):
            self.tally.arrived += 1
            endpoint.receive(data, self.now)
            self.attend(address)

    def _arrived(self, address: Address) -> Iterator[bytes]:
        known = self._places.values()
        for _ in range(AT_ONCE):
            try:
                data, place = self.sockets[address].recvfrom(LARGEST)
            except BlockingIOError:
                return
            if place in known:
                yield data

    def _wake(self, now: float) -> None:
        for address, endpoint in self._endpoints.items():
            wished = endpoint.next_timer
            if wished is not None and wished <= now:
                endpoint.tick(now)
                self.attend(address)

    def _sleep(self, now: float) -> float:
        """How long nothing needs to be done, unless a datagram comes."""
        wished = [each.next_timer for each in self._endpoints.values()]
        times = [when for when in wished if when is not None] + [when for when, *_ in self._held[:1]]
        return max(0.0, min([LONGEST_SLEEP, *(when - now for when in times)]))
