"""Plain messages: sent once, confirmed, delivered once, settled once.

No guarantee by message can be broken there, and nearly all messages of a system that works are plain. One
aggregation with nothing but numbers in it, which Spark does fast, tells which ones; the checks, which ask for
much more, look at the rest. What is not plain need not be wrong: it is only looked at closely.

Names are told apart by their hashes of 64 bits, those of messages, too: numbers are grouped, kept and looked
up faster. Two messages with one hash have more events than a plain one, and so both are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.facts import DESTINATION, Facts, Plain, hash_of_message
from angarium.history.checks.one_active_consumer import with_one_active
from angarium.history.checks.sequences import UNMARKED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COUNTS = {
    "invoked": "op_type = 'send' AND phase = 'invoke'",
    "confirmed": "op_type = 'send' AND phase = 'ok'",
    "received": "op_type = 'receive'",
    "processed": "op_type = 'process'",
    "acks": "op_type = 'settle' AND settle <=> 'ack' AND phase IN ('invoke', 'ok')",
}
"""What the events of a plain message are: each is one of these. Deliveries that are not ok are left out."""
_BITS = 12
"""All counts are one number, with so many bits for each; a message with more events is not plain."""
_DELIVERY = "op_type IN ('receive', 'process')"
_FLAGS = {
    "again": f"attempt > 1 OR {_DELIVERY} AND NOT ({UNMARKED})",
    "grouped": f"{_DELIVERY} AND consumer_group IS NOT NULL AND partition_id IS NOT NULL",
    "unordered": f"{_DELIVERY} AND system IN ({', '.join(map(repr, schema.UNORDERED))})",
}
"""What may be true of some event of a message: sent or delivered again, to a group, without an order."""
_SAME = ("consumer", "producer", "clock", "number")
"""What must be the same in all events of the message that have it; clocks, where there are several."""

_PLAIN = f"""
    events < {1 << _BITS} AND events = invoked + confirmed + received + processed + acks
    AND invoked <= 1 AND confirmed = 1 AND NOT again AND sent_at <= delivered_at
    AND (received + processed = 1 OR received = 1 AND processed = 1 AND processed_at > delivered_at)
    AND consumer_low = consumer_high AND producer_low = producer_high AND number_low <=> number_high
