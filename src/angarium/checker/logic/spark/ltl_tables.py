"""LTL on tables: whether some fair run makes the opposite of a formula true.

As in `logic.ltl`, the opposite's automaton runs along the graph, and the two together take steps: a node is
a state and a state of the automaton, `state << shift | q`, in one word; its steps are those of its state,
for each of q's rules that the state's atoms allow (`logic.product_core`). The core of the two together is
where fair runs end that are accepted; the formula is broken if it can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, col, lit, shiftleft, shiftright

from angarium.checker.ir.formula import Atom, Fairness, Formula
from angarium.checker.logic import ltl
from angarium.checker.logic.buchi import Automaton, automaton
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.normal import opposite
from angarium.checker.logic.spark.core import MARKS, Owed, core, owed, signed
from angarium.checker.logic.spark.graph_tables import Runs
from angarium.checker.logic.spark.rounds import Node, Pile, reach
from angarium.checker.logic.spark.story import is_vacuous, path_along, path_to, with_run


class RuleStep(NamedTuple):
    """A rule of the automaton, and whose it is: atoms that must be true, atoms that must be false."""

    q: int
    true: int
    false: int
    to: int
    marks: int


@dataclass(frozen=True)
class Product:
    """A graph and an automaton."""

    runs: Runs
    automaton: Automaton

    @property
    def shift(self) -> int:
        return (self.automaton.states - 1).bit_length()

    @property
    def stays(self) -> bool:
        """Whether the automaton can keep its initial state on any run: then that goes with every state."""
        return any(rule[:4] == (0, 0, 0, 0) for rule in self._rules)

    @property
    def _rules(self) -> list[RuleStep]:
        rows, rules = self.automaton.rows.tolist(), self.automaton.rules
        return [
            RuleStep(q, *signed(rule))
            for q in range(self.automaton.states)
            for rule in rules[rows[q] : rows[q + 1]]
        ]

    def hopeful_steps(self) -> DataFrame:
        """The steps of nodes that may lie on a cycle with all marks."""
        hope = self.automaton.hopeful
        return self._steps([rule for rule in self._rules if hope[rule.q] and hope[rule.to]])

    def steps(self) -> DataFrame:
        """All steps, also of nodes that are not reachable."""
        return self._steps(self._rules)

    def steps_of(self, node: int) -> DataFrame:
        """The steps of one node."""
        at, q = self.state(node), node & ((1 << self.shift) - 1)
        rules = [rule for rule in self._rules if rule.q == q]
        return self._steps(rules, self.runs.edges.where(col("source") == at))

    def starts(self) -> DataFrame:
        """The nodes that are known to be reachable: the initial ones, or more if the automaton stays."""
        known = self.runs.states if self.stays else self.runs.initial
        return known.select(shiftleft("at", self.shift).alias("node"), "level")

    def _steps(self, rules: list[RuleStep], edges: DataFrame | None = None) -> DataFrame:
        table = np.array(rules, np.int64).reshape(-1, len(RuleStep._fields)).T
        rows = broadcast(self.runs.scratch.given(dict(zip(RuleStep._fields, table, strict=True))))
        letters = self.runs.states.select(col("at").alias("source"), "atoms")
        lettered = (self.runs.edges if edges is None else edges).join(letters, "source")
        allowed = (col("atoms").bitwiseAND(col("true")) == col("true")) & (
            col("atoms").bitwiseAND(col("false")) == lit(0)
        )
        joined = lettered.join(rows, allowed)
        return joined.select(
            shiftleft("source", self.shift).bitwiseOR(col("q")).alias("source"),
            shiftleft("target", self.shift).bitwiseOR(col("to")).alias("target"),
            "label",
            MARKS,
        )

    def state(self, node: int) -> int:
        """The state of a node."""
        return node >> self.shift

    def states(self, nodes: DataFrame) -> DataFrame:
        """The states of some nodes."""
        return nodes.select(shiftright("node", self.shift).alias("at")).distinct()


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
    return with_run(
        runs,
        states,
        lambda: _path(found),
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


def _path(found: Against) -> list[int]:
    """The states on a path from an initial state to the core."""
    nodes = path_along(found.product.steps_of, found.ahead, found.entry)
    states = [found.product.state(node) for node in nodes]
    return [*path_to(found.product.runs, states[0])[:-1], *states]
