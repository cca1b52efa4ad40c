"""The lives of a history: for every message and subscriber its word, and how often each word is there.

What becomes of a delivery is known from the holdings, so a life is put together from few rows, one a
delivery. Words are strings of letters with the numbers of consumers (see `letters`). Distinct words are few,
whatever the number of messages: only they leave Spark.

- A send that nobody recorded is taken for granted where a run has no sends at all, or its recorder attached
  late.
- An unconfirmed acknowledgement is in doubt (`u`) if its consumer ends before it or within the *ack doubt*
  after it.
- Where two events of a life were seen by different clocks within the *clock skew*, their order is not
  certain.
- Messages that were sent only are left out: there is no model in which that cannot be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.holdings import KEY, by_message

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST_DELIVERIES = 60
"""Of a longer life only the beginning is put together; it has 200 letters at most."""

WORDS = """run_id string, word string, blurred boolean, resent boolean, cut boolean, count bigint,
    destination string, message_id string, subscriber string"""
"""One row a run and word. blurred: its order is not certain. resent: the message was sent more than once.
cut: it has more deliveries than `MOST_DELIVERIES`. The last three are an example of such a life."""

_LETTER = "struct<at: bigint, recorder: string, seq: bigint, domain: string, letter: string, who: string>"


def words(facts: Facts) -> DataFrame:
    """The lives of a history by their words: the columns of `WORDS`."""
    from pyspark.sql import functions as f

    example = f.min(f.struct("destination", "message_id", "subscriber"))
    counted = (
        _lives(facts)
        .groupBy("run_id", "word", "blurred", "resent", "cut")
        .agg(f.count("*").alias("count"), example.alias("example"))
    )
    return counted.select(
        "run_id", "word", "blurred", "resent", "cut", "count", "example.destination",
        "example.message_id", "example.subscriber",
    )  # fmt: skip


def _lives(facts: Facts) -> DataFrame:
    """One row a message and subscriber: its word."""
    from pyspark.sql import functions as f

    lives = _delivered(facts).join(_sent(facts), list(KEY), "left").join(_unsent(facts), "run_id", "left")
    nothing = f.array().cast(f"array<{_LETTER}>")
    letters = f.concat(f.coalesce(f.col("sent"), nothing), f.col("letters"))
    # Two open deliveries to one consumer end with it once: the letters of that end are the same.
    return (
        lives.withColumn("letters", f.array_sort(f.array_distinct(letters)))
        .withColumn("letters", f.expr(f"filter(letters, each -> each.letter <> 'e' OR ({_IN_HAND}))"))
        .withColumn("who", f.expr("array_distinct(array_compact(transform(letters, each -> each.who)))"))
        .withColumn("assumed", f.col("sent").isNull() & f.col("unsent"))
        .withColumn("word", f.expr(_TEXT))
        .withColumn("blurred", f.expr(_blurred(facts.parameters.clock_skew)))
        .withColumn("resent", f.coalesce(f.col("resent"), f.lit(False)))
    )


_OWN = "filter(letters, one -> one.who = each.who AND one.letter NOT IN ('e', 'u'))"
_LATER = "struct(one.at, one.recorder, one.seq) > struct(each.at, each.recorder, each.seq)"
_IN_HAND = f"element_at({_OWN}, -1).letter = 'd' AND exists(letters, one -> one.letter = 'd' AND {_LATER})"
"""Of a consumer's end: it had not settled its last delivery, and somebody got the message after it."""
_NUMBER = "coalesce(cast(nullif(array_position(who, each.who), 0) AS string), '')"
_TEXT = (
    "concat(if(assumed, 's ', ''), "
    f"array_join(transform(letters, each -> concat(each.letter, {_NUMBER})), ' '))"
)
"""The letters with the numbers of consumers, in the order of their appearance."""


def _blurred(skew: int) -> str:
    """Whether two letters next to each other are of different clocks and near to each other."""
    near = f"get(letters, i + 1).at - get(letters, i).at <= {skew}"
    apart = "NOT (get(letters, i + 1).domain <=> get(letters, i).domain)"
    return (
        f"size(letters) > 1 AND exists(sequence(0, greatest(size(letters) - 2, 0)), i -> {near} AND {apart})"
    )


