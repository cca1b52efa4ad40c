"""What is in a history: counts of each kind of event, by which it is decided what can be checked.

One pass over the events; one small row a run.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from angarium.history import schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row


@dataclass(frozen=True, slots=True)
class Profile:
    """The counts of one run."""

    run_id: str
    systems: tuple[str, ...]
    events: int
    begin: int
    end: int
    """The time of the last event."""
    recorders: int
    clock_domains: int
    numbered: int
    """Events with a seq."""
    sends: int
    """Send events of a message, in any phase."""
    confirmed: int
    """Sends that are ok."""
    receives: int
    """Deliveries by `receive`: ok, with a message."""
    processes: int
    """Deliveries by `process`: ok, with a message."""
    settles: int
    acks: int
    requeues: int
    sequenced: int
    """Sends or deliveries with a producer_seq."""
    placed: int
    """Sends or deliveries with an offset."""
    subscriptions: int
    closings: int
    credits: int
    """Events with a credit or a prefetch above 0."""
    retry_limits: int
    """Events with max_deliveries."""
    timeouts: int
    """Events with ack_wait_ms."""
    single_actives: int
    """Events with single_active."""
    grouped: int
    """Deliveries with a consumer_group and a partition_id."""
    assignments: int
    """Assignments with partitions and a generation."""
    stores: int
    """Stores of replicas."""
    isrs: int
    """Events with isr."""
    attached: bool
    """Whether a recorder says that it attached to a running system."""
    multiples: int = 0
    """Settles with settle_multiple."""
    shares: int = 0
    """Assignments with partitions."""
    nameless: int = 0
    """Events of messages without an id, which nobody can follow."""

    @property
    def deliveries(self) -> int:
        return self.receives + self.processes

    @property
    def timerless(self) -> bool:
        """Whether its systems, all of which are named, never take a message back for its age."""
        return bool(self.systems) and set(self.systems) <= set(schema.TIMERLESS)

    @property
    def unsettled(self) -> str | None:
        """Why nobody can know what consumers gave back, as in what a broker traces; Kafka's never do."""
        silent = not self.settles and self.systems != ("kafka",)
        return "no event says what consumers settle" if silent else None


FIELDS = tuple(field.name for field in fields(Profile))

_SEND = "op_type = 'send' AND message_id IS NOT NULL"
_DELIVERY = "op_type IN ('receive', 'process') AND phase = 'ok' AND message_id IS NOT NULL"
_SETTLE = "op_type = 'settle' AND phase <> 'fail' AND settle IS NOT NULL"


