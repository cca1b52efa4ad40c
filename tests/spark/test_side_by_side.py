"""Several pieces of work at a time: all of it is done, and what goes wrong in one stops the others."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from angarium.spark.session import side_by_side

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LIMIT = 600.0
"""Seconds in which everything here ends, or something waits for ever."""


def test_no_more_than_so_many_are_under_way() -> None:
    lock, under_way, most, done = threading.Lock(), 0, 0, list[int]()

    def work(number: int) -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.02)
        with lock:
            under_way -= 1
            done.append(number)

    with side_by_side(2) as start:
        for number in range(9):
            start(work, number)
    assert sorted(done) == list(range(9))
    assert most == 2


def test_two_queries_are_under_way_at_once(spark: SparkSession) -> None:
    meeting, counts = threading.Barrier(2, timeout=LIMIT), list[int]()

    def count(rows: int) -> None:
        meeting.wait()  # nobody comes here alone
        counts.append(spark.range(rows).count())

    with side_by_side(2) as start:
        start(count, 10)
        start(count, 20)
    assert sorted(counts) == [10, 20]


def test_an_error_in_one_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"), side_by_side(2) as start:
        start(fail)


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ValueError])
def test_what_goes_wrong_here_cancels_the_others(spark: SparkSession, problem: type[BaseException]) -> None:
    assert len(cancelled(spark, problem, queries=1)) == 1


def test_what_begins_after_the_others_were_cancelled_is_cancelled_too(spark: SparkSession) -> None:
    assert len(cancelled(spark, KeyboardInterrupt, queries=2)) == 2


def cancelled(spark: SparkSession, problem: type[BaseException], queries: int) -> list[str]:
    """What ends long queries, one after the other, of work that is stopped during the first one."""
    ended = list[str]()

    def stubborn() -> None:
        for _ in range(queries):
            try:
                spark.range(10**15).selectExpr("max(hash(id))").collect()
            except Exception as error:
                ended.append(str(error))

    def interrupted() -> None:
        with side_by_side(1) as start:
            start(stubborn)
            _wait_for_a_job(spark)
            raise problem

    with pytest.raises(problem):
        interrupted()
    assert all("cancel" in each.lower() for each in ended)
    return ended


def _wait_for_a_job(spark: SparkSession) -> None:
    deadline = time.monotonic() + LIMIT
    while not spark.sparkContext.statusTracker().getActiveJobsIds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
