"""Who computes next: one client after the other, however much each of them asks.

At most `AT_ONCE` compute, and of one client at most `EACH`, so that others need not wait for it to end. Who
must wait stands in a line of its client's own, and the clients take turns: first who has the fewest under
way, and among these who has not been served for the longest time. A line is short, and who finds it full is
sent away. Everything here happens in the page's own thread.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv6Address, ip_address, ip_network

from anyio import Event

from angarium.core.errors import WebError

AT_ONCE, EACH = 4, 3
WAITING, WAITING_EACH = 64, 16


class Turns:
    """The lines of all clients, and who computes."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Event]] = {}
        """Who was served last stands last."""
        self._computing: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """A block that is entered when it is the client's turn."""
        self._check_room(client)
        mine = Event()
        self._waiting.setdefault(client, deque()).append(mine)
        self._admit()
        try:
            await mine.wait()
            yield
        finally:
            if mine.is_set():
                self._computing[client] -= 1
            else:
                self._leave(client, mine)
            self._admit()

    def _check_room(self, client: str) -> None:
        own, every = len(self._waiting.get(client, ())), sum(map(len, self._waiting.values()))
        if own < WAITING_EACH and every < WAITING:
            return
        raise WebError(
            "ANG154",
            "the page has too much to do",
            possible=f"{EACH} computations at once for each client, and {WAITING_EACH} that wait",
            remedy="wait a little and ask again",
            status=503,
        )

    def _admit(self) -> None:
        while self._computing.total() < AT_ONCE and (client := self._next()) is not None:
            line = self._waiting[client]
            line[0].set()
            self._leave(client, line[0])
            self._computing[client] += 1

    def _next(self) -> str | None:
        may = [client for client in self._waiting if self._computing[client] < EACH]
        return min(may, key=self._computing.__getitem__, default=None)

    def _leave(self, client: str, one: Event) -> None:
        """Take one out of its line, which goes behind all others."""
        line = self._waiting.pop(client)
        line.remove(one)
        if line:
            self._waiting[client] = line


def client_of(host: str) -> str:
    """Who asks from an address: of IPv6 everybody has as many as there are in a network."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
    return str(address)