def _control(names: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return f"op_type = 'control' AND phase <> 'fail' AND op_name IN ({listed})"


COUNTED: dict[str, str] = {
    "numbered": "seq IS NOT NULL",
    "sends": _SEND,
    "confirmed": f"{_SEND} AND phase = 'ok'",
    "receives": f"{_DELIVERY} AND op_type = 'receive'",
    "processes": f"{_DELIVERY} AND op_type = 'process'",
    "settles": _SETTLE,
    "acks": f"{_SETTLE} AND settle = 'ack'",
    "requeues": f"{_SETTLE} AND settle = 'requeue'",
    "sequenced": f"producer_seq IS NOT NULL AND ({_SEND} OR {_DELIVERY})",
    "placed": f"offset IS NOT NULL AND ({_SEND} OR {_DELIVERY})",
    "subscriptions": f"{_control(schema.SUBSCRIBES)} AND destination IS NOT NULL",
    "closings": f"{_control(schema.ENDS)} AND (consumer_id IS NOT NULL OR client_id IS NOT NULL)",
    "credits": "credit IS NOT NULL OR prefetch > 0",
    "retry_limits": "op_type = 'control' AND destination IS NOT NULL AND max_deliveries IS NOT NULL",
    "timeouts": "op_type = 'control' AND destination IS NOT NULL AND ack_wait_ms IS NOT NULL",
    "single_actives": "op_type = 'control' AND destination IS NOT NULL AND single_active",
    "grouped": f"{_DELIVERY} AND consumer_group IS NOT NULL AND partition_id IS NOT NULL",
    "assignments": f"op_type = 'group' AND phase <> 'fail' AND op_name IN {schema.ASSIGNS}"
    " AND partitions IS NOT NULL AND generation IS NOT NULL",
    "shares": f"op_type = 'group' AND phase <> 'fail' AND op_name IN {schema.ASSIGNS}"
    " AND partitions IS NOT NULL",
    "stores": f"op_type = 'replica' AND phase <> 'fail' AND op_name IN {schema.STORES}",
    "isrs": "isr IS NOT NULL",
    "multiples": f"{_SETTLE} AND settle_multiple",
    "nameless": "message_id IS NULL"
    " AND (nameless OR destination IS NOT NULL AND op_type IN ('send', 'process') AND phase = 'ok')",
}
"""The counts of a profile, each with the condition on the events that it counts."""


_KINDS = ("run_id", "recorder", "clock_domain", "system", "op_type", "op_name", "phase", "settle")
_BITS = {
    name: f"{name} IS NOT NULL"
    for name in """seq message_id producer_seq offset destination partition_id consumer_group client_id
        consumer_id credit max_deliveries ack_wait_ms partitions generation isr""".split()
} | {
    "settle_multiple": "settle_multiple",
    "single_active": "single_active",
    "prefetch": "prefetch > 0",
    "nameless": f"error_type = '{schema.NAMELESS}'",
}
"""Columns of which only one thing matters, and what it is: all of them are one number."""


def _shapes(events: DataFrame) -> DataFrame:
    """How many events have the same shape, `count`, and the first and last time: a few rows a recorder.

    All conditions on events are then asked of these few. The columns are those of the events, but where only
    one thing matters, they are true or null (prefetch: 1 or null).
    """
    from pyspark.sql import functions as f

    bits = " + ".join(f"if({words}, {1 << place}, 0)" for place, words in enumerate(_BITS.values()))
    shapes = events.groupBy(*_KINDS, f.expr(bits).alias("bits")).agg(
        f.count("*").alias("count"), f.min("at").alias("begin"), f.max("at").alias("end")
    )
    told = [f.expr(f"if(bits & {1 << place} <> 0, TRUE, NULL)") for place in range(len(_BITS))]
    named = [column.alias(name) for name, column in zip(_BITS, told, strict=True)]
    return shapes.select("*", *named).withColumn("prefetch", f.col("prefetch").cast("int"))


def profiled(events: DataFrame) -> DataFrame:
    """One row a run: the fields of `Profile`, from normalised events in one pass."""
    from pyspark.sql import functions as f

    def counted(words: str) -> Column:
        return f.sum(f.when(f.expr(words), f.col("count")).otherwise(0))

    attached = f.expr(_control((schema.RECORDING_BEGINS,)))
    return _shapes(events).groupBy("run_id").agg(
        f.sort_array(f.collect_set("system")).alias("systems"),
        f.sum("count").alias("events"),
        f.min("begin").alias("begin"),
        f.max("end").alias("end"),
        f.size(f.collect_set("recorder")).alias("recorders"),
        f.size(f.collect_set(f.coalesce("clock_domain", f.lit("")))).alias("clock_domains"),
        f.coalesce(f.bool_or(attached), f.lit(False)).alias("attached"),
        *(counted(words).alias(name) for name, words in COUNTED.items()),
    )  # fmt: skip


def profiles(events: DataFrame) -> dict[str, Profile]:
    """The profile of every run, in the order of their names. Normalised events; one Spark job."""
    return {row["run_id"]: _profile(row) for row in profiled(events).orderBy("run_id").collect()}


def _profile(row: Row) -> Profile:
    values: dict[str, Any] = row.asDict()
    return Profile(**{**values, "systems": tuple(values["systems"])})