# --- deliveries and what became of them ----------------------------------------------------------------


def _delivered(facts: Facts) -> DataFrame:
    """One row a message and subscriber: all letters but the send."""
    from pyspark.sql import functions as f

    few = facts.holdings.where(f.col("number") <= MOST_DELIVERIES)
    told = few.select(*KEY, "subscriber", "deliveries", f.array_compact(_of_delivery(facts)).alias("letters"))
    return told.groupBy(*KEY, "subscriber").agg(
        f.flatten(f.collect_list("letters")).alias("letters"),
        (f.max("deliveries") > MOST_DELIVERIES).alias("cut"),
    )


def _of_delivery(facts: Facts) -> Column:
    """The letters of a delivery: itself, its acknowledgement, its return, its consumer's end."""
    from pyspark.sql import functions as f

    confirmed = f.get(f.filter("acks", lambda each: each["phase"] == "ok"), f.lit(0))
    first = f.get("acks", f.lit(0))
    doubted = f.coalesce(f.col("closed.at") <= first["at"] + facts.parameters.ack_doubt, f.lit(False))
    certain = confirmed.isNotNull() | (first.isNotNull() & ~doubted)
    kept = ~certain & f.col("returned").isNull()
    unconfirmed = f.when(doubted, "u").otherwise("a")
    back = f.when(f.col("returned.settle") == "requeue", "q").otherwise("j")
    return f.array(
        _letter(f.struct(*WHEN, "clock_domain"), f.lit("d")),
        f.when(confirmed.isNotNull(), _letter(confirmed, f.lit("f"))).when(
            first.isNotNull(), _letter(first, unconfirmed)
        ),
        f.when(f.col("returned").isNotNull(), _letter(f.col("returned"), back)),
        f.when(kept & f.col("closed").isNotNull(), _letter(f.col("closed"), f.lit("e"))),
    )


def _letter(event: Column, letter: Column) -> Column:
    """A letter of the consumer that has a delivery; one that has ended is another when it comes back."""
    from pyspark.sql import functions as f

    who = f.concat_ws("|", "consumer", "closed.at", "closed.recorder", "closed.seq")
    parts = (event["at"], event["recorder"], event["seq"], event["clock_domain"], letter, who)
    return f.struct(*parts).cast(_LETTER)


# --- sends ---------------------------------------------------------------------------------------------


def _sent(facts: Facts) -> DataFrame:
    """One row a message: the letter of its send, in an array, and whether it was sent more than once."""
    from pyspark.sql import functions as f

    first = f.min(f.struct(*WHEN, "clock_domain"))
    told = (
        by_message(facts.sends)
        .groupBy(*KEY)
        .agg(
            first.alias("first"),
            f.count_if(f.col("phase") == "invoke").alias("invoked"),
            f.count_if(f.col("phase") == "fail").alias("failed"),
            f.count_if(f.col("phase").isin("ok", "info")).alias("other"),
        )
    )
    in_vain = "if(other = 0 AND failed > 0 AND failed >= invoked, 'x', 's')"
    letter = (
        f"struct(first.at, first.recorder, first.seq, first.clock_domain, {in_vain}, cast(null AS string))"
    )
    return told.select(
        *KEY,
        f.expr(f"array(cast({letter} AS {_LETTER}))").alias("sent"),
        f.expr("invoked > 1").alias("resent"),
    )


def _unsent(facts: Facts) -> DataFrame:
    """run_id, unsent: whether sends may be missing in a run, because nobody recorded them or came late."""
    from pyspark.sql import functions as f

    late = f.max(f.coalesce(f.col("op_name") == schema.RECORDING_BEGINS, f.lit(False)))
    sends = f.max((f.col("op_type") == "send") & f.col("message_id").isNotNull())
    return f.broadcast(facts.events.groupBy("run_id").agg((late | ~sends).alias("unsent")))
