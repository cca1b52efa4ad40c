"""The simulated network: what it does to datagrams, and how its clock goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from angarium.checker.walks.datagrams import Address, Impairment, Network

HERE, THERE = "here", "there"


@dataclass
class Talker:
    """Transmits what it is told to, and writes down what comes and when it is woken."""

    wishes: list[float] = field(default_factory=list)
    outgoing: list[tuple[Address, bytes]] = field(default_factory=list)
    heard: list[tuple[float, bytes]] = field(default_factory=list)
    woken: list[float] = field(default_factory=list)

    @property
    def next_timer(self) -> float | None:
        return self.wishes[0] if self.wishes else None

    def receive(self, data: bytes, now: float) -> None:
        self.heard.append((now, data))

    def tick(self, now: float) -> None:
        self.woken.append(now)
        self.wishes.pop(0)

    def take_outgoing(self) -> list[tuple[Address, bytes]]:
        taken, self.outgoing = self.outgoing, []
        return taken


def say(network: Network, talker: Talker, words: list[bytes], to: Address = THERE) -> None:
    talker.outgoing += [(to, word) for word in words]
    network.attend(HERE)


def conversation(impairment: Impairment, *, seed: int = 0, words: int = 10_000) -> tuple[Talker, Network]:
    """One end says words, a millisecond apart; what the other hears."""
    speaker, listener = Talker(), Talker()
    network = Network({HERE: speaker, THERE: listener}, impairment, seed=seed)
    for number in range(words):
        network.at(number / 1000, lambda number=number: say(network, speaker, [number.to_bytes(4)]))
    network.run(until=lambda: False, deadline=1e9)
    return listener, network


def test_without_trouble_everything_arrives_in_order_after_the_delay() -> None:
    listener, network = conversation(Impairment(delay=0.25), words=100)

    assert [data for _, data in listener.heard] == [number.to_bytes(4) for number in range(100)]
    assert [now for now, _ in listener.heard] == [number / 1000 + 0.25 for number in range(100)]
    assert (network.tally.lost, network.tally.duplicated, network.tally.overtaken) == (0, 0, 0)


@pytest.mark.parametrize("what", ["loss", "duplication"])
def test_trouble_comes_as_often_as_it_is_said_to(what: str) -> None:
    listener, network = conversation(Impairment(**{what: 0.05}))
    extra = {"loss": -network.tally.lost, "duplication": network.tally.duplicated}[what]

    assert 400 < abs(extra) < 600
    assert len(listener.heard) == network.tally.arrived == 10_000 + extra
    assert network.tally.overtaken == 0


def test_what_takes_longer_is_overtaken() -> None:
    listener, network = conversation(Impairment(reordering=0.05, late=0.005))
    order = [data for _, data in listener.heard]

    assert len(set(order)) == 10_000
    assert order != sorted(order)
    assert 300 < network.tally.overtaken < 500


def test_a_run_is_a_function_of_the_seed() -> None:
    impairment = Impairment(loss=0.1, duplication=0.1, reordering=0.1)

    first, again, other = (conversation(impairment, seed=seed, words=500)[0].heard for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_a_lost_datagram_makes_no_journey_and_a_doubled_one_makes_two() -> None:
    assert Impairment(loss=1.0).journeys(Random(0)) == []
    assert Impairment(duplication=1.0, delay=0.5).journeys(Random(0)) == [0.5, 0.5]


def test_an_endpoint_is_woken_at_the_times_that_it_wishes_for() -> None:
    sleeper = Talker(wishes=[0.5, 2.0, 2.25])
    network = Network({HERE: sleeper})

    network.attend(HERE)
    network.run(until=lambda: False, deadline=10.0)

    assert sleeper.woken == [0.5, 2.0, 2.25]


def test_an_endpoint_can_wish_to_be_woken_earlier_or_not_at_all() -> None:
    sleeper = Talker(wishes=[5.0])
    network = Network({HERE: sleeper})
    network.attend(HERE)

    network.at(1.0, lambda: (sleeper.wishes.insert(0, 2.0), network.attend(HERE))[1])
    network.at(3.0, sleeper.wishes.clear)
    network.run(until=lambda: False, deadline=10.0)

    assert sleeper.woken == [2.0]


def test_a_run_ends_when_its_condition_is_true() -> None:
    sleeper = Talker(wishes=[1.0, 2.0, 3.0])
    network = Network({HERE: sleeper})
    network.attend(HERE)

    assert network.run(until=lambda: len(sleeper.woken) == 2, deadline=10.0)
    assert network.now == 2.0


def test_a_run_does_not_go_past_its_deadline() -> None:
    sleeper = Talker(wishes=[1.0, 2.0, 3.0])
    network = Network({HERE: sleeper})
    network.attend(HERE)

    assert not network.run(until=lambda: len(sleeper.woken) == 3, deadline=2.5)
    assert sleeper.woken == [1.0, 2.0]


def test_what_is_on_its_way_arrives_at_the_endpoint_that_is_there_then() -> None:
    speaker, before, after = Talker(), Talker(), Talker()
    network = Network({HERE: speaker, THERE: before}, Impairment(delay=1.0))
    say(network, speaker, [b"hello"])

    network.at(0.5, lambda: network.replace(THERE, after))
    network.run(until=lambda: False, deadline=10.0)

    assert (before.heard, after.heard) == ([], [(1.0, b"hello")])


def test_nothing_can_be_done_in_the_past() -> None:
    network = Network({})
    network.at(5.0, lambda: None)
    network.run(until=lambda: False, deadline=6.0)

    with pytest.raises(ValueError, match=r"nothing can be done at 1\.0"):
        network.at(1.0, lambda: None)


def test_what_goes_to_an_address_where_nobody_is_disappears() -> None:
    speaker = Talker()
    network = Network({HERE: speaker})

    say(network, speaker, [b"hello"], to="nowhere")
    network.run(until=lambda: False, deadline=10.0)

    assert (network.tally.sent, network.tally.arrived) == (1, 0)
