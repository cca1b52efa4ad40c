"""LTL on tables: whether some fair run makes the opposite of a formula true.

As in `logic.ltl`, the opposite's automaton runs along the graph. The core of the two together is where fair
runs end that are accepted; the formula is broken if it can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from angarium.checker.ir.formula import Atom, Fairness, Formula
from angarium.checker.logic import ltl
from angarium.checker.logic.buchi import automaton
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.frames.core import Owed, core, owed
from angarium.checker.logic.frames.product import Product
from angarium.checker.logic.frames.rounds import Node, Pile, reach
from angarium.checker.logic.frames.runs import Runs
from angarium.checker.logic.frames.story import is_vacuous, told
from angarium.checker.logic.frames.ways import way_along, way_to
from angarium.checker.logic.normal import opposite

Positions = Mapping[Atom, int]


@dataclass(frozen=True)
class Against:
    """Runs that break a formula: where they end, and how to come there."""

    product: Product
    core: DataFrame
    """Its nodes."""
    ahead: Pile
    """From where the core can be reached, with the distance."""
    entry: Node
    """The first node on that way that is known to be reachable."""


def decide(runs: Runs, formula: Formula, demands: tuple[Fairness, ...], positions: Positions) -> Decision:
    """Whether a formula is true of every run that is as fair as demanded."""
    fair = owed(runs, classes(runs.frames.system, demands))

    def holds(other: Formula) -> bool:
        return against(runs, other, fair, positions) is None

    found = against(runs, formula, fair, positions)
    if found is None:
        return Decision(True, vacuous=is_vacuous(runs, formula, positions, holds))
    states = found.product.states(found.core)
    return told(
        runs,
        states,
        lambda: _way(found),
        lambda graph: ltl.decide(graph, formula, demands, positions),
    )


def against(runs: Runs, formula: Formula, fair: Owed, positions: Positions) -> Against | None:
    """The fair runs that break a formula; None if there are none."""
    product = Product(runs, automaton(opposite(formula), positions))
    runs.room(product.shift)
    left = ending(product, fair)
    if left is None:
        return None
    starts = product.starts()
    ahead, entry = reach(runs.scratch, product.steps(), left, lambda found: _nearest(found, starts))
    return None if entry is None else Against(product, left, ahead, entry)


def ending(product: Product, fair: Owed) -> DataFrame | None:
    """The nodes among which fair runs end that the automaton accepts; None if there are none."""
    due = replace(fair, marks=product.automaton.marks)
    return core(product.runs.scratch, product.hopeful_steps(), due, product.shift)


def _nearest(found: DataFrame, starts: DataFrame) -> Node | None:
    """Of the nodes that were found, one that is reachable in as few steps as possible."""
    first = found.join(starts, "node").orderBy("distance", "level", "node").select("node", "distance").head()
    return None if first is None else (int(first["node"]), int(first["distance"]))


def _way(found: Against) -> list[int]:
    """The states on a way from an initial state to the core."""
    nodes = way_along(found.product.steps_of, found.ahead, found.entry)
    states = [found.product.state(node) for node in nodes]
    return [*way_to(found.product.runs, states[0])[:-1], *states]
