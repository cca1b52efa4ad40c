"""When packets are sent."""

from __future__ import annotations

import numpy as np
import pytest

from angarium.core.errors import MeshError
from angarium.mesh.packets.experiment import Flow, traffic
from angarium.mesh.packets.links import SECOND
from tests.mesh.packets.nets import cable, net

MESH = net(cable("a", "b"))


def test_a_constant_source_sends_at_equal_distances_from_the_beginning() -> None:
    found = traffic(MESH, [Flow("a", "b", 4)], SECOND, 1)

    assert found.sent.tolist() == [0, SECOND // 4, SECOND // 2, 3 * SECOND // 4]


def test_of_packets_at_the_same_time_the_first_flow_comes_first() -> None:
    found = traffic(MESH, [Flow("a", "b", 1), Flow("b", "a", 2)], 2 * SECOND, 1)

    assert found.flow.tolist() == [0, 1, 1, 0, 1, 1]


def test_a_poisson_source_has_exponential_distances_on_average_as_asked() -> None:
    found = traffic(MESH, [Flow("a", "b", 100, arrivals="poisson")], 1000 * SECOND, 7)

    gaps = np.diff(found.sent.astype(np.int64)) / (SECOND / 100)
    assert abs(gaps.mean() - 1) < 4 / len(gaps) ** 0.5
    assert abs(gaps.std() - 1) < 0.02
    assert abs((gaps > 1).mean() - np.exp(-1)) < 0.006


def test_a_slow_poisson_source_does_not_run_over() -> None:
    found = traffic(MESH, [Flow("a", "b", 1e-4, arrivals="poisson")], 300 * 24 * 3600 * SECOND, 1)

    gaps = np.diff(found.sent.astype(np.int64)) / SECOND
    assert abs(gaps.mean() / 1e4 - 1) < 0.1
    assert gaps.min() > 0


def test_the_flows_are_drawn_apart_and_by_the_seed() -> None:
    flows = [Flow("a", "b", 10, arrivals="poisson"), Flow("a", "b", 10, arrivals="poisson")]

    both = traffic(MESH, flows, 100 * SECOND, 1)
    again = traffic(MESH, flows[:1], 100 * SECOND, 1)
    other = traffic(MESH, flows[:1], 100 * SECOND, 2)

    first = both.sent[both.flow == 0].tolist()
    assert first == again.sent.tolist() != other.sent.tolist()
    assert first != both.sent[both.flow == 1].tolist()


def test_the_same_seed_gives_these_times_on_every_machine() -> None:
    found = traffic(MESH, [Flow("a", "b", 10, arrivals="poisson")], SECOND, 1)

    assert found.sent.tolist()[:3] == [72333011, 346209366, 392639619]


def test_too_many_packets_and_unknown_brokers_are_refused() -> None:
    with pytest.raises(MeshError, match="about 100,000,000 packets"):
        traffic(MESH, [Flow("a", "b", 1e8)], SECOND, 1)
    with pytest.raises(MeshError, match="no broker named 'x'"):
        traffic(MESH, [Flow("a", "x")], SECOND, 1)
