"""CTL on tables: in which states a formula is true, by fixpoints (`logic.ctl`).

The states are a table to which each path quantifier adds a column with its truth; what stands between
quantifiers is computed from these columns and from the atoms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import coalesce, col, lit

from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    Truth,
)
from angarium.checker.logic import ctl
from angarium.checker.logic.ctl import OPPOSITE, Op, is_shown
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.spark.core import Owed, core, owed
from angarium.checker.logic.spark.graph_tables import Runs
from angarium.checker.logic.spark.rounds import reach
from angarium.checker.logic.spark.scratch import Kept
from angarium.checker.logic.spark.story import everything, is_vacuous

Positions = Mapping[Atom, int]


def decide(runs: Runs, formula: Formula, demands: tuple[Fairness, ...], positions: Positions) -> Decision:
    """Whether a formula is true in every initial state, on runs that are as fair as demanded."""
    runs.room(0)
    judge = Judge(runs, owed(runs, classes(runs.frames.system, demands)), positions)
    holds = judge.holds(formula)
    nothing = is_vacuous(runs, formula, positions, judge.holds) if holds else None
    if holds and not is_shown(formula, truth=True):
        return Decision(True, vacuous=nothing)
    told = everything(runs, lambda graph: ctl.decide(graph, formula, demands, positions))
    return Decision(holds, told.run, told.summary, nothing)


@dataclass
class Judge:
    """Knows in which states of a graph formulas are true."""

    runs: Runs
    fair: Owed
    positions: Positions
    names: dict[Formula, str] = field(default_factory=dict)
    """The columns of formulas with a path quantifier."""
    known: Kept | None = None
    """The states with these columns."""

    @property
    def states(self) -> DataFrame:
        """`at`, `level` and `atoms`, and a column for each formula with a quantifier that is known so far."""
        return self.known.frame if self.known else self.runs.states

    def holds(self, formula: Formula) -> bool:
        """Whether a formula is true in every initial state."""
        truth = self.truth(formula)
        return self.states.where("level = 0").where(~truth).isEmpty()

    def truth(self, formula: Formula) -> Column:
        """Whether a formula is true in a state of `states`."""
        match formula:
            case Truth(value):
                return lit(value)
            case Atom():
                return col("atoms").bitwiseAND(lit(1 << self.positions[formula])) != 0
            case Negation(operand):
                return ~self.truth(operand)
            case Conjunction(inside):
                return reduce(and_, map(self.truth, inside), lit(True))
            case Disjunction(inside):
                return reduce(or_, map(self.truth, inside), lit(False))
            case Implies(left, right):
                return ~self.truth(left) | self.truth(right)
            case Quantified():
                return self._quantified(formula)
            case Over():
                raise TypeError(f"{formula.op} without A or E is no CTL")

    def _quantified(self, formula: Quantified) -> Column:
        if formula not in self.names:
            operands = [self.truth(each) for each in formula.operands]
            if formula.quantifier == "E":
                self._learn(formula, self.some(formula.op, *operands), True)
            else:
                opposites = [~each for each in operands]
                self._learn(formula, self.some(OPPOSITE[formula.op], *opposites), False)
        return col(self.names[formula])

    def _learn(self, formula: Formula, found: DataFrame, truth: bool) -> None:
        """Add a column: the formula has this truth in the states that were found, and the other elsewhere."""
        name, old = f"formula_{len(self.names)}", self.known
        seen = self.states.join(found.distinct().withColumn(name, lit(truth)), "at", "left")
        self.known = self.runs.scratch.keep(seen.withColumn(name, coalesce(col(name), lit(not truth))))
        self.names[formula] = name
        if old is not None:
            self.runs.scratch.drop(old)

    # --- what some run does -----------------------------------------------------------------------

    def some(self, op: Op, first: Column, second: Column | None = None) -> DataFrame:
        """From where some run does something with sets of states: a table of `at`."""
        other = first if second is None else second
        match op:
            case "X":
                return self._edges(None, first).select(col("source").alias("at"))
            case "F":
                return self.some_until(None, first)
            case "G":
                return self.some_always(first)
            case "U":
                return self.some_until(first, other)
            case "W":
                return self.some_until(first, other).union(self.some_always(first))
            case "R":
                return self.some_until(other, first & other).union(self.some_always(other))
            case "M":
                return self.some_until(other, first & other)

    def some_until(self, inside: Column | None, goal: Column) -> DataFrame:
        """From where there is a path to the goal, inside a set until it is there."""
        return self._reach(inside, self.states.where(goal).select(col("at").alias("node")))

    def some_always(self, inside: Column) -> DataFrame:
        """From where some fair run stays inside a set."""
        steps = self._edges(inside, inside).select("source", "target", "label")
        left = core(self.runs.scratch, steps, self.fair)
        if left is None:
            return self.states.where(lit(False)).select("at")
        return self._reach(inside, left) if self.fair.words else left.withColumnRenamed("node", "at")

    def _reach(self, inside: Column | None, goal: DataFrame) -> DataFrame:
        found, _ = reach(self.runs.scratch, self._edges(inside, None), goal)
        return found.all.select(col("node").alias("at"))

    def _edges(self, source: Column | None, target: Column | None) -> DataFrame:
        """The edges whose ends are in two sets, or anywhere."""
        edges = self.runs.edges
        for end, chosen in (("source", source), ("target", target)):
            if chosen is not None:
                inside = self.states.where(chosen).select(col("at").alias(end))
                edges = edges.join(inside, end, "left_semi")
        return edges
