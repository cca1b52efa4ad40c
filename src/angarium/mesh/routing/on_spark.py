"""Sweeps over failures on Spark: the same verdicts as on one machine.

The failures are divided into slices; a task makes the tables of the healthy mesh and looks at every failure
of its slice, by the same compiled functions. Slices come back as they are done; what has come back when the
time is up, or when somebody presses Ctrl-C, is the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from angarium.core.control import Control
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.sweep import Counts, Sweep, swept, tally
from angarium.spark.jobs import Jobs, divided
from angarium.spark.place import Place
from angarium.spark.session import session

LARGEST = 20_000
"""The most failures of a slice, so that answers come back now and then."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: tuple[Failures, ...]


def tallied(part: Slice) -> Counts:
    """What a worker does with a slice."""
    return tally(graph_of(part.mesh), part.failures, threads=1)


def slices(mesh: Mesh, failures: tuple[Failures, ...], cores: int) -> list[Slice]:
    """All failures, in slices of about the same size."""
    return [Slice(mesh, tuple(each)) for each in divided(failures, cores, LARGEST)]


def sweep(
    mesh: Mesh,
    failures: Iterable[Failures],
    place: Place,
    control: Control | None = None,
) -> Sweep:
    """Ask for every failure whether every broker reaches every other that lives."""
    control = control or Control()
    asked = tuple(failures)
    spark = session(place)
    parts = slices(mesh, asked, spark.sparkContext.defaultParallelism)
    done: dict[int, Counts] = {}

    def tick() -> None:
        control.report("failures", sum(map(len, done.values())), len(asked))

    Jobs(spark, tallied, done.__setitem__, control, tick).run(parts)
    numbers = sorted(done)
    names = tuple(broker.name for broker in mesh.brokers)
    healthy = tally(graph_of(mesh), [NOTHING])
    tallies = np.concatenate([healthy, *(done[number] for number in numbers)])
    looked_at = tuple(each for number in numbers for each in parts[number].failures)
    return Sweep(names, looked_at, tallies[1:], swept(names, NOTHING, healthy[0]), control.cut)
