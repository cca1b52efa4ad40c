"""What is sorted out before a closer look: nothing that a check would have found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from angarium.history.audit import audit
from angarium.history.parameters import Parameters
from tests.history.histories import Row, events, numbered, row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def life(run: str, name: str, ms: float, number: int, **clock: object) -> list[Row]:
    """A message that is sent, confirmed, delivered and acknowledged."""
    common = {"destination": "q", "message_id": name, "system": "rabbitmq"} | clock
    sent = common | {"client_id": "p", "producer_seq": number}
    got = common | {"client_id": "c", "consumer_id": "c"}
    return [
        row(run, ms, "send", **sent, phase="invoke"),
        row(run, ms + 1, "send", **sent),
        row(run, ms + 2, "receive", **got),
        row(run, ms + 3, "settle", **got, settle="ack"),
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("others", [{}, {"clock_domain": "other"}], ids=["one clock", "several clocks"])
def test_a_plain_message_behind_one_that_is_not_plain_is_out_of_order(
    spark: SparkSession, others: Row
) -> None:
    """The first message of a destination is always looked at; the one that comes too late is plain."""
    lives = [life("r", "first", 0, 9), life("r", "late", 10, 3), life("r", "next", 20, 10)]
    lives += [life("other", "m1", 0, 1), life("other", "m2", 10, 2, **others)]
    rows = numbered(each for rows in lives for each in rows)
    with audit(events(spark, rows), Parameters(), only=["order"], screen=True) as found:
        assert found.closer.facts.rest is not None
        told = found.violations.select("run_id", "kind", "message_id").collect()
    assert [tuple(each) for each in told] == [("r", "inversion", "late")]
