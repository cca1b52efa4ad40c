"""Queues at random arrivals: what theory says of them."""

from __future__ import annotations

import numpy as np
import pytest

from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Flow
from angarium.mesh.packets.links import SECOND
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import PCRT
from tests.mesh.packets.nets import cable, net

BATCHES = 40
SURE = 3.6
"""Standard errors, with forty batches: less than one run in a thousand is further off."""


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_the_mean_wait_is_that_of_pollaczek_and_khinchine(load: float) -> None:
    """Random arrivals, equal service times (M/D/1): the mean wait is load / (2 (1 - load)) services."""
    mesh = net(cable("a", "z", rate=1000.0))
    experiment = Experiment(mesh, (Flow("a", "z", 1000 * load, 1000, "poisson"),), (), 1000 * SECOND)

    found = simulate(experiment, PCRT)

    waits = found.latencies / (SECOND / 1000) - 1
    means = [batch.mean() for batch in np.array_split(waits, BATCHES)]
    error = np.std(means, ddof=1) / BATCHES**0.5
    assert abs(np.mean(means) - load / (2 * (1 - load))) < SURE * error
    assert error < 0.1


def test_without_room_the_share_of_losses_is_that_of_erlang() -> None:
    """One server and no queue: whatever the service times, load / (1 + load) is lost."""
    load = 0.5
    mesh = net(cable("a", "z", rate=1000.0, capacity=0))
    experiment = Experiment(mesh, (Flow("a", "z", 1000 * load, 1000, "poisson"),), (), 1000 * SECOND)

    found = simulate(experiment, PCRT)

    share = np.array_split(found.fate == core.AT_FULL_QUEUE, BATCHES)
    means = [batch.mean() for batch in share]
    error = np.std(means, ddof=1) / BATCHES**0.5
    assert abs(np.mean(means) - load / (1 + load)) < SURE * error
    assert error < 0.005
