"""Divergence freedom on tables: no run goes on for ever with internal steps only (`logic.divergence`)."""

from __future__ import annotations

from pyspark.sql.functions import col

from angarium.checker.logic import divergence
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.frames.core import core, owed
from angarium.checker.logic.frames.runs import Runs
from angarium.checker.logic.frames.story import told
from angarium.checker.logic.frames.ways import way_to


def decide(runs: Runs) -> Decision:
    """Whether there is no cycle of internal steps; every state of the graph can be reached."""
    internal = runs.edges.where((col("label") != runs.stutter) & (col("event") == 0))
    left = core(
        runs.scratch,
        internal.select("source", "target", "label"),
        owed(runs, classes(runs.frames.system, ())),
    )
    if left is None:
        return Decision(True)
    states = left.withColumnRenamed("node", "at")

    def way() -> list[int]:
        nearest = states.join(runs.states, "at").orderBy("level", "at").head()
        assert nearest is not None
        return way_to(runs, int(nearest["at"]))

    return told(runs, states, way, divergence.decide)
