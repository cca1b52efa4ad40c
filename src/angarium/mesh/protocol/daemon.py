"""A broker's recovery daemon: a node and its packets behind one UDP socket.

The loop reads what has come before it looks at the clock. So after the process itself has been held up, the
heartbeats that have piled up meanwhile are heard first, and neighbours are not taken for dead because of it.
Letters are taken only from the address that was given for their sender, and with keys only sealed ones.

Seals. By a key that all brokers of a mesh share, a letter is from where it says, and has come only once. A
sealed datagram is a letter in an envelope. Its signature is an HMAC (RFC 2104) over the sender, the receiver
and all that stands before, so nobody without the key can make one, or turn one to another broker. What was
recorded and is sent again is a *replay*. Against these every start of a broker has a *session* with each
neighbour, a random number, and counts what it sends in it. Within a session a receiver takes each count once,
and none far behind the latest. A new session must prove that it is not an old one: the receiver asks a random
*challenge*, which goes with everything that it sends, and takes up a session only if that repeats the
challenge. Then it asks another one, so each is good for one session. Nothing of this needs a clock: a broker
that has restarted, or whose clock was set back, is heard again as soon as one datagram has come from each
side. (A counter that begins with the time of the start, as elsewhere, shuts out who has been set back, and
who restarts believes replays.)

What a seal does not give: nothing is secret. Who is on the path can hold a datagram back and let it through
later, as long as nothing sealed after it has been so for `WINDOW` others; a network can do that, too. And
every broker that has the key can speak in the name of any other one.

Probes are numbered packets, and are counted: which numbers of a stream have come, which are missing, and how
many came twice. Only the gaps are kept, as ranges, and only so many of them and of streams: who sends
nonsense cannot make us remember it all.
"""

from __future__ import annotations

import hmac
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from secrets import randbits
from select import select
from time import monotonic

from angarium.core.errors import UsageError
from angarium.mesh.protocol.forwarding import Delivered, Forwarder, Lost, Onward
from angarium.mesh.protocol.messages import LONGEST_DATAGRAM, Field, Letter, Packet, Refusal
from angarium.mesh.protocol.node import Action, Changed, Node, Send, Switched

# --- seals -----------------------------------------------------------------------------------------------

SEALED = b"AS"
WINDOW = 1024
"""So far behind the latest count of a session one is still taken: datagrams overtake each other."""
SIGNATURE = 16
"""Bytes of HMAC-SHA256: half of it, the least that RFC 2104 advises."""
ENVELOPE = (
    Field("magic", "2s", "`AS`"),
    Field("session", "Q", "of this start of the sender with this neighbour, by chance"),
    Field("count", "Q", "how many datagrams of this session came before"),
    Field("challenge", "Q", "what a new session of the receiver must repeat"),
    Field("repeated", "Q", "the last challenge that came from the receiver"),
)
_ENVELOPE = struct.Struct(">" + "".join(field.form for field in ENVELOPE))
OVERHEAD = _ENVELOPE.size + SIGNATURE

UNSIGNED = Refusal("it is not signed")
FORGED = Refusal("its signature is not by a key that is known here")
STALE = Refusal("it belongs to no session: its sender has just started, or somebody replays it")
DOUBLED = Refusal("it has come before, or much too late")


@dataclass(slots=True)
class Arrivals:
    """Which counts of a session have come; what was sent before the session was taken up counts as come."""

    latest: int
    _come: int = (1 << WINDOW) - 1
    """A bit for each of the last counts, the lowest for the latest."""

    def take(self, count: int) -> bool:
        """Note that one has come; False if it came before, or may have."""
        if count > self.latest:
            ahead = min(count - self.latest, WINDOW)
            self._come = (self._come << ahead | 1) & ((1 << WINDOW) - 1)
            self.latest = count
            return True
        bit = 1 << (self.latest - count) if self.latest - count < WINDOW else 0
        is_new = bit != 0 and not self._come & bit
        self._come |= bit
        return is_new


