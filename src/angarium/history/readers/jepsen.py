"""Jepsen's histories: operation maps as JSON, one a line.

    {"type": "ok", "f": "send", "value": [["send", 5, [272, 140]]], "process": 3, "time": 136203, "index": 7}

Keywords may keep their colon. Two workloads are known:

- that of logs (Kafka): `send`, `poll` and `txn` hold micro-operations: ["send", key, value], when it is ok
  ["send", key, [offset, value]], and ["poll", {key: [[offset, value], …]}]. A key is a partition, a message
  is KEY:VALUE, all of them in the destination `log`.
- that of queues: `enqueue`, `dequeue` and `drain`; a message is its value, in the destination `queue`.

`assign` is a group event, `subscribe` and `crash` (a kill) are control; what the nemesis does, and everything
else, is `observe`. An operation with several messages gives several events with its number. They are set one
nanosecond apart, up to the operation's time, so that the order within a poll is kept.

`index` is global and without a gap: one recorder, `jepsen`, whose seq is index + 1. Times are nanoseconds
since the test began; to them one second is added, because the schema's times are above 0.

A process that assigns, subscribes or is rebalanced may go back in the log. So its deliveries get a
generation that counts these, and polls are compared within one.

What cannot be known from here: which system it was, and so whether it takes messages back after a time (say
--message-timeout); acknowledgements; groups: any process may read any key, again and again, and a
message counts as delivered when one has polled it; in which order values were to come (no producer_seq).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from angarium.history.readers.foreign import Fault, blamed, records, shaped
from angarium.history.readers.json_lines import objects
from angarium.history.readers.reader import Reader
from angarium.history.schema import PHASES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NO_OPERATION = "the line is no operation of Jepsen: it needs type, f and process"
NO_VALUE = "the value of an operation does not have the shape that its f has"

_RECORD = """type string, f string, value string, process string, time bigint, index bigint, error string,
    `rebalance-log` string"""
_LOG = ("send", "poll", "txn")
_QUEUE = ("enqueue", "dequeue", "drain")
_PLACED = ("assign", "subscribe")
_BEGIN = 1_000_000_000
_DEED = "struct<op: string, key: string, offset: string, message: string, whole: boolean>"
"""What an operation did with one message. Not whole: the value does not have the shape."""


def _recognises(lines: Sequence[str]) -> bool:
    def ours(record: dict[str, object]) -> bool:
        kind = str(record.get("type", "")).lstrip(":")
        return kind in PHASES and "f" in record and "process" in record

    return any(map(ours, objects(lines)))


def _parse(lines: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    read = records(lines, _RECORD, ("type", "f")).select("file", "line", "raw", "unread", "r.*")
    plain = {name: f.regexp_replace(name, "^:", "") for name in ("type", "f", "process")}
    renamed = {"rebalance-log": "rebalances", "value": "held"}
    operations = read.withColumns(plain).withColumnsRenamed(renamed)
    done = _with_generation(operations).withColumn("deeds", _deeds())
    every = done.select("*", f.size("deeds").alias("count"), f.posexplode("deeds").alias("place", "deed"))
    return shaped(blamed(every, _faults()), _columns())


def _with_generation(operations: DataFrame) -> DataFrame:
    """How often the process had its partitions placed anew, this operation included."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    placed = f.col("f").isin(*_PLACED) | (f.length("rebalances") > 2)
    before = (
        Window.partitionBy("file", "process")
        .orderBy("time", "index")
        .rowsBetween(Window.unboundedPreceding, 0)
    )
    return operations.withColumn("generation", f.sum(f.when(placed, 1).otherwise(0)).over(before))


def _faults() -> list[Fault]:
    from pyspark.sql import functions as f

    known = f.col("type").isin(*PHASES) & f.col("f").isNotNull() & f.col("process").isNotNull()
    return [
        Fault(~f.coalesce(known, f.lit(False)), NO_OPERATION, "type", f.col("type")),
        Fault(~f.col("deed.whole"), NO_VALUE, "value", f.col("held")),
    ]


# --- values ---------------------------------------------------------------------------------------


def _deeds() -> Column:
    """What an operation did, message by message; never empty, so that no operation vanishes."""
    from pyspark.sql import functions as f

    kind = f.col("f")
    found = (
        f.when(kind.isin(*_LOG), _of_log())
        .when(kind.isin("enqueue", "dequeue"), f.array(_of_queue(kind, f.col("held"))))
        .when(
            kind == "drain",
            f.transform(f.from_json("held", "array<string>"), lambda one: _of_queue(kind, one)),
        )
    )
    bad = kind.isin(*_LOG) & f.from_json("held", "array<array<string>>").isNull()
    nothing = f.array(_deed(kind, whole=~bad))
    return f.when(f.size(f.coalesce(found, f.array().cast(f"array<{_DEED}>"))) > 0, found).otherwise(nothing)


