"""The checks on Spark and their plain-Python oracle find the same: two readings of one page of rules.

One Spark job goes over some hundred small histories: of correct brokers, with faults put into them, and soups
of events that no broker would ever make.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from angarium.history.audit import audit
from angarium.history.parameters import Parameters
from angarium.history.results import Violation
from tests.effort import is_thorough
from tests.history.every import Said, by_guarantee, in_python, rows
from tests.history.histories import HERE, events
from tests.oracles.history.audit import RULES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HISTORIES, SOUPS = (12, 300) if is_thorough() else (3, 30)
COUNTED = [name for name in RULES if name not in ("flow-control", "ownership")]
"""There, Spark counts all deliveries to who has a limit at some time, and Python those while he has one; and
all deliveries of partitions, also where nobody knows whose these are."""


LOOKS = [
    pytest.param(True, id="all but the plain"),
    pytest.param(False, id="all", marks=pytest.mark.thorough),
]


@pytest.fixture(scope="module", params=LOOKS)
def on_spark(request: pytest.FixtureRequest) -> Said:
    """By looking at all messages, and by looking at those only that are not plain."""
    from angarium.spark.session import session

    spark: SparkSession = session(HERE)
    with audit(events(spark, rows(HISTORIES, SOUPS)), Parameters(), screen=request.param) as audited:
        found = [Violation(**row.asDict()) for row in audited.violations.collect()]
        times = audited.latency.collect()
        judged = {(each.run_id, each.guarantee): each.judged for each in audited.judgements}
    return Said(
        by_guarantee(found),
        Counter(judged),
        {(run, kind, bucket): tuple(numbers) for run, kind, bucket, *numbers in times},
        {each.run_id: each for each in audited.figures},
    )


@pytest.fixture(scope="module")
def told() -> Said:
    return in_python(HISTORIES, SOUPS)


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", RULES)
def test_spark_and_python_find_the_same(guarantee: str, on_spark: Said, told: Said) -> None:
    found, expected = on_spark.findings[guarantee], told.findings[guarantee]
    assert expected, "no history breaks it, so nothing is compared"
    assert found - expected == Counter()
    assert expected - found == Counter()


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", COUNTED)
def test_spark_and_python_judge_as_much(guarantee: str, on_spark: Said, told: Said) -> None:
    of_spark, of_python = (
        {run: count for (run, name), count in said.judged.items() if name == guarantee}
        for said in (on_spark, told)
    )
    assert any(of_python.values())
    assert of_spark == of_python


@pytest.mark.slow
def test_spark_and_python_measure_the_same_times(on_spark: Said, told: Said) -> None:
    assert {kind for _, kind, _ in told.latency} == {"confirm", "deliver", "settle"}
    assert on_spark.latency == told.latency
