"""Whole decisions on tables: verdicts, runs, what says nothing, and what cannot be decided there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit

from angarium.checker.explore.graph import Graph, instances
from angarium.checker.explore.native import NativeEngine
from angarium.checker.ir.formula import (
    Atom,
    Fairness,
    Formula,
    Implies,
    Negation,
    Quantified,
    TemporalGuarantee,
)
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic import over_time
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.spark import decide, rounds
from angarium.checker.logic.spark.scratch import Scratch
from angarium.core.errors import LimitError
from angarium.systems.registry import load
from tests.checker.logic.eventful import process
from tests.checker.logic.graphs import FILE, HAND_1, POSITIONS, SYSTEM, TICK, WORK_1, P, Q, R, graph
from tests.checker.logic.spark.tables import FIRST, STRIDE, frames, number
from tests.checker.logic.test_standing_still import BODY
from tests.checker.logic.textbook_runs import always, breaks, eventually, is_fair, leads_to, next_, two
from tests.models import system

WEAK, STRONG = (Fairness("weak", "action"),), (Fairness("strong", "action"),)
LINE = graph(
    [{TICK: 1, FILE: 3}, {TICK: 2, WORK_1: 0}, {TICK: 1, HAND_1: 4}, {FILE: 3, TICK: 4}, {}],
    ["", "q", "r", "", "p"],
)
"""A way to p that two cycles put off: one only if a hand-over starves that is possible again and again."""


def ltl(formula: Formula, fairness: tuple[Fairness, ...] = ()) -> TemporalGuarantee:
    return TemporalGuarantee("claim", "ltl", formula, fairness)


def both(
    spark: SparkSession,
    folder: Path,
    steps: Graph,
    guarantee: TemporalGuarantee,
    positions: Mapping[Atom, int] = POSITIONS,
) -> tuple[Decision, Decision]:
    """What is decided on tables, and here."""
    tables = frames(spark, steps, folder)
    found = decide(guarantee, tables, positions)
    assert list((folder / "scratch").glob("*")) == []
    return found, over_time.decide(guarantee, steps, positions)


def same(found: Decision, expected: Decision) -> bool:
    return (found.holds, found.vacuous) == (expected.holds, expected.vacuous)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("formula", "fairness", "holds"),
    [
        (eventually(P), WEAK, False),
        (eventually(P), STRONG, True),
        (always(Implies(Q, next_(Negation(R)))), STRONG, False),
    ],
)
def test_the_run_breaks_the_formula_and_is_fair(
    spark: SparkSession, tmp_path: Path, formula: Formula, fairness: tuple[Fairness, ...], holds: bool
) -> None:
    found, expected = both(spark, tmp_path, LINE, ltl(formula, fairness))

    assert found.holds == holds
    assert same(found, expected)
    if found.run:
        run = replace(found.run, start=number(found.run.start))
        assert breaks(LINE, formula, run)
        assert is_fair(LINE, fairness, run)
        assert found.summary
    else:
        assert holds


def explored(of: TransitionSystem) -> tuple[Graph, Mapping[Atom, int]]:
    asked = over_time.request(of, of.temporal)
    found = NativeEngine().search(of, graph=asked.wish).graph
    assert found is not None
    return found, asked.positions


@pytest.mark.sample(1)
@pytest.mark.parametrize("number_of_claim", range(5))
def test_runs_may_stand_still_before_a_fault(
    spark: SparkSession, tmp_path: Path, number_of_claim: int
) -> None:
    model = system(BODY)
    steps, positions = explored(model)

    found, expected = both(spark, tmp_path, steps, model.temporal[number_of_claim], positions)

    assert same(found, expected)
    assert found.summary == expected.summary
    assert (found.run is None) == (expected.run is None)
    if found.run and expected.run:
        assert replace(found.run, start=number(found.run.start)) == expected.run


def test_a_bundled_system(spark: SparkSession, tmp_path: Path) -> None:
    model = load("rabbitmq-sac", {"queues": "2", "apps": "2"})
    steps, positions = explored(model)

    found = [
        both(spark, tmp_path / each.name, steps, each, positions)
        for each in model.temporal
        if each.name in ("eventually-balanced", "eventually-all-subscribed")
    ]

    assert len(found) == 2
    assert all(same(one, other) for one, other in found)


def test_what_says_nothing_is_seen(spark: SparkSession, tmp_path: Path) -> None:
    steps = graph([{TICK: 1}, {TICK: 1}], ["q", "q"])
    inside = eventually(always(Implies(eventually(P), R)))

    plain, expected = both(spark, tmp_path / "plain", steps, ltl(leads_to(P, R)))
    deep, expected_deep = both(spark, tmp_path / "deep", steps, ltl(inside))
    branching = TemporalGuarantee("claim", "ctl", Quantified("A", "G", (Implies(P, R),)))
    tree, expected_tree = both(spark, tmp_path / "tree", steps, branching)

    assert plain.vacuous == expected.vacuous == "`p` is never true"
    assert deep.vacuous == expected_deep.vacuous
    assert deep.vacuous is not None
    assert tree.vacuous == expected_tree.vacuous is not None


def test_divergence(spark: SparkSession, tmp_path: Path) -> None:
    guarantee = TemporalGuarantee("quiet", "divergence", None)
    loops = process([[("a", 1)], [("b", 2), ("-", 3)], [("-", 2)], [("-", 1)]])
    visible = process([[("-", 1)], [("a", 0), ("-", 2)], []])

    found, expected = both(spark, tmp_path / "loops", loops, guarantee)
    quiet, _ = both(spark, tmp_path / "visible", visible, guarantee)

    assert found.run is not None and expected.run is not None
    assert replace(found.run, start=number(found.run.start)) == expected.run
    assert quiet == Decision(True)


def test_determinism_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    guarantee = TemporalGuarantee("same", "determinism", None)

    with pytest.raises(LimitError, match="same cannot be decided on Spark"):
        decide(guarantee, frames(spark, LINE, tmp_path), {})


def test_what_breaks_a_formula_and_cannot_be_reached(spark: SparkSession, tmp_path: Path) -> None:
    steps = graph([{TICK: 1}, {TICK: 1}], ["p", "q"])
    tables = replace(frames(spark, steps, tmp_path), most_bytes=0)

    assert decide(ltl(two("U", P, Q)), tables, POSITIONS) == Decision(True)


@pytest.mark.parametrize("logic", ["ltl", "ctl"])
def test_a_run_that_does_not_fit_is_not_told(spark: SparkSession, tmp_path: Path, logic: str) -> None:
    claims = {"ltl": ltl(eventually(P)), "ctl": TemporalGuarantee("c", "ctl", Quantified("A", "F", (P,)))}
    tables = replace(frames(spark, LINE, tmp_path), most_bytes=32)

    found = decide(claims[logic], tables, POSITIONS)

    assert (found.holds, found.run) == (False, None)
    assert "and 32 are allowed" in found.summary


def test_numbers_that_leave_no_room_for_an_automaton(spark: SparkSession, tmp_path: Path) -> None:
    tables = frames(spark, LINE, tmp_path)
    high = replace(tables, states=tables.states.withColumn("id", col("id") + lit(1 << 60)))

    with pytest.raises(LimitError, match="63 bits"):
        decide(ltl(leads_to(P, Q)), high, POSITIONS)
    assert list((tmp_path / "scratch").glob("*")) == []


@pytest.mark.thorough
def test_large_frontiers_and_many_pieces(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "SMALL", 0)
    monkeypatch.setattr(rounds, "MANY_PIECES", 2)
    tables = frames(spark, graph([{TICK: each + 1} for each in range(4)] + [{}], [""] * 5), tmp_path)
    last = tables.states.where(col("id") == 4 * STRIDE + FIRST).select(col("id").alias("node"))

    with Scratch(spark, tables.scratch) as scratch:
        found, _ = rounds.reach(scratch, tables.edges, last)
        distances = {number(row["node"]): row["distance"] for row in found.all.collect()}
        line = tables.edges.where(col("label") != instances(SYSTEM.actions))
        ending = {number(row["node"]) for row in rounds.ended(rounds.ends(scratch, line)).collect()}

    assert distances == {each: 4 - each for each in range(5)}
    assert ending == set(range(5))
