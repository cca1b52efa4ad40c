"""Runs of the transport's code are runs of its model, and those of code with a mistake are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from angarium.systems.queue.sans_io.as_model import Follower, departures
from angarium.systems.queue.sans_io.host import Delivery, Host, Receiving, Sending
from angarium.systems.queue.sans_io.packet import Kind, Packet
from angarium.systems.queue.sans_io.rehearsal import Event, Moment, Rehearsal, Scenario
from angarium.systems.queue.transport_kinds import Unsure, WhenFull

SEEDS = range(20)
RESTARTING = Scenario(sender_restarts=2, receiver_restarts=2, incarnations=True)
SCENARIOS = {
    "no restart": Scenario(),
    "a number is used up": Scenario(when_full=WhenFull.NUMBER_IS_USED_UP),
    "wide": Scenario(messages=8, capacity=4, under_way=6),
    "restarts without incarnations": Scenario(sender_restarts=1, receiver_restarts=1),
    "incarnations": RESTARTING,
    "incarnations, sent again": Scenario(
        sender_restarts=1, receiver_restarts=2, incarnations=True, unsure=Unsure.SENDS_AGAIN
    ),
}


@cache
def runs(name: str) -> list[list[Moment]]:
    return [list(Rehearsal(SCENARIOS[name], Random(seed)).run(80)) for seed in SEEDS]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_run_of_the_code_is_one_of_the_model(name: str) -> None:
    follower = Follower(SCENARIOS[name])

    assert [str(found) for found in map(follower.departure, runs(name)) if found] == []


def test_the_runs_try_everything_that_the_model_can_do() -> None:
    happened = Counter(moment.event.action for name in SCENARIOS for run in runs(name) for moment in run)

    assert {action.name for action in Follower(RESTARTING).system.actions} == happened.keys()
    assert min(happened.values()) > 10


def test_the_runs_meet_what_goes_wrong_without_incarnations() -> None:
    ends = [run[-1].view for run in runs("restarts without incarnations")]

    assert any(view["doubled"] for view in ends)


def test_a_rehearsal_is_a_function_of_its_seed() -> None:
    again = list(Rehearsal(RESTARTING, Random(SEEDS[0])).run(80))

    assert again == runs("incarnations")[0]
    assert again != runs("incarnations")[1]


# --- code with a mistake ----------------------------------------------------------------------------------


class DeliversLater(Host):
    def _receive_number(self, peer: Receiving, packet: Packet) -> None:
        peer.expected = max(peer.expected, packet.number)
        super()._receive_number(peer, packet)


class AcknowledgesAhead(Host):
    def _receive_number(self, peer: Receiving, packet: Packet) -> None:
        if packet.number > peer.expected:
            self._answer(Kind.ACK, packet)
        super()._receive_number(peer, packet)


class DeliversAgain(Host):
    def _receive_number(self, peer: Receiving, packet: Packet) -> None:
        if packet.number < peer.expected:
            self._outbox.deliveries.append(Delivery(packet.source, packet.payload))
        super()._receive_number(peer, packet)


class NeverAcknowledgesAgain(Host):
    def _receive_number(self, peer: Receiving, packet: Packet) -> None:
        if packet.number >= peer.expected:
            super()._receive_number(peer, packet)


class DeletesTooMuch(Host):
    def _receive_ack(self, packet: Packet) -> None:
        super()._receive_ack(packet._replace(number=packet.number + 1))


class DeletesTooLittle(Host):
    def _receive_ack(self, packet: Packet) -> None:
        super()._receive_ack(packet._replace(number=packet.number - 1))


class RepeatsTheLatest(Host):
    def tick(self, now: float) -> None:
        for to, peer in self.sending.items():
            self._transmit(to, peer.queue.messages()[-1])


class RefusesTooEarly(Host):
    def send(self, to: int, payload: bytes, now: float) -> bool:
        return not self.unacknowledged(to) and super().send(to, payload, now)


class IsAlwaysMeant(Host):
    def _receive_data(self, packet: Packet) -> None:
        super()._receive_data(packet._replace(receiver_life=self.life))


class TakesAcksOfEarlierLives(Host):
    def _receive_ack(self, packet: Packet) -> None:
        super()._receive_ack(packet._replace(sender_life=self.life))


class ListensToEarlierLives(Host):
    def _receive_data(self, packet: Packet) -> None:
        life = max(packet.sender_life, self.receiving[packet.source].life)
        super()._receive_data(packet._replace(sender_life=life))


class DoesNotMeet(Host):
    def _meet(self, peer: Receiving, life: int) -> None:
        peer.life = max(peer.life, life)


class DoesNotBeginAgain(Host):
    def _begin_again(self, to: int, peer: Sending) -> None:
        pass


MISTAKES: list[tuple[Callable[..., Host], Scenario]] = [
    (DeliversLater, Scenario()),
    (AcknowledgesAhead, Scenario()),
    (DeliversAgain, Scenario()),
    (NeverAcknowledgesAgain, Scenario()),
    (DeletesTooMuch, Scenario()),
    (DeletesTooLittle, Scenario()),
    (RepeatsTheLatest, Scenario()),
    (RefusesTooEarly, Scenario()),
    (IsAlwaysMeant, RESTARTING),
    (TakesAcksOfEarlierLives, RESTARTING),
    (ListensToEarlierLives, RESTARTING),
    (DoesNotMeet, RESTARTING),
    (DoesNotBeginAgain, RESTARTING),
]


@pytest.mark.parametrize(("host", "scenario"), MISTAKES, ids=lambda each: getattr(each, "__name__", ""))
def test_code_with_a_mistake_departs_from_the_model(host: Callable[..., Host], scenario: Scenario) -> None:
    assert next(departures(scenario, range(200), host=host), None) is not None


def test_code_by_another_rule_than_the_model_departs_from_it() -> None:
    kept, used_up = Scenario(capacity=1), Scenario(capacity=1, when_full=WhenFull.NUMBER_IS_USED_UP)

    runs = (Rehearsal(used_up, Random(seed)).run(80) for seed in range(9))
    first = next(filter(None, map(Follower(kept).departure, runs)))

    assert first.event.action == "refuse"
    assert first.why.startswith("leads elsewhere: next_number is ")


def test_a_departure_tells_what_was_possible() -> None:
    view = Rehearsal(Scenario(), Random(0)).view()

    departure = Follower(Scenario()).departure([Moment(Event("retransmit", ("m1",)), view)])

    assert (
        str(departure)
        == "after nothing: retransmit(m1) is not possible in the model; possible there: send(m1)"
    )


def test_a_departure_tells_what_differs() -> None:
    view = Rehearsal(Scenario(), Random(0)).view()

    departure = Follower(Scenario()).departure([Moment(Event("send", ("m1",)), view)])

    assert departure is not None
    assert "asked is 0 in the code and 1 in the model" in departure.why