def _deed(op: Column, **known: Column) -> Column:
    from pyspark.sql import functions as f

    none = f.lit(None).cast("string")
    parts = {"op": op, "key": none, "offset": none, "message": none, "whole": f.lit(True)} | known
    return f.struct(*(part.alias(name) for name, part in parts.items())).cast(_DEED)


def _of_queue(kind: Column, value: Column) -> Column:
    """Only a dequeue that is not ok, or not over, has no message."""
    from pyspark.sql import functions as f

    unknown = (kind == "dequeue") & (f.col("type") != "ok")
    return _deed(kind, message=value, whole=value.isNotNull() | unknown)


def _of_log() -> Column:
    from pyspark.sql import functions as f

    parts = f.from_json("held", "array<array<string>>")
    return f.flatten(
        f.transform(parts, lambda part: f.when(_name(part) == "poll", _polled(part)).otherwise(_sent(part)))
    )


def _name(part: Column) -> Column:
    from pyspark.sql import functions as f

    return f.regexp_replace(f.get(part, f.lit(0)), "^:", "")


def _sent(part: Column) -> Column:
    """["send", key, value], or ["send", key, [offset, value]] with an offset that may be null."""
    from pyspark.sql import functions as f

    key, third = f.get(part, f.lit(1)), f.get(part, f.lit(2))
    pair = f.from_json(third, "array<string>")
    placed = third.startswith("[") & (f.size(pair) == 2)
    message = f.when(placed, f.get(pair, f.lit(1))).otherwise(third)
    whole = (_name(part) == "send") & key.isNotNull() & message.isNotNull()
    offset = f.when(placed, f.get(pair, f.lit(0)))
    return f.array(
        _deed(_name(part), key=key, offset=offset, message=message, whole=f.coalesce(whole, f.lit(False)))
    )


def _polled(part: Column) -> Column:
    """["poll"], or ["poll", {key: [[offset, value], …]}]: as many deeds as messages, one if there is none."""
    from pyspark.sql import functions as f

    given = f.get(part, f.lit(1))
    found = f.from_json(given, "map<string, array<array<string>>>")
    pairs = f.flatten(f.transform(f.map_entries(found), lambda one: _of_key(one["key"], one["value"])))
    nothing = f.array(_deed(f.lit("poll"), whole=given.isNull() | found.isNotNull()))
    return f.when(f.size(f.coalesce(pairs, f.array().cast(f"array<{_DEED}>"))) > 0, pairs).otherwise(nothing)


def _of_key(key: Column, pairs: Column) -> Column:
    from pyspark.sql import functions as f

    misshapen = f.array(_deed(f.lit("poll"), key=key, whole=f.lit(False)))
    return f.coalesce(f.transform(pairs, lambda pair: _one(key, pair)), misshapen)


def _one(key: Column, pair: Column) -> Column:
    from pyspark.sql import functions as f

    offset, message = f.get(pair, f.lit(0)), f.get(pair, f.lit(1))
    return _deed(f.lit("poll"), key=key, offset=offset, message=message, whole=message.isNotNull())


# --- columns --------------------------------------------------------------------------------------


def _columns() -> dict[str, Column]:
    from pyspark.sql import functions as f

    op, key, message = f.col("deed.op"), f.col("deed.key"), f.col("deed.message")
    receive = op.isin("poll", "dequeue", "drain")
    in_log, in_queue = f.col("f").isin(*_LOG, *_PLACED), f.col("f").isin(*_QUEUE)
    apart = f.col("count") - 1 - f.col("place")
    return {
        "recorder": f.lit("jepsen"),
        "system": f.lit("jepsen"),
        "seq": f.try_add("index", f.lit(1)),
        "time_unix_nano": f.try_subtract(f.try_add("time", f.lit(_BEGIN)), apart),
        "op_type": _op_type(op, receive),
        "op_name": f.when(op == "crash", "kill").otherwise(op),
        "phase": f.col("type"),
        "error_type": f.regexp_replace("error", "^:", ""),
        "message_id": f.when(in_log, f.concat(key, f.lit(":"), message)).otherwise(message),
        "destination": f.when(in_log, "log").when(in_queue, "queue"),
        "partition_id": key,
        "offset": f.col("deed.offset").try_cast("bigint"),
        "client_id": f.regexp_replace("process", r"^(\d+)$", "process $1"),
        "generation": f.when(receive, f.col("generation")),
        "partitions": f.when(f.col("f").isin(*_PLACED), f.from_json("held", "array<string>")),
    }  # fmt: skip


def _op_type(op: Column, receive: Column) -> Column:
    from pyspark.sql import functions as f

    return (
        f.when(receive, "receive")
        .when(op.isin("send", "enqueue"), "send")
        .when(op == "assign", "group")
        .when(op.isin("subscribe", "crash"), "control")
        .otherwise("observe")
    )


READER = Reader("jepsen", _recognises, _parse)
