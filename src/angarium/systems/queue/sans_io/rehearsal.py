"""Random runs of the transport's code: two hosts, and between them a network that does the worst it can.

A rehearsal has no clock: at every moment it does anything that could happen next. The application sends,
the timer fires, any datagram under way arrives, gets lost or is doubled, a host restarts. What the code
does then is written down as an event with the name and the arguments of an action of the model, and so is
everything that can be seen of both hosts and the network afterwards. Nothing here knows the rules of the
protocol: an event says what the code did, not what it should have done.

The payload of a message is its own number among all messages. What an answer speaks of cannot be read
from its bytes, so the network remembers which data it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from angarium.systems.queue.sans_io.host import Host, Rules
from angarium.systems.queue.sans_io.packet import Kind, Packet, decode
from angarium.systems.queue.transport_kinds import Fate, Unsure, WhenFull

SENDER, RECEIVER = 1, 2
OFTEN, SOMETIMES, RARELY = 9, 3, 1
"""How likely things are: most datagrams arrive, or a run would get nowhere; who restarts must have something
to forget."""

View = dict[str, object]
"""What can be seen: of the code, or of the model in the same words."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """How much may happen in a run, and by which rules."""

    messages: int = 5
    capacity: int = 2
    under_way: int = 4
    """How many datagrams the network holds at most, each way."""
    duplicates: int = 6
    """How often the network makes another copy of something, at most."""
    sender_restarts: int = 0
    receiver_restarts: int = 0
    incarnations: bool = False
    when_full: WhenFull = WhenFull.NUMBER_IS_KEPT
    unsure: Unsure = Unsure.GIVES_UP

    @property
    def rules(self) -> Rules:
        return Rules(self.capacity, when_full=self.when_full, unsure=self.unsure)


class Event(NamedTuple):
    """What happened, as an action of the model with its arguments."""

    action: str
    arguments: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({', '.join(map(str, self.arguments))})"


class Moment(NamedTuple):
    """An event, and what is to be seen after it."""

    event: Event
    view: View


class Flying(NamedTuple):
    """A datagram under way, and the message that it carries or answers."""

    data: bytes
    message: int

    @property
    def packet(self) -> Packet:
        found = decode(self.data)
        assert found is not None, "a host transmits what a host can read"
        return found


@dataclass(slots=True)
class Application:
    """What the two applications know."""

    asked: int = 0
    refused: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)
    delivered: list[int] = field(default_factory=list)


MakeHost = Callable[..., Host]
Chance = tuple[int, Callable[[], Event]]
"""Something that can happen next, and how likely it is."""


class Rehearsal:
    """A sender, a receiver and the network between them."""

    def __init__(self, scenario: Scenario, random: Random, host: MakeHost = Host) -> None:
        self._scenario = scenario
        self._random = random
        self._host = host
        self._now = 0.0
        first = int(scenario.incarnations)
        self.sender = host(SENDER, [RECEIVER], scenario.rules, life=first)
        self.receiver = host(RECEIVER, [SENDER], scenario.rules, life=first)
        self.application = Application()
        self.data: list[Flying] = []
        self.answers: list[Flying] = []
        self._copies_left = scenario.duplicates
        self._restarts = {SENDER: scenario.sender_restarts, RECEIVER: scenario.receiver_restarts}

    def run(self, length: int) -> Iterator[Moment]:
        """What happens, event after event, until nothing can or the run is long enough."""
        for _ in range(length):
            possible = list(self._possible())
            if not possible:
                return
            weights, deeds = zip(*possible, strict=True)
            (deed,) = self._random.choices(deeds, weights)
            yield Moment(deed(), self.view())

    # --- what can happen next ---------------------------------------------------------------------

    def _possible(self) -> Iterator[Chance]:
        room = len(self.data) < self._scenario.under_way
        if room and self.application.asked < self._scenario.messages:
            yield SOMETIMES, self._send
        if room and self.sender.next_timer is not None:
            yield SOMETIMES, self._fire
        if self.data:
            yield from self._possible_with_data(room)
        if self.answers:
            yield from self._possible_with_answers()
        if self._restarts[SENDER] and self.application.asked:
            yield RARELY, self._restart_sender
        if self._restarts[RECEIVER]:
            yield RARELY, self._restart_receiver

    def _possible_with_data(self, room: bool) -> Iterator[Chance]:
        yield SOMETIMES, self._lose_data
        if room and self._copies_left:
            yield SOMETIMES, self._copy_data
        if self._has_room_back:
            yield OFTEN, self._data_arrives

    def _possible_with_answers(self) -> Iterator[Chance]:
        yield SOMETIMES, self._lose_answer
        yield OFTEN, self._answer_arrives
        if self._has_room_back and self._copies_left:
            yield SOMETIMES, self._copy_answer

    @property
    def _has_room_back(self) -> bool:
        return len(self.answers) < self._scenario.under_way

    # --- the sender -------------------------------------------------------------------------------

    def _send(self) -> Event:
        message = self.application.asked
        accepted = self.sender.send(RECEIVER, bytes([message]), self._now)
        self.application.asked += 1
        if not accepted:
            self.application.refused.add(message)
        self._take_data()
        return Event("send" if accepted else "refuse", (_label(message),))

    def _fire(self) -> Event:
        """The event tells what the timer made the sender transmit, whatever that is."""
        self._now = max(self._now, self.sender.next_timer or 0.0)
        self.sender.tick(self._now)
        return Event("retransmit", tuple(map(_label, self._take_data())))

    def _answer_arrives(self) -> Event:
        answer = self._taken(self.answers)
        self.sender.receive(answer.data, self._now)
        self.application.given_up |= {given.payload[0] for given in self.sender.take_given_up()}
        self._take_data()
        return self._about_answer("arrives", answer)

    def _restart_sender(self) -> Event:
        queue = self.sender.sending[RECEIVER].queue
        self.application.given_up |= {_message(each.payload) for each in queue.messages()}
        self.sender = self._restarted(self.sender, RECEIVER)
        return Event("restart_sender")

    # --- the receiver -----------------------------------------------------------------------------

    def _data_arrives(self) -> Event:
        data = self._taken(self.data)
        self.receiver.receive(data.data, self._now)
        self.application.delivered += [each.payload[0] for each in self.receiver.take_deliveries()]
        self.answers += [Flying(answer, data.message) for _, answer in self.receiver.take_outgoing()]
        return self._about_data("arrives", data)

    def _restart_receiver(self) -> Event:
        self.receiver = self._restarted(self.receiver, SENDER)
        return Event("restart_receiver")

    def _restarted(self, host: Host, peer: int) -> Host:
        self._restarts[host.name] -= 1
        life = host.life + int(self._scenario.incarnations)
        return self._host(host.name, [peer], self._scenario.rules, life=life, started=self._now)

    # --- the network ------------------------------------------------------------------------------

    def _take_data(self) -> list[int]:
        """Put what the sender transmits under way; which messages that are."""
        transmitted = [data for _, data in self.sender.take_outgoing()]
        flying = [Flying(data, Flying(data, 0).packet.payload[0]) for data in transmitted]
        self.data += flying
        return [each.message for each in flying]

    def _taken(self, network: list[Flying]) -> Flying:
        return network.pop(self._random.randrange(len(network)))

    def _copied(self, network: list[Flying]) -> Flying:
        self._copies_left -= 1
        network.append(self._random.choice(network))
        return network[-1]

    def _lose_data(self) -> Event:
        return self._about_data("lose", self._taken(self.data))

    def _copy_data(self) -> Event:
        return self._about_data("duplicate", self._copied(self.data))

    def _lose_answer(self) -> Event:
        return self._about_answer("lose", self._taken(self.answers))

    def _copy_answer(self) -> Event:
        return self._about_answer("duplicate", self._copied(self.answers))

    def _about_data(self, what: str, data: Flying) -> Event:
        return Event(_named(what, "data"), (_label(data.message), self._life(data.packet.receiver_life)))

    def _about_answer(self, what: str, answer: Flying) -> Event:
        life = self._life(answer.packet.receiver_life)
        if answer.packet.kind is Kind.NOTICE:
            return Event(_named(what, "notice"), (life,))
        return Event(_named(what, "ack"), (_label(answer.message), life))

    # --- what can be seen -------------------------------------------------------------------------

    def view(self) -> View:
        """What is true of the code, in the model's words."""
        to, source = self.sender.sending[RECEIVER], self.receiver.receiving[SENDER]
        return {
            "asked": self.application.asked,
            "fate": {_label(each): self._fate(each).name for each in range(self._scenario.messages)},
            "next_number": to.next_number,
            "queue": [(each.num, _label(_message(each.payload))) for each in to.queue.messages()],
            "sender_life": _from_0(self.sender.life),
            "peer": self._life(to.life),
            "expected": source.expected,
            "receiver_life": self._life(self.receiver.life),
            "sender_known": _from_0(source.life),
            "data": sorted(map(self._datum, self.data), key=repr),
            "answers": sorted(map(self._answer, self.answers), key=repr),
            **_judged(self.application.delivered),
        }

    def _life(self, life: int) -> str | None:
        """A life of the receiver; without incarnations there is only one, which everybody knows."""
        return (f"life{life}" if life else None) if self._scenario.incarnations else "life1"

    def _fate(self, message: int) -> Fate:
        if message >= self.application.asked:
            return Fate.UNSENT
        if message in self.application.refused:
            return Fate.REFUSED
        if message in self.application.given_up:
            return Fate.GIVEN_UP
        queue = self.sender.sending[RECEIVER].queue.messages()
        waiting = message in [_message(each.payload) for each in queue]
        return Fate.ACCEPTED if waiting else Fate.ACKNOWLEDGED

    def _datum(self, data: Flying) -> tuple[object, ...]:
        packet = data.packet
        life = self._life(packet.receiver_life)
        return _label(data.message), packet.number, _from_0(packet.sender_life), life

    def _answer(self, answer: Flying) -> tuple[object, ...]:
        packet = answer.packet
        life = self._life(packet.receiver_life)
        if packet.kind is Kind.NOTICE:
            return Kind.NOTICE.name, life
        return Kind.ACK.name, _label(answer.message), packet.number, _from_0(packet.sender_life), life


def _label(message: int) -> str:
    return f"m{message + 1}"


def _from_0(life: int) -> int:
    """The model counts the lives of a sender from 0; who has none, or is not known yet, is in the first."""
    return max(0, life - 1)


def _named(what: str, whom: str) -> str:
    return f"{whom}_{what}" if what == "arrives" else f"{what}_{whom}"


def _message(payload: bytes | str) -> int:
    assert isinstance(payload, bytes)
    return payload[0]


def _judged(delivered: list[int]) -> View:
    """What was delivered, and whether twice or out of order."""
    seen: set[int] = set()
    doubled = disordered = False
    for message in delivered:
        doubled |= message in seen
        disordered |= any(other > message for other in seen)
        seen.add(message)
    return {
        "delivered": [_label(each) for each in sorted(seen)],
        "doubled": doubled,
        "disordered": disordered,
    }
