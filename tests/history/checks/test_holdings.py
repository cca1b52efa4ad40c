"""Holdings: every settle, end and timeout at the delivery that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from angarium.history.parameters import MILLISECOND
from tests.history.checks.deeds import control, settle, take
from tests.history.histories import BEGIN, HERE, Row, facts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELIVERED_TWICE: list[Row] = [
    take("twice", 0, "m"), settle("twice", 5, "m", "requeue", delay_ms=3),
    take("twice", 10, "m"), settle("twice", 15, "m"), settle("twice", 16, "m", phase="ok"),
    take("twice", 20, "m", "d"),
]  # fmt: skip
"""The same consumer twice, then another one."""

ROWS: list[Row] = [
    *DELIVERED_TWICE,
    # tags 1 to 3 are open; 2 is settled by itself, then all up to 3 at once; 9 is not up to 3
    *(take("many", ms, f"m{tag}", delivery_tag=tag) for ms, tag in ((1, 1), (2, 2), (3, 3), (4, 9))),
    settle("many", 5, "m2", "reject"), settle("many", 6, None, delivery_tag=3, settle_multiple=True),
    take("many", 7, "late", delivery_tag=2),
    # with tag 0 everything is settled that the consumer has then, whatever its tag
    take("all", 1, "m1", delivery_tag=7), take("all", 2, "m2"), take("all", 3, "m3", "d", delivery_tag=1),
    settle("all", 4, "m1", "reject"), settle("all", 5, None, delivery_tag=0, settle_multiple=True),
    take("all", 6, "late", delivery_tag=1), settle("all", 7, None, delivery_tag=0),
    # extends start the timeout of 100 ms again; one that failed does not, nor one within the grace of 20 ms
    control("timed", 0, "declare", destination="q", ack_wait_ms=100),
    take("timed", 0, "m"), settle("timed", 50, "m", "extend"),
    settle("timed", 60, "m", "extend", phase="fail"), settle("timed", 130, "m", "extend"),
    settle("timed", 211, "m", "extend"), settle("timed", 212, "m", "extend"),
    take("timed", 0, "n"), settle("timed", 81, "n", "extend"), settle("timed", 82, "n", "extend"),
    # each subscriber has its own timeout; of those that apply, the largest counts
    control("timeouts", 0, "declare", destination="q", ack_wait_ms=10, subscription="s"),
    control("timeouts", 0, "declare", destination="q", ack_wait_ms=30, consumer_group="g", subscription="s"),
    control("timeouts", 0, "declare", destination="q", ack_wait_ms=20),
    *(take("timeouts", 0, name, subscription=name) for name in ("s", "t")),
    take("timeouts", 0, "g", consumer_group="g"),
    control("of another", 0, "x", destination="q", ack_wait_ms=10, subscription="s", system="nats"),
    take("of another", 0, "m", subscription="t"),
    # a consumer ends by its own name, a client with all of its consumers
    take("ends", 0, "m1", consumer_id="c1"), take("ends", 0, "m2", consumer_id="c2"),
    control("ends", 5, "basic.cancel", client_id="c", consumer_id="c1"),
    control("ends", 9, "kill", client_id="c", phase="invoke"),
    take("ends", 10, "m3", consumer_id="c2"),
    # a consumer that ends after each of its many deliveries
    *(take("often", 2 * number, f"m{number}") for number in range(300)),
    *(control("often", 2 * number + 1, "close", client_id="c") for number in range(300)),
    # received, then processed: one delivery; processed alone: another
    take("paired", 0, "m"), take("paired", 1, "m") | {"op_type": "process"},
    take("paired", 2, "m") | {"op_type": "process"},
]  # fmt: skip

Held = dict[tuple[str, str, int], Any]


@pytest.fixture(scope="module")
def held() -> Held:
    from angarium.spark.session import session

    spark: SparkSession = session(HERE)
    rows = facts(spark, ROWS).holdings.collect()
    return {(row["run_id"], row["message_id"], row["number"]): row for row in rows}


def after(row: Any) -> float | None:  # noqa: ANN401 (a row, a struct or a time)
    """The milliseconds of an event, or of a time."""
    at = row if isinstance(row, int) or row is None else row["at"]
    return None if at is None else (at - BEGIN) / MILLISECOND


def test_a_settle_belongs_to_the_delivery_before_it(held: Held) -> None:
    first, second, third = (held["twice", "m", number] for number in (1, 2, 3))
    assert (after(first["settled"]), first["settled"]["settle"], first["settled"]["delay_ms"]) == (
        5,
        "requeue",
        3,
    )
    assert first["acks"] == [] and after(first["returned"]) == 5
    assert [(after(ack), ack["phase"]) for ack in second["acks"]] == [(15, "invoke"), (16, "ok")]
    assert second["returned"] is None and third["settled"] is None
    assert [after(each["next_at"]) for each in (first, second, third)] == [10, 20, None]
    assert {each["deliveries"] for each in (first, second, third)} == {3} and after(
        third["acknowledged_at"]
    ) == 15
    assert after(third["began"]) == 0


def test_a_settle_of_many_settles_what_is_open(held: Held) -> None:
    settled = {name: held["many", name, 1]["settled"] for name in ("m1", "m2", "m3", "m9", "late")}
    assert {name: row and (after(row), row["settle"]) for name, row in settled.items()} == {
        "m1": (6, "ack"), "m2": (5, "reject"), "m3": (6, "ack"), "m9": None, "late": None,
    }  # fmt: skip
    assert [len(held["many", name, 1]["acks"]) for name in ("m1", "m2")] == [1, 0]
    assert held["many", "m2", 1]["ended"] and not held["many", "m1", 1]["ended"]


def test_a_settle_of_many_with_tag_0_settles_all_of_its_consumer(held: Held) -> None:
    settled = {name: held["all", name, 1]["settled"] for name in ("m1", "m2", "m3", "late")}
    assert {name: row and (after(row), row["settle"]) for name, row in settled.items()} == {
        "m1": (4, "reject"), "m2": (5, "ack"), "m3": None, "late": None,
    }  # fmt: skip


def test_an_extend_in_time_starts_the_timeout_again(held: Held) -> None:
    delivery, other = held["timed", "m", 1], held["timed", "n", 1]
    assert delivery["known"] and after(delivery["timeout_at"]) == 230
    assert [after(each) for each in delivery["extends"]] == [50, 130]
    assert after(delivery["latest_timeout_at"]) == 312
    assert other["extends"] == [] and after(other["timeout_at"]) == 100
    assert held["ends", "m1", 1]["timeout_at"] is None and held["ends", "m1", 1]["known"]
    assert not held["twice", "m", 1]["known"]


def test_the_timeout_is_that_of_the_subscriber(held: Held) -> None:
    timeouts = {name: held["timeouts", name, 1]["timeout"] for name in ("s", "t", "g")}
    assert timeouts == {"s": 20 * MILLISECOND, "t": 20 * MILLISECOND, "g": 30 * MILLISECOND}
    assert not held["of another", "m", 1]["known"]


def test_an_answer_that_a_settle_failed_is_a_refusal(held: Held) -> None:
    assert [after(each) for each in held["timed", "m", 1]["refusals"]] == [60]
    assert held["twice", "m", 2]["refusals"] == []


def test_a_consumer_ends_by_its_name_or_with_its_client(held: Held) -> None:
    assert [after(held["ends", name, 1]["closed"]) for name in ("m1", "m2", "m3")] == [5, 9, None]


def test_the_end_is_the_first_of_many_after_the_delivery(held: Held) -> None:
    assert all(after(held["often", f"m{number}", 1]["closed"]) == 2 * number + 1 for number in range(300))


def test_what_was_received_is_not_delivered_again_by_processing_it(held: Held) -> None:
    assert [after(held["paired", "m", number]["at"]) for number in (1, 2)] == [0, 2]
    assert ("paired", "m", 3) not in held
