"""The run that a decision shows, found by the local analyses in that part of the graph that matters.

The part has the states of the core and of one path there, which is found by a short job for each of its
steps. All steps of a state are kept, in their order, so that it is still known what is possible there and an
address counts them right; those that lead out of the part lead to one state more, from which nothing goes
on, so that no run without end goes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, lit
from pyspark.sql.functions import min as least

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Atom, Formula, atoms
from angarium.checker.ir.transition import Cells
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.spark.graph_tables import Runs
from angarium.checker.logic.spark.here import Numbers, entries, places
from angarium.checker.logic.spark.rounds import Node, Pile
from angarium.checker.logic.vacuity import vacuous


def path_to(runs: Runs, state: int) -> list[int]:
    """A shortest path from an initial state to one: each state before is one level less deep."""
    path = [state]
    for level in range(_level(runs, state) - 1, -1, -1):
        steps = runs.edges.where(col("target") == path[-1]).select(col("source").alias("at"))
        path.append(_least(steps.join(runs.states.where(col("level") == level), "at"), "at"))
    return path[::-1]


def _level(runs: Runs, state: int) -> int:
    return _least(runs.states.where(col("at") == state), "level")


def path_along(steps_of: Callable[[int], DataFrame], ahead: Pile, entry: Node) -> list[int]:
    """A path to what was reached, from a node from which it can be."""
    node, distance = entry
    path = [node]
    for left in range(distance - 1, -1, -1):
        nearer = ahead.all.where(col("distance") == left).select(col("node").alias("target"))
        path.append(_least(steps_of(path[-1]).join(nearer, "target"), "target"))
    return path


def _least(frame: DataFrame, column: str) -> int:
    found = frame.agg(least(column)).head()
    if found is None or found[0] is None:
        raise RuntimeError(f"the graph's tables do not fit together: no {column} where there must be one")
    return int(found[0])


BYTES_OF_STATE, BYTES_OF_STEP = 32, 32


def with_run(
    runs: Runs, chosen: DataFrame, path: Callable[[], Sequence[int]], decided: Callable[[Graph], Decision]
) -> Decision:
    """That a guarantee is violated, with a run through chosen states, to which there is a path."""
    part = runs.scratch.keep(chosen.select("at"))
    needed = _bytes(runs, part.frame, part.rows)
    if needed > runs.frames.most_bytes:
        return Decision(False, summary=too_much(needed, runs.frames.most_bytes))
    states = list(path())
    more = runs.scratch.given({"at": np.array(states, np.int64)})
    graph, numbers = local(runs, part.frame.union(more).distinct(), states[:1])
    decision = decided(graph)
    if decision.holds or decision.run is None:
        raise RuntimeError("a run was found that breaks the guarantee, and not found again: this is a bug")
    return _renamed(decision, numbers)


def everything(runs: Runs, decided: Callable[[Graph], Decision]) -> Decision:
    """What the local analyses tell of the whole graph, or why they do not."""
    states = runs.states.select("at")
    needed = _bytes(runs, states, states.count())
    if needed > runs.frames.most_bytes:
        return Decision(False, summary=too_much(needed, runs.frames.most_bytes))
    starts = [int(row["at"]) for row in runs.initial.orderBy("at").collect()]
    graph, numbers = local(runs, states, starts)
    return _renamed(decided(graph), numbers)


def too_much(needed: int, most: int) -> str:
    """Why no run is told."""
    return (
        f"no run is told: that needs {needed:,} bytes of the graph on one machine, and {most:,} are allowed"
    )


def _bytes(runs: Runs, chosen: DataFrame, states: int) -> int:
    steps = runs.edges.join(chosen.withColumnRenamed("at", "source"), "source", "left_semi").count()
    return states * BYTES_OF_STATE + steps * BYTES_OF_STEP


def _renamed(decision: Decision, numbers: Numbers) -> Decision:
    """With the run's first state as the graph's tables call it."""
    if decision.run is None:
        return decision
    return replace(decision, run=replace(decision.run, start=int(numbers[decision.run.start]) >> 1))


# --- a part of the graph, here --------------------------------------------------------------------


def local(runs: Runs, chosen: DataFrame, starts: Sequence[int]) -> tuple[Graph, Numbers]:
    """The part of a graph that can be reached from some states through chosen ones, and its names."""
    states = runs.states.join(chosen, "at", "left_semi").toArrow().sort_by("at")
    steps = runs.edges.join(chosen.withColumnRenamed("at", "source"), "source", "left_semi")
    found = steps.toArrow().sort_by([("source", "ascending"), ("label", "ascending")])
    names, letters = states["at"].to_numpy(), states["atoms"].to_numpy().view(np.uint64)
    counts = np.bincount(np.searchsorted(names, found["source"].to_numpy()), minlength=len(names) + 1)
    rows = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    targets = places(names, found["target"].to_numpy())
    order = _reachable(rows, targets, np.searchsorted(names, np.array(starts, np.int64)))
    kept, outside = entries(rows, order), len(order)
    numbers = np.full(len(names) + 1, outside, np.int64)
    numbers[order] = np.arange(outside)
    graph = Graph(
        runs.frames.system,
        np.concatenate([[0], np.cumsum(counts[order]), [len(kept)]]).astype(np.uint64),
        numbers[targets[kept]].astype(np.uint32),
        found["label"].to_numpy()[kept].astype(np.uint32),
        np.append(letters[order], np.uint64(0)),
        len(starts),
        _cells,
        found["event"].to_numpy()[kept].astype(np.uint64),
    )
    return graph, names[order]


def _reachable(rows: Numbers, targets: Numbers, starts: Numbers) -> Numbers:
    """What can be reached, breadth-first, without the state outside."""
    seen = np.zeros(len(rows) - 1, np.bool_)
    seen[[*starts, -1]] = True
    levels = [starts]
    while len(levels[-1]):
        fresh = np.unique(targets[entries(rows, levels[-1])])
        fresh = fresh[~seen[fresh]]
        seen[fresh] = True
        levels.append(fresh)
    return np.concatenate(levels)


def _cells(numbers: Sequence[int]) -> list[Cells]:
    raise TypeError("a part of a graph does not know what is in its states: the tables do")


# --- formulas that say nothing --------------------------------------------------------------------


def is_vacuous(
    runs: Runs, formula: Formula, positions: Mapping[Atom, int], holds: Callable[[Formula], bool]
) -> str | None:
    """Why a formula that holds says nothing; None if it says something (`logic.vacuity`).

    What is true in states is looked at only by what is true together; one state for each such is enough.
    """
    mask = sum(1 << positions[atom] for atom in atoms(formula))
    letter = col("atoms").bitwiseAND(lit(mask)).alias("letter")
    found = runs.states.groupBy(letter).agg(least("level").alias("level")).orderBy("level").collect()
    letters = np.array([row["letter"] for row in found], np.uint64)
    initial = sum(row["level"] == 0 for row in found)
    none = np.zeros(0, np.uint32)
    rows = np.zeros(len(letters) + 1, np.uint64)
    graph = Graph(runs.frames.system, rows, none, none, letters, initial, _cells, np.zeros(0, np.uint64))
    return vacuous(graph, formula, positions, holds)
