"""Seals: by a key that all brokers of a mesh share, a letter is from where it says, and has come only once.

A sealed datagram is a letter in an envelope. Its signature is an HMAC (RFC 2104) over the sender, the
receiver and all that stands before, so nobody without the key can make one, or turn one to another broker.
What was recorded and is sent again is a *replay*. Against these every start of a broker has a *session* with
each neighbour, a random number, and counts what it sends in it. Within a session a receiver takes each count
once, and none far behind the latest.

A new session must prove that it is not an old one: the receiver asks a random *challenge*, which goes with
everything that it sends, and takes up a session only if that repeats the challenge. Then it asks another
one, so each is good for one session. Nothing of this needs a clock: a broker that has restarted, or whose
clock was set back, is heard again as soon as one datagram has come from each side. (A counter that begins
with the time of the start, as elsewhere, shuts out who has been set back, and who restarts believes replays.)

What it does not give: nothing is secret. Who is on the way can hold a datagram back and let it through later,
as long as nothing sealed after it has been so for `WINDOW` others; a network can do that, too. And every
broker that has the key can speak in the name of any other one.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable
from dataclasses import dataclass
from secrets import randbits

from angarium.mesh.protocol.messages import Field, Refusal

MAGIC = b"AS"
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
        fields = MAGIC, self._session, self._sent, self._challenge, self._repeated
        self._sent += 1
        data = _ENVELOPE.pack(*fields) + letter
        return data + _signature(self._keys[0], self._out + data)

    def opened(self, datagram: bytes) -> bytes | Refusal:
        """The letter in an envelope, if it is from the neighbour and new."""
        if len(datagram) < OVERHEAD or not datagram.startswith(MAGIC):
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
