"""A graph in tables times an automaton: the steps of the two together.

A node is a state and a state of the automaton, `state << shift | q`, in one word. A node's steps are those of
its state, for each of q's rules that the state's atoms allow (`logic.product_core`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, col, lit, shiftleft, shiftright

from angarium.checker.logic.buchi import Automaton
from angarium.checker.logic.frames.core import MARKS, signed
from angarium.checker.logic.frames.runs import Runs


class Way(NamedTuple):
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
    def _rules(self) -> list[Way]:
        rows, rules = self.automaton.rows.tolist(), self.automaton.rules
        return [
            Way(q, *signed(rule))
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

    def _steps(self, rules: list[Way], edges: DataFrame | None = None) -> DataFrame:
        table = np.array(rules, np.int64).reshape(-1, len(Way._fields)).T
        ways = broadcast(self.runs.scratch.given(dict(zip(Way._fields, table, strict=True))))
        letters = self.runs.states.select(col("at").alias("source"), "atoms")
        lettered = (self.runs.edges if edges is None else edges).join(letters, "source")
        allowed = (col("atoms").bitwiseAND(col("true")) == col("true")) & (
            col("atoms").bitwiseAND(col("false")) == lit(0)
        )
        joined = lettered.join(ways, allowed)
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
