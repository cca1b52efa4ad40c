"""A recorder in a thread of its own, beside the clients of a test; and a way to a broker that can be cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from angarium.history.recorders.recording import Account
from tests.brokers import HOST, free_ports
from tests.waiting import PATIENCE, wait_until


@dataclass
class Running:
    """A recorder that is at work."""

    account: Account = field(default_factory=Account)
    notes: list[str] = field(default_factory=list)
    problems: list[Exception] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def wait_for(self, events: int) -> None:
        self.wait_until(f"{events} events are recorded", lambda: self.account.events >= events)

    def wait_until(self, what: str, is_so: Callable[[], object]) -> None:
        """Something becomes so, unless the recorder ends before."""
        wait_until(what, lambda: self.problems or is_so())
        for problem in self.problems:
            raise problem


@contextmanager
def recorded(record: Callable[..., Account], *args: Any, **options: Any) -> Iterator[Running]:  # noqa: ANN401
    """A recorder that is attached; it is stopped, and has finished its files, afterwards."""
    running = Running()

    def progress(account: Account) -> None:
        running.account = account

    def run() -> None:
        try:
            running.account = record(
                *args, stopped=running.stop.is_set, tell=running.notes.append, progress=progress, **options
            )
        except Exception as problem:
            running.problems.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        wait_until("the recorder is attached", lambda: running.account.events > 0 or not thread.is_alive())
        yield running
    finally:
        running.stop.set()
        thread.join(PATIENCE)
    assert running.problems == []


class Way:
    """A way to a port that can be cut, and mended."""

    def __init__(self, target: int) -> None:
        self._target, (self.port,) = target, free_ports(1)
        self._sockets: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.mend()

    def mend(self) -> None:
        listener = self._listener = socket.create_server((HOST, self.port))
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        assert self._listener is not None
        for each in [self._listener, *self._sockets]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._sockets.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection((HOST, self._target))
                self._sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=pair, daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
