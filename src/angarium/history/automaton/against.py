"""A history held against a model: every life that it has, and whether the model has it too.

The lives are counted by their words on Spark; the words are few, and are read along the model's automata
here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.core.result import Verdict
from angarium.history.automaton.judge import Finding, Judge
from angarium.history.automaton.letters import told, word
from angarium.history.automaton.projection import lives_of
from angarium.history.automaton.words import words
from angarium.history.checks.facts import Facts
from angarium.history.results import Judgement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

MOST_WORDS = 100_000
"""Of more distinct words the most frequent are judged."""

LIVES = """run_id string, life string, word string, count bigint, destination string, message_id string,
    subscriber string, verdict string, assumptions array<string>, cannot string, reason string"""
"""One row a run and life. destination, message_id and subscriber: one that had it. verdict: holds (the model
has this life, if the assumptions are given up), violated (it cannot happen: `cannot` says what), unknown
(`reason` says why)."""


@dataclass(frozen=True, slots=True)
class Life:
    """A life of messages of a run, and what the model says of it: see `LIVES`."""

    run_id: str
    life: str
    word: str
    count: int
    destination: str
    message_id: str
    subscriber: str
    verdict: Verdict
    assumptions: tuple[str, ...]
    cannot: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A history against a model."""

    model: str
    lives: tuple[Life, ...]
    """The most frequent first."""
    judgements: tuple[Judgement, ...]
    """One a run: rows for the summary."""
    left: int
    """Lives that are not listed, because there are too many different ones."""


def against(facts: Facts, model: str) -> Comparison:
    """Hold a history against a model."""
    judge = Judge(lives_of(model))
    found = words(facts).persist()
    try:
        order = ("run_id", "word", "blurred", "resent", "cut")
        rows = found.orderBy(found["count"].desc(), *order).limit(MOST_WORDS).collect()
        left = _left(found, rows)
    finally:
        found.unpersist()
    lives = tuple(_life(row, judge) for row in rows)
    return Comparison(model, lives, tuple(_judgements(model, lives, left)), sum(left.values()))


def _left(found: DataFrame, rows: Sequence[Row]) -> dict[str, int]:
    """How many lives of each run are not among the rows."""
    if len(rows) < MOST_WORDS:
        return {}
    lives = found.groupBy("run_id").agg({"count": "sum"}).toDF("run_id", "lives")
    left: dict[str, int] = {row.run_id: row.lives for row in lives.collect()}
    for row in rows:
        left[row.run_id] -= row["count"]
    return left


def _life(row: Row, judge: Judge) -> Life:
    letters = word(row.word)
    finding = _uncertain(row, judge.finding(letters))
    return Life(
        row.run_id, told(letters), row.word, row["count"], row.destination, row.message_id, row.subscriber,
        finding.verdict, finding.dropped, finding.cannot, finding.reason,
    )  # fmt: skip


def _uncertain(row: Row, finding: Finding) -> Finding:
    """The finding, if the life is what happened."""
    if row.resent and (finding.verdict == Verdict.VIOLATED or finding.dropped):
        return Finding(
            Verdict.UNKNOWN, reason="it was sent more than once, and the model sends a message once"
        )
    if row.blurred and finding.verdict == Verdict.VIOLATED:
        return Finding(Verdict.UNKNOWN, reason="clocks differ, and the order of its events is not certain")
    if row.cut and finding.verdict == Verdict.HOLDS:
        return Finding(Verdict.UNKNOWN, finding.dropped, reason="it is too long to be judged to its end")
    return finding


def _judgements(model: str, lives: Iterable[Life], left: dict[str, int]) -> list[Judgement]:
    by_run: dict[str, list[Life]] = defaultdict(list)
    for life in lives:
        by_run[life.run_id].append(life)
    return [_judgement(run, model, by_run[run], left.get(run, 0)) for run in sorted({*by_run, *left})]


def _judgement(run: str, model: str, lives: Sequence[Life], left: int) -> Judgement:
    counts = {verdict: sum(each.count for each in lives if each.verdict == verdict) for verdict in Verdict}
    wrong, unknown = counts[Verdict.VIOLATED], counts[Verdict.UNKNOWN] + left
    judged = counts[Verdict.HOLDS] + wrong
    verdict = Verdict.VIOLATED if wrong else Verdict.UNKNOWN if unknown or not judged else Verdict.HOLDS
    reasons = dict.fromkeys(each.reason for each in lives if each.reason)
    if left:
        reasons["there are too many different lives"] = None
    return Judgement(
        run, f"model {model}", verdict, judged, unknown, wrong, "; ".join(filter(None, reasons)) or None
    )


def as_table(spark: SparkSession, comparison: Comparison) -> DataFrame:
    """The lives as a table: the columns of `LIVES`."""
    rows = [
        (
            each.run_id, each.life, each.word, each.count, each.destination, each.message_id, each.subscriber,
            each.verdict.value, list(each.assumptions), each.cannot, each.reason,
        )
        for each in comparison.lives
    ]  # fmt: skip
    return spark.createDataFrame(rows, LIVES)
