"""The audit on a real cluster of two workers: the same findings, also if one of them dies in the middle."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from angarium.history.audit import audit
from angarium.history.parameters import Parameters
from angarium.history.tables import COMPARED
from angarium.spark.session import Place, session, stop
from scripts.cluster import Cluster
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history
from tests.history.histories import events
from tests.oracles.history.audit import audit as oracle
from tests.spark.test_cluster import wait_for_executors

pytestmark = [pytest.mark.thorough, pytest.mark.cluster]

Row = dict[str, Any]
LATE = "order"
"""When this guarantee is looked at, all tables that are kept have been made."""


def rows() -> list[Row]:
    """A history of every system with every kind of fault."""
    clean = {system: [history(system, seed, "") for seed in range(3)] for system in SYSTEMS}
    found = [fault for injector in INJECTORS for fault in faults(injector, clean, each=1)]
    return [row | {"run_id": f"{fault.name}-{n}"} for n, fault in enumerate(found) for row in fault.rows]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Cluster(workers=2, cores=1, memory="1g", scratch=scratch) as running:
        try:
            yield running
        finally:
            stop()


@pytest.mark.parametrize("dies", [False, True], ids=["both live", "one dies"])
def test_two_workers_find_what_plain_python_finds(cluster: Cluster, tmp_path: Path, dies: bool) -> None:
    given = rows()
    spark = session(Place(cluster.master, memory="1g", scratch=tmp_path / "scratch"))
    wait_for_executors(2, spark.sparkContext._jsc.sc())
    watch = _killing(cluster) if dies else lambda name, done, of: None
    with audit(
        events(spark, given), Parameters(), screen=True, scratch=tmp_path / "scratch", observe=watch
    ) as audited:
        found = Counter(tuple(row) for row in audited.violations.select(*COMPARED).collect())
    assert cluster.alive() == (1 if dies else 2)
    expected = Counter(tuple(getattr(each, name) for name in COMPARED) for each in oracle(given))
    assert len(expected) > 20
    assert found == expected


def _killing(cluster: Cluster) -> Callable[[str, int, int], None]:
    """Kills one of the workers, once, in the middle of an audit."""
    left = [cluster.workers[0]]

    def watch(name: str, done: int, of: int) -> None:
        if name == LATE and left:
            os.killpg(left.pop(), signal.SIGKILL)

    return watch
