"""The audit on a real cluster of two workers: the same findings, also if one of them dies in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.history.asked import Asked, Conducted
from angarium.history.auditing import conduct
from angarium.history.hosts import pieces
from angarium.history.hosts import spark as host
from angarium.spark.session import Place, session, stop
from scripts.cluster import Cluster
from tests.history.every import rows
from tests.history.hosts.test_spark import written
from tests.spark.test_cluster import wait_for_executors

pytestmark = [pytest.mark.thorough, pytest.mark.cluster]

WHEN = ("judging", "telling what was found")
"""When a worker may die: when all events are read and kept, and when all is judged."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Cluster(workers=2, cores=1, memory="1g", scratch=scratch) as running:
        try:
            yield running
        finally:
            stop()


@pytest.mark.parametrize("dies", [None, *WHEN])
def test_two_workers_find_what_the_process_finds(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: str | None
) -> None:
    monkeypatch.setattr(pieces, "ROWS", 2000)
    monkeypatch.setattr(host, "EVENTS_A_PART", 3000)
    history = written(rows(1, 60), tmp_path / "all.parquet", 700)
    place = Place(cluster.master, memory="1g", scratch=tmp_path / "scratch")
    spark = session(place)
    wait_for_executors(2, spark.sparkContext._jsc.sc())
    asked = Asked([history], engine="spark")
    found = conduct(asked, place, _killing(cluster, dies))
    assert cluster.alive() == (1 if dies else 2)
    expected = conduct(replace(asked, engine="local"), place)
    assert len(expected.told.examples) > 20
    assert timeless(found) == timeless(expected)


def timeless(found: Conducted) -> Conducted:
    return replace(found, told=replace(found.told, seconds=0))


def _killing(cluster: Cluster, when: str | None) -> Callable[[str], None]:
    """Kills one of the workers, once, when something is about to be done."""
    left = [cluster.workers[0]]

    def watch(what: str) -> None:
        if what == when and left:
            os.killpg(left.pop(), signal.SIGKILL)

    return watch
