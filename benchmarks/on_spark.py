"""The search on Spark, on this machine with two cores: one-word states, twelve steps from each."""

from __future__ import annotations

from pathlib import Path

from angarium.explore.spark.engine import SparkEngine
from angarium.spark.session import Place, session
from angarium.systems.registry import load
from angarium.verdict import Coverage

RINGS = str(Path(__file__).with_name("rings.py"))
PLACE = Place("local[2]")
PROMISES = {12: 300_000, 16: 800_000}
"""For rings of so many places, six of them: how many states a second are promised."""


def warm() -> None:
    """Start Spark and its Python processes, which costs seconds that have nothing to do with the search."""
    session(PLACE)
    SparkEngine(PLACE, _worth_a_job=0).search(load(RINGS, {"places": "3"}))


def search(places: int) -> Coverage:
    """A whole search, whose counts are known."""
    coverage = SparkEngine(PLACE).search(load(RINGS, {"places": str(places)})).coverage
    assert (coverage.states, coverage.transitions) == (places**6, 12 * places**6)
    return coverage
