"""complete-log: no recorder's numbers have a gap.

Numbers are looked at by 64 at a time: which of them are there is one word of 64 bits, so that what is sorted
is a sixty-fourth of the events. Only where a word has a hole, or its neighbour is missing, are the events
themselves looked at. A recorder may write down what clients and what a broker saw: that is one log, and what
is missing may be of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check
from angarium.history.checks.facts import BROKER, WHEN, Facts
from angarium.history.checks.rows import as_violations, event, near, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.tables import VIOLATIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LOG = ("log", "recorder")
_WORD = (*_LOG, "word")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.numbered else "no event has a seq"


def violations(facts: Facts) -> DataFrame:
    """`gap`: two successive numbers of a recorder that differ by more than one."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    if facts.gapless:
        return facts.events.sparkSession.createDataFrame([], VIOLATIONS)
    holed = _holed_words(_numbered(facts))
    close = near(_numbered(facts), holed, _WORD).join(holed, list(_WORD), "inner")
    order = Window.partitionBy(*_LOG).orderBy("seq")
    firsts = close.groupBy(*_WORD, "before", "seq").agg(f.min(event()).alias("last"))
    pairs = firsts.select(
        "*", f.lag("last").over(order).alias("first"), f.lag("word").over(order).alias("word_of_first")
    )
    # Between words that are not neighbours there are others, which have no hole and are left out.
    neighbours = "word_of_first = word OR word_of_first = before"
    missing = f.col("last.seq") - f.col("first.seq") - 1
    found = pairs.where(neighbours).withColumn("measure", missing).where("measure > 0")
    runs = near(_numbered(facts), found, _LOG).select(*_LOG, "run_id").distinct()
    return as_violations(found.join(runs, list(_LOG), "inner"), "complete-log", "gap")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    reason = "some events have no seq"
    if facts.runs is None:
        return tally(facts.events, f.col("seq").isNotNull(), reason)
    known = facts.runs.select(
        "run_id", f.col("numbered").alias("judged"), f.expr("events - numbered AS unjudged")
    )
    return known.withColumn("reason", f.when(f.col("unjudged") > 0, f.lit(reason)))


def _numbered(facts: Facts) -> DataFrame:
    """Events that have a number, and the word that it is in."""
    from pyspark.sql import functions as f

    numbered = facts.events.where("seq IS NOT NULL").select("run_id", *WHEN)
    log = f.regexp_replace("run_id", f"{BROKER}$", "")
    return numbered.withColumn("log", log).withColumn("word", f.shiftright("seq", 6))


def _holed_words(numbered: DataFrame) -> DataFrame:
    """Words in which a number is missing, or between which and its neighbour one is; and the word before."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    bit = f.expr("shiftleft(1L, cast(seq & 63 AS int))")
    words = numbered.groupBy(*_WORD).agg(
        f.min("seq").alias("low"), f.max("seq").alias("high"), f.bit_or(bit).alias("bits")
    )
    order = Window.partitionBy(*_LOG).orderBy("word")
    placed = words.select(
        *_WORD,
        f.lag("word").over(order).alias("before"),
        (f.bit_count("bits") < f.col("high") - f.col("low") + 1).alias("hole"),
        (f.col("low") > f.lag("high").over(order) + 1).alias("gap_before"),
        (f.lead("low").over(order) > f.col("high") + 1).alias("gap_after"),
    )
    return placed.where("hole OR gap_before OR gap_after").select(*_WORD, "before")


CHECK = Check("complete-log", lacks, violations, judged)
