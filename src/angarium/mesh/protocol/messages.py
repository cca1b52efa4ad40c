"""What brokers say to each other, and how it is written in a datagram.

Anybody can send us a datagram. So `decode` never raises and reads nothing behind the end of it: what is not
exactly a message is a `Refusal`. A datagram has at most 1,232 bytes, which every network carries in one piece
(IPv6's 1,280 less its headers). All numbers are big-endian. Brokers are numbered by their position in the
mesh file, from 0 on; the dead neighbours of a broker are a bit each, in the order of its neighbours, so a
datagram cannot even name somebody who is no neighbour. The fingerprint keeps brokers apart whose tables were
not made from the same: their numbers would mean different things.

A letter is not signed; `daemon` puts one into an envelope that is. Who can forge letters from a neighbour's
address can cut links and divert packets as long as he does.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from angarium.mesh.protocol.link_state import Chart, Stamp, Statement

LONGEST_DATAGRAM = 1232
LONGEST_LETTER = LONGEST_DATAGRAM - 64
"""What is left of a datagram for a seal is enough for one."""
LONGEST_PAYLOAD = 1024
MAGIC, VERSION = b"AR", 2


class Field(NamedTuple):
    """A part of a message: its name, how `struct` writes it, and what it says."""

    name: str
    form: str
    meaning: str


HEADER = (
    Field("magic", "2s", "`AR`"),
    Field("version", "B", "2"),
    Field("kind", "B", "which of the messages below follows"),
    Field("fingerprint", "Q", "of the mesh and its recovery tables"),
    Field("sender", "H", "the neighbour that sends it"),
    Field("life", "Q", "when the sender started, in milliseconds since 1970"),
)
STAMP = (
    Field("origin", "H", "whose statement"),
    Field("life", "Q", "in which of its lives"),
    Field("number", "H", "which statement of that life"),
)
HEARTBEAT = (Field("held", "Q", "a fingerprint of the statements that its sender holds"),)
TEST = (Field("number", "I", "which test over this interface; an answer repeats it"),)
PACKET = (
    Field("source", "H", "who sent it first"),
    Field("life", "Q", "in which of its lives"),
    Field("number", "Q", "which packet of that life"),
    Field("destination", "H", "to whom it goes"),
    Field("colour", "I", "by whose tables it is forwarded; 0 for those that each broker uses now"),
    Field("hops", "H", "how many it may still make"),
)


# --- messages ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """I live, and this is a fingerprint of the statements that I hold."""

    held: int


@dataclass(frozen=True, slots=True)
class Notification:
    """Statements that are new to you, as far as I know."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """I have these statements, or later ones."""

    stamps: tuple[Stamp, ...]


@dataclass(frozen=True, slots=True)
class LinkTest:
    """Do you hear me?"""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """I heard this test."""

    number: int


@dataclass(frozen=True, slots=True)
class Packet:
    """Data for a broker."""

    source: str
    life: int
    number: int
    destination: str
    colour: int
    hops: int
    payload: bytes = b""


Message = Heartbeat | Notification | Acknowledgement | LinkTest | Answer | Packet
KINDS: tuple[type[Message], ...] = (Heartbeat, Notification, Acknowledgement, LinkTest, Answer, Packet)
"""Their numbers are their positions, from 1 on."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message, with who sends it, in which life."""

    sender: str
    life: int
    message: Message


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a datagram is no letter."""

    why: str


# --- writing and reading ----------------------------------------------------------------------------


def _struct(fields: Iterable[Field]) -> struct.Struct:
    return struct.Struct(">" + "".join(field.form for field in fields))


_HEADER, _HEARTBEAT, _STAMP, _TEST, _PACKET = map(_struct, (HEADER, HEARTBEAT, STAMP, TEST, PACKET))
_COUNT = struct.Struct(">H")
ROOM = LONGEST_LETTER - _HEADER.size - _COUNT.size
"""For the statements of a notification."""


class _MalformedError(Exception):
    """What is read is no message."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Writes and reads the letters of a mesh."""

    chart: Chart
    fingerprint: int

    def encode(self, letter: Letter) -> bytes:
        """A letter as a datagram."""
        kind = KINDS.index(type(letter.message)) + 1
        sender = self.chart.number[letter.sender]
        header = _HEADER.pack(MAGIC, VERSION, kind, self.fingerprint, sender, letter.life)
        return header + self._body(letter.message)

    def decode(self, data: bytes) -> Letter | Refusal:
        """What a datagram says, if it says anything."""
        if not _HEADER.size <= len(data) <= LONGEST_LETTER:
            return Refusal("its length is that of no message")
        magic, version, kind, mark, sender, life = _HEADER.unpack_from(data)
        if (magic, version) != (MAGIC, VERSION):
            return Refusal("it is not of this protocol, or of another version")
        if mark != self.fingerprint:
            return Refusal("it is about another mesh, or other tables")
        try:
            return Letter(self._broker(sender), life, self._message(kind, data[_HEADER.size :]))
        except (_MalformedError, struct.error):
            return Refusal("it is malformed")

    def batches(self, statements: Iterable[Statement]) -> Iterator[Notification]:
        """Notifications of all these statements, as few as the room in a datagram allows."""
        batch: list[Statement] = []
        room = ROOM
        for statement in statements:
            size = _STAMP.size + self._bytes_for(statement.origin)
            if size > room:
                yield Notification(tuple(batch))
                batch, room = [], ROOM
            batch.append(statement)
            room -= size
        if batch:
            yield Notification(tuple(batch))

    # --- writing --------------------------------------------------------------------------------

    def _body(self, message: Message) -> bytes:
        match message:
            case Heartbeat(held):
                return _HEARTBEAT.pack(held)
            case Notification(statements):
                return _COUNT.pack(len(statements)) + b"".join(map(self._statement, statements))
            case Acknowledgement(stamps):
                return _COUNT.pack(len(stamps)) + b"".join(map(self._stamp, stamps))
            case LinkTest(number) | Answer(number):
                return _TEST.pack(number)
            case Packet():
                return self._packet(message)

    def _stamp(self, stamp: Stamp) -> bytes:
        return _STAMP.pack(self.chart.number[stamp.origin], stamp.life, stamp.number)

    def _statement(self, statement: Statement) -> bytes:
        neighbours = self.chart.neighbours[statement.origin]
        bits = sum(1 << place for place, name in enumerate(neighbours) if name in statement.dead)
        return self._stamp(statement.stamp) + bits.to_bytes(self._bytes_for(statement.origin))

    def _bytes_for(self, origin: str) -> int:
        return (len(self.chart.neighbours[origin]) + 7) // 8

    def _packet(self, packet: Packet) -> bytes:
        ends = self.chart.number[packet.source], self.chart.number[packet.destination]
        fields = ends[0], packet.life, packet.number, ends[1], packet.colour, packet.hops
        return _PACKET.pack(*fields) + packet.payload

    # --- reading --------------------------------------------------------------------------------

    def _message(self, kind: int, body: bytes) -> Message:
        readers: tuple[Callable[[bytes], Message], ...] = (
            lambda body: Heartbeat(*_HEARTBEAT.unpack(body)),
            self._read_notification,
            self._read_acknowledgement,
            lambda body: LinkTest(*_TEST.unpack(body)),
            lambda body: Answer(*_TEST.unpack(body)),
            self._read_packet,
        )
        if not 1 <= kind <= len(readers):
            raise _MalformedError
        return readers[kind - 1](body)

    def _broker(self, number: int) -> str:
        if number >= len(self.chart.brokers):
            raise _MalformedError
        return self.chart.brokers[number]

    def _read_notification(self, body: bytes) -> Notification:
        (count,), place, found = _COUNT.unpack_from(body), _COUNT.size, []
        for _ in range(count):
            stamp = self._read_stamp(body, place)
            end = place + _STAMP.size + self._bytes_for(stamp.origin)
            _demand(end <= len(body))
            found.append(Statement(stamp, self._read_dead(stamp.origin, body[place + _STAMP.size : end])))
            place = end
        _demand(place == len(body))
        return Notification(tuple(found))

    def _read_dead(self, origin: str, data: bytes) -> frozenset[str]:
        neighbours, bits = self.chart.neighbours[origin], int.from_bytes(data)
        _demand(bits >> len(neighbours) == 0)
        return frozenset(name for place, name in enumerate(neighbours) if bits >> place & 1)

    def _read_acknowledgement(self, body: bytes) -> Acknowledgement:
        (count,) = _COUNT.unpack_from(body)
        _demand(len(body) == _COUNT.size + count * _STAMP.size)
        places = range(_COUNT.size, len(body), _STAMP.size)
        return Acknowledgement(tuple(self._read_stamp(body, place) for place in places))

    def _read_stamp(self, body: bytes, place: int) -> Stamp:
        origin, life, number = _STAMP.unpack_from(body, place)
        return Stamp(self._broker(origin), life, number)

    def _read_packet(self, body: bytes) -> Packet:
        source, life, number, destination, colour, hops = _PACKET.unpack_from(body)
        payload = body[_PACKET.size :]
        _demand(len(payload) <= LONGEST_PAYLOAD)
        ends = self._broker(source), self._broker(destination)
        return Packet(ends[0], life, number, ends[1], colour, hops, payload)


def _demand(condition: bool) -> None:
    if not condition:
        raise _MalformedError
