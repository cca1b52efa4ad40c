"""Which events still matter: without them, the checks would judge what is still to come otherwise.

Everything from the horizon of a run on matters: that is some time before the watermark, or before the run's
last event if that is earlier. Of what is older:

- all events of a message that is *open*: not delivered to everybody who must get it, or in somebody's hands;
- the messages that something later will be compared with: the first delivery of every consumer, the largest
  producer_seq of every sequence, the first delivery to a subscriber of a message that was seen being sent,
  and what proved that two consumers were active (or the same would be found once more);
- control and group events, which are few; of each consumer's credits the last, of each partition's replicas
  in step the last; the last number of each recorder, and the last event of each run.

Messages stay as a whole or not at all: a delivery without its settle would look as if it were still in
flight. A settle of several messages stays with whatever it settled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from angarium.history.checks.facts import DESTINATION, MESSAGE, PLACE, WHEN, Facts, Plain, hash_of_message
from angarium.history.checks.lists import moment_of
from angarium.history.checks.order import SEQUENCE, firsts
from angarium.history.closer import Closer
from angarium.spark.lineage import united

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

EVENT = ("run_id", *WHEN)
PINNED = "pinned"
"""A column of events beside those of the schema: whether the event proved something that is told once."""
FOUND_ONCE = ("one-active-consumer",)
"""Guarantees of which a violation is told once, though there is more and more that proves it."""
_NAMED = ("hash", *EVENT)
_STRAND = (*PLACE, "subscriber", "consumer", "generation", "clock_domain")
_NUMBERS_ONLY = ("delivered_at AS at", "CAST(NULL AS string) AS recorder", "CAST(NULL AS bigint) AS seq")
"""Of the delivery of a plain message only the time is known."""


def messages(facts: Facts, watermark: int) -> DataFrame:
    """One row a message: `open`; and `overdue`: it was confirmed, and should have been delivered."""
    from pyspark.sql import functions as f

    settling = f.broadcast(_settling(facts.everything))
    held = f"settled IS NULL AND closed IS NULL AND NOT coalesce(timeout_at <= {watermark}, false)"
    holding = facts.holdings.groupBy(*MESSAGE).agg(f.bool_or(f.expr(held)).alias("held"))
    known = facts.lives.join(holding, list(MESSAGE), "left").join(settling, [*DESTINATION], "left")
    subscribers = f.broadcast(_subscribers(facts.everything))
    placed = known.join(subscribers, [*DESTINATION], "left").withColumn("missed", _missed())
    possible = f.expr("sent IS NOT NULL AND (certain > 0 OR invoked > failed)")
    unfinished = f.expr("settling AND (held OR exists(reached, one -> NOT one.ended))")
    overdue = f.col("missed") & (f.col("confirmed.at") <= watermark - facts.parameters.in_flight_tail)
    close = placed.select(
        hash_of_message(),
        f.coalesce(possible & f.col("missed") | unfinished, f.lit(False)).alias("open"),
        f.coalesce(overdue, f.lit(False)).alias("overdue"),
    )
    return close if facts.rest is None else close.unionByName(_held_plainly(facts.rest, settling))


def _held_plainly(plain: Plain, settling: DataFrame) -> DataFrame:
    """Of plain messages, which were delivered to whom they should, those that are in somebody's hands."""
    from pyspark.sql import functions as f

    held = plain.placed(*DESTINATION).where("acked_at IS NULL").join(settling, [*DESTINATION], "left_semi")
    return held.select("hash", f.lit(True).alias("open"), f.lit(False).alias("overdue"))


def horizons_of(facts: Facts, watermark: int, memory: int) -> DataFrame:
    """run_id, horizon: the time of each run from which on everything is kept."""
    from pyspark.sql import functions as f

    return facts.ends.select("run_id", (f.least("end", f.lit(watermark)) - memory).alias("horizon"))


