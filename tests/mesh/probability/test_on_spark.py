"""On Spark the simulation of latencies gives the same figures."""

from __future__ import annotations

import pytest

from angarium.core.control import Control, in_lines
from angarium.mesh.probability import sampling
from angarium.mesh.probability.sampling import Done, allotted, drawing_of, put, simulated, units
from angarium.spark.place import Place
from tests.mesh.probability.meshes import ring

pytestmark = pytest.mark.spark

RUNS = 30_000


@pytest.mark.parametrize("stride", [1, 3])
def test_slices_are_all_units_once(stride: int) -> None:
    allotment = tuple(allotted(drawing_of(ring(), (), 2).strata, RUNS))
    done = Done()

    for first in range(stride):
        put(done, sampling.drawn_by_worker(sampling.Slice(ring(), (), 2, allotment, first, stride)))

    assert {size: each.runs for size, each in done.items()} == dict(enumerate(allotment))
    assert sum(unit.runs for unit in units(allotment)) == sum(allotment)


def test_the_figures_are_the_same() -> None:
    pytest.importorskip("pyspark")
    told: list[str] = []

    there = sampling.simulated_on_spark(
        ring(), Place("local[2]"), runs=RUNS, seed=2, control=Control(observe=in_lines(told.append))
    )
    here = simulated(ring(), runs=RUNS, seed=2)

    assert there.rows == here.rows
    assert (there.engine, there.runs, there.cut) == ("spark", here.runs, None)
    assert told
