"""What goes over the wire: a header of fixed size, and what is carried.

    byte 0        a mark: one of ours, in this version of the format
    byte 1        the kind
    bytes 2-5     the host that sends the packet
    bytes 6-13    the number: of this data, or of the data that is acknowledged
    bytes 14-21   in which life the sender of the data is
    bytes 22-29   in which life its receiver is, as far as the sender of the packet knows; 0 if it does not
    the rest      the payload of data; other kinds have none

A network may hand over anything. `decode` gives None for what is not a packet, and never raises.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

MARK = 0xA7
LONGEST_PAYLOAD = 1200
"""In bytes: with the header it fits into one Ethernet frame, so that nothing on the way must cut it."""
LARGEST_HOST, LARGEST_LIFE = 2**32 - 1, 2**64 - 1

_HEADER = Struct("!BBIQQQ")
LONGEST_PACKET = _HEADER.size + LONGEST_PAYLOAD


class Kind(IntEnum):
    """What a packet is for."""

    DATA = 1
    ACK = 2
    NOTICE = 3
    """The receiver says in which life it is."""


class Packet(NamedTuple):
    """A packet, as both ends understand it."""

    kind: Kind
    source: int
    number: int
    sender_life: int
    receiver_life: int
    payload: bytes = b""


_KINDS = {int(kind): kind for kind in Kind}


def encode(packet: Packet) -> bytes:
    """The bytes of a packet."""
    return _HEADER.pack(MARK, *packet[:-1]) + packet.payload


def decode(data: bytes) -> Packet | None:
    """The packet that these bytes are, or None if they are none."""
    if not _HEADER.size <= len(data) <= LONGEST_PACKET:
        return None
    mark, kind_number, source, number, sender_life, receiver_life = _HEADER.unpack_from(data)
    kind = _KINDS.get(kind_number)
    payload = data[_HEADER.size :]
    if mark != MARK or kind is None or (payload and kind is not Kind.DATA):
        return None
    return Packet(kind, source, number, sender_life, receiver_life, payload)
