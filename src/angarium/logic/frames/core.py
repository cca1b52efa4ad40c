"""What is left of steps when all is taken away that no fair run without end can keep to.

A run that is accepted and fair stays, from some moment on, among nodes where all is met that it owes: each
mark is on some step ahead; each weak class is taken ahead, or is not possible at some node ahead; each
strong class that is possible here is taken ahead. So nodes are taken away that come to an end, and nodes
from which something that they owe cannot be met any more; with their steps others lose what they had, until
nothing changes. This is the iteration of Kesten, Pnueli and Raviv (*Algorithmic verification of linear
temporal logic specifications*, 1998), with all that is owed looked at in one go: what is ahead of a node is a
few words of bits, one bit for each mark and class.

What is left, the *core*, is empty just if there is no fair run. Otherwise every node of it has one: where the
core cannot be left any more, a run can take all its steps again and again, and all that is owed is met there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import bit_or, bitwise_not, broadcast, coalesce, col, lit, shiftright, when

from angarium.logic.fairness import Classes
from angarium.logic.frames.rounds import ended, ends, met
from angarium.logic.frames.runs import Runs
from angarium.logic.frames.scratch import Kept, Scratch

MARKS = "marks"


@dataclass(frozen=True)
class Owed:
    """What a run owes: classes of steps, in words of 64 bits, and marks."""

    words: tuple[str, ...]
    """The names of the columns for classes."""
    members: DataFrame
    """For each `label`, its classes."""
    needs: DataFrame | None
    """For each state `at`, the classes that a run from there owes, and, as `idle_` words, those that it has
    met by being there. None if there are no classes."""
    marks: int = 0

    @property
    def all_words(self) -> tuple[str, ...]:
        return (*self.words, MARKS) if self.marks else self.words


def owed(runs: Runs, classes: Classes) -> Owed:
    """What runs owe if they must be so fair."""
    words = tuple(f"classes_{chunk}" for chunk in range(classes.chunks))
    members = _members(runs, classes, words)
    return Owed(words, members, _needs(runs, classes, words, members) if words else None)


def _members(runs: Runs, classes: Classes, words: Sequence[str]) -> DataFrame:
    labels = np.arange(runs.stutter + 1, dtype=np.int32)
    masks = dict(zip(words, classes.members.view(np.int64), strict=True))
    return broadcast(runs.scratch.given({"label": labels, **masks}))


def _needs(runs: Runs, classes: Classes, words: Sequence[str], members: DataFrame) -> DataFrame:
    """What is possible decides what is owed: a strong class where it is, a weak one until it is not."""
    moves = runs.edges.where("source != target").select(col("source").alias("at"), "label")
    possible = moves.join(members, "label").groupBy("at").agg(*(bit_or(word).alias(word) for word in words))
    everywhere = runs.states.select("at").join(possible, "at", "left")
    needs, idle = list[Column](), list[Column]()
    for word, weak, strong in zip(words, signed(classes.weak), signed(classes.strong), strict=True):
        can = coalesce(col(word), lit(0).cast("long"))
        needs.append(lit(weak).bitwiseOR(lit(strong).bitwiseAND(can)).alias(word))
        idle.append(lit(weak).bitwiseAND(bitwise_not(can)).alias(f"idle_{word}"))
    return runs.scratch.keep(everywhere.select("at", *needs, *idle)).frame


def signed(masks: np.typing.NDArray[np.uint64]) -> list[int]:
    """Words of bits as Spark has them: with a sign."""
    return list(masks.view(np.int64).tolist())


# --- the core -------------------------------------------------------------------------------------


def core(scratch: Scratch, steps: DataFrame, owed: Owed, shift: int = 0) -> Kept:
    """The steps that are left of some, with `source`, `target`, `label`, and `marks` if such are owed.

    A node's state is its number without the last `shift` bits.
    """
    left = _going_on(scratch, scratch.keep(steps))
    while owed.all_words and left.rows:
        lost = _lost(scratch, left.frame, owed, shift)
        if not lost.rows:
            return left
        fewer = scratch.keep(_without(_without(left.frame, lost.frame, "source"), lost.frame, "target"))
        scratch.drop(left, lost)
        left = _going_on(scratch, fewer)
    return left


def nodes(steps: DataFrame) -> DataFrame:
    """The nodes that have steps."""
    return steps.select(col("source").alias("node")).distinct()


def _going_on(scratch: Scratch, steps: Kept) -> Kept:
    """The steps without those that lead to an end; what comes to an end has no others."""
    found = ends(scratch, steps.frame) if steps.rows else None
    if found is None or not found.pieces[0].rows:
        return steps
    left = scratch.keep(_without(steps.frame, ended(found), "target"))
    scratch.drop(steps, *found.pieces)
    return left


def _without(steps: DataFrame, gone: DataFrame, end: str) -> DataFrame:
    return steps.join(gone.withColumnRenamed("node", end), end, "left_anti")


def _lost(scratch: Scratch, steps: DataFrame, owed: Owed, shift: int) -> Kept:
    """The nodes from which something that they owe cannot be met."""
    owing = scratch.keep(_owing(steps, owed, shift))
    ahead = met(scratch, steps, owing.frame.select("node", *map(_met, owed.all_words)), owed.all_words)
    have = [col(word).alias(f"have_{word}") for word in owed.all_words]
    both = ahead.merged().select("node", *have).join(owing.frame, "node")
    missing = [col(word).bitwiseAND(bitwise_not(f"have_{word}")) != 0 for word in owed.all_words]
    lost = scratch.keep(both.where(reduce(or_, missing)).select("node"))
    ahead.forget()
    scratch.drop(owing)
    return lost


def _met(word: str) -> Column:
    return col(f"met_{word}").alias(word)


def _owing(steps: DataFrame, owed: Owed, shift: int) -> DataFrame:
    """For each node what it owes, and, as `met_` words, what it meets itself or by one of its steps."""
    moved = shiftright("source", shift) != shiftright("target", shift)
    taken = [bit_or(when(moved, col(word))).alias(f"met_{word}") for word in owed.words]
    marked = [bit_or(MARKS).alias(f"met_{MARKS}")] if owed.marks else []
    own = steps.join(owed.members, "label", "left").groupBy(col("source").alias("node")).agg(*taken, *marked)
    if owed.needs is not None:
        own = own.withColumn("at", shiftright("node", shift)).join(owed.needs, "at").drop("at")
    for word in owed.words:
        met_now = coalesce(col(f"met_{word}"), lit(0).cast("long")).bitwiseOR(col(f"idle_{word}"))
        own = own.withColumn(f"met_{word}", met_now)
    return own.withColumn(MARKS, lit(signed(np.array([owed.marks], np.uint64))[0])) if owed.marks else own
