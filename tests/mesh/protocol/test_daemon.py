"""A daemon on loopback: what comes from strangers does no harm, and probes are counted."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from angarium.core.errors import UsageError
from angarium.mesh.protocol.daemon import Daemon, Probing, bound
from angarium.mesh.protocol.forwarding import Forwarder, calculated_tables, started
from angarium.mesh.protocol.interface import Timing
from angarium.mesh.protocol.messages import Heartbeat, Letter
from angarium.mesh.protocol.node import Changed, Node, Switched
from angarium.mesh.verify.budget import ONE
from tests.mesh.protocol.meshes import mesh
from tests.waiting import PATIENCE

PAIR = mesh("1-2")
LOOPBACK = ("127.0.0.1", 0)
SLOW = Timing(1.0)
"""So that nothing fails while a test runs, however busy the machine."""


@dataclass
class Two:
    """Two brokers, each with its daemon in a thread."""

    daemons: dict[str, Daemon]
    places: dict[str, tuple[str, int]]
    told: list[Changed | Switched] = field(default_factory=list)


def broker(name: str) -> tuple[Node, Forwarder]:
    return started(PAIR, calculated_tables(PAIR, name, ONE), SLOW, life=5, now=monotonic())


@pytest.fixture
def two() -> Iterator[Two]:
    with bound(LOOPBACK) as one, bound(LOOPBACK) as other:
        lines = {"1": one, "2": other}
        places = {name: line.getsockname() for name, line in lines.items()}
        found, over = Two({}, places), Event()
        for name, line in lines.items():
            peers = {each: place for each, place in places.items() if each != name}
            probing = Probing("2", 0.01, monotonic()) if name == "1" else None
            found.daemons[name] = Daemon(*broker(name), line, peers, tell=found.told.append, probing=probing)
        threads = [
            Thread(target=each.run, kwargs={"stopped": over.is_set}) for each in found.daemons.values()
        ]
        for thread in threads:
            thread.start()
        try:
            yield found
        finally:
            over.set()
            for thread in threads:
                thread.join()


def waited(condition: object, seconds: float = PATIENCE) -> bool:
    deadline = monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if monotonic() > deadline:
            return False
        sleep(0.005)
    return True


def received(two: Two) -> int:
    return sum(stream.received for stream in two.daemons["2"].tally.arrived.streams.values())


def test_probes_arrive_and_are_counted_once(two: Two) -> None:
    assert waited(lambda: received(two) >= 20)

    (stream,) = two.daemons["2"].tally.arrived.streams.values()
    assert (stream.missing, stream.doubled) == (0, 0)


def test_what_strangers_send_is_refused_and_does_no_harm(two: Two) -> None:
    codec = two.daemons["1"].node.colouring.codec
    forged = codec.encode(Letter("1", 99, Heartbeat(0)))

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for data in (b"", b"nonsense", bytes(2000), forged):
            stranger.sendto(data, two.places["2"])
    refused = two.daemons["2"].tally.refused

    assert waited(lambda: sum(refused.values()) == 4)
    assert refused == {"it does not come from its sender's address": 4}
    before = received(two)
    assert waited(lambda: received(two) > before + 5)
    assert two.daemons["2"].node.interfaces["1"].life == 5


def test_a_port_that_is_taken_is_an_error_with_a_remedy(two: Two) -> None:
    with pytest.raises(UsageError, match="cannot listen at"):
        bound(two.places["1"])
