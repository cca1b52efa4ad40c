"""What happened, in the words of the checks: sends, deliveries, settles, ends, seen in one pass each.

A check asks for sends and deliveries, never for rows of the event table. Everything is keyed by `run_id`, so
that many histories go through one job. What clients saw and what a broker saw of the same run are two
histories: the broker's is audited under the name `RUN@broker`. Only `replica` events stay with the run, for
they say what clients cannot see.

The order of a history is (at, recorder, seq).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.parameters import Parameters

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

DESTINATION = ("run_id", "destination")
PLACE = (*DESTINATION, "partition_id")
MESSAGE = (*DESTINATION, "message_id")
WHEN = ("at", "recorder", "seq")
"""The order of a history; `struct(*WHEN)` compares as it does."""


def hash_of_message() -> Column:
    """`hash`: a number by which messages are told apart, though two may have the same."""
    from pyspark.sql import functions as f

    return f.xxhash64(*MESSAGE).alias("hash")


BROKER = "@broker"
"""Ends the name of what a broker saw of a run."""


def normalised(events: DataFrame) -> DataFrame:
    """Events with `at`, `producer`, `consumer` and `subscriber`, each vantage as a run of its own."""
    from pyspark.sql import functions as f

    broker = (f.col("vantage") == "broker") & (f.col("op_type") != "replica")
    return (
        events.withColumn(
            "run_id", f.when(broker, f.concat("run_id", f.lit(BROKER))).otherwise(f.col("run_id"))
        )
        .withColumn("at", f.col("time_unix_nano"))
        .withColumn("producer", f.coalesce("client_id", "recorder"))
        .withColumn("consumer", f.coalesce("consumer_id", "client_id", "recorder"))
        .withColumn("subscriber", f.coalesce("consumer_group", "subscription", "destination"))
    )


@dataclass(frozen=True)
class Plain:
    """Messages in numbers: what is plain is known without a look at its events, see `plain`."""

    messages: DataFrame
    """One row a message. Columns:

    - place, hash: of its destination, and of itself
    - sent_at, confirmed_at, delivered_at, acked_at (or null); number: its producer_seq
    - the keys of its `sequence` (null if it has none) and of its consumer as a `holder`
    """
    places: DataFrame
    """place, run_id, destination, holder_together: the key of its one subscriber as a holder."""

    def placed(self, *columns: str) -> DataFrame:
        """The messages, with some columns of their places."""
        from pyspark.sql import functions as f

        return self.messages.join(f.broadcast(self.places.select("place", *columns)), "place", "inner")


@dataclass(frozen=True)
class Facts:
    """The facts of a table of normalised events."""

    events: DataFrame
    parameters: Parameters
    paired: bool = True
    """Whether a message may have both a `receive` and a `process`; if not, nothing need be paired."""

    absent: frozenset[str] = frozenset()
    """Fields of `Profile` that count nothing in any run: what is not there need not be looked for."""
    many_ends: bool = False
    """Whether consumers end so often that a list of all ends is not for everybody's memory."""
    runs: DataFrame | None = None
    """run_id, end, timerless, and some counts of its profile, where they are known already."""
    clocks_differ: bool = True
    """Whether some run may have several clock domains."""
    gapless: bool = False
    """Whether it is known that no recorder's numbers have a gap."""
    whole: Facts | None = None
    """The facts of the whole history, if these are those of some messages only."""
    size: int | None = None
    """How many events there are, if it is known."""
    rest: Plain | None = None
    """The other messages, all of them plain."""

    @property
    def everything(self) -> Facts:
        """The facts of the whole history."""
        return self.whole or self

    @cached_property
    def controls(self) -> DataFrame:
        """All control events. They are asked for often: it pays to keep them in memory.

        They are few, too, and so they are one partition: then whatever is made of them needs no shuffle.
        """
        found = self.events.where("op_type = 'control'")
        return found if self.many_ends else found.repartition(1)

    @cached_property
    def holdings(self) -> DataFrame:
        """Every delivery and what became of it: see `holdings.holdings`."""
        from angarium.history.checks.holdings import holdings

        return holdings(self)

    @cached_property
    def lives(self) -> DataFrame:
        """Every message, its send and whom it reached: see `lives.lives`."""
        from angarium.history.checks.lives import lives

        return lives(self)

    @cached_property
    def takers(self) -> DataFrame:
        """run_id, destination, subscriber, consumer, stretch, of the whole history.

        How many `deliveries` a consumer got in a stretch of time, which is as long as a redelivery may take,
        from `first_at` to `last_at`.
        """
        from pyspark.sql import functions as f

        stretch = f.expr(f"at DIV {max(self.parameters.redelivery_within, 1)}").alias("stretch")
        taker = (*DESTINATION, "subscriber", "consumer")
        return self.everything.deliveries.groupBy(*taker, stretch).agg(
            f.count("*").alias("deliveries"), f.min("at").alias("first_at"), f.max("at").alias("last_at")
        )

    @cached_property
    def credits(self) -> DataFrame:
        """Every event that sets the credit of a holder: see `credits.credits_of`."""
        from angarium.history.checks.credits import credits_of

        return credits_of(self)

    @cached_property
    def limits(self) -> DataFrame:
        """The steps of each holder's limit: see `credits.limits_of`."""
        from angarium.history.checks.credits import limits_of

        return limits_of(self)

    @cached_property
    def rest_counts(self) -> DataFrame:
        """run_id; messages: how many plain ones there are; sequenced: how many of them `order` judges."""
        from pyspark.sql import functions as f

        assert self.rest is not None
        counts = f.count("*").alias("messages"), f.count("sequence").alias("sequenced")
        by_place = self.rest.messages.groupBy("place").agg(*counts)
        named = by_place.join(f.broadcast(self.rest.places), "place", "inner")
        return named.groupBy("run_id").agg(
            f.sum("messages").alias("messages"), f.sum("sequenced").alias("sequenced")
        )

    @cached_property
    def rest_times(self) -> DataFrame:
        """How long plain messages took: see `latency.of_plain`."""
        from angarium.history.checks.latency import of_plain

        assert self.rest is not None
        return of_plain(self.rest)

    @cached_property
    def subscribers(self) -> DataFrame:
        """The subscribers of every destination: see `no_loss.subscribers`."""
        from angarium.history.checks.no_loss import subscribers

        return subscribers(self)

    @cached_property
    def ends(self) -> DataFrame:
        """run_id, end: the time up to which a run is known. Clocks may differ, so the skew is added."""
        from pyspark.sql import functions as f

        if self.runs is not None:
            return self.runs.select("run_id", "end")
        last = (f.max("at") + f.lit(self.parameters.clock_skew)).alias("end")
        return self.events.groupBy("run_id").agg(last)

    @cached_property
    def timerless(self) -> DataFrame:
        """run_id, timerless: whether all systems of a run never take a message back for its age."""
        from pyspark.sql import functions as f

        if self.runs is not None:
            return self.runs.select("run_id", "timerless")
        without = f.bool_and(f.col("system").isin(*schema.TIMERLESS)).alias("timerless")
        return self.events.groupBy("run_id").agg(without)

    @cached_property
    def sends(self) -> DataFrame:
        """Every send event of a message, in all its phases."""
        return self.events.where("op_type = 'send' AND message_id IS NOT NULL").select(
            *PLACE, "message_id", "producer", "producer_seq", "phase", "attempt", "offset", "deduplicated",
            "consumer_group", *WHEN, "clock_domain", "isr",
        )  # fmt: skip

    @cached_property
    def deliveries(self) -> DataFrame:
        """Every delivery: `receive` ok, or `process` ok that does not belong to a `receive` before it."""
        seen = self.events.where(
            "op_type IN ('receive', 'process') AND phase = 'ok' AND message_id IS NOT NULL"
        )
        return (_unpaired(seen) if self.paired else seen).select(
            *PLACE, "message_id", "subscriber", "consumer", "client_id", "consumer_group", "offset",
            "redelivered", "delivery_count", "delivery_tag", "generation", "producer_seq", *WHEN,
            "clock_domain", "broker_id", "system",
        )  # fmt: skip

    @cached_property
    def settles(self) -> DataFrame:
        """Every settle of a message, in all its phases; `fail` aside, for it settled nothing."""
        return self.settle_events.where("phase <> 'fail'")

    @cached_property
    def settle_events(self) -> DataFrame:
        """The same with those that failed: they say that a word before them did not count."""
        return self.events.where(
            "op_type = 'settle' AND settle IS NOT NULL "
            "AND (message_id IS NOT NULL OR delivery_tag IS NOT NULL)"
        ).select(
            *PLACE, "message_id", "consumer", "client_id", "settle", "settle_multiple", "delivery_tag",
            "delay_ms", "phase", *WHEN, "clock_domain",
        )  # fmt: skip

    @cached_property
    def subscriptions(self) -> DataFrame:
        """Every beginning of a consumer: its destination, subscriber and what it may have in flight."""
        return self._control(schema.SUBSCRIBES, "destination IS NOT NULL").select(
            "run_id", "destination", "subscriber", "consumer", "client_id", "prefetch", "credit", "phase",
            *WHEN, "clock_domain",
        )  # fmt: skip

    @cached_property
    def closings(self) -> DataFrame:
        """Every end of a consumer, or (consumer_id null) of a client with all its consumers."""
        return self._control(schema.ENDS, "consumer_id IS NOT NULL OR client_id IS NOT NULL").select(
            "run_id", "consumer_id", "client_id", "op_name", "phase", *WHEN, "clock_domain"
        )

    @cached_property
    def broker_changes(self) -> DataFrame:
        """Deaths, returns and elections of brokers."""
        return self._control(schema.BROKER_CHANGES).select(
            "run_id", "broker_id", "op_name", *WHEN, "clock_domain"
        )

    @cached_property
    def declarations(self) -> DataFrame:
        """What control events say of a destination: single_active, max_deliveries, ack_wait_ms, credit."""
        return self.controls.where("destination IS NOT NULL").select(
            "run_id", "destination", "subscription", "consumer_id", "client_id", "single_active",
            "max_deliveries", "ack_wait_ms", "credit", "op_name", *WHEN,
        )  # fmt: skip

    def _control(self, names: tuple[str, ...], condition: str = "TRUE") -> DataFrame:
        from pyspark.sql import functions as f

        named: Column = f.col("op_name").isin(*names)
        return self.controls.where("phase <> 'fail'").where(named).where(condition)


def _unpaired(seen: DataFrame) -> DataFrame:
    """Without those `process` rows that follow a `receive` of the same message by the same consumer."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    before = f.lag("op_type").over(Window.partitionBy(*MESSAGE, "consumer").orderBy(*WHEN))
    return seen.withColumn("before", before).where("op_type = 'receive' OR NOT before <=> 'receive'")
