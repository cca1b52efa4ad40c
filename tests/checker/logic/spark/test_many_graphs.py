"""Hundreds of random graphs side by side in one table: the same is found in each as by the local analyses.

A job on Spark takes as long for hundreds of small graphs as for one. So the graphs are laid side by side,
and what is compared is more than a verdict: the states in which a CTL formula is true, and for LTL, graph by
graph, whether a node is left that can be reached.

Each formula is decided here as soon as there is something to be brought here. One for each kind of fixpoint
is decided on tables only, and one in part there and in part here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice, repeat
from random import Random

import numpy as np
import pytest
from pyspark.sql import SparkSession

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Conjunction, Disjunction, Fairness, Formula, Negation, Quantified
from angarium.checker.logic import ctl as local_ctl
from angarium.checker.logic import product
from angarium.checker.logic.buchi import Automaton, automaton
from angarium.checker.logic.fairness import classes, with_rests
from angarium.checker.logic.normal import opposite
from angarium.checker.logic.spark import Frames, ctl_tables, here, ltl_tables
from angarium.checker.logic.spark.core import owed
from angarium.checker.logic.spark.graph_tables import runs
from angarium.checker.logic.spark.ltl_tables import Product
from angarium.checker.logic.spark.scratch import Scratch
from tests.checker.logic.graphs import (
    FILE,
    HAND_1,
    POSITIONS,
    SYSTEM,
    TICK,
    WORK_1,
    WORK_2,
    P,
    Q,
    R,
    in_order,
)
from tests.checker.logic.spark.tables import FIRST, STRIDE, side_by_side, write
from tests.checker.logic.test_ctl import any_graph
from tests.checker.logic.textbook_runs import always, eventually, leads_to, next_, two

COUNT, MOST_STATES = 300, 4
"""Larger graphs would need more rounds."""
UNFAIR: tuple[Fairness, ...] = ()
DEMANDS: Sequence[tuple[Fairness, ...]] = (
    UNFAIR,
    (Fairness("weak", "all"),),
    (Fairness("weak", "action"), Fairness("strong", "instance", ("work",))),
    (Fairness("strong", "process"),),
    (Fairness("strong", "action", ("crash", "file")), Fairness("weak", "instance")),
)


def contest(random: Random) -> Graph:
    """A graph with many cycles, in which fairness decides."""
    states = random.randint(3, 6)
    steps = []
    for _ in range(states):
        some = random.sample([TICK, WORK_1, WORK_2, HAND_1, FILE], random.randint(1, 4))
        steps.append({label: random.randrange(states) for label in some})
    true = ["".join(random.sample("pqr", random.randint(0, 1))) for _ in range(states)]
    return in_order(steps, true, 1)


NEVER, AT_ONCE, LATER = (False,), (True,), (False, True)
"""Whether steps are brought here, each time that it is asked; the last answer stays."""


@contextmanager
def scratch_for(frames: Frames, brought: tuple[bool, ...]) -> Iterator[Scratch]:
    answers = chain(brought, repeat(brought[-1]))
    with pytest.MonkeyPatch.context() as patch, Scratch(frames.spark, frames.scratch, room=1) as scratch:
        patch.setattr(here, "fits", lambda steps, words, room: next(answers))
        yield scratch


@pytest.fixture(scope="module")
def some_graphs() -> list[Graph]:
    random = Random(7)
    found = ((contest if each % 2 else any_graph)(random) for each in count())
    return list(islice((each for each in found if each.states <= MOST_STATES), COUNT))


@pytest.fixture(scope="module")
def frames(spark: SparkSession, some_graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Frames:
    folder = tmp_path_factory.mktemp("graphs")
    whole, begins = side_by_side(some_graphs)
    starts = {
        begin + n for begin, each in zip(begins, some_graphs, strict=False) for n in range(each.initial)
    }
    write(whole, folder, starts)
    states, edges = (spark.read.parquet(str(folder / name)) for name in ("states", "edges"))
    return Frames(spark, SYSTEM, states, edges, str(folder / "scratch"))


def named(demands: tuple[Fairness, ...]) -> set[str]:
    return {name for demand in demands for name in demand.of}


AGAIN = Disjunction((eventually(always(P)), always(eventually(Conjunction((Q, next_(P)))))))
LTL: Sequence[tuple[Formula, int, tuple[bool, ...]]] = (
    (eventually(P), 1, AT_ONCE),
    (AGAIN, 2, AT_ONCE),
    (AGAIN, 2, NEVER),
    (leads_to(P, Q), 3, LATER),
    (two("U", Negation(P), Disjunction((Q, next_(R)))), 4, AT_ONCE),
)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("formula", "fairness", "brought"), LTL)
def test_ltl(
    formula: Formula, fairness: int, brought: tuple[bool, ...], frames: Frames, some_graphs: list[Graph]
) -> None:
    demands = DEMANDS[fairness]
    machine = automaton(opposite(formula), POSITIONS)
    expected = [
        product.fair_components(with_rests(each, named(demands)), machine, classes(SYSTEM, demands)).found
        for each in some_graphs
    ]

    with scratch_for(frames, brought) as scratch:
        tables = runs(frames, scratch, named(demands))
        left = ltl_tables.ending(Product(tables, machine), owed(tables, classes(SYSTEM, demands)))
        assert left is not None
        core = {int(row["node"]) for row in left.collect()}

    begins = side_by_side(some_graphs)[1]
    shift = (machine.states - 1).bit_length()
    found = [
        any(
            code(begin, node, with_rests(each, named(demands)), each, shift) in core
            for node in reachable(with_rests(each, named(demands)), machine)
        )
        for begin, each in zip(begins, some_graphs, strict=False)
    ]
    assert found == expected
    assert 20 < sum(expected) < COUNT - 20


def code(begin: int, node: tuple[int, int], rested: Graph, plain: Graph, shift: int) -> int:
    """How the tables call a node of one graph."""
    state, q = node
    rests = [n for n in range(plain.states) if rested.targets[int(rested.rows[n + 1]) - 1] >= plain.states]
    own, rest = (state, 0) if state < plain.states else (rests[state - plain.states], 1)
    return (((begin + own) * STRIDE + FIRST) * 2 + rest) << shift | q


def reachable(graph: Graph, machine: Automaton) -> set[tuple[int, int]]:
    """The nodes of a product that can be reached, found one by one."""
    queue = [(state, 0) for state in range(graph.initial)]
    seen = set(queue)
    for state, q in queue:
        letter = int(graph.atoms[state])
        targets = graph.targets[int(graph.rows[state]) : int(graph.rows[state + 1])].tolist()
        for true, false, to, _ in machine.rules[int(machine.rows[q]) : int(machine.rows[q + 1])].tolist():
            if letter & true == true and not letter & false:
                fresh = {(target, to) for target in targets} - seen
                seen |= fresh
                queue += sorted(fresh)
    return seen


def some(op: str, *operands: Formula) -> Formula:
    return Quantified("E", op, operands)  # type: ignore[arg-type]


def every(op: str, *operands: Formula) -> Formula:
    return Quantified("A", op, operands)  # type: ignore[arg-type]


UNTIL = every("U", Negation(P), every("X", Negation(R)))
CTL: Sequence[tuple[Formula, int, tuple[bool, ...]]] = (
    (every("G", Disjunction((some("F", P), some("G", Q)))), 0, AT_ONCE),
    (some("G", Disjunction((Negation(P), some("X", Q)))), 2, AT_ONCE),
    (UNTIL, 3, AT_ONCE),
    (UNTIL, 0, NEVER),
    (some("W", Q, every("R", P, Negation(Q))), 4, AT_ONCE),
)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("formula", "fairness", "brought"), CTL)
def test_ctl(
    formula: Formula, fairness: int, brought: tuple[bool, ...], frames: Frames, some_graphs: list[Graph]
) -> None:
    demands = DEMANDS[fairness]

    with scratch_for(frames, brought) as scratch:
        tables = runs(frames, scratch, named(demands))
        judge = ctl_tables.Judge(tables, owed(tables, classes(SYSTEM, demands)), POSITIONS)
        truth = judge.truth(formula)
        true = {int(row["at"]) for row in judge.states.where(truth).collect()}

    begins = side_by_side(some_graphs)[1]
    expected = set[int]()
    for begin, each in zip(begins, some_graphs, strict=False):
        rested = with_rests(each, named(demands))
        states = local_ctl.Judge(rested, demands, POSITIONS).states(formula)
        expected |= {code(begin, (int(n), 0), rested, each, 0) for n in np.flatnonzero(states)}
    assert true == expected
    assert expected
