"""On Spark the tables are the same, however the failures are divided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from angarium.core.control import Control, Cut, cut_by_time
from angarium.core.errors import MeshError
from angarium.mesh.recovery import exceptions
from angarium.mesh.recovery.exceptions import Packed
from angarium.mesh.recovery.recovered import Slice, parts_of, recovery_on_spark
from angarium.mesh.recovery.tables import Recovery, coloured
from angarium.spark.place import Place
from tests.mesh.recovery.made import recovered
from tests.mesh.routing.meshes import mesh_of, singles

pytestmark = pytest.mark.spark

HERE = Place("local[2]")
LADDER = mesh_of(
    " ".join([*(f"{n}-{n + 2}" for n in range(18)), *(f"{2 * n}-{2 * n + 1}:2" for n in range(10))])
)


def same(one: Recovery, other: Recovery) -> bool:
    names = ("rows", "brokers", "destinations", "next")
    arrays = [(getattr(one.exceptions, name), getattr(other.exceptions, name)) for name in names]
    return one.colours == other.colours and all(np.array_equal(*pair) for pair in arrays)


@pytest.mark.parametrize("cores", [1, 3, 500])
def test_slices_are_all_failures_once(cores: int) -> None:
    failures = tuple(singles(LADDER))

    parts = parts_of(LADDER, failures, cores)

    assert tuple(each for part in parts for each in part.failures) == failures


def test_the_tables_are_the_same() -> None:
    pytest.importorskip("pyspark")
    told: list[tuple[int, int | None]] = []

    there = recovery_on_spark(
        LADDER,
        coloured(LADDER, singles(LADDER)),
        HERE,
        Control(observe=lambda each: told.append((each.done, each.total))),
    )

    assert same(there, recovered(LADDER))
    assert there.cut is None
    assert told[-1] == (len(singles(LADDER)),) * 2


@dataclass
class Halfway:
    """Stands for Spark's jobs: all slices come back but one in the middle, the last one first."""

    spark: object
    work: Callable[[Slice], Packed]
    receive: Callable[[int, Packed], None]
    control: Control
    tick: Callable[[], None]

    def run(self, parts: list[Slice]) -> Cut:
        for number in reversed(range(len(parts))):
            if number != len(parts) // 2:
                self.receive(number, self.work(parts[number]))
        return cut_by_time(1.0)


@pytest.fixture
def halfway(monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))
    monkeypatch.setattr("angarium.spark.session.session", lambda _: context)
    monkeypatch.setattr("angarium.spark.jobs.Jobs", Halfway)


@pytest.mark.usefixtures("halfway")
def test_from_what_was_not_calculated_in_time_on_there_are_no_colours() -> None:
    request = coloured(LADDER, singles(LADDER))

    found = recovery_on_spark(LADDER, request, HERE, Control(1.0))

    assert (str(found.cut), len(found.colours)) == ("time limit of 1 s", 25)
    assert same(found, recovered(LADDER, request.failures[1:25]))


@pytest.mark.usefixtures("halfway")
def test_more_exceptions_than_there_is_room_for_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exceptions, "MOST", 3)

    with pytest.raises(MeshError, match="are kept"):
        recovery_on_spark(LADDER, coloured(LADDER, singles(LADDER)), HERE)
