"""What a simulation shows, and a thesis's experiment."""

from __future__ import annotations

import pytest

from angarium.mesh.files.find import load
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Flow, Response, Run, responses
from angarium.mesh.packets.links import SECOND, Happening
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import LFA, OSPF, OSPF_FAST, PCRT, SCHEMES, Scheme
from tests.mesh.packets.nets import cable, cut, heals, net

THESIS = "examples/meshes/thesis-simulation.yaml"
HAPPENINGS = (cut("2-3", 50), heals("2-3", 100))


def experiment(seed: int, rate: float = 1.0) -> Experiment:
    """Node 1 sends to node 3 for 150 units; the link between 2 and 3 is down from 50 to 100."""
    return Experiment(load(THESIS), (Flow("1", "3", rate, 1000),), HAPPENINGS, 150 * SECOND, seed)


def fast(scheme: Scheme) -> Run:
    return simulate(experiment(1), scheme.beating(SECOND))


def test_the_thesis_experiment_counts_these_packets() -> None:
    counts = {name: (each.count(core.ARRIVED), each.lost) for name, s in SCHEMES.items() if (each := fast(s))}

    assert counts == {
        "pcrt": (147, 3),
        "ospf": (141, 9),
        "ospf-fast": (146, 4),
        "lfa": (147, 3),
        "rrl": (147, 3),
    }


def test_the_ways_are_those_of_the_thesis() -> None:
    """A tenth of a unit for each queue: 1, 2, 3, and during the failure 1, 2, 5, 3."""
    found = fast(PCRT)

    assert found.latencies[:50].tolist() == [SECOND // 5] * 50
    assert set(found.latencies[50:-50].tolist()) == {3 * SECOND // 10}
    assert set(found.hops.tolist()) == {1, 2, 3}


@pytest.mark.parametrize("seed", range(1, 21))
def test_with_equal_detection_pcrt_recovers_loses_and_returns_better_than_ospf(seed: int) -> None:
    """The thesis's results, whenever heartbeats are sent."""
    asked = experiment(seed)
    pcrt, ospf = (simulate(asked, each.beating(SECOND)) for each in (PCRT, OSPF))

    (failed, healed), (failed_there, healed_there) = map(tuple, (responses(pcrt), responses(ospf)))

    assert failed.noticed == failed_there.noticed
    assert failed.settled < failed_there.settled and failed.again < failed_there.again
    assert pcrt.lost < ospf.lost
    assert healed.used < healed_there.used


def test_even_fast_ospf_loses_more_where_more_is_sent() -> None:
    """At nine packets a unit, which the queues can just carry."""
    asked = experiment(1, rate=9)

    lost = [simulate(asked, each).lost for each in (PCRT, LFA, OSPF_FAST, OSPF)]

    assert lost == sorted(lost) and lost[0] < lost[2] < lost[3]


def measured(happenings: tuple[Happening, ...]) -> tuple[Run, list[Response]]:
    mesh = net(*(cable(one, other, latency=5) for one, other in ("az", "ab", "bz")))
    asked = Experiment(mesh, (Flow("a", "z", 10),), happenings, 60 * SECOND)
    found = simulate(asked, PCRT)
    return found, list(responses(found))


def test_delivering_again_counts_from_the_last_lost_packet() -> None:
    found, (failed, healed) = measured((cut("a-z", 10), heals("a-z", 30)))

    last = int(found.sent[found.fate == core.AT_DEAD_LINK].max())
    assert failed.again == last + SECOND // 10 + SECOND // 100 - 10 * SECOND
    assert failed.lost == found.lost > 30
    assert (healed.lost, healed.again) == (0, 0)


def test_what_never_comes_through_again_has_no_time() -> None:
    _, answers = measured((cut("a-z", 10), cut("a-b", 11)))

    assert answers[1].again is None
    assert answers[1].lost > 400


def test_a_failure_that_nobody_uses_loses_nothing() -> None:
    found, (failed,) = measured((cut("b-z", 10),))

    assert (failed.lost, failed.again, found.lost) == (0, 0, 0)
    assert failed.noticed is not None and failed.settled is not None


def test_a_short_failure_is_not_noticed_but_loses() -> None:
    _, (failed, healed) = measured((cut("a-z", 10), heals("a-z", 11)))

    assert (failed.noticed, failed.settled) == (None, None)
    assert failed.lost == 10
    assert healed.used == 0
