"""An explored graph as two tables, and its runs: where nothing but faults can happen, they may also stand
still.

As in `logic.fairness`, such a state gets a rest behind it, which follows only on itself. State n is called 2
n here, and its rest 2 n + 1.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, lit
from pyspark.sql.functions import max as most
from pyspark.sql.functions import min as least

from angarium.checker.explore.graph import first_labels, instances, variants
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.spark.scratch import Scratch
from angarium.core.errors import LimitError

BITS = 62
MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class Frames:
    """A transition system, explored to the last state, as tables."""

    spark: SparkSession
    system: TransitionSystem
    states: DataFrame
    """`id`, not negative; `level`, 0 for initial states, else the steps of a shortest path from one; `atoms`,
    whose bits tell which conditions are true. Other columns are not looked at."""
    edges: DataFrame
    """`source`, `target`, `label` and `event`, as `explore.graph` has them."""
    scratch: str
    """A folder, of any file system that Spark's machines share, for what is found on the way. It is empty
    again afterwards."""
    most_bytes: int = MOST_BYTES
    """How much of the graph may be brought to this machine, to finish a fixpoint or to tell a run; with 0 all
    is decided on tables."""


@dataclass(frozen=True)
class Runs:
    """A graph in which every run goes on without end."""

    frames: Frames
    scratch: Scratch
    states: DataFrame
    """`at`, `level` and `atoms`."""
    edges: DataFrame
    """`source`, `target`, `label` and `event`."""

    @property
    def stutter(self) -> int:
        """The label of standing still."""
        return instances(self.frames.system.actions)

    @property
    def initial(self) -> DataFrame:
        return self.states.where("level = 0")

    def room(self, bits: int) -> None:
        """Refuse if a node's number and so many bits more do not fit into a word."""
        needed = self._highest.bit_length() + bits
        if needed > BITS:
            raise _too_many(needed)

    @cached_property
    def _highest(self) -> int:
        found = self.states.agg(most("at")).head()
        return int(found[0] or 0) if found else 0


def runs(frames: Frames, scratch: Scratch, owed: Collection[str] | None) -> Runs:
    """The runs of a graph; they may stand still where only faults can happen that are not owed.

    If None is given they stand still only where nothing can happen.
    """
    states = frames.states.select((col("id") * 2).alias("at"), "level", "atoms")
    edges = frames.edges.select(
        (col("source") * 2).alias("source"), (col("target") * 2).alias("target"), "label", "event"
    )
    plain = Runs(frames, scratch, states, edges)
    optional = None if owed is None else _optional(frames, owed)
    return plain if optional is None else _rested(plain, optional)


def _optional(frames: Frames, owed: Collection[str]) -> Column | None:
    """Whether a label is that of a fault, or of an intruder's step, that nobody owes; None if none is."""
    first = first_labels(frames.system.actions)
    faults = [each for each in frames.system.actions if each.optional and each.name not in owed]
    ranges = [
        col("label").between(first[each.name], first[each.name] + variants(each) - 1) for each in faults
    ]
    return reduce(or_, ranges) if ranges else None


def _rested(runs: Runs, optional: Column) -> Runs:
    lazy = runs.edges.groupBy("source").agg(least(optional).alias("lazy")).where("lazy")
    found = runs.scratch.keep(lazy.select(col("source").alias("at")))
    if not found.rows:
        return runs
    rest = (col("at") + 1).alias("target")
    still = (lit(runs.stutter).cast("int").alias("label"), lit(0).cast("long").alias("event"))
    rests = runs.states.join(found.frame, "at").select(
        (col("at") + 1).alias("at"), (col("level") + 1).alias("level"), "atoms"
    )
    into = found.frame.select(col("at").alias("source"), rest, *still)
    stay = found.frame.select((col("at") + 1).alias("source"), rest, *still)
    return Runs(
        runs.frames,
        runs.scratch,
        runs.states.unionByName(rests),
        runs.edges.unionByName(into).unionByName(stay),
    )


def _too_many(bits: int) -> LimitError:
    return LimitError(
        "ANG052",
        f"the states' numbers and the formula's automaton need {bits} bits together",
        possible=f"at most {BITS}",
        remedy="split the formula into several guarantees",
    )
