"""Least fixpoints over steps, round by round: what is known of a node is told to the nodes before it.

Steps are a table of `source` and `target`. What is known of nodes is a pile of *pieces*, one a round: each
has the nodes of which something new was learnt. Only these, the *frontier*, are joined with the steps in the
next round. What they tell is grouped by node together with the pieces of all rounds before, and only what is
new stays. That is one job with one shuffle a round, and no plan that grows with the rounds: pieces are files,
and when there are many they become one.

A frontier that is small goes to all machines, and the steps are read where they are. Steps are kept
hash-partitioned by target; so even when a frontier is large it is the frontier that moves, and not they.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import bit_or, broadcast, col, lit, when
from pyspark.sql.functions import max as most
from pyspark.sql.functions import min as least
from pyspark.sql.functions import sum as total

from angarium.checker.logic.spark import here
from angarium.checker.logic.spark.scratch import Kept, Scratch

SMALL = 1 << 18
"""How many nodes are sent to every machine."""
MANY_PIECES = 12
Node = tuple[int, int]
"""A node, and how many rounds away it was found."""


@contextmanager
def at_hand(steps: DataFrame) -> Iterator[DataFrame]:
    """Steps laid out so that many rounds can be joined with them."""
    laid = steps.select("source", "target").repartition("target").persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield laid
    finally:
        laid.unpersist()


def before(steps: DataFrame, frontier: DataFrame, rows: int) -> DataFrame:
    """What a frontier of so many nodes tells the nodes before it, once for each step."""
    joined = steps.join(light(frontier, rows).withColumnRenamed("node", "target"), "target")
    return joined.drop("target").withColumnRenamed("source", "node")


def light(frontier: DataFrame, rows: int) -> DataFrame:
    """A frontier of so many nodes, to be joined with what is much larger: that stays where it is."""
    return broadcast(frontier) if rows <= SMALL else frontier.hint("shuffle_hash")


@dataclass
class Pile:
    """The pieces of all rounds so far."""

    scratch: Scratch
    merge: Sequence[Column]
    """How the columns of several pieces become one, for the same node; nothing if no node is in two."""
    pieces: list[Kept] = field(default_factory=list)

    def add(self, piece: Kept) -> None:
        """Put a round's piece on top of the others, which become one if they are many."""
        if len(self.pieces) >= MANY_PIECES:
            old = self.pieces
            self.pieces = [self.scratch.keep(self.merged())]
            self.scratch.drop(*old)
        self.pieces.append(piece)

    @property
    def all(self) -> DataFrame:
        """Everything, as it was found; read as one table, so that the plan is the same in every round."""
        return self.scratch.read(*self.pieces)

    def merged(self) -> DataFrame:
        """Everything, each node once."""
        return self.all.groupBy("node").agg(*self.merge) if self.merge else self.all

    def forget(self) -> None:
        """Remove the files."""
        self.scratch.drop(*self.pieces)
        self.pieces = []


# --- what leads into a set ------------------------------------------------------------------------


def reach(
    scratch: Scratch,
    steps: DataFrame,
    goal: DataFrame,
    wanted: Callable[[DataFrame], Node | None] | None = None,
) -> tuple[Pile, Node | None]:
    """The nodes from which there is a path to the goal, with its `distance`.

    If some are `wanted`, only until one of them is found.
    """
    pile = Pile(scratch, ())
    with at_hand(steps) as laid:
        if scratch.room and here.fits(laid.count(), 0, scratch.room):
            pile.add(scratch.keep(_reached_here(scratch, laid, goal)))
            return pile, wanted(pile.all) if wanted else None
        frontier = scratch.keep(goal.select("node").distinct().withColumn("distance", lit(0)))
        while frontier.rows:
            pile.add(frontier)
            if wanted is not None and (found := wanted(light(frontier.frame, frontier.rows))):
                return pile, found
            frontier = scratch.keep(_reached(laid, frontier, pile))
    pile.add(frontier)
    return pile, None


