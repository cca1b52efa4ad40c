"""The numbers of recorders: what is doubtful about them, found without sorting the events."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from angarium.history import numbers
from angarium.history.numbers import Doubts, doubts, source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Event = tuple[str, str, int | None, int]
DDL = "run_id string, recorder string, seq bigint, time_unix_nano bigint"


def table(spark: SparkSession, events: list[Event]) -> DataFrame:
    return spark.createDataFrame(events, DDL)


def steady(recorder: str, first: int = 1, count: int = 100) -> list[Event]:
    return [("r", recorder, first + place, 1_000 + place // 2) for place in range(count)]


def test_a_good_history_has_no_doubts(spark: SparkSession) -> None:
    last: list[Event] = [("r", "last", 2**63 - 1, 5), ("r", "first", 0, 5), ("r", "none", None, 1)]
    events = [*steady("a"), *steady("b", first=37), *last]
    random.Random(0).shuffle(events)
    found = doubts(table(spark, events))
    assert found == Doubts((), too_many=False)
    assert found.gapless and found.steady and found.unrepeated


@pytest.mark.parametrize("place", [3, 15, 16, 17, 50])
def test_every_kind_of_fault_is_seen_wherever_it_is(spark: SparkSession, place: int) -> None:
    """Within a word and at its ends: one number missing, one twice, and a clock that goes back by one."""
    holed = [event for event in steady("holed") if event[2] != place]
    twice = [*steady("twice"), ("r", "twice", place, 7)]
    turned = [(*event[:3], event[3] - 10 * (event[2] == place)) for event in steady("turned")]
    found = doubts(table(spark, [*holed, *twice, *turned]))
    named = names(spark, ["holed", "twice", "turned"])
    flags = {named[each[0]]: each[2:] for each in found.words}
    assert flags["holed"] == (False, False, True)
    assert flags["twice"][0] and not flags["twice"][2]
    assert flags["turned"] == (False, True, False)
    assert not found.gapless and not found.steady and not found.unrepeated
    assert {named[each] for each in sources(found.repeated(spark))} == {"twice"}
    assert {named[each] for each in sources(found.turned(spark))} == {"twice", "turned"}


def names(spark: SparkSession, recorders: list[str]) -> dict[int, str]:
    """The recorders of run `r`, by their sources."""
    rows = table(spark, [("r", each, 1, 1) for each in recorders]).select(source(), "recorder").collect()
    return {row["source"]: row["recorder"] for row in rows}


def sources(table: DataFrame | None) -> list[int]:
    assert table is not None
    return [row["source"] for row in table.collect()]


def test_where_there_are_too_many_doubts_everything_is_doubtful(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "MANY", 2)
    found = doubts(table(spark, [("r", "a", number, number) for number in range(0, 400, 40)]))
    assert len(found.words) == 2 and found.too_many
    assert not (found.gapless or found.steady or found.unrepeated)
    assert found.repeated(spark) is None and found.turned(spark) is None
