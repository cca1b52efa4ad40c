"""What is left of steps when all is taken away that no fair run without end can keep to.

A run that is accepted and fair stays, from some moment on, among nodes where all is met that it owes: each
mark is on some step ahead; each weak class is taken ahead, or is not possible at some node ahead; each
strong class that is possible here is taken ahead. So nodes are taken away that come to an end, and nodes
from which something that they owe cannot be met any more; with their steps others lose what they had, until
nothing changes. This is the iteration of Kesten, Pnueli and Raviv (*Algorithmic verification of linear
temporal logic specifications*, 1998), with all that is owed looked at in one go: what is ahead of a node is a
few words of bits, one bit for each mark and class.

As soon as what is left is small enough, it is brought here and finished here (`here`).

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

from angarium.checker.logic.fairness import Classes
from angarium.checker.logic.spark import here
from angarium.checker.logic.spark.graph_tables import Runs
from angarium.checker.logic.spark.rounds import ended, ends, met
from angarium.checker.logic.spark.scratch import Kept, Scratch

MARKS = "marks"


@dataclass(frozen=True)
class Owed:
    """What a run owes: classes of steps, in words of 64 bits, and marks."""

    classes: Classes
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
    return Owed(classes, words, members, _needs(runs, classes, words, members) if words else None)


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


def _signed(mask: int) -> int:
    return signed(np.array([mask], np.uint64))[0]


# --- the core -------------------------------------------------------------------------------------


def core(scratch: Scratch, steps: DataFrame, owed: Owed, shift: int = 0) -> DataFrame | None:
    """The nodes that are left of some steps; None if there are none.

    Steps have `source`, `target`, `label`, and `marks` if such are owed. A node's state is its number without
    the last `shift` bits.
    """
    left = scratch.keep(steps)
    while left.rows and not here.fits(left.rows, len(owed.all_words), scratch.room):
        left = _going_on(scratch, left)
        lost = _lost(scratch, left.frame, owed, shift) if owed.all_words and left.rows else None
        if lost is None or not lost.rows:
            return _nodes(scratch, left)
        fewer = scratch.keep(_without(_without(left.frame, lost.frame, "source"), lost.frame, "target"))
        scratch.drop(left, lost)
        left = fewer
    return _finished(scratch, left.frame, owed, shift) if left.rows else None


def _nodes(scratch: Scratch, steps: Kept) -> DataFrame | None:
    """The nodes that have steps."""
    found = steps.frame.select(col("source").alias("node")).distinct()
    return scratch.keep(found).frame if steps.rows else None


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
    ahead = met(scratch, steps, _own(steps, owed, shift), owed.all_words)
    have = [col(word).alias(f"have_{word}") for word in owed.all_words]
    owing = _with_needs(ahead.merged().select("node", *have), owed, shift)
    missing = [col(word).bitwiseAND(bitwise_not(f"have_{word}")) != 0 for word in owed.all_words]
    lost = scratch.keep(owing.where(reduce(or_, missing)).select("node"))
    ahead.forget()
    return lost


def _own(steps: DataFrame, owed: Owed, shift: int) -> DataFrame:
    """For each node what it meets itself or by one of its steps."""
    moved = shiftright("source", shift) != shiftright("target", shift)
    taken = [bit_or(when(moved, col(word))).alias(f"taken_{word}") for word in owed.words]
    marked = [bit_or(MARKS).alias(f"taken_{MARKS}")] if owed.marks else []
    own = steps.join(owed.members, "label", "left").groupBy(col("source").alias("node")).agg(*taken, *marked)
    idle = {word: col(f"idle_{word}") for word in owed.words} | {MARKS: lit(0).cast("long")}
    none = lit(0).cast("long")
    found = [coalesce(col(f"taken_{w}"), none).bitwiseOR(idle[w]).alias(w) for w in owed.all_words]
    return _with_needs(own, owed, shift).select("node", *found)


def _with_needs(nodes: DataFrame, owed: Owed, shift: int) -> DataFrame:
    """Nodes with what they owe, and with the classes that they have met by being there."""
    if owed.needs is not None:
        nodes = nodes.withColumn("at", shiftright("node", shift)).join(owed.needs, "at").drop("at")
    return nodes.withColumn(MARKS, lit(_signed(owed.marks))) if owed.marks else nodes


# --- the core of few steps ------------------------------------------------------------------------


def _finished(scratch: Scratch, steps: DataFrame, owed: Owed, shift: int) -> DataFrame | None:
    """The nodes that are left of few steps, found here."""
    table = steps.toArrow()
    source, target = table["source"].to_numpy(), table["target"].to_numpy()
    moved = source >> shift != target >> shift
    members = owed.classes.members.view(np.int64)[:, table["label"].to_numpy()]
    meets = [np.where(moved, bits, 0) for bits in members]
    marked = [table[MARKS].to_numpy()] if owed.marks else []
    local = here.numbered(source, target, [*meets, *marked])
    owes, idle = _dues(steps, owed, local.names, shift)
    left = here.core(local, owes, idle)
    return scratch.given({"node": left}) if len(left) else None


def _dues(
    steps: DataFrame, owed: Owed, names: here.Numbers, shift: int
) -> tuple[list[here.Numbers], list[here.Numbers]]:
    """For each word, what nodes owe, and what they have met by being there."""
    owes, idle = list[here.Numbers](), list[here.Numbers]()
    if owed.needs is not None:
        states = steps.select(shiftright("source", shift).alias("at")).distinct()
        table = owed.needs.join(states, "at", "left_semi").toArrow().sort_by("at")
        places = here.places(table["at"].to_numpy(), names >> shift)
        owes = [np.append(table[word].to_numpy(), 0)[places] for word in owed.words]
        idle = [np.append(table[f"idle_{word}"].to_numpy(), 0)[places] for word in owed.words]
    if owed.marks:
        owes.append(np.full(len(names), _signed(owed.marks)))
        idle.append(np.zeros(len(names), np.int64))
    return owes, idle
