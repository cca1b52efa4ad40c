"""An explored graph as two tables, and the question whether a guarantee is kept in it.

The local analyses walk along single steps; a table cannot be walked through, only joined. So here everything
is a fixpoint over sets of nodes, each round of which is one job (`rounds`), or, when few steps are left, done
on arrays on this machine (`here`). What a fair run needs is what is left when all that cannot be part of one
is taken away (`core`). The answers are the same as those of the
local analyses; where a run can be told, they tell it, on that part of the graph that matters (`story`).

Importing this loads no Spark; the modules beside it do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.checker.ir.formula import Atom, TemporalGuarantee
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.decision import Decision
from angarium.core.errors import LimitError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class Frames:
    """A transition system, explored to the last state, as tables."""

    spark: SparkSession
    system: TransitionSystem
    states: DataFrame
    """`id`, not negative; `level`, 0 for initial states, else the length of a shortest way from one; `atoms`,
    whose bits tell which conditions are true. Other columns are not looked at."""
    edges: DataFrame
    """`source`, `target`, `label` and `event`, as `explore.graph` has them."""
    scratch: str
    """A folder, of any file system that Spark's machines share, for what is found on the way. It is empty
    again afterwards."""
    most_bytes: int = MOST_BYTES
    """How much of the graph may be brought to this machine, to finish a fixpoint or to tell a run; with 0 all
    is decided on tables."""


def decide(guarantee: TemporalGuarantee, frames: Frames, positions: Mapping[Atom, int]) -> Decision:
    """Whether the guarantee is kept in the graph.

    The run begins in the state whose `id` it gives. Where it needs more than `most_bytes` to find, the
    decision has none, and its summary says so.
    """
    from angarium.checker.logic.frames import ctl, divergence, ltl
    from angarium.checker.logic.frames.runs import runs
    from angarium.checker.logic.frames.scratch import Scratch

    with Scratch(frames.spark, frames.scratch, frames.most_bytes) as scratch:
        match guarantee.logic:
            case "divergence":
                return divergence.decide(runs(frames, scratch, None))
            case "determinism":
                raise _not_here(guarantee)
            case "ltl" | "ctl":
                assert guarantee.formula is not None
                named = {name for demand in guarantee.fairness for name in demand.of}
                decided = ltl.decide if guarantee.logic == "ltl" else ctl.decide
                return decided(runs(frames, scratch, named), guarantee.formula, guarantee.fairness, positions)


def _not_here(guarantee: TemporalGuarantee) -> LimitError:
    return LimitError(
        "ANG052",
        f"{guarantee.name} cannot be decided on Spark, because it compares runs with each other",
        possible="LTL, CTL and divergence freedom can",
        remedy="check it with --engine local, with smaller parameters if need be",
    )
