"""Packets one by one: what can be calculated by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.core.control import Control, CutBy, in_lines
from angarium.core.errors import MeshError, UsageError
from angarium.mesh.mesh import Failures, Link, Mesh
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets import running
from angarium.mesh.packets.experiment import Experiment, Flow, Run
from angarium.mesh.packets.links import MILLISECOND, SECOND, Happening
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import LFA, OSPF_FAST, PCRT, RRL, SCHEMES
from tests.mesh.packets.nets import cable, comes_back, cut, dies, heals, net, random_experiment

SLOW = {"rate": 10.0}
"""A packet of 1,000 bit takes 100 ms."""


def run(mesh: Mesh, *happenings: Happening, seconds: float = 10, rate: float = 1.0, **more: object) -> Run:
    """Packets from a to z, by PCRT unless another scheme is given."""
    scheme = more.pop("scheme", PCRT)
    flow = Flow("a", "z", rate)
    experiment = Experiment(mesh, (flow,), happenings, round(seconds * SECOND), **more)  # type: ignore[arg-type]
    return simulate(experiment, scheme)  # type: ignore[arg-type]


def latencies(found: Run) -> set[float]:
    return {each / MILLISECOND for each in found.latencies.tolist()}


def test_latency_is_the_sum_of_sending_crossing_and_handling() -> None:
    mesh = net(cable("a", "b", latency=7, **SLOW), cable("b", "z", latency=20, **SLOW), latency=1.5)

    found = run(mesh)

    assert latencies(found) == {1.5 + 100 + 7 + 1.5 + 100 + 20 + 1.5}
    assert set(found.hops.tolist()) == {2}


def test_a_link_without_a_rate_only_delays() -> None:
    found = run(net(cable("a", "z", latency=7)), rate=1000)

    assert latencies(found) == {7}


def test_a_sender_to_itself_needs_no_link() -> None:
    experiment = Experiment(net(cable("a", "z")), (Flow("a", "a"),), (), 10 * SECOND)

    assert simulate(experiment, PCRT).count(core.ARRIVED) == 10


def test_the_queue_grows_by_one_packet_after_the_other() -> None:
    """Twenty packets a second where ten can be sent: each waits 50 ms longer than the one before."""
    found = run(net(cable("a", "z", **SLOW)), seconds=2, rate=20)

    assert found.latencies.tolist() == [(100 + 50 * place) * MILLISECOND for place in range(20 - 1)]
    assert found.count(core.UNDER_WAY) == 40 - 19


def test_what_finds_the_queue_full_is_dropped() -> None:
    found = run(net(cable("a", "z", capacity=3, **SLOW)), seconds=2, rate=20)

    assert max(latencies(found)) == 100 + 3 * 100
    assert found.losses == {core.AT_FULL_QUEUE: 40 - len(found.latencies) - found.count(core.UNDER_WAY)}
    assert found.count(core.UNDER_WAY) == 4


def test_without_room_a_packet_is_dropped_if_another_is_being_sent() -> None:
    found = run(net(cable("a", "z", capacity=0, **SLOW)), seconds=2, rate=15)

    assert found.count(core.ARRIVED) == found.count(core.AT_FULL_QUEUE) == 15
    assert latencies(found) == {100}


def test_what_is_on_a_link_that_is_cut_is_lost_and_what_comes_after_too() -> None:
    mesh = net(cable("a", "z", latency=500))

    found = run(mesh, cut("a-z", 4.2))

    assert found.fate.tolist() == [core.ARRIVED] * 4 + [core.ON_THE_WAY] + [core.AT_DEAD_LINK] * 3 + [
        *found.fate.tolist()[8:]
    ]
    assert found.fate.tolist()[-1] == core.NO_ROUTE


def test_what_is_being_sent_when_a_link_is_cut_is_lost() -> None:
    found = run(net(cable("a", "z", **SLOW)), cut("a-z", 4.05), heals("a-z", 4.5))

    assert found.losses == {core.ON_THE_WAY: 1}
    assert found.count(core.ARRIVED) == 9


def test_the_queue_of_a_dead_link_is_lost_or_kept() -> None:
    mesh = net(cable("a", "z", **SLOW))
    happenings = cut("a-z", 1), heals("a-z", 2)

    lost = run(mesh, *happenings, rate=20, seconds=3)
    kept = run(mesh, *happenings, rate=20, seconds=3, buffering="kept")

    assert lost.losses == {core.AT_DEAD_LINK: 10 + 20, core.ON_THE_WAY: 1}
    assert kept.losses == {core.ON_THE_WAY: 1}
    assert kept.count(core.ARRIVED) == 9 + 9


def test_packets_wait_for_a_dead_link_as_long_as_the_mesh_says() -> None:
    mesh = net(cable("a", "z", buffering="400 ms"))

    found = run(mesh, cut("a-z", 1), heals("a-z", 2), rate=10, seconds=3, buffering="mesh")

    assert found.losses == {core.AT_DEAD_LINK: 6}
    assert max(latencies(found)) == 400


def test_a_dead_broker_loses_what_it_holds_and_what_waits_for_its_links() -> None:
    mesh = net(cable("a", "b"), cable("b", "z", **SLOW), latency=10)

    found = run(mesh, dies("b", 1), comes_back("b", 1.5), rate=20, seconds=2, buffering="kept")

    assert found.losses == {core.IN_DEAD_BROKER: 10, core.ON_THE_WAY: 1}
    assert found.used[1] is not None


def test_a_dead_sender_sends_nothing() -> None:
    found = run(net(cable("a", "z")), dies("a", 3.5), comes_back("a", 6.5))

    assert found.losses == {core.IN_DEAD_BROKER: 3}


# --- tables that change -----------------------------------------------------------------------------------

SQUARE = net(*(cable(one, other, latency=5) for one, other in ("az", "ab", "bz")))
LADDER = net(
    *(cable(one, other, latency=50) for one, other in ("ab", "bz", "ac", "cd", "dz")),
    *(cable("b", "e", latency=50), cable("e", "d", latency=50)),
)


@pytest.mark.parametrize("name", SCHEMES)
def test_packets_go_round_what_is_dead_and_come_back_to_what_has_healed(name: str) -> None:
    found = run(SQUARE, cut("a-z", 20), heals("a-z", 100), seconds=200, scheme=SCHEMES[name])

    assert found.latencies[:20].tolist() == [5 * MILLISECOND] * 20
    assert found.latencies[-50:].tolist() == [5 * MILLISECOND] * 50
    assert 10 in latencies(found)
    assert found.used[1] is not None and found.used[1] > 100 * SECOND
    assert found.lost + found.count(core.ARRIVED) == 200


THOUGHTFUL = replace(PCRT, timers=replace(PCRT.timers, processing=SECOND))
"""Brokers need a second to look at what they are told."""


def ring(latency: float, hop_limit: int | None = None) -> Mesh:
    """From a to z by way of b, or else by way of c and d."""
    pairs = ("ab", "bz", "ac", "cd", "dz")
    return net(*(cable(one, other, latency=latency) for one, other in pairs), hop_limit=hop_limit)


def test_packets_go_to_and_fro_while_tables_differ() -> None:
    """The broker b beside the cut sends back to a, which does not know of it yet and sends to b."""
    found = run(ring(200), cut("b-z", 5), seconds=30, rate=100, scheme=THOUGHTFUL)

    assert set(found.hops[found.arrived].tolist()) == {2, 3, 5, 7, 9, 11}
    assert found.count(core.TOO_FAR) == 0


def test_a_packet_that_goes_to_and_fro_ends_at_the_limit_of_hops() -> None:
    found = run(ring(0.01, hop_limit=9), cut("b-z", 5), seconds=30, rate=100, scheme=THOUGHTFUL)

    assert 90 <= found.count(core.TOO_FAR) <= 100
    assert found.hops.max() == 9


def test_an_alternate_saves_what_ospf_alone_loses() -> None:
    asked = {"seconds": 60, "rate": 100, "seed": 2}

    alone, helped = (run(SQUARE, cut("a-z", 20), scheme=each, **asked) for each in (OSPF_FAST, LFA))  # type: ignore[arg-type]

    gained = alone.lost - helped.lost
    assert 30 <= gained <= 50  # the delay of 200 ms and the update of 200 ms


def test_layers_lead_around_a_dead_link_and_mark_packets() -> None:
    found = run(LADDER, cut("b-z", 20), seconds=60, scheme=RRL)

    after = found.fate[26:]
    assert set(after.tolist()) == {core.ARRIVED}
    assert len(found.timeline.switches) == 2


def test_the_cheapest_link_that_lives_is_taken_of_two_between_the_same_brokers() -> None:
    mesh = net(cable("a", "z", latency=1), cable("a", "z", name="spare", latency=3, cost=2))

    found = run(mesh, cut("a-z", 4), seconds=20)

    assert latencies(found) == {1, 3}


def test_a_link_one_way_is_used_one_way() -> None:
    mesh = net(cable("a", "b", latency=1), [Link("b->z", "b", "z", latency=1)])

    found = run(mesh, seconds=5)
    back = simulate(Experiment(mesh, (Flow("z", "a"),), (), 5 * SECOND), PCRT)

    assert latencies(found) == {2}
    assert back.losses == {core.NO_ROUTE: 5}


# --- the whole ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_no_packet_is_lost_without_a_cause_or_arrives_twice(seed: int) -> None:
    found = simulate(random_experiment(seed), PCRT)

    assert len(found.sent) == found.count(core.ARRIVED) + found.lost + found.count(core.UNDER_WAY)
    assert found.copies == 0
    assert (found.done[found.arrived] >= found.sent[found.arrived]).all()


def test_the_same_seed_gives_the_same_run_whatever_the_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = random_experiment(3)
    whole = simulate(experiment, PCRT)

    monkeypatch.setattr(running, "SLICE", 7)
    told: list[str] = []
    sliced = simulate(experiment, PCRT, Control(observe=in_lines(told.append)))

    assert (sliced.fate == whole.fate).all() and (sliced.done == whole.done).all()
    assert sliced.events == whole.events
    assert told and told[0].startswith("pcrt: ")


def test_another_seed_gives_another_run() -> None:
    flows = (Flow("a", "z", 50, arrivals="poisson"),)
    one, other = (simulate(Experiment(SQUARE, flows, (), SECOND, seed), PCRT) for seed in (1, 2))

    assert one.sent.tolist() != other.sent.tolist()


def test_what_is_cut_short_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLICE", 10)
    experiment = Experiment(SQUARE, (Flow("a", "z", 100),), (), 100 * SECOND)

    found = simulate(experiment, PCRT, Control(-1.0))

    assert found.cut and found.cut.by is CutBy.TIME
    assert found.until < SECOND
    assert len(found.sent) < 10


def test_ctrl_c_keeps_what_was_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLICE", 10)

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    experiment = Experiment(SQUARE, (Flow("a", "z", 100),), (), 100 * SECOND)

    found = simulate(experiment, PCRT, Control(observe=in_lines(stop)))

    assert found.cut and found.cut.by is CutBy.INTERRUPT
    assert found.count(core.ARRIVED) > 0


def test_what_is_cut_cannot_be_cut_again() -> None:
    with pytest.raises(UsageError, match="is cut already"):
        Experiment(SQUARE, (), (cut("a-z", 1), cut("a-z", 2)), 9 * SECOND)
    with pytest.raises(UsageError, match="it works then"):
        Experiment(SQUARE, (), (heals("a-z", 1),), 9 * SECOND)


def test_what_would_happen_after_the_end_is_refused() -> None:
    with pytest.raises(UsageError, match="only 1 s are simulated"):
        Experiment(SQUARE, (), (cut("a-z", 1),), SECOND)


def test_links_that_fail_together_are_cut_at_once_and_heal_one_by_one() -> None:
    both = Happening(2 * SECOND, Failures(cables=frozenset({"a-z", "a-b"})))

    found = run(SQUARE, both, heals("a-b", 20), heals("a-z", 40), seconds=60)

    assert latencies(found) == {5, 10}
    assert set(found.fate[2:20].tolist()) == {core.AT_DEAD_LINK, core.NO_ROUTE}


def test_too_many_links_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.mesh.packets.links.LINK_MASK", 6)

    with pytest.raises(MeshError, match="6 links"):
        _ = replace(Experiment(SQUARE, (), (), SECOND)).network


def test_a_cut_of_a_cable_and_of_its_broker_ends_when_both_have_healed() -> None:
    both = Happening(6 * SECOND, Failures(frozenset({"z"})), heals=True)
    found = run(net(cable("a", "z")), cut("a-z", 2), dies("z", 3), heals("a-z", 4), both, seconds=20)

    assert set(found.fate[2:6].tolist()) <= {core.AT_DEAD_LINK, core.NO_ROUTE}
    assert found.fate[-1] == core.ARRIVED
