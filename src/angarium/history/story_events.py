"""Which events belong to a violation's story, fetched from a history for all stories in one job.

What proves a violation differs by its kind, so each kind names its *circumstances*: the life of the message,
the credits, what else was in flight, the assignments, the delivery before. The two events that prove it
belong to it always. A history is large and a story is short: each circumstance brings only the last events
before the violation, and never more than `MOST` of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from angarium.history.results import Violation

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST: dict[str, int] = {
    "proof": 8,
    "message": 200,
    "credit": 3,
    "flight": 400,
    "own": 2,
    "group": 24,
    "before": 1,
}
"""How many events a circumstance brings at most: those that are nearest to the violation."""

CIRCUMSTANCES: dict[str, tuple[str, ...]] = {
    "lost": ("message",),
    "never-sent": ("message",),
    "failed-send": ("message",),
    "held": ("message",),
    "after-ack": ("message",),
    "inversion": ("message",),
    "two-values": ("message",),
    "two-offsets": ("message",),
    "nonmonotonic-poll": (),
    "skip": ("message",),
    "two-active": ("before",),
    "not-assigned": ("own",),
    "stale-generation": ("own",),
    "over-credit": ("credit", "flight"),
    "too-many": ("message",),
    "late": ("message",),
    "uneven": ("group",),
    "not-stored": ("message",),
    "gap": (),
}
"""What belongs to the story of each kind, besides the two events that prove it."""

FIELDS = (
    "run_id", "at", "recorder", "seq", "op_type", "op_name", "phase", "error_type", "message_id",
    "producer_seq", "destination", "partition_id", "offset", "producer", "consumer", "consumer_id",
    "subscriber", "broker_id", "redelivered", "delivery_count", "settle", "delay_ms", "credit", "prefetch",
    "generation", "partitions", "isr",
)  # fmt: skip
"""The columns of an event that a story tells from."""

DELIVERED = "op_type IN ('receive', 'process') AND phase = 'ok'"
# How an event (its own columns) belongs to a violation (columns with `v_`).
BELONGS: dict[str, str] = {
    "proof": "(recorder = v_first_recorder AND at = v_first_time AND seq <=> v_first_seq) OR "
    "(recorder = v_last_recorder AND at = v_last_time AND seq <=> v_last_seq)",
    "message": "message_id = v_message_id AND destination <=> v_destination AND "
    f"(NOT ({DELIVERED}) OR v_subscriber IS NULL OR subscriber = v_subscriber)",
    "credit": "at <= v_last_time AND (credit IS NOT NULL OR prefetch IS NOT NULL) AND "
    "if(v_consumer_id IS NULL, destination = v_destination AND op_type = 'control', "
    "consumer = v_consumer_id)",
    "flight": "at <= v_last_time AND (op_type = 'settle' OR "
    f"({DELIVERED})) AND if(v_consumer_id IS NULL, destination = v_destination, consumer = v_consumer_id)",
    "before": f"at < v_first_time AND {DELIVERED} AND consumer = v_consumer_id "
    "AND destination = v_destination AND partition_id <=> v_partition_id",
    "own": "at <= v_last_time AND op_type = 'group' AND consumer = v_consumer_id",
    "group": "op_type = 'group' AND consumer_group = v_subscriber "
    "AND at BETWEEN v_first_time AND v_last_time",
}


@dataclass(frozen=True, slots=True)
class Found:
    """An event that belongs to a story."""

    circumstance: str
    event: Mapping[str, Any]


def candidates(violations: DataFrame, most: int) -> DataFrame:
    """Of each guarantee so many violations as are proved within the shortest time."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    span = f.abs(f.coalesce(f.col("last_time") - f.col("first_time"), f.lit(0)))
    first = (
        "found_at",
        "run_id",
        "last_recorder",
        "last_seq",
        "message_id",
        "kind",
        "subscriber",
        "consumer_id",
    )
    nearest = Window.partitionBy("guarantee").orderBy(span, *first)
    return violations.withColumn("place", f.row_number().over(nearest)).where(f.col("place") <= most)


def evidence(events: DataFrame, chosen: Mapping[int, Violation]) -> DataFrame:
    """The events that belong to the chosen violations: story (its number), circumstance, FIELDS."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    told = f.broadcast(_as_table(events, chosen))
    few = events.where(_possible(list(chosen.values())))
    joined = few.join(told, few.run_id == told.v_run_id, "inner")
    nearest = Window.partitionBy("story", "circumstance").orderBy(
        f.desc("at"), f.desc("recorder"), f.desc("seq")
    )
    limits = " ".join(f"WHEN '{name}' THEN {most}" for name, most in MOST.items())
    return (
        joined.withColumn("circumstance", _circumstance())
        .where("circumstance IS NOT NULL")
        .withColumn("nearness", f.row_number().over(nearest))
        .where(f.col("nearness") <= max(MOST.values()))
        .where(f"nearness <= CASE circumstance {limits} END")
        .select("story", "circumstance", *FIELDS)
    )


def _as_table(events: DataFrame, chosen: Mapping[int, Violation]) -> DataFrame:
    """The chosen violations as rows, with the circumstances that their kinds ask for."""
    names = {
        "run_id": "string", "destination": "string", "partition_id": "string", "subscriber": "string",
        "message_id": "string", "consumer_id": "string", "first_recorder": "string", "first_seq": "bigint",
        "first_time": "bigint", "last_recorder": "string", "last_seq": "bigint", "last_time": "bigint",
    }  # fmt: skip
    rows = [
        (number, list(CIRCUMSTANCES[each.kind]), *(getattr(each, name) for name in names))
        for number, each in chosen.items()
    ]
    columns = ", ".join(f"v_{name} {type_}" for name, type_ in names.items())
    return events.sparkSession.createDataFrame(rows, f"story int, wanted array<string>, {columns}")


def _circumstance() -> Column:
    """Why an event belongs to a story; the first reason counts, and null is none."""
    from pyspark.sql import functions as f

    said = f.when(f.expr(BELONGS["proof"]), f.lit("proof"))
    for name, condition in BELONGS.items():
        if name != "proof":
            wanted = f.array_contains("wanted", name) & f.expr(condition)
            said = said.when(wanted, f.lit(name))
    return said


def _possible(chosen: Sequence[Violation]) -> Column:
    """What may belong to any of the stories: cheap enough to be asked of every event."""
    from pyspark.sql import functions as f

    def among(column: str, values: Iterable[str | None]) -> Column:
        return f.col(column).isin(*{value for value in values if value is not None})

    proofs = {(v.first_recorder, v.first_time) for v in chosen} | {
        (v.last_recorder, v.last_time) for v in chosen
    }
    whole = [v for v in chosen if "flight" in CIRCUMSTANCES[v.kind] and v.consumer_id is None]
    by_consumer = {"credit", "flight", "own", "before"}
    parts = [
        among("recorder", (recorder for recorder, _ in proofs))
        & f.col("at").isin(*{time for _, time in proofs}),
        among("message_id", (v.message_id for v in chosen if "message" in CIRCUMSTANCES[v.kind])),
        among("consumer", (v.consumer_id for v in chosen if by_consumer & set(CIRCUMSTANCES[v.kind]))),
        among("destination", (v.destination for v in whole)),
        among("consumer_group", (v.subscriber for v in chosen if "group" in CIRCUMSTANCES[v.kind])),
    ]
    return among("run_id", (v.run_id for v in chosen)) & reduce(or_, parts)