def retained(closer: Closer, lives: DataFrame, proofs: DataFrame | None, horizons: DataFrame) -> DataFrame:
    """The events that still matter. `lives`: `messages`; `proofs`: what proved what was found now.

    What is not old stays where it is. Old events stay with their message, which is told by its hash: numbers
    are compared faster than names, and two messages with one hash only keep each other for longer.
    """
    from pyspark.sql import functions as f

    events = _with_age(_pinned(closer.whole.events, proofs), horizons)
    old, young = events.where("old"), events.where("NOT old")
    landmarks = closer.keep(_landmarks(closer, events, horizons))
    mattering = (_with_hash(young), lives.where("open"), landmarks)
    hashes = (rows.where("hash IS NOT NULL").select("hash") for rows in mattering)
    kept = united(hashes).distinct()
    named = landmarks.where("hash IS NULL").select(*EVENT)
    if "multiples" not in closer.whole.absent:
        kept = closer.keep(kept)
        named = named.unionByName(_settling_several(closer.facts, kept))
    met = _with_hash(old).join(kept.withColumn("kept", f.lit(True)), "hash", "left")
    always = ~_is_of_message() & f.col("op_type").isin("control", "group")
    chosen = _marked(met, named, "named").where(f.col("kept") | f.col("named") | always)
    columns = closer.whole.events.columns
    return young.select(columns).unionByName(chosen.select(columns))


def _pinned(events: DataFrame, proofs: DataFrame | None) -> DataFrame:
    """The events, with those marked that prove something now."""
    from pyspark.sql import functions as f

    if proofs is None:
        return events
    marked = _marked(events, proofs, "proves")
    return marked.withColumn(PINNED, f.col(PINNED) | f.col("proves")).drop("proves")


def _with_hash(rows: DataFrame) -> DataFrame:
    """Rows with the `hash` of their message; null if they are of none."""
    from pyspark.sql import functions as f

    return rows.withColumn("hash", f.when(_is_of_message(), hash_of_message()))


def _with_age(events: DataFrame, horizons: DataFrame) -> DataFrame:
    """Events, and whether they are `old`: before the horizon of their run."""
    from pyspark.sql import functions as f

    joined = events.join(f.broadcast(horizons), "run_id", "inner")
    return joined.withColumn("old", f.col("at") < f.col("horizon")).drop("horizon")


def proving(findings: DataFrame) -> DataFrame:
    """The events that prove what is found once: that two consumers are active."""
    from pyspark.sql import functions as f

    proofs = findings.where(f.col("guarantee").isin(*FOUND_ONCE))
    last = (
        f.col(f"last_{name}").alias(to)
        for name, to in (("time", "at"), ("recorder", "recorder"), ("seq", "seq"))
    )
    return proofs.select("run_id", *last)


def _marked(events: DataFrame, some: DataFrame, mark: str) -> DataFrame:
    """The events, and whether each is among some; they are few, and some have no number."""
    from pyspark.sql import functions as f

    key = [f.coalesce(name, f.lit(-1)).alias(name) if name == "seq" else f.col(name) for name in EVENT]
    few = some.select(*key).distinct().select(f.struct(*EVENT).alias("event"), f.lit(True).alias(mark))
    keyed = events.withColumn("event", f.struct(*key))
    joined = keyed.join(f.broadcast(few), "event", "left").drop("event")
    return joined.withColumn(mark, f.coalesce(mark, f.lit(False)))


def _is_of_message() -> Column:
    from pyspark.sql import functions as f

    return f.col("message_id").isNotNull() & f.col("destination").isNotNull()


# --- messages that are open ----------------------------------------------------------------------


def _settling(facts: Facts) -> DataFrame:
    """Destinations where messages are settled; elsewhere, who got a message has finished with it."""
    from pyspark.sql import functions as f

    places = facts.settles.where("destination IS NOT NULL").select("run_id", "destination")
    return places.distinct().withColumn("settling", f.lit(True))


def _subscribers(facts: Facts) -> DataFrame:
    """One row a destination: its subscribers, each with the time at which it was first seen."""
    from pyspark.sql import functions as f

    columns = ("run_id", "destination", "subscriber", "at")
    seen = facts.subscriptions.select(*columns).unionByName(facts.deliveries.select(*columns))
    first = seen.groupBy("run_id", "destination", "subscriber").agg(f.min("at").alias("since"))
    entry = f.struct("since", "subscriber")
    return first.groupBy("run_id", "destination").agg(
        f.sort_array(f.collect_list(entry)).alias("subscribers")
    )


