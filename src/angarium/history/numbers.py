"""The numbers of recorders: whether they repeat, have gaps, or disagree with the clock. One look for all.

A recorder counts its events. Sorting all of them by number would tell everything, and take longer than the
audit. So sixteen numbers at a time become one row, a *word*, with the time of each number at its place: that
is an aggregation, not a sort. In a good history every word is full, its times go up, and each begins where
the one before ended. Only words where this is not so are doubtful, and only there are events compared.

A recorder of a run is told by a hash of 64 bits, its `source`: that is grouped faster than names are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

BITS = 4
WORD = ("source", "word")
MANY = 50_000
"""Doubtful words that the driver can hold. If there are more, all are taken for doubtful."""
_WITHIN = {
    "repeated": "rows > size(times)",
    "turned": "sort_array(times) <> times",
    "holed": "size(times) < high - low + 1",
}
"""What can be wrong within a word."""
_BEFORE = {"repeated": "FALSE", "turned": "first_at < last_before", "holed": "low > high_before + 1"}
"""What can be wrong between a word and the one before."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """The words in which something is wrong with a recorder's numbers."""

    words: tuple[tuple[int, int, bool, bool, bool], ...]
    """source, word, and whether numbers repeat, time goes back, or numbers are missing."""
    too_many: bool
    """Whether there are more than these."""

    @property
    def gapless(self) -> bool:
        """Whether no number is missing."""
        return not self.too_many and not any(holed for *_, holed in self.words)

    @property
    def steady(self) -> bool:
        """Whether no clock goes back. Where numbers repeat, nobody knows before they are compared."""
        return not self.too_many and not any(repeated or turned for *_, repeated, turned, _ in self.words)

    def repeated(self, spark: SparkSession) -> DataFrame | None:
        """The words in which numbers repeat: source, word. None if any word may be such a one."""
        rows = [each[:2] for each in self.words if each[2]]
        return None if self.too_many else spark.createDataFrame(rows, "source bigint, word bigint")

    @property
    def unrepeated(self) -> bool:
        """Whether no number is there twice."""
        return not self.too_many and not any(each[2] for each in self.words)

    def turned(self, spark: SparkSession) -> DataFrame | None:
        """The recorders whose clock may go back: source. None if it may be any."""
        rows = {each[:1] for each in self.words if each[2] or each[3]}
        return None if self.too_many else spark.createDataFrame(sorted(rows), "source bigint")


def source() -> Column:
    """A recorder of a run, told by a number."""
    from pyspark.sql import functions as f

    return f.xxhash64("run_id", "recorder").alias("source")


def word_of(number: str = "seq") -> Column:
    """The word that a number is in."""
    from pyspark.sql import functions as f

    return f.shiftright(number, BITS)


def doubts(events: DataFrame) -> Doubts:
    """What is doubtful about the numbers of all events (run_id, recorder, seq, time_unix_nano): one job."""
    known = _with_neighbours(_words(events)).selectExpr(
        *WORD, *(f"{name} OR coalesce({words}, FALSE) AS {name}" for name, words in _BEFORE.items())
    )
    found = known.where(" OR ".join(_BEFORE)).limit(MANY + 1).collect()
    return Doubts(tuple(tuple(row) for row in found[:MANY]), len(found) > MANY)


def _words(events: DataFrame) -> DataFrame:
    """One row a word: its lowest and highest number, its first and last time, and what is wrong within it."""
    from pyspark.sql import functions as f

    places = [
        f.max(f.expr(f"if(seq & {(1 << BITS) - 1} = {place}, time_unix_nano, NULL)")).alias(f"at{place}")
        for place in range(1 << BITS)
    ]
    numbered = events.where("seq IS NOT NULL").groupBy(source(), word_of().alias("word"))
    words = numbered.agg(
        f.count("*").alias("rows"), f.min("seq").alias("low"), f.max("seq").alias("high"), *places
    )
    times = f.array_compact(f.array(*(f"at{place}" for place in range(1 << BITS))))
    ordered = words.select(*WORD, "rows", "low", "high", times.alias("times"))
    return ordered.selectExpr(
        *(*WORD, "low", "high", "get(times, 0) AS first_at", "element_at(times, -1) AS last_at"),
        *(f"{condition} AS {name}" for name, condition in _WITHIN.items()),
    )


def _with_neighbours(words: DataFrame) -> DataFrame:
    """Words with the highest number and the last time of the word before."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy("source").orderBy("word")
    return words.select(
        "*",
        f.lag("high").over(order).alias("high_before"),
        f.lag("last_at").over(order).alias("last_before"),
    )