class Seal:
    """What a broker puts around letters to one neighbour, and takes off those from it."""

    def __init__(
        self, keys: tuple[bytes, ...], own: str, neighbour: str, *, chance: Callable[[int], int] = randbits
    ) -> None:
        """It signs by the first key, and takes what is signed by any."""
        self._keys, self._chance = keys, chance
        self._out, self._in = _ends(own, neighbour), _ends(neighbour, own)
        self._session, self._sent = chance(64), 0
        self._challenge, self._repeated = chance(64), 0
        self._theirs: int | None = None
        self._arrivals = Arrivals(0)

    def closed(self, letter: bytes) -> bytes:
        """A letter in its envelope."""
        fields = SEALED, self._session, self._sent, self._challenge, self._repeated
        self._sent += 1
        data = _ENVELOPE.pack(*fields) + letter
        return data + _signature(self._keys[0], self._out + data)

    def opened(self, datagram: bytes) -> bytes | Refusal:
        """The letter in an envelope, if it is from the neighbour and new."""
        if len(datagram) < OVERHEAD or not datagram.startswith(SEALED):
            return UNSIGNED
        data, signature = datagram[:-SIGNATURE], datagram[-SIGNATURE:]
        if not any(hmac.compare_digest(_signature(key, self._in + data), signature) for key in self._keys):
            return FORGED
        _, session, count, challenge, repeated = _ENVELOPE.unpack_from(data)
        refusal = self._refusal(session, count, repeated)
        if refusal is STALE or (refusal is None and count == self._arrivals.latest):
            self._repeated = challenge
        return refusal or data[_ENVELOPE.size :]

    def _refusal(self, session: int, count: int, repeated: int) -> Refusal | None:
        if session != self._theirs:
            if repeated != self._challenge:
                return STALE
            self._theirs, self._challenge, self._arrivals = session, self._chance(64), Arrivals(count - 1)
        return None if self._arrivals.take(count) else DOUBLED


def _ends(sender: str, receiver: str) -> bytes:
    names = sender.encode(), receiver.encode()
    return struct.pack(">II", *map(len, names)) + b"".join(names)


def _signature(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")[:SIGNATURE]


# --- counting probes -------------------------------------------------------------------------------------

MOST_STREAMS, MOST_GAPS = 64, 4096

Gap = tuple[int, int]
"""The first and the last number of a row that is missing."""


@dataclass(slots=True)
class Stream:
    """The packets of one life of a broker, numbered from 0 on."""

    received: int = 0
    doubled: int = 0
    expected: int = 0
    """One more than the largest number that has come."""
    gaps: list[Gap] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return sum(last - first + 1 for first, last in self.gaps)

    def take(self, number: int) -> bool:
        """Count a packet; False if there is no room to say which are missing."""
        if number >= self.expected:
            return self._advance(number)
        for place, (first, last) in enumerate(self.gaps):
            if first <= number <= last:
                left = _without(first, last, number)
                if len(self.gaps) + len(left) > MOST_GAPS + 1:
                    return False
                self.gaps[place : place + 1] = left
                self.received += 1
                return True
        self.doubled += 1
        return True

    def _advance(self, number: int) -> bool:
        if number > self.expected:
            if len(self.gaps) >= MOST_GAPS:
                return False
            self.gaps.append((self.expected, number - 1))
        self.expected = number + 1
        self.received += 1
        return True


def _without(first: int, last: int, number: int) -> list[Gap]:
    parts = (first, number - 1), (number + 1, last)
    return [part for part in parts if part[0] <= part[1]]


@dataclass(slots=True)
class Counted:
    """All streams that have come."""

    streams: dict[tuple[str, int], Stream] = field(default_factory=dict)
    """By broker and its life."""
    uncounted: int = 0
    """Packets for which there was no room."""

    def take(self, packet: Packet) -> None:
        """Count a packet."""
        key = packet.source, packet.life
        has_room = key in self.streams or len(self.streams) < MOST_STREAMS
        if not (has_room and self.streams.setdefault(key, Stream()).take(packet.number)):
            self.uncounted += 1


# --- the daemon ------------------------------------------------------------------------------------------

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
