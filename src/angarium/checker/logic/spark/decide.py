"""Whether a guarantee is kept in a graph on tables.

The local analyses walk along single steps; a table cannot be walked through, only joined. So here everything
is a fixpoint over sets of nodes, each round of which is one job (`rounds`), or, when few steps are left,
done on arrays on this machine (`here`). What a fair run needs is what is left when all that cannot be part
of one is taken away (`core`). The answers are the same as those of the local analyses; where a run can be
shown, they show it, on that part of the graph that matters (`story`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.functions import col

from angarium.checker.ir.formula import Atom, TemporalGuarantee
from angarium.checker.logic import determinism
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.spark import ctl_tables, ltl_tables
from angarium.checker.logic.spark.core import core, owed
from angarium.checker.logic.spark.graph_tables import Frames, Runs, runs
from angarium.checker.logic.spark.scratch import Scratch
from angarium.checker.logic.spark.story import path_to, with_run
from angarium.core.errors import LimitError


def decide_divergence(runs: Runs) -> Decision:
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

    def path() -> list[int]:
        nearest = states.join(runs.states, "at").orderBy("level", "at").head()
        assert nearest is not None
        return path_to(runs, int(nearest["at"]))

    return with_run(runs, states, path, determinism.free_of_divergence)


def decide(guarantee: TemporalGuarantee, frames: Frames, positions: Mapping[Atom, int]) -> Decision:
    """Whether the guarantee is kept in the graph.

    The run begins in the state whose `id` it gives. Where it needs more than `most_bytes` to find, the
    decision has none, and its summary says so.
    """
    with Scratch(frames.spark, frames.scratch, frames.most_bytes) as scratch:
        match guarantee.logic:
            case "divergence":
                return decide_divergence(runs(frames, scratch, None))
            case "determinism":
                raise _not_here(guarantee)
            case "ltl" | "ctl":
                assert guarantee.formula is not None
                named = {name for demand in guarantee.fairness for name in demand.of}
                decided = ltl_tables.decide if guarantee.logic == "ltl" else ctl_tables.decide
                return decided(runs(frames, scratch, named), guarantee.formula, guarantee.fairness, positions)


def _not_here(guarantee: TemporalGuarantee) -> LimitError:
    return LimitError(
        "ANG052",
        f"{guarantee.name} cannot be decided on Spark, because it compares runs with each other",
        possible="LTL, CTL and divergence freedom can",
        remedy="check it with --engine local, with smaller parameters if need be",
    )
