"""A sweep over failures on Spark: slices of the failures, each looked at as on one machine.

What a smaller failure breaks is not told again for a larger one; workers know only their own slice, so that
is sorted out when the slices are back, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.core.control import Control
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.verify.budget import Budget, Size
from angarium.mesh.verify.findings import Finding
from angarium.mesh.verify.sweep import Sweep, prepared
from angarium.spark.jobs import Jobs, divided
from angarium.spark.place import Place
from angarium.spark.session import session


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: Sequence[tuple[Size, Failures]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in a slice."""

    findings: tuple[Finding, ...]
    out_of_service: int
    moved: int
    tried: dict[Size, int]


def looked_at(part: Slice) -> Looked:
    """What a worker does with a slice."""
    sweep, _ = prepared(part.mesh)
    sweep.healthy()
    healthy = len(sweep.findings)
    for size, failures in part.failures:
        sweep.under(failures, size)
    sweep.tried.pop(Size())
    return Looked(tuple(sweep.findings[healthy:]), sweep.out_of_service, sweep.moved, sweep.tried)


def broken(mesh: Mesh, sweep: Sweep, budget: Budget, place: Place, control: Control) -> None:
    """Look at every set of failures on Spark, and put what is found into a sweep of the healthy mesh."""
    spark = session(place)
    asked = tuple(budget.failures(mesh))
    parts = [Slice(mesh, each) for each in divided(asked, spark.sparkContext.defaultParallelism)]
    done: dict[int, Looked] = {}

    def tick() -> None:
        control.report("failures", sum(sum(each.tried.values()) for each in done.values()), len(asked))

    sweep.cut = Jobs(spark, looked_at, done.__setitem__, control, tick).run(parts)
    for number in sorted(done):
        part = done[number]
        sweep.take(part.findings, part.tried, part.out_of_service, part.moved)
