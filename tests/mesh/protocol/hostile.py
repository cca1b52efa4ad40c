"""Datagrams that nobody honest would send, by a seed: nonsense, damaged ones, forged ones, and replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from angarium.mesh.protocol.daemon import ENVELOPE, Seal
from angarium.mesh.protocol.link_state import FAR, LAST_LIFE, NUMBERS, Stamp, Statement
from angarium.mesh.protocol.messages import (
    KINDS,
    LONGEST_DATAGRAM,
    Acknowledgement,
    Answer,
    Codec,
    Heartbeat,
    Letter,
    LinkTest,
    Message,
    Notification,
    Packet,
)

LIVES = (0, 1, 5, FAR, LAST_LIFE - 1, LAST_LIFE)
MOST_KEPT = 200
"""Datagrams that were overheard."""


class Attacker:
    """Knows the mesh and its tables, but no key."""

    def __init__(self, codec: Codec, seed: int) -> None:
        self.overheard: list[bytes] = []
        self._codec, self._random = codec, Random(seed)
        self._seal = Seal((self._random.randbytes(32),), "1", "2", chance=self._random.getrandbits)

    def overhear(self, datagram: bytes) -> None:
        if len(self.overheard) < MOST_KEPT:
            self.overheard.append(datagram)

    def datagrams(self, number: int) -> Iterator[bytes]:
        paths: tuple[Callable[[], bytes], ...] = (
            self._nonsense, self._headed, self._damaged, self._forged, self._sealed, self._replayed,
        )  # fmt: skip
        for _ in range(number):
            yield self._random.choice(paths)()

    def letter(self) -> Letter:
        """A forged one, in anybody's name."""
        return Letter(self._broker(), self._life(), self._message())

    # --- paths -----------------------------------------------------------------------------------

    def _nonsense(self) -> bytes:
        return self._random.randbytes(self._random.choice((0, 1, 21, 22, 60, LONGEST_DATAGRAM, 4000)))

    def _headed(self) -> bytes:
        """A header that is right, and anything behind it."""
        header = self._codec.encode(Letter(self._broker(), self._life(), Heartbeat(0)))[:-8]
        kind = bytes([self._random.randrange(len(KINDS) + 2)])
        return header[:3] + kind + header[4:] + self._random.randbytes(self._random.randrange(100))

    def _damaged(self) -> bytes:
        data = bytearray(self._replayed())
        for _ in range(self._random.randrange(4)):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        end = self._random.choice((len(data), self._random.randrange(len(data) + 1)))
        return bytes(data[:end]) + self._random.randbytes(self._random.choice((0, 0, 3)))

    def _forged(self) -> bytes:
        return self._codec.encode(self.letter())

    def _sealed(self) -> bytes:
        """By another key, or with an envelope of no sense."""
        if self._random.random() < 0.5:
            return self._seal.closed(self._forged())
        return b"AS" + self._random.randbytes(8 * (len(ENVELOPE) - 1)) + self._forged() + bytes(16)

    def _replayed(self) -> bytes:
        return self._random.choice(self.overheard) if self.overheard else self._forged()

    # --- letters --------------------------------------------------------------------------------

    def _broker(self) -> str:
        return self._random.choice(self._codec.chart.brokers)

    def _life(self) -> int:
        return self._random.choice((*LIVES, self._random.getrandbits(64)))

    def _stamp(self) -> Stamp:
        numbers = 0, 1, 2, NUMBERS // 2, NUMBERS - 1, self._random.randrange(NUMBERS)
        return Stamp(self._broker(), self._life(), self._random.choice(numbers))

    def _statement(self) -> Statement:
        stamp = self._stamp()
        dead = (each for each in self._codec.chart.neighbours[stamp.origin] if self._random.random() < 0.5)
        return Statement(stamp, frozenset(dead))

    def _message(self) -> Message:
        some, number = range(self._random.randrange(4)), self._random.getrandbits(32)
        makers: tuple[Callable[[], Message], ...] = (
            lambda: Heartbeat(number),
            lambda: Notification(tuple(self._statement() for _ in some)),
            lambda: Acknowledgement(tuple(self._stamp() for _ in some)),
            lambda: LinkTest(number),
            lambda: Answer(self._random.randrange(10)),
            lambda: Packet(
                self._broker(), self._life(), number, self._broker(), self._random.choice((0, 1, 9, number)),
                self._random.choice((0, 1, 65535)), self._random.randbytes(self._random.randrange(1024)),
            ),
        )  # fmt: skip
        return self._random.choice(makers)()
