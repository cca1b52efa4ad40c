"""An application that sends one message after the other, and two ways to do it.

The receiver drops whatever is ahead of what it expects, and the timer repeats only the lowest number. So
after one loss everything behind it in the queue must be repeated too, one message a tick. Who sends on as
soon as the queue has room keeps putting messages behind that gap, and never gets faster again. Who waits
until the queue has drained loses no more than the rest of one queue. `patient` says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from angarium.systems.queue.sans_io.host import Host


class Stream:
    """A host with an application on top that has messages for one peer; an endpoint like the host itself."""

    def __init__(self, host: Host, to: int, payloads: Iterable[bytes], *, patient: bool = True) -> None:
        self.host = host
        self._to = to
        self._payloads = iter(payloads)
        self._patient = patient
        self._held: bytes | None = next(self._payloads, None)

    @property
    def done(self) -> bool:
        """Whether everything has been sent and acknowledged."""
        return self._held is None and self.host.unacknowledged(self._to) == 0

    def feed(self, now: float) -> None:
        """Send as much as the host takes; patiently, only if the queue has drained."""
        if self._patient and self.host.unacknowledged(self._to):
            return
        while self._held is not None and self.host.send(self._to, self._held, now):
            self._held = next(self._payloads, None)

    @property
    def next_timer(self) -> float | None:
        return self.host.next_timer

    def receive(self, data: bytes, now: float) -> None:
        self.host.receive(data, now)
        self.feed(now)

    def tick(self, now: float) -> None:
        self.host.tick(now)

    def take_outgoing(self) -> Sequence[tuple[int, bytes]]:
        return self.host.take_outgoing()
