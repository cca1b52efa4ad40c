"""The engine on Spark: the same answers as the local one, on one machine."""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.checker.explore.engine import Progress
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.spark import search
from angarium.checker.explore.spark.engine import SparkEngine
from angarium.checker.explore.spark.search import Choices, Search, keys
from angarium.checker.explore.spark.stored import Stored
from angarium.checker.logic.check import check
from angarium.core.control import Limits
from angarium.core.result import Verdict
from angarium.spark.session import Place, session
from angarium.systems.registry import Scenario, System, load
from tests.checker.explore.spark.here import HereEngine
from tests.checker.explore.spark.jobs import job_of
from tests.checker.explore.spark.scenarios import assert_as_local, facts
from tests.checker.explore.test_engines_agree import assert_agrees, summary
from tests.scenarios import largest
from tests.zoo import symmetric

pytestmark = pytest.mark.spark

HERE = Place("local[2]")


def always(place: Place, **options: object) -> SparkEngine:
    """Every round is a job, however few states it has."""
    return SparkEngine(place, _worth_a_job=0, **options)  # type: ignore[arg-type]


@pytest.mark.sample(8)
@pytest.mark.parametrize(("system", "scenario"), largest(20_000, 2))
def test_it_agrees_with_the_local_engine_round_by_round(system: System, scenario: Scenario) -> None:
    assert_as_local(HereEngine(), system, scenario)


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("system", "scenario"), largest(1_000, 1))
def test_it_agrees_with_the_local_engine_on_spark(system: System, scenario: Scenario) -> None:
    assert_as_local(always(HERE), system, scenario)


@pytest.mark.slow
def test_a_graph_that_does_not_fit_is_judged_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Stored, "fits", False)
    checkpoint = tmp_path / "kept"
    system = load("rabbitmq-sac", {"queues": "2", "apps": "2"})

    found = facts(check(system, engine=SparkEngine(HERE, checkpoint), subject="rabbitmq-sac"))

    expected = facts(check(system, engine=NativeEngine(), subject="rabbitmq-sac"))
    assert found["verdicts"] == expected["verdicts"]
    assert found["stories"] == expected["stories"]
    assert list(tmp_path.glob("angarium-search-*")) == []
    assert not (checkpoint / "judging").exists()


@pytest.mark.thorough
@pytest.mark.slow
def test_a_story_that_does_not_fit_is_not_told_and_it_says_so() -> None:
    system = load("rabbitmq-sac", {"queues": "2", "apps": "2"})

    report = check(system, engine=SparkEngine(HERE, _room=1), subject="rabbitmq-sac")

    verdict = next(each for each in report.verdicts if each.guarantee == "eventually-all-subscribed")
    assert (verdict.verdict, verdict.story) == (Verdict.VIOLATED, None)
    assert verdict.untold is not None and verdict.untold.startswith("no run is told: ")


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("owners", [1, 2, 7, 64])
def test_spark_sends_each_key_to_its_owner(owners: int) -> None:
    listed = ", ".join(f"({key})" for key in keys(owners))

    rows = session(HERE).sql(f"SELECT pmod(hash(key), {owners}) AS place FROM VALUES {listed} AS t(key)")

    assert [row.place for row in rows.collect()] == list(range(owners))


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("owners", [1, 3])
def test_machines_that_are_far_away_find_the_same_and_are_tidied_up(
    owners: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a cluster of several machines: letters are joined with anchors, and tables lie elsewhere."""
    monkeypatch.setattr(search, "FEW", 0)
    system = load("rabbitmq-sac", {"queues": "2", "apps": "2"})
    far = replace(job_of(system, tmp_path, owners), near=False)

    found = Search(session(HERE), far, Watch(Limits(), None), Choices(HERE, worth_a_job=0)).made()

    assert summary(found) == summary(HereEngine().search(system))
    assert far.scratch.parent == Path(tempfile.gettempdir())
    assert not far.scratch.exists()


@pytest.mark.slow
def test_symmetry_is_the_same_on_spark() -> None:
    assert_agrees(always(HERE), symmetric(), 1, symmetry=True)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_job_that_takes_too_long_is_cancelled() -> None:
    system = load("rabbitmq-sac", {"queues": "4"})

    cut = always(HERE).search(system, limits=Limits(timeout=3)).coverage

    assert (cut.cut, cut.complete) == ("time limit of 3 s", False)
    assert cut.states > cut.frontier > 0


@pytest.mark.slow
def test_a_search_that_is_interrupted_says_how_far_it_came() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.depth == 3:
            os.kill(os.getpid(), signal.SIGINT)

    system = load("rabbitmq-sac", {"queues": "2", "apps": "3"})
    cut = always(HERE).search(system, observe=interrupt).coverage

    assert (cut.cut, cut.complete) == ("interrupted", False)
    assert cut.states > cut.frontier > 0


@pytest.mark.slow
def test_a_search_goes_on_with_what_spark_has_left(tmp_path: Path) -> None:
    system = load("rabbitmq-sac", {"queues": "2", "apps": "3"})
    always(HERE, checkpoint=tmp_path, _owners=3).search(system, limits=Limits(max_states=500))

    found = HereEngine(checkpoint=tmp_path).search(system)

    assert summary(found) == summary(HereEngine().search(system))
