"""On Spark the figures are the same, to the last one, however the walks are divided."""

from __future__ import annotations

import json
import random
import re
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from angarium.checker.walks import spark_walks
from angarium.checker.walks.figures import together
from angarium.checker.walks.native_walks import simulate, walk
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Simulation
from angarium.checker.walks.sweep import SweepRequest, points, read_axis, sweep
from angarium.core.errors import UsageError
from angarium.spark.jobs import Jobs
from angarium.spark.place import Place
from angarium.systems.registry import find, load
from tests.app.cli.running import record, start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SAC = "rabbitmq-sac"
TWICE = "examples/at_least_once.py"
"""A model that walks see break."""


def same(one: Simulation) -> Simulation:
    """What must not depend on who made the walks."""
    extent = replace(one.extent, seconds=0.0, cpu_seconds=0.0)
    return replace(one, engine="", threads=0, extent=extent)


# --- without Spark --------------------------------------------------------------------------


@pytest.mark.parametrize("cores", [1, 3, 7, 400])
def test_pieces_are_all_walks_once(cores: int) -> None:
    plan, system = Plan(runs=1001), load(SAC)
    found = spark_walks.pieces(system, plan, cores)
    assert [walk for each in found for walk in range(each.first, each.first + each.count)] == list(
        range(1001)
    )


def test_a_large_simulation_has_pieces_that_are_easily_sent() -> None:
    found = spark_walks.pieces(load(SAC), Plan(runs=1_000_000), 2)
    assert max(each.count for each in found) == spark_walks.LARGEST


def test_pieces_in_any_order_make_the_same_whole() -> None:
    plan, system = Plan(runs=101), load(TWICE)
    parts = [spark_walks.made(each).walked for each in spark_walks.pieces(system, plan, 3)]
    random.Random(1).shuffle(parts)
    whole, once = together(parts), walk(system, plan, 0, 101)
    assert np.array_equal(whole.sample.steps, once.sample.steps)
    assert np.array_equal(whole.sample.ends, once.sample.ends)
    assert whole.hits == once.hits


# --- with Spark -----------------------------------------------------------------------------

pyspark = pytest.importorskip("pyspark")
HERE = Place("local[2]")


@pytest.fixture(scope="module")
def spark() -> SparkSession:
    from angarium.spark.session import session

    return session(HERE)


@pytest.mark.parametrize("subject", [SAC, TWICE])
def test_a_simulation_is_the_same(subject: str, spark: SparkSession) -> None:
    plan, system = Plan(runs=333, seed=4), load(subject)
    seen: list[int] = []
    far, figures = spark_walks.simulate(
        system, plan, HERE, subject=subject, observe=lambda walks, *_: seen.append(walks)
    )
    near, others = simulate(system, plan, subject=subject, threads=2)
    assert (far.engine, far.threads) == ("spark", 2)
    assert same(far) == same(near)
    assert np.array_equal(figures.values, others.values)
    assert np.array_equal(figures.known, others.known)
    assert seen == sorted(seen)
    assert seen[-1] == 333


def test_a_sweep_is_the_same(spark: SparkSession) -> None:
    asked = SweepRequest(SAC, {}, (read_axis("queues=1..3"), read_axis("apps=2,3")), Plan(runs=200))
    systems = points(asked, find(SAC))
    far = spark_walks.sweep(asked, systems, HERE)
    near = sweep(asked, systems, lambda system, _: simulate(system, asked.plan, subject=SAC)[0], threads=1)
    assert (far.engine, far.cut) == ("spark", None)
    assert list(far.simulations) == list(near.simulations)
    assert [same(each) for each in far.simulations.values()] == [
        same(each) for each in near.simulations.values()
    ]


def test_what_has_come_back_when_time_is_up_is_the_answer(spark: SparkSession) -> None:
    system = load(SAC, {"queues": "6", "apps": "6"})
    found, sample = spark_walks.simulate(system, Plan(runs=10_000_000), HERE, subject=SAC, timeout=3.0)
    assert found.cut == "time limit of 3 s"
    assert found.walks == len(sample.ends) < 10_000_000
    once = walk(system, found.plan, 0, min(found.walks, 500))
    assert np.array_equal(sample.steps[:500], once.sample.steps)


def test_the_session_can_be_used_again_after_a_cut(spark: SparkSession) -> None:
    found, _ = spark_walks.simulate(load(SAC), Plan(runs=10), HERE, subject=SAC)
    assert (found.walks, found.cut) == (10, None)


def test_an_error_of_ours_in_a_worker_comes_through_as_itself(spark: SparkSession) -> None:
    def refuse(number: int) -> int:
        raise UsageError("ANG013", f"not {number}", possible="another", remedy="try")

    with pytest.raises(UsageError, match="not 7") as caught:
        Jobs(spark, refuse, lambda *_: None).run([7])
    assert caught.value.possible == "another"


def test_the_command_line_on_spark(spark: SparkSession) -> None:
    words = ("simulate", SAC, "--runs", "100", "--quiet", "--sweep", "queues=2..3")
    far, near = record(*words, "--master", "local[2]"), record(*words, "--engine", "local")
    assert (far["engine"], near["engine"]) == ("spark", "local")
    assert [each["statistics"] for each in far["scenarios"]] == [
        each["statistics"] for each in near["scenarios"]
    ]


@pytest.mark.thorough
@pytest.mark.slow
def test_ctrl_c_shows_the_scenarios_that_are_done() -> None:
    words = ("--runs", "100000", "--sweep", "queues=2..9", "--sweep", "apps=2..9", "--master", "local[2]")
    with start("simulate", SAC, *words, "--json") as process:
        assert process.stderr
        assert any(re.match(r"[1-9]\d* of 64 scenarios", line) for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    answer = json.loads(output)
    assert process.returncode == 3
    assert answer["cut"] == "interrupted"
    assert 0 < len(answer["scenarios"]) < 64


@pytest.mark.thorough
@pytest.mark.slow
def test_a_real_cluster_gives_the_same_figures() -> None:
    from scripts.cluster import Cluster

    words = ("simulate", SAC, "--runs", "500", "--quiet", "--sweep", "queues=2..4", "--json")
    with Cluster(workers=2) as cluster, start(*words, "--master", cluster.master) as far:
        output, errors = far.communicate()
    assert far.returncode == 0, errors
    near = record(*words[:-1], "--engine", "local")
    assert [each["statistics"] for each in json.loads(output)["scenarios"]] == [
        each["statistics"] for each in near["scenarios"]
    ]
