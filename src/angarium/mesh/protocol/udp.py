"""A broker's recovery daemon: a node and its packets behind one UDP socket.

The loop reads what has come before it looks at the clock. So after the process itself has been held up, the
heartbeats that have piled up meanwhile are heard first, and neighbours are not taken for dead because of it.
Letters are taken only from the address that was given for their sender, and with keys only sealed ones.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from select import select
from time import monotonic

from angarium.core.errors import UsageError
from angarium.mesh.protocol.counting import Counted
from angarium.mesh.protocol.forwarding import Delivered, Forwarder, Lost, Onward
from angarium.mesh.protocol.messages import LONGEST_DATAGRAM, Letter, Packet, Refusal
from angarium.mesh.protocol.node import Action, Changed, Node, Send, Switched
from angarium.mesh.protocol.sealing import MAGIC as SEALED
from angarium.mesh.protocol.sealing import Seal

AT_ONCE = 1000
"""How many datagrams are read before the clock has its turn."""
LONGEST_SLEEP = 0.2
"""In seconds: so often, at least, a daemon looks whether it should stop."""
LONGEST_CATCHING_UP = 1.0
"""In seconds: so many probes, at most, are sent at once after the process was held up."""

STRANGE = Refusal("it does not come from its sender's address")
LOCKED = Refusal("it is signed, and no key was given here")

Address = tuple[str, int]
Tell = Callable[[Changed | Switched], None]


@dataclass(slots=True)
class Probing:
    """Numbered packets that are sent to a broker at a steady rate."""

    to: str
    interval: float
    due: float
    sent: int = 0


@dataclass(slots=True)
class Tally:
    """What a daemon has done with packets, and which datagrams it did not take."""

    forwarded: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    arrived: Counted = field(default_factory=Counted)


def bound(listen: Address) -> socket.socket:
    """A socket at an address; port 0 takes any that is free."""
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        line.setblocking(False)
        line.bind(listen)
    except OSError as problem:
        line.close()
        raise UsageError(
            "ANG013",
            f"cannot listen at {listen[0]}:{listen[1]}: {problem.strerror}",
            possible="an address of this machine and a port that is free; port 0 takes any",
            remedy="give another port, or end the process that has it",
        ) from None
    return line


class Daemon:
    """Runs a node and its packets on a socket."""

    def __init__(
        self,
        node: Node,
        forwarder: Forwarder,
        line: socket.socket,
        peers: Mapping[str, Address],
        *,
        tell: Tell,
        probing: Probing | None = None,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        self.node, self.tally, self.probing = node, Tally(), probing
        self._forwarder, self._line, self._peers, self._tell = forwarder, line, dict(peers), tell
        self._codec = node.colouring.codec
        self._names = {place: name for name, place in self._peers.items()}
        self._seals = {name: Seal(keys, node.name, name) for name in peers} if keys else {}

    def run(self, *, stopped: Callable[[], bool]) -> None:
        """Serve until it is to stop."""
        while not stopped():
            has_come, _, _ = select([self._line], [], [], self._sleep(monotonic()))
            if has_come:
                self._take_all()
            if monotonic() >= self.node.wakes:
                self._do(self.node.passed(monotonic()))
            self._probe(monotonic())

    def _sleep(self, now: float) -> float:
        due = min(self.node.wakes, self.probing.due if self.probing else self.node.wakes)
        return min(max(due - now, 0.0), LONGEST_SLEEP)

    # --- in -----------------------------------------------------------------------------------------

    def _arrived(self) -> Iterator[Letter]:
        for _ in range(AT_ONCE):
            try:
                data, source = self._line.recvfrom(LONGEST_DATAGRAM + 1)
            except BlockingIOError:
                return
            except OSError:
                continue  # an earlier datagram could not be delivered: the heartbeats will tell
            letter = self._read(data, source[:2])
            if isinstance(letter, Refusal):
                self.tally.refused[letter.why] += 1
            else:
                yield letter

    def _read(self, data: bytes, source: Address) -> Letter | Refusal:
        """What a datagram says, if it is from a neighbour."""
        name = self._names.get(source)
        if name is None:
            return STRANGE
        if not self._seals and data.startswith(SEALED):
            return LOCKED
        opened = self._seals[name].opened(data) if self._seals else data
        letter = opened if isinstance(opened, Refusal) else self._codec.decode(opened)
        return STRANGE if isinstance(letter, Letter) and letter.sender != name else letter

    def _take_all(self) -> None:
        for letter in self._arrived():
            if isinstance(letter.message, Packet):
                self._forward(letter.message)
            else:
                self._do(self.node.heard(monotonic(), letter))

    # --- out ----------------------------------------------------------------------------------------

    def _do(self, actions: Iterable[Action]) -> None:
        for action in actions:
            match action:
                case Send(to, letter):
                    self._send(to, letter)
                case Switched(view):
                    self._forwarder.prepare(view)
                    self._tell(action)
                case Changed():
                    self._tell(action)

    def _forward(self, packet: Packet) -> None:
        match self._forwarder.forward(packet, self.node.view):
            case Onward(to, onward):
                self.tally.forwarded += 1
                self._send(to, Letter(self.node.name, self.node.life, onward))
            case Delivered(packet):
                self.tally.arrived.take(packet)
            case Lost(_, why):
                self.tally.lost[why] += 1

    def _send(self, to: str, letter: Letter) -> None:
        try:
            data = self._codec.encode(letter)
            self._line.sendto(self._seals[to].closed(data) if self._seals else data, self._peers[to])
        except OSError as problem:
            self.tally.lost[f"it could not be sent ({problem.strerror})"] += 1

    def _probe(self, now: float) -> None:
        probing = self.probing
        while probing and probing.due <= now:
            packet = self._forwarder.packet(self.node.view, probing.to, self.node.life, probing.sent)
            probing.sent += 1
            probing.due = max(probing.due + probing.interval, now - LONGEST_CATCHING_UP)
            self._forward(packet)
