"""What is told of an audit: figures of histograms, and verdicts over several runs."""

from __future__ import annotations

import pytest

from angarium.history.results import Judgement
from angarium.history.told import ceiling, over_runs, quantile, times_of
from angarium.verdict import Verdict

HOLDS, VIOLATED, UNKNOWN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNKNOWN


def judgement(verdict: Verdict, judged: int, violations: int = 0, *, doubtful: bool = False) -> Judgement:
    return Judgement("a", "no-loss", verdict, judged, 0, violations, None, doubtful)


def test_a_quantile_is_the_upper_end_of_the_bucket_in_which_it_lies() -> None:
    histogram = {0: 98, 8: 1, 80: 1}

    assert quantile(histogram, 0.5) == ceiling(0)
    assert quantile(histogram, 0.99) == ceiling(8) == round(2 ** (9 / 8) * 1000)
    assert quantile(histogram, 1.0) == ceiling(80)


def test_nothing_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        quantile({}, 0.5)


def test_times_come_by_run_and_in_the_order_of_a_message_s_life() -> None:
    rows = [("b", "settle", 3, 2), ("b", "confirm", 1, 1), ("a", "deliver", 0, 1), ("b", "settle", 5, 1)]

    times = times_of(rows)

    assert [(each.run_id, each.kind, each.count) for each in times] == [
        ("a", "deliver", 1),
        ("b", "confirm", 1),
        ("b", "settle", 3),
    ]
    assert times[-1].median == ceiling(3) and times[-1].longest == ceiling(5)


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
