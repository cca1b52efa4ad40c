"""The search on Spark, on this machine with two cores: one-word states, twelve steps from each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from angarium.checker.explore.spark.engine import SparkEngine
from angarium.core.result import Coverage
from angarium.spark.session import Place, session
from angarium.systems.registry import load
from benchmarks.common.measure import free_cores, middle
from benchmarks.common.row import Row, if_free

RINGS = str(Path(__file__).parent / "inputs" / "rings.py")
PLACE = Place("local[2]")
WARM = 3


@dataclass(frozen=True, slots=True)
class Size:
    places: tuple[int, ...]
    """Of six rings, search by search."""
    promises: tuple[int, ...]
    """How many states a second are promised of each."""
    repeats: int


FULL = Size(places=(12, 16), promises=(300_000, 800_000), repeats=3)
TINY = Size(places=(WARM,), promises=(300_000,), repeats=1)


def rows(size: Size) -> Iterator[Row]:
    import_module("pyspark")
    warm()
    for places, promise in zip(size.places, size.promises, strict=True):
        found = [search(places) for _ in range(size.repeats)]
        speed = middle([each.states / each.seconds for each in found])
        what = f"states a second on Spark, {found[0].states / 1e6:.1f} M states"
        yield if_free(Row(what, f"{speed:,.0f}", f"{promise:,}", speed >= promise), free_cores())


def warm() -> None:
    """Start Spark and its Python processes, which costs seconds that have nothing to do with the search."""
    session(PLACE)
    SparkEngine(PLACE, _worth_a_job=0).search(load(RINGS, {"places": str(WARM)}))


def search(places: int) -> Coverage:
    """A whole search, whose counts are known."""
    coverage = SparkEngine(PLACE).search(load(RINGS, {"places": str(places)})).coverage
    assert (coverage.states, coverage.transitions) == (places**6, 12 * places**6)
    return coverage
