"""Recovery tables for large sets of failures on Spark: the same tables as on one machine.

The failures are divided into slices; a task calculates the exceptions of its slice, by the same compiled
functions, and sends their words back. The tables of the first colours up to the first slice that is missing
are the answer when the time is up, or when somebody presses Ctrl-C.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from angarium.core.control import Control
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.exceptions import (
    Observer,
    Packed,
    calculated,
    check_room,
    from_words,
)
from angarium.mesh.recovery.tables import Colours, Recovery
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.tables import shortest
from angarium.spark.jobs import Jobs, divided
from angarium.spark.place import Place
from angarium.spark.session import session

LARGEST = 4_096
"""The most failures of a slice, so that answers come back now and then and are easily sent."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: tuple[Failures, ...]


def words_of(part: Slice) -> Packed:
    """What a worker does with a slice."""
    return calculated(graph_of(part.mesh), part.failures, Control(), threads=1)


def parts_of(mesh: Mesh, failures: tuple[Failures, ...], cores: int) -> list[Slice]:
    """All failures, in slices of about the same size."""
    return [Slice(mesh, tuple(each)) for each in divided(failures, cores, LARGEST)]


def recovery(
    mesh: Mesh,
    colours: Colours,
    place: Place,
    *,
    observe: Observer | None = None,
    control: Control | None = None,
) -> Recovery:
    """Calculate the tables of every colour, as `tables.recovery` does."""
    failures, graph = colours.failures[1:], graph_of(mesh)
    spark = session(place)
    parts = parts_of(mesh, failures, spark.sparkContext.defaultParallelism)
    done: dict[int, Packed] = {}

    def receive(number: int, words: Packed) -> None:
        done[number] = words
        check_room(sum(map(len, done.values())), sum(len(parts[each].failures) for each in done))

    def tick() -> None:
        if observe:
            observe(sum(len(parts[number].failures) for number in done), len(failures))

    control = control or Control()
    control.cut = Jobs(spark, words_of, receive, control, tick).run(parts)
    numbers = list(takewhile(done.__contains__, range(len(parts))))
    sizes = [len(parts[number].failures) for number in numbers]
    found = from_words([done[number] for number in numbers], sizes)
    return Recovery(graph, Colours(colours.failures[: sum(sizes) + 1]), shortest(graph), found, control.cut)