"""

_MOMENTS = {
    "sent_at": "op_type = 'send'",
    "confirmed_at": _COUNTS["confirmed"],
    "delivered_at": _DELIVERY,
    "acked_at": _COUNTS["acks"],
}


def name(column: str) -> Column:
    """A name, to be told apart from others."""
    from pyspark.sql import functions as f

    return f.xxhash64(column)


def name_of_nobody() -> Column:
    """What `name` makes of null."""
    from pyspark.sql import functions as f

    return f.xxhash64(f.lit(None).cast("string"))


def place() -> Column:
    """A destination of a run, told by a number."""
    from pyspark.sql import functions as f

    return f.xxhash64(*DESTINATION).alias("place")


def sequence_of(place: Column, names: Sequence[Column], clocks: Sequence[Column]) -> Column:
    """The key of a sequence of messages of a destination: partition, subscriber, producer, reader, clock."""
    from pyspark.sql import functions as f

    return f.xxhash64(place, *names, *clocks)


def clocks_of(facts: Facts, clock: Column) -> list[Column]:
    """The clock of a sequence, as a part of its key: where runs have one clock each, it needs none."""
    return [clock] if facts.clocks_differ else []


def holder_of(run: Column, place: Column, holder: Column) -> Column:
    """The key of who holds messages: a consumer (of no place), or a subscriber at a place."""
    from pyspark.sql import functions as f

    return f.xxhash64(run, place, holder)


def lives_in_numbers(facts: Facts) -> DataFrame:
    """One row a message, with numbers only. Columns:

    - place, hash: of its destination, and of itself
    - events, and the names of `_COUNTS`: how many; the names of `_FLAGS`: whether
    - sent_at, confirmed_at, delivered_at, acked_at: the first of each; processed_at: the last
    - consumer_low, consumer_high, and likewise producer and, where clocks differ, clock: the smallest and
      largest hash of a name; number_low, number_high: of the producer_seq; partition: a delivery's, as hash
    """
    from pyspark.sql import functions as f

    same = [each for each in _SAME if each != "clock" or facts.clocks_differ]
    lows = [f.min(each).alias(f"{each}_low") for each in same]
    highs = [f.max(each).alias(f"{each}_high") for each in same]
    packed = _marked(facts).groupBy("place", "hash").agg(
        f.count("*").alias("events"),
        f.sum("counts").alias("counts"),
        f.bit_or("flags").alias("flags"),
        *(f.min(each).alias(each) for each in _MOMENTS),
        *(f.max(each).alias(each) for each in ("processed_at", "partition")),
        *lows,
        *highs,
    )  # fmt: skip
    return packed.select(
        *(name for name in packed.columns if name not in ("counts", "flags")),
        *(f.expr(f"shiftright(counts, {_BITS * place}) & {(1 << _BITS) - 1}").alias(name)
          for place, name in enumerate(_COUNTS)),
        *(f.expr(f"flags & {1 << place} <> 0").alias(name) for place, name in enumerate(_FLAGS)),
    )  # fmt: skip


def _marked(facts: Facts) -> DataFrame:
    """The events of messages, each with what it is, and its names as numbers."""
    from pyspark.sql import functions as f

    rows = facts.events.where(_of_message()).where("op_type IN ('send', 'settle') OR phase = 'ok'")
    sent, delivered = f.col("op_type") == "send", f.expr(_DELIVERY)
    return rows.select(
        place(),
        hash_of_message(),
        _packed(_COUNTS, _BITS, "bigint").alias("counts"),
        _packed(_FLAGS, 1, "int").alias("flags"),
        *(f.when(f.expr(words), f.col("at")).alias(moment) for moment, words in _MOMENTS.items()),
        f.when(f.lit(facts.paired) & f.expr("op_type = 'process'"), f.col("at")).alias("processed_at"),
        f.when(~sent, name("consumer")).alias("consumer"),
        f.when(sent, name("producer")).alias("producer"),
        name("clock_domain").alias("clock"),
        f.col("producer_seq").alias("number"),
        f.when(delivered, name("partition_id")).alias("partition"),
    )


def _packed(words: Mapping[str, str], bits: int, type_: str) -> Column:
    """A number that has, for every condition that holds, a one at its place."""
    from pyspark.sql import functions as f

    ones = [f"if({each}, {1 << bits * place}L, 0L)" for place, each in enumerate(words.values())]
    return f.expr(" + ".join(ones)).cast(type_)


def _of_message() -> str:
    names = ", ".join(f"'{each}'" for each in schema.MESSAGE_OPS)
    return f"message_id IS NOT NULL AND op_type IN ({names})"


def screened(facts: Facts, keep: Callable[[DataFrame], DataFrame]) -> Plain:
    """All messages, and whether each must be looked at: `close`. The others are plain: see `Plain`.

    All messages of a destination with several subscribers must be looked at, and of others the first: it
    shows when the subscriber was first seen.
    """
    from pyspark.sql import functions as f

    simple = lives_in_numbers(facts).withColumn("simple", f.coalesce(f.expr(_plain(facts)), f.lit(False)))
    fit = _with_one_subscriber(facts)
    seen = (
        facts.takers.groupBy(*DESTINATION)
        .agg(f.min("first_at").alias("first_at"))
        .select(place(), "first_at")
    )
    if "attached" not in facts.absent:
        simple = keep(simple)
        seen = simple.where("simple").groupBy("place").agg(f.min("delivered_at").alias("first_at"))
    places = keep(fit.join(seen, "place", "inner"))
    return Plain(keep(_with_keys(facts, simple.join(f.broadcast(places), "place", "left"))), places)


def _with_keys(facts: Facts, lives: DataFrame) -> DataFrame:
    """Messages, whether each is `close`, and the keys of its sequence and of its consumer as a holder."""
    from pyspark.sql import functions as f

    plain = f.coalesce(f.expr("simple AND delivered_at > first_at"), f.lit(False))
    reader = f.when(~(f.col("one_active") | f.col("grouped")), f.col("consumer_low"))
    names = [f.col(each) for each in ("partition", "subscriber", "producer_low")]
    names += [f.coalesce(reader, name_of_nobody())]
    sequence = sequence_of(f.col("place"), names, clocks_of(facts, f.col("clock_low")))
    sequenced = f.col("number_low").isNotNull() & ~f.col("unordered")
    return lives.select(
        "place",
        "hash",
        (~plain).alias("close"),
        *_MOMENTS,
        f.col("number_low").alias("number"),
        f.when(sequenced, sequence).alias("sequence"),
        holder_of(f.col("run"), name_of_nobody(), f.col("consumer_low")).alias("holder"),
    )


def _plain(facts: Facts) -> str:
    """Where nobody ends and no time runs out, what a consumer never settles stays with it."""
    nothing_ends = {"closings", "timeouts"} <= facts.absent and facts.parameters.message_timeout is None
    settled = "coalesce(acked_at > delivered_at, TRUE)" if nothing_ends else "acked_at > delivered_at"
    clock = "clock_low = clock_high" if facts.clocks_differ else "TRUE"
    return f"{_PLAIN} AND {clock} AND {settled}"


def _with_one_subscriber(facts: Facts) -> DataFrame:
    """Those destinations that have one, and where being plain follows from a message's events.

    It does not in runs where one settle is of several messages; nor where one delivery may be too many.
    Columns: those of `Plain.places`, the hashes of the `run` and the `subscriber`, and `one_active`.
    """
    from pyspark.sql import functions as f

    seen = facts.subscriptions.select(*DESTINATION, "subscriber")
    known = facts.takers.select(*DESTINATION, "subscriber").unionByName(seen).groupBy(*DESTINATION)
    ends = known.agg(f.min("subscriber").alias("one"), f.max("subscriber").alias("other"))
    alone = with_one_active(ends.where("one = other"), f.lit(False), facts).select(
        *DESTINATION,
        place(),
        name("run_id").alias("run"),
        name("one").alias("subscriber"),
        holder_of(name("run_id"), name("destination"), name("one")).alias("holder_together"),
        "one_active",
    )
    limit = facts.parameters.retry_limit
    if facts.runs is None or (limit is not None and limit < 1):
        return alone.limit(0)
    single = facts.runs.where("multiples = 0").select("run_id")
    none = facts.declarations.where("max_deliveries < 1").select(*DESTINATION)
    return alone.join(f.broadcast(single), "run_id", "left_semi").join(none, [*DESTINATION], "left_anti")


@dataclass(frozen=True)
class Suspects:
    """Among which plain messages something may be wrong."""

    keys: DataFrame
    """key: sequences or holders to be looked at."""
    messages: DataFrame
    """key, hash: the plain messages of all keys."""


def of_messages(facts: Facts, messages: DataFrame) -> Facts:
    """The facts of some messages (by their hashes, each there once), and of all that is of no message."""
    from pyspark.sql import functions as f

    told = facts.events.withColumn("hash", f.when(f.expr(_of_message()), hash_of_message()))
    looked_at = told.join(messages.withColumn("chosen", f.lit(True)), "hash", "left")
    events = looked_at.where("chosen OR hash IS NULL").select(*facts.events.columns)
    return replace(facts, events=events, whole=facts)
