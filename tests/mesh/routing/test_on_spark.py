"""On Spark a sweep has the same verdicts, however the failures are divided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from angarium.core.control import Control
from angarium.mesh.mesh import SHORTEST, Mesh, Routing
from angarium.mesh.routing.sweep import slices, sweep, sweep_on_spark
from angarium.spark.place import Place
from tests.mesh.routing.meshes import mesh_of, singles

pytestmark = pytest.mark.spark

HERE = Place("local[2]")


def ladder(rungs: int) -> Mesh:
    """Two rows of brokers, with a tail that any failure cuts off."""
    sides = (f"{n}-{n + 2}" for n in range(2 * rungs - 2))
    steps = (f"{2 * n}-{2 * n + 1}:2" for n in range(rungs))
    return mesh_of(" ".join([*sides, *steps, "0-1000", "1000-1001"]))


@pytest.mark.parametrize("cores", [1, 3, 500])
def test_slices_are_all_failures_once(cores: int) -> None:
    mesh = ladder(10)
    failures = tuple(singles(mesh))

    parts = slices(mesh, failures, cores)

    assert tuple(each for part in parts for each in part.failures) == failures


def test_a_slice_is_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.mesh.routing.sweep.LARGEST", 7)
    mesh = ladder(10)

    assert max(len(part.failures) for part in slices(mesh, tuple(singles(mesh)), 1)) == 7


@pytest.mark.parametrize("rerouted", [True, False])
def test_the_verdicts_are_the_same(rerouted: bool) -> None:
    pytest.importorskip("pyspark")
    mesh = replace(ladder(20), routing=Routing(SHORTEST, rerouted=rerouted))
    told: list[tuple[int, int | None]] = []
    watched = Control(observe=lambda progress: told.append((progress.done, progress.total)))

    there = sweep_on_spark(mesh, singles(mesh), HERE, watched)

    here = sweep(mesh, singles(mesh))
    assert there.failures == here.failures
    assert np.array_equal(there.tallies, here.tallies)
    assert (there.healthy, there.cut) == (here.healthy, None)
    assert told[-1] == (len(here), len(here))


def test_what_was_not_looked_at_in_time_is_left_out() -> None:
    pytest.importorskip("pyspark")
    mesh = ladder(20)

    found = sweep_on_spark(mesh, singles(mesh), HERE, Control(0.0))

    assert str(found.cut) == "time limit of 0 s"
    assert len(found) < len(singles(mesh))
    assert [each.lost for each in found] == [each.lost for each in sweep(mesh, found.failures)]
