"""bounded-retries: by our count and by the broker's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks import bounded_retries
from angarium.history.parameters import Parameters
from tests.history.checks.deeds import control, take
from tests.history.histories import Row, counts, facts, found, profile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def declared(run: str, limit: int, **fields: object) -> Row:
    return control(run, 0, "declare", destination="q", max_deliveries=limit, **fields)


ROWS: list[Row] = [
    declared("ours", 2), *(take("ours", ms, "m") for ms in (1, 2, 3, 4)),
    # the broker counts deliveries that nobody recorded
    declared("brokers", 2), take("brokers", 1, "m", delivery_count=1),
    take("brokers", 2, "m", delivery_count=3),
    # of two limits the larger one counts
    declared("raised", 1), declared("raised", 3), *(take("raised", ms, "m") for ms in (1, 2, 3)),
    # each subscriber has its own deliveries
    declared("readers", 1), *(take("readers", ms, "m", subscription=f"s{ms}") for ms in (1, 2)),
    # a limit of one subscriber is not that of another
    declared("its own", 1, subscription="s"), declared("its own", 3, consumer_group="g"),
    *(take("its own", ms, "m", subscription=name) for ms in (1, 2) for name in ("s", "t")),
    *(take("its own", 3 + ms, "m", consumer_group="g") for ms in (1, 2, 3, 4)),
    # of its own limit and that of all the larger one counts
    declared("both", 1, subscription="s"), declared("both", 2),
    *(take("both", ms, "m", subscription="s") for ms in (1, 2, 3)),
    declared("elsewhere", 1), *(take("elsewhere", ms, "m", destination="r") for ms in (1, 2)),
]  # fmt: skip


def test_the_first_delivery_beyond_the_limit_is_one_too_many(spark: SparkSession) -> None:
    known = facts(spark, ROWS)
    columns = ("run_id", "first_seq", "last_seq", "measure", "bound")
    assert found(bounded_retries.CHECK.violations(known), *columns) == {
        ("ours", 1, 3, 3, 2),
        ("brokers", 1, 2, 3, 2),
        ("its own", 1, 3, 2, 1),
        ("its own", 5, 8, 4, 3),
        ("both", 1, 3, 3, 2),
    }
    judged = counts(bounded_retries.CHECK.judged(known))
    assert judged["ours"] == (4, 0) and judged["elsewhere"] == (0, 2) and judged["its own"] == (6, 2)


def test_a_parameter_is_a_limit_for_all(spark: SparkSession) -> None:
    known = facts(spark, ROWS, Parameters(retry_limit=1))
    too_many = found(bounded_retries.CHECK.violations(known), "run_id", "subscriber")
    assert {run for run, _ in too_many} == {"ours", "brokers", "raised", "elsewhere", "its own", "both"}
    assert {name for run, name in too_many if run == "its own"} == {"s", "t", "g"}


def test_what_it_lacks() -> None:
    lacks = bounded_retries.CHECK.lacks
    assert lacks(profile(), Parameters(retry_limit=1)) == "there are no deliveries"
    assert "--retry-limit" in (lacks(profile(receives=1), Parameters()) or "")
    assert lacks(profile(receives=1), Parameters(retry_limit=1)) is None
    assert lacks(profile(receives=1, retry_limits=1), Parameters()) is None
