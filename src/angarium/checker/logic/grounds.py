"""What guarantees over time are decided on: the explored graph, in memory or on disk.

In memory, native code walks along its steps. On disk it is a pair of tables that Spark joins with each other
until nothing changes (`frames`), for graphs that no single machine holds. The verdicts are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from angarium.checker.explore.engine import Cells
from angarium.checker.explore.graph import Graph
from angarium.checker.explore.stories import follow
from angarium.checker.ir.formula import Atom, TemporalGuarantee
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.decision import Decision, Run

if TYPE_CHECKING:
    from angarium.checker.explore.spark.stored import Stored

Positions = Mapping[Atom, int]


class Ground(Protocol):
    """A graph on which guarantees are decided."""

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:
        """Whether the guarantee is kept."""

    def start(self, run: Run) -> Cells:
        """The state in which a run begins."""

    def repeated(self, run: Run) -> Sequence[Cells]:
        """The states that a run comes to again and again."""


@dataclass(frozen=True)
class InMemory:
    """A graph in memory."""

    graph: Graph

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:
        from angarium.checker.logic.over_time import decide

        return decide(guarantee, self.graph, positions)

    def start(self, run: Run) -> Cells:
        (cells,) = self.graph.cells([run.start])
        return cells

    def repeated(self, run: Run) -> Sequence[Cells]:
        from angarium.checker.logic.lasso import states_of

        states, cycle = states_of(self.graph, run)
        return self.graph.cells(states[cycle:])


@dataclass(frozen=True)
class OnDisk:
    """A graph as Parquet files."""

    stored: Stored
    system: TransitionSystem

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:
        from angarium.checker.logic.frames import Frames, decide
        from angarium.spark.failures import translated
        from angarium.spark.session import session

        with translated():
            spark = session(self.stored.place)
            read = spark.read.parquet
            states, edges = read(self.stored.nodes), read(self.stored.edges)
            frames = Frames(spark, self.system, states, edges, self.stored.scratch, self.stored.room)
            return decide(guarantee, frames, positions)

    def start(self, run: Run) -> Cells:
        return self.stored.cells(run.start)

    def repeated(self, run: Run) -> Sequence[Cells]:
        from angarium.checker.explore.interpret import initial_states

        number = initial_states(self.system).index(self.start(run))
        return follow(self.system, (number, *run.choices), run.cycle).states[run.cycle :]
