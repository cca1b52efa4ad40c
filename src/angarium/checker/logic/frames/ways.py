"""Single ways through a graph in tables: a short job for each of their steps."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql.functions import col
from pyspark.sql.functions import min as least

from angarium.checker.logic.frames.rounds import Node, Pile
from angarium.checker.logic.frames.runs import Runs


def way_to(runs: Runs, state: int) -> list[int]:
    """A shortest way from an initial state to one: each state before is one level less deep."""
    way = [state]
    for level in range(_level(runs, state) - 1, -1, -1):
        steps = runs.edges.where(col("target") == way[-1]).select(col("source").alias("at"))
        way.append(_first(steps.join(runs.states.where(col("level") == level), "at"), "at"))
    return way[::-1]


def _level(runs: Runs, state: int) -> int:
    return _first(runs.states.where(col("at") == state), "level")


def way_along(steps_of: Callable[[int], DataFrame], ahead: Pile, entry: Node) -> list[int]:
    """A way to what was reached, from a node from which it can be."""
    node, distance = entry
    way = [node]
    for left in range(distance - 1, -1, -1):
        nearer = ahead.all.where(col("distance") == left).select(col("node").alias("target"))
        way.append(_first(steps_of(way[-1]).join(nearer, "target"), "target"))
    return way


def _first(frame: DataFrame, column: str) -> int:
    found = frame.agg(least(column)).head()
    if found is None or found[0] is None:
        raise RuntimeError(f"the graph's tables do not fit together: no {column} where there must be one")
    return int(found[0])
