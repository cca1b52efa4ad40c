"""What is told of an audit: figures of histograms, and verdicts over several runs."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.result import Verdict
from angarium.history.results import Judgement
from angarium.history.told import Between, over_runs, quantile, times_of
from tests.effort import examples

HOLDS, VIOLATED, UNKNOWN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNKNOWN


def judgement(verdict: Verdict, judged: int, violations: int = 0, *, doubtful: bool = False) -> Judgement:
    return Judgement("a", "no-loss", verdict, judged, 0, violations, None, doubtful)


def test_a_quantile_lies_between_two_times_that_were_measured() -> None:
    histogram = {0: (98, 1010, 1080), 8: (1, 2100, 2100), 80: (1, 1_030_000, 1_030_000)}

    assert quantile(histogram, 0.5) == Between(1010, 1080)
    assert quantile(histogram, 0.99) == Between(2100, 2100)
    assert quantile(histogram, 1.0) == Between(1_030_000, 1_030_000)


@given(st.lists(st.integers(0, 10**10), min_size=1))
@settings(max_examples=examples(200))
def test_what_is_told_of_times_contains_what_was_measured(times: list[int]) -> None:
    buckets: dict[int, list[int]] = {}
    for time in sorted(times):
        buckets.setdefault(time.bit_length(), []).append(time)
    (told,) = times_of(("r", "settle", at, len(some), some[0], some[-1]) for at, some in buckets.items())

    assert told.count == len(times) and told.longest == max(times)
    assert told.median.low <= sorted(times)[ceil(len(times) / 2) - 1] <= told.median.high
    assert told.most.low <= sorted(times)[ceil(len(times) * 0.99) - 1] <= told.most.high
    assert {told.median.low, told.median.high, told.most.low, told.most.high} <= set(times)


def test_nothing_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        quantile({}, 0.5)


def test_times_come_by_run_and_in_the_order_of_a_message_s_life() -> None:
    rows = [
        ("b", "settle", 3, 2, 1300, 1350), ("b", "confirm", 1, 1, 1100, 1100),
        ("a", "deliver", 0, 1, 1000, 1000), ("b", "settle", 5, 1, 1600, 1600),
    ]  # fmt: skip

    times = times_of(rows)

    assert [(each.run_id, each.kind, each.count) for each in times] == [
        ("a", "deliver", 1),
        ("b", "confirm", 1),
        ("b", "settle", 3),
    ]
    assert times[-1].median == Between(1300, 1350) and times[-1].longest == 1600


@pytest.mark.parametrize(
    ("judgements", "verdict"),
    [
        ([], UNKNOWN),
        ([judgement(UNKNOWN, 0)], UNKNOWN),
        ([judgement(HOLDS, 5), judgement(UNKNOWN, 0)], HOLDS),
        ([judgement(HOLDS, 5), judgement(UNKNOWN, 4)], UNKNOWN),
        ([judgement(HOLDS, 5), judgement(UNKNOWN, 0, doubtful=True)], UNKNOWN),
        ([judgement(VIOLATED, 5, 1), judgement(UNKNOWN, 4)], VIOLATED),
    ],
)
def test_runs_that_could_not_be_judged_do_not_count_beside_others(
    judgements: list[Judgement], verdict: Verdict
) -> None:
    assert over_runs(judgements) is verdict
