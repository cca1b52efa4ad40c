"""The transport that the queue was made for, as plain Python: no socket, no clock, no thread, no chance.

A host numbers what it sends to each of its peers, keeps it in a queue until it is acknowledged, and sends
the lowest-numbered message again whenever a free-running timer fires. A host takes from each of its peers
only the message that it expects next. Older ones it acknowledges again, because their acknowledgement may
be lost; later ones it drops, because what lies between would be missing. An acknowledgement stands for
everything up to its number. So a network that loses, doubles and reorders becomes one that delivers in
order and once.

That is the published protocol. Ours is safe in two more cases:

- A message that is refused, because the queue is full, does not use up a number. The receiver would wait
  for that number for ever.
- A host that restarts has forgotten its numbers. So each of its lives has a number too, larger than those
  of all lives before, such as the time at which it was started. Data says for which life of the receiver
  it is meant; a receiver in another life answers only with a notice that says in which. A sender that
  learns in this way that the receiver has restarted begins to number at 0. What is unacknowledged then
  may have arrived or not, and nobody can say: it is given up and the application is told, or it is sent
  again and may arrive twice. Life 0 stands for the published protocol, which knows no lives.

Whoever runs a host brings datagrams and the time (`receive`, `tick`), and takes away what is to be
transmitted and what was delivered: `angarium.checker.walks.datagrams` in a simulated network,
`udp` beside this file with sockets, and `as_model` step by step beside the model of the same protocol, whose
words for the variants are used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from math import floor
from typing import NamedTuple

from angarium.contracts.message import Message
from angarium.contracts.subjects.memory import OrderedMapQueue
from angarium.systems.queue.sans_io.packet import (
    LARGEST_HOST,
    LARGEST_LIFE,
    LONGEST_PAYLOAD,
    Kind,
    Packet,
    decode,
    encode,
)
from angarium.systems.queue.transport_kinds import Unsure, WhenFull

NOT_KNOWN = 0
"""In place of a life: nothing has been heard from the peer yet."""


class Delivery(NamedTuple):
    """A message that has come to the application."""

    source: int
    payload: bytes


class GivenUp(NamedTuple):
    """A message of which nobody can say whether it has arrived: its receiver has restarted."""

    to: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Rules:
    """How a host behaves. Those of the published protocol: `Rules(when_full=WhenFull.NUMBER_IS_USED_UP)`."""

    capacity: int = 8
    """How many messages to one peer wait to be acknowledged."""
    period: float = 0.05
    """In seconds: how often the timer fires."""
    when_full: WhenFull = WhenFull.NUMBER_IS_KEPT
    unsure: Unsure = Unsure.GIVES_UP

    def __post_init__(self) -> None:
        if self.capacity < 1 or self.period <= 0:
            raise ValueError(f"{self}: a queue needs room for a message, and a timer a time to wait")


@dataclass(slots=True)
class Sending:
    """What a host knows of a peer that it sends to."""

    queue: OrderedMapQueue
    due: float
    """When the timer fires next."""
    next_number: int = 0
    life: int = NOT_KNOWN
    """In which life the peer is."""


@dataclass(slots=True)
class Receiving:
    """What a host knows of a peer that it receives from."""

    expected: int = 0
    life: int = NOT_KNOWN
    """The latest life of the peer from which anything has come."""


@dataclass(slots=True)
class _Outbox:
    datagrams: list[tuple[int, bytes]] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)


def _fits(number: object, largest: int) -> bool:
    return isinstance(number, int) and 0 <= number <= largest


class Host:
    """One end of the transport, towards all its peers. `sending` and `receiving` are there to look at."""

    def __init__(
        self,
        name: int,
        peers: Collection[int],
        rules: Rules | None = None,
        *,
        life: int = 0,
        started: float = 0.0,
    ) -> None:
        if not (_fits(name, LARGEST_HOST) and _fits(life, LARGEST_LIFE)):
            raise ValueError(f"host {name} in life {life}: an integer of 4 bytes, and one of 8, from 0 on")
        if name in peers:
            raise ValueError(f"host {name} is no peer of its own")
        self.name = name
        self.life = life
        self.rules = rules or Rules()
        self.dropped: Counter[str] = Counter()
        first = started + self.rules.period
        self.sending = {peer: Sending(OrderedMapQueue(self.rules.capacity), first) for peer in peers}
        self.receiving = {peer: Receiving() for peer in peers}
        self._outbox = _Outbox()

    # --- what an application does -----------------------------------------------------------------

    def send(self, to: int, payload: bytes, now: float) -> bool:
        """Send a message to a peer, unless the queue is full: then the answer is False."""
        if not isinstance(payload, bytes):
            raise TypeError(f"a payload is bytes, not {type(payload).__name__}")
        if len(payload) > LONGEST_PAYLOAD:
            raise ValueError(f"a payload of {len(payload)} bytes; at most {LONGEST_PAYLOAD} can be carried")
        if to not in self.sending:
            raise ValueError(f"host {to} is no peer; possible: {', '.join(map(str, self.sending)) or 'none'}")
        peer = self.sending[to]
        if peer.queue.empty():
            peer.due = self._next_due(peer.due, now)
        message = Message(peer.next_number, payload)
        accepted = peer.queue.enqueue(message)
        if accepted or self.rules.when_full is WhenFull.NUMBER_IS_USED_UP:
            peer.next_number += 1
        if accepted:
            self._transmit(to, message)
        return accepted

    def unacknowledged(self, to: int) -> int:
        """How many messages to a peer wait to be acknowledged."""
        return len(self.sending[to].queue)

    def take_deliveries(self) -> list[Delivery]:
        """What has been delivered since this was last asked, in order."""
        taken, self._outbox.deliveries = self._outbox.deliveries, []
        return taken

    def take_given_up(self) -> list[GivenUp]:
        """What has been given up since this was last asked, in the order in which it was sent."""
        taken, self._outbox.given_up = self._outbox.given_up, []
        return taken

    # --- what a driver does -----------------------------------------------------------------------

    @property
    def next_timer(self) -> float | None:
        """When `tick` has something to do; None if everything is acknowledged."""
        return min((peer.due for peer in self.sending.values() if not peer.queue.empty()), default=None)

    def take_outgoing(self) -> list[tuple[int, bytes]]:
        """What is to be transmitted since this was last asked: to which host, and which bytes."""
        taken, self._outbox.datagrams = self._outbox.datagrams, []
        return taken

    def tick(self, now: float) -> None:
        """Send the lowest-numbered message again to each peer whose timer has fired."""
        for to, peer in self.sending.items():
            if peer.due <= now and not peer.queue.empty():
                self._transmit(to, peer.queue.pick_one())
                peer.due = self._next_due(peer.due, now)

    def receive(self, data: bytes, now: float) -> None:
        """Take a datagram from the network, whatever it is."""
        packet = decode(data)
        if packet is None:
            self._drop("malformed")
        elif packet.source not in self.receiving:
            self._drop("not from a peer")
        elif packet.kind is Kind.DATA:
            self._receive_data(packet)
        elif packet.kind is Kind.ACK:
            self._receive_ack(packet)
        else:
            self._receive_notice(packet)

    # --- as a receiver ----------------------------------------------------------------------------

    def _receive_data(self, packet: Packet) -> None:
        peer = self.receiving[packet.source]
        if packet.receiver_life != self.life:
            self._answer(Kind.NOTICE, packet)
        elif packet.sender_life < peer.life:
            self._drop("from an earlier life")
        else:
            self._meet(peer, packet.sender_life)
            self._receive_number(peer, packet)

    def _meet(self, peer: Receiving, life: int) -> None:
        """A sender that has restarted begins to number at 0."""
        if life > peer.life:
            peer.life, peer.expected = life, 0

    def _receive_number(self, peer: Receiving, packet: Packet) -> None:
        if packet.number > peer.expected:
            self._drop("ahead of what is expected")
            return
        self._answer(Kind.ACK, packet)
        if packet.number == peer.expected:
            peer.expected += 1
            self._outbox.deliveries.append(Delivery(packet.source, packet.payload))

    def _answer(self, kind: Kind, packet: Packet) -> None:
        answer = Packet(kind, self.name, packet.number, packet.sender_life, self.life)
        self._outbox.datagrams.append((packet.source, encode(answer)))

    # --- as a sender ------------------------------------------------------------------------------

    def _transmit(self, to: int, message: Message) -> None:
        assert isinstance(message.payload, bytes)
        data = Packet(Kind.DATA, self.name, message.num, self.life, self.sending[to].life, message.payload)
        self._outbox.datagrams.append((to, encode(data)))

    def _receive_ack(self, packet: Packet) -> None:
        peer = self.sending[packet.source]
        if packet.sender_life != self.life or packet.receiver_life != peer.life:
            self._drop("from an earlier life")
        else:
            peer.queue.delete_all(packet.number)

    def _receive_notice(self, packet: Packet) -> None:
        peer = self.sending[packet.source]
        if packet.receiver_life <= peer.life:
            self._drop("from an earlier life")
        elif peer.life == NOT_KNOWN:
            peer.life = packet.receiver_life
        else:
            peer.life = packet.receiver_life
            self._begin_again(packet.source, peer)

    def _begin_again(self, to: int, peer: Sending) -> None:
        """Number from 0 for a receiver that has forgotten everything."""
        left = peer.queue.messages()
        peer.queue.delete_all(peer.next_number)
        peer.next_number = 0
        for message in left:
            assert isinstance(message.payload, bytes)
            if self.rules.unsure is Unsure.GIVES_UP:
                self._outbox.given_up.append(GivenUp(to, message.payload))
            else:
                peer.queue.enqueue(Message(peer.next_number, message.payload))
                peer.next_number += 1

    # --- both -------------------------------------------------------------------------------------

    def _drop(self, why: str) -> None:
        self.dropped[why] += 1

    def _next_due(self, due: float, now: float) -> float:
        """The first time after now at which the timer fires: it runs freely, whatever is sent."""
        if due > now:
            return due
        later = due + self.rules.period * (floor((now - due) / self.rules.period) + 1)
        return later if later > now else later + self.rules.period
