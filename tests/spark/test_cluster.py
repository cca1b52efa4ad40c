"""A real cluster on this machine: jobs run on every worker, and survive the death of one."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from angarium.spark.failures import translated
from angarium.spark.session import Place, session, stop
from scripts.cluster import Cluster
from tests.processes import ending
from tests.spark.programs import processes_that_name
from tests.waiting import wait_until

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


@pytest.mark.thorough
def test_a_job_runs_on_both_workers_and_survives_the_death_of_one(scratch: Path) -> None:
    def where(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For each row, the parent of the worker's process: a worker's Java starts its own."""
        import pyarrow as pa

        for batch in batches:
            time.sleep(0.5)
            yield pa.RecordBatch.from_pydict({"id": batch.column(0), "java": [os.getppid()] * batch.num_rows})

    with Cluster(workers=2, cores=1, memory="1g", scratch=scratch) as cluster:
        try:
            spark = session(Place(cluster.master, memory="1g", scratch=scratch))
            wait_for_executors(2, spark.sparkContext._jsc.sc())
            rows = spark.range(0, 8, 1, 8).mapInArrow(where, "id long, java long")
            with translated():
                before = rows.collect()
            threading.Timer(1.0, os.killpg, (cluster.workers[0], signal.SIGKILL)).start()
            with translated():
                after = rows.collect()
            left = cluster.alive()
        finally:
            stop()

    assert sorted(row.id for row in before) == sorted(row.id for row in after) == list(range(8))
    assert len({row.java for row in before}) == 2
    assert left == 1
    assert list(scratch.iterdir()) == []
    assert processes_that_name(scratch) == []


def wait_for_executors(count: int, context: object) -> None:
    """Wait until so many workers run something for us; the driver counts as one more."""
    status = context.getExecutorMemoryStatus  # type: ignore[attr-defined]
    wait_until(f"{count} workers are there", lambda: status().size() >= count + 1)


@pytest.mark.thorough
def test_workers_can_be_added(scratch: Path) -> None:
    with Cluster(workers=0, scratch=scratch) as cluster:
        assert cluster.alive() == 0
        pid = cluster.start_worker()
        cluster.wait_for(1)
        assert cluster.workers == [pid]

    assert processes_that_name(scratch) == []


@pytest.mark.thorough
def test_a_cluster_that_does_not_start_leaves_nothing(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from angarium.core.errors import SparkError

    monkeypatch.setattr("scripts.cluster._START", 0.0)
    with pytest.raises(SparkError, match="0 of 2 workers came"), Cluster(scratch=scratch):
        pass

    assert list(scratch.iterdir()) == []
    assert processes_that_name(scratch) == []


@pytest.mark.thorough
def test_the_script_starts_a_cluster_and_ends_it(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(scratch))
    command = [sys.executable, "-m", "scripts.cluster", "--workers", "1"]
    with ending(command, stderr=None) as script:
        assert script.stdout
        said = script.stdout.readline()
        script.send_signal(signal.SIGINT)
        rest, _ = script.communicate()

    assert said.startswith("spark://127.0.0.1:")
    assert (rest, script.returncode) == ("the cluster has ended\n", 0)
    assert list(scratch.iterdir()) == []