def _reached_here(scratch: Scratch, steps: DataFrame, goal: DataFrame) -> DataFrame:
    table, nodes = steps.toArrow(), goal.select("node").toArrow()["node"].to_numpy()
    local = here.numbered(table["source"].to_numpy(), table["target"].to_numpy(), more=[nodes])
    distances = here.reach(local, np.searchsorted(local.names, nodes))
    found = distances >= 0
    return scratch.given({"node": local.names[found], "distance": distances[found].astype(np.int32)})


def _reached(steps: DataFrame, frontier: Kept, pile: Pile) -> DataFrame:
    told = before(steps, frontier.frame, frontier.rows)
    told = told.select("node", (col("distance") + 1).alias("distance"), lit(True).alias("fresh"))
    both = told.unionByName(pile.all.withColumn("fresh", lit(False)))
    merged = both.groupBy("node").agg(most("distance").alias("distance"), least("fresh").alias("fresh"))
    return merged.where("fresh").drop("fresh")


# --- what cannot go on ----------------------------------------------------------------------------


def ends(scratch: Scratch, steps: DataFrame) -> Pile:
    """The nodes of which no path without end goes on: all their steps lead to such nodes, or they have none.

    Each node's steps are counted once. What comes to an end is subtracted from those before it.
    """
    own = steps.select(col("source").alias("node"), lit(1).alias("more"))
    others = steps.select(col("target").alias("node"), lit(0).alias("more"))
    counts = own.union(others).groupBy("node").agg(total("more").alias("more"))
    pile = Pile(scratch, (total("more").alias("more"), least("left").alias("left")))
    pile.add(last := scratch.keep(counts.withColumn("left", col("more")), "left = 0"))
    if last.rows:
        with at_hand(steps) as laid:
            while last.rows:
                last = scratch.keep(_fewer(laid, last, pile), "left = 0")
                pile.add(last)
    return pile


def ended(pile: Pile) -> DataFrame:
    """The nodes that come to an end, once all have been found."""
    return pile.merged().where("left = 0").select("node")


def _fewer(steps: DataFrame, last: Kept, pile: Pile) -> DataFrame:
    """Of each node that had a step to one that has ended: how many steps are lost now, and how many left."""
    told = before(steps, last.frame.where("left = 0").select("node"), last.rows)
    told = told.select("node", lit(-1).cast("long").alias("more"))
    told = told.withColumn("fresh", lit(True))
    both = told.unionByName(pile.all.select("node", "more", lit(False).alias("fresh")))
    fresh = total(when(col("fresh"), col("more")).otherwise(0))
    merged = both.groupBy("node").agg(
        fresh.alias("more"), total("more").alias("left"), most("fresh").alias("fresh")
    )
    return merged.where("fresh").drop("fresh")


# --- what can be met ------------------------------------------------------------------------------


def met(scratch: Scratch, steps: DataFrame, own: DataFrame, words: Sequence[str]) -> Pile:
    """For each node, the bits of all nodes that it can reach, in several words; `own` has its own bits."""
    pile = Pile(scratch, [bit_or(word).alias(word) for word in words])
    frontier = scratch.keep(own)
    with at_hand(steps) as laid:
        while frontier.rows:
            pile.add(frontier)
            frontier = scratch.keep(_learnt(laid, frontier, pile, words))
    pile.add(frontier)
    return pile


def _learnt(steps: DataFrame, frontier: Kept, pile: Pile, words: Sequence[str]) -> DataFrame:
    told = before(steps, frontier.frame, frontier.rows).withColumn("fresh", lit(True))
    both = told.unionByName(pile.all.withColumn("fresh", lit(False)))
    now = [bit_or(word).alias(word) for word in words]
    then = [bit_or(when(~col("fresh"), col(word))).alias(f"old_{word}") for word in words]
    merged = both.groupBy("node").agg(*now, *then)
    changed = lit(False)
    for word in words:
        changed = changed | (col(word) != col(f"old_{word}"))
    return merged.where(changed).select("node", *words)
