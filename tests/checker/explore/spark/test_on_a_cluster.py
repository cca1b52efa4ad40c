"""The engine on a real cluster of two workers: the same answers, also if one of them is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from angarium.checker.explore.engine import Progress
from angarium.spark.session import Place
from angarium.systems.registry import Scenario, System, load
from scripts.cluster import Cluster
from tests.checker.explore.spark.here import HereEngine
from tests.checker.explore.spark.scenarios import assert_as_local
from tests.checker.explore.spark.test_engine import always
from tests.checker.explore.test_engines_agree import summary
from tests.scenarios import largest

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(workers=2, cores=1, memory="1g") as running:
        yield running


@pytest.mark.sample(1)
@pytest.mark.parametrize(("system", "scenario"), largest(400, 1, ("rabbitmq-sac", "nsq", "kafka-group")))
def test_it_agrees_with_the_local_engine_on_a_cluster(
    cluster: Cluster, system: System, scenario: Scenario
) -> None:
    assert_as_local(always(Place(cluster.master, memory="1g")), system, scenario)


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(cluster: Cluster) -> None:
    system = load("rabbitmq-sac", {"queues": "2", "apps": "3"})
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.depth == 6 and not killed:
            killed.append(cluster.workers[0])
            os.kill(cluster.workers[0], signal.SIGKILL)

    found = always(Place(cluster.master, memory="1g"), _owners=4).search(system, observe=kill)

    assert killed
    assert summary(found) == summary(HereEngine().search(system))
