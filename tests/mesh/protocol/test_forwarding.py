"""Packets go by the tables of their colour; none goes round for ever, whatever brokers believe meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.protocol.colouring import View
from angarium.mesh.protocol.forwarding import NO_COLOUR, Delivered, Forwarder, Loss, Lost, Onward
from angarium.mesh.protocol.link_state import Pairs
from angarium.mesh.protocol.messages import Packet
from angarium.mesh.recovery.tables import HEALTHY, Recovery, recovery
from tests.effort import examples
from tests.mesh.protocol.meshes import CHORD, LINE, SQUARE, TAILED, TRIANGLE, colouring, mesh

WIDE = "links=2,brokers=1"


@dataclass(frozen=True)
class OfOne:
    """The tables of one broker."""

    recovery: Recovery
    broker: str

    def next(self, colour: int, destination: str) -> str | None:
        return self.recovery.next_broker(colour, self.broker, destination)


@cache
def forwarders(shape: str, budget: str = "one") -> Mapping[str, Forwarder]:
    agreed = colouring(shape, budget)
    found = recovery(mesh(shape), agreed.colours)
    return {name: Forwarder(mesh(shape), name, agreed, OfOne(found, name)) for name in agreed.chart.brokers}


Beliefs = Mapping[str, Pairs]
"""Which pairs each broker takes for dead."""


def carried(
    shape: str, beliefs: Beliefs, packet: Packet, budget: str = "one"
) -> tuple[list[tuple[str, int]], Delivered | Lost]:
    """Where a packet comes by, with its colour there, and what becomes of it."""
    at, seen = packet.source, []
    while True:
        view = colouring(shape, budget).view(at, beliefs.get(at, frozenset()))
        outcome = forwarders(shape, budget)[at].forward(packet, view)
        if not isinstance(outcome, Onward):
            return seen, outcome
        seen.append((at, outcome.packet.colour))
        at, packet = outcome.to, outcome.packet


def fresh(shape: str, beliefs: Beliefs, source: str, destination: str, budget: str = "one") -> Packet:
    view = colouring(shape, budget).view(source, beliefs.get(source, frozenset()))
    return forwarders(shape, budget)[source].packet(view, destination, life=1, number=0)


def dead(*pairs: str) -> Pairs:
    return frozenset((one, other) for one, other in pairs)


def test_when_nothing_is_dead_a_packet_goes_the_shortest_way() -> None:
    path, outcome = carried(SQUARE, {}, fresh(SQUARE, {}, "1", "3"))

    assert [broker for broker, _ in path] == ["1", "2"]
    assert isinstance(outcome, Delivered)


def test_a_packet_goes_by_its_own_colour_also_through_brokers_that_have_not_switched() -> None:
    beliefs = {"1": dead("23")}

    path, outcome = carried(SQUARE, beliefs, fresh(SQUARE, beliefs, "1", "3"))

    assert [broker for broker, _ in path] == ["1", "4"]
    assert isinstance(outcome, Delivered)


def test_a_packet_that_meets_a_dead_link_gets_another_colour_and_turns_back() -> None:
    beliefs = {"2": dead("23")}

    path, outcome = carried(SQUARE, beliefs, fresh(SQUARE, beliefs, "1", "3"))

    assert [broker for broker, _ in path] == ["1", "2", "1", "4"]
    assert isinstance(outcome, Delivered)
    assert len({colour for _, colour in path}) == 2


def test_without_a_colour_it_would_go_to_and_fro_until_it_has_made_too_many_hops() -> None:
    beliefs = {"2": dead("23")}
    plain = replace(fresh(SQUARE, beliefs, "1", "3"), colour=NO_COLOUR)

    path, outcome = carried(SQUARE, beliefs, plain)

    assert [broker for broker, _ in path[:4]] == ["1", "2", "1", "2"]
    assert isinstance(outcome, Lost) and outcome.why is Loss.HOPS


CROSSED: Beliefs = {"2": dead("23"), "4": dead("34")}
"""Each neighbour of 3 knows that its own link to 3 is dead, and nothing of the other."""


def test_a_packet_remembers_what_was_dead_in_its_old_colours() -> None:
    path, outcome = carried(SQUARE, CROSSED, fresh(SQUARE, CROSSED, "1", "3"))

    assert [broker for broker, _ in path] == ["1", "2", "1"]
    assert isinstance(outcome, Lost) and outcome.why is Loss.NO_PATH


def test_one_that_does_not_remember_goes_round(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(self: Forwarder, packet: Packet, view: View) -> Packet:
        return replace(packet, colour=view.colour or NO_COLOUR)

    monkeypatch.setattr(Forwarder, "_recoloured", forgetful)

    path, outcome = carried(SQUARE, CROSSED, fresh(SQUARE, CROSSED, "1", "3"))

    assert len(set(path)) < len(path)
    assert isinstance(outcome, Lost) and outcome.why is Loss.HOPS


def test_what_was_not_calculated_before_is_calculated_now() -> None:
    both = dict.fromkeys("12345", dead("34", "12"))
    two_cut = dict.fromkeys("1234", dead("12", "13"))

    path, outcome = carried(CHORD, two_cut, fresh(CHORD, two_cut, "1", "2"))

    assert fresh(CHORD, two_cut, "1", "2").colour == NO_COLOUR
    assert [broker for broker, _ in path] == ["1", "4", "3"]
    assert isinstance(outcome, Delivered)
    assert isinstance(carried(TAILED, both, fresh(TAILED, both, "3", "4"))[1], Delivered)


@pytest.mark.parametrize(("colour", "hops", "why"), [(99, 5, Loss.COLOUR), (HEALTHY, 0, Loss.HOPS)])
def test_a_packet_that_cannot_be_is_lost(colour: int, hops: int, why: Loss) -> None:
    packet = replace(fresh(LINE, {}, "1", "4"), colour=colour, hops=hops)

    assert carried(LINE, {}, packet) == ([], Lost(packet, why))


def test_a_packet_to_somebody_who_is_cut_off_is_lost_at_once() -> None:
    beliefs = {"1": dead("23")}

    path, outcome = carried(LINE, beliefs, fresh(LINE, beliefs, "1", "4"))

    assert path == []
    assert isinstance(outcome, Lost) and outcome.why is Loss.NO_PATH


@settings(max_examples=examples(150))
@given(st.sampled_from((TRIANGLE, SQUARE, CHORD, TAILED)), st.data())
def test_whatever_brokers_believe_a_packet_visits_none_twice_in_one_colour(
    shape: str, data: st.DataObject
) -> None:
    chart = colouring(shape, WIDE).chart
    some_dead = st.frozensets(st.sampled_from(sorted(chart.cables)), max_size=3)
    beliefs = {broker: data.draw(some_dead) for broker in chart.brokers}
    source, destination = data.draw(st.permutations(chart.brokers))[:2]

    path, outcome = carried(shape, beliefs, fresh(shape, beliefs, source, destination, WIDE), WIDE)

    coloured = [step for step in path if step[1] != NO_COLOUR]
    assert len(set(coloured)) == len(coloured)
    assert isinstance(outcome, Delivered) or outcome.why is not Loss.HOPS or path[-1][1] == NO_COLOUR


@settings(max_examples=examples(100))
@given(st.sampled_from((TRIANGLE, SQUARE, CHORD, TAILED)), st.data())
def test_once_all_believe_the_same_every_packet_to_the_component_arrives(
    shape: str, data: st.DataObject
) -> None:
    found = colouring(shape)
    truth = data.draw(st.frozensets(st.sampled_from(sorted(found.chart.cables)), max_size=3))
    beliefs = dict.fromkeys(found.chart.brokers, truth)
    source = data.draw(st.sampled_from(found.chart.brokers))

    for destination in found.view(source, truth).component - {source}:
        path, outcome = carried(shape, beliefs, fresh(shape, beliefs, source, destination))

        assert isinstance(outcome, Delivered)
        assert len(set(path)) == len(path)