def _missed() -> Column:
    """Whether a subscriber that expects the message has not got it; nobody is there: it may still come."""
    from pyspark.sql import functions as f

    due = f.expr("filter(subscribers, (one, place) -> place = 0 OR one.since <= sent.at)")
    names = f.transform(due, lambda one: one["subscriber"])
    got = f.coalesce("reached.subscriber", f.array().cast("array<string>"))
    return f.coalesce(f.size(f.array_except(names, got)) > 0, f.lit(True))


def _settling_several(facts: Facts, kept: DataFrame) -> DataFrame:
    """Settles of several messages that do not stay with their own, and settled one that is kept."""
    from pyspark.sql import functions as f

    several = facts.settles.where("settle_multiple AND delivery_tag IS NOT NULL").select(*MESSAGE, *WHEN)
    others = _with_hash(several).join(kept, "hash", "left_anti").select(*EVENT)
    held = facts.holdings.join(kept, "hash", "left_semi")
    acks = f.transform("acks", moment_of)
    settles = f.explode(f.concat(f.array(moment_of(f.col("settled"))), acks))
    by = held.select("run_id", settles.alias("by")).where("by.at IS NOT NULL").select("run_id", "by.*")
    return _marked(by, others, "among").where("among").select(*EVENT).distinct()


# --- what something later will be compared with --------------------------------------------------


def _landmarks(closer: Closer, events: DataFrame, horizons: DataFrame) -> DataFrame:
    """Events before the horizon to which later ones will be compared: the message's hash, and EVENT."""
    old = events.where("old")
    chosen = [
        *_of_lives(closer.facts, horizons),
        _first(_with_age(closer.whole.deliveries, horizons).where("old"), _STRAND),
        _last(old.where("op_type = 'flow'"), ("run_id", "consumer")),
        _last(old.where("isr IS NOT NULL"), PLACE),
        _first(old.where("seq IS NOT NULL"), ("run_id", "recorder"), "-seq"),
        _last(events, ("run_id",)),
        _with_hash(events.where(PINNED)).select(*_NAMED),
    ]
    return united(chosen)


def _of_lives(facts: Facts, horizons: DataFrame) -> Iterator[DataFrame]:
    """The first delivery to each subscriber of what was seen being sent; the largest of each sequence.

    Of plain messages only numbers are known, and where they come from there is one subscriber.
    """
    deliveries = _with_age(facts.deliveries, horizons).where("old")
    sent = deliveries.join(facts.sends.select(*MESSAGE).distinct(), list(MESSAGE), "left_semi")
    yield _first(sent, (*DESTINATION, "subscriber"))
    sequences = _with_age(firsts(facts).where("sequenced"), horizons).where("old")
    yield _first(sequences, SEQUENCE, "-producer_seq")
    if facts.rest is not None:
        numbers = facts.rest.placed("run_id").selectExpr("*", *_NUMBERS_ONLY)
        plain = _with_age(numbers, horizons).where("old")
        yield _earliest(plain, ("place",))
        yield _earliest(plain.where("sequence IS NOT NULL"), ("sequence",), "-number")


def _first(rows: DataFrame, key: tuple[str, ...], order: str = "0") -> DataFrame:
    """Of each key the event that is first by an order, and of equal ones the first of the history."""
    return _earliest(_with_hash(rows), key, order)


def _earliest(rows: DataFrame, key: tuple[str, ...], order: str = "0") -> DataFrame:
    """The same of rows that have a hash."""
    from pyspark.sql import functions as f

    rank = f.struct(f.expr(order).alias("rank"), *WHEN)
    return rows.groupBy(*key).agg(f.min_by(f.struct(*_NAMED), rank).alias("landmark")).select("landmark.*")


def _last(rows: DataFrame, key: tuple[str, ...]) -> DataFrame:
    """Of each key the last event of the history."""
    from pyspark.sql import functions as f

    last = f.max_by(f.struct(*_NAMED), f.struct(*WHEN)).alias("landmark")
    return _with_hash(rows).groupBy(*key).agg(last).select("landmark.*")
