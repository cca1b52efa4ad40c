"""The simulation of latencies on Spark: the same units, drawn wherever there is a core; the same figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from angarium.core.control import Control
from angarium.mesh.mesh import Mesh
from angarium.mesh.probability.latency import Latencies, Observer
from angarium.mesh.probability.sampling import UNIT, Done, Drawn, allotted, drawing_of, put, summed, units
from angarium.spark.jobs import PIECES, Jobs
from angarium.spark.place import Place
from angarium.spark.session import session


@dataclass(frozen=True, slots=True)
class Slice:
    """Every so-manieth unit of a simulation, from one on."""

    mesh: Mesh
    topics: tuple[str, ...]
    seed: int
    allotment: tuple[int, ...]
    first: int
    stride: int


def drawn(part: Slice) -> list[Drawn]:
    """What a worker does with a slice: what came of its units, by number of failures."""
    drawing, done = drawing_of(part.mesh, part.topics, part.seed), Done()
    for unit in islice(units(part.allotment), part.first, None, part.stride):
        put(done, [drawing.draw(unit)])
    return list(done.values())


def simulated(
    mesh: Mesh,
    place: Place,
    *,
    topics: Sequence[str] = (),
    runs: int = 1_000_000,
    confidence: float = 0.95,
    seed: int = 0,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> Latencies:
    """As `sampling.simulated`, with units that are drawn by Spark's workers."""
    begin = time.monotonic()
    drawing = drawing_of(mesh, topics, seed)
    spark = session(place)
    allotment, done = tuple(allotted(drawing.strata, runs)), Done()
    most = sum(-(-each // UNIT) for each in allotment)
    stride = min(most, spark.sparkContext.defaultParallelism * PIECES)
    parts = [Slice(mesh, tuple(topics), seed, allotment, first, stride) for first in range(stride)]

    def tick() -> None:
        if observe:
            observe(f"{sum(each.runs for each in done.values()):,} of {sum(allotment):,} runs")

    cut = Jobs(spark, drawn, lambda _, found: put(done, found), Control(timeout), tick).run(parts)
    seconds = time.monotonic() - begin
    return summed(
        mesh, drawing, done, confidence, seconds=seconds, engine="spark", cut=str(cut) if cut else None
    )
