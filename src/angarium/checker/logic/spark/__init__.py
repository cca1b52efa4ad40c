"""Guarantees over time, decided on Spark: for graphs that do not fit into one machine."""

from angarium.checker.logic.spark.decide import decide
from angarium.checker.logic.spark.graph_tables import Frames

__all__ = ["Frames", "decide"]
