"""The transport in a program of one's own: a host, a socket, and a loop that brings them together."""

import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic, time

from angarium.systems.queue.sans_io.host import Host
from angarium.systems.queue.sans_io.packet import LONGEST_PACKET

Place = tuple[str, int]
ALICE, BOB = 1, 2
SAID = ["Neither snow", "nor rain", "nor heat", "nor gloom of night"]


def serve(host: Host, line: socket.socket, places: dict[int, Place], done: Callable[[], bool]) -> None:
    """Run a host on a socket until something is done."""
    while not done():
        host.tick(monotonic())
        for to, datagram in host.take_outgoing():
            line.sendto(datagram, places[to])
        wished = host.next_timer
        line.settimeout(0.1 if wished is None else max(0.001, wished - monotonic()))
        with suppress(TimeoutError):
            host.receive(line.recv(LONGEST_PACKET + 1), monotonic())  # what is longer is seen to be


def main() -> None:
    """Alice says something; Bob listens until she hangs up."""
    life = int(time())  # later than that of any earlier run of this program
    alice, bob = Host(ALICE, [BOB], life=life), Host(BOB, [ALICE], life=life)
    hung_up = Event()
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there,
    ):
        here.bind(("127.0.0.1", 0))
        there.bind(("127.0.0.1", 0))
        places: dict[int, Place] = {ALICE: here.getsockname(), BOB: there.getsockname()}
        listener = Thread(target=serve, args=(bob, there, places, hung_up.is_set))
        listener.start()
        for words in SAID:
            assert alice.send(BOB, words.encode(), monotonic()), "the queue is full: wait, and send again"
        serve(alice, here, places, lambda: alice.unacknowledged(BOB) == 0)
        hung_up.set()
        listener.join()
    sys.stdout.write("\n".join(delivery.payload.decode() for delivery in bob.take_deliveries()) + "\n")


if __name__ == "__main__":
    main()
