"""The line of progress, and the estimate of what is left."""

from __future__ import annotations

from itertools import accumulate
from math import exp

import pytest

from angarium.app.report.progress import line, states_left
from angarium.checker.explore.engine import Progress
from angarium.checker.explore.estimate import levels_left

SAC_3_3 = [
    1, 3, 16, 63, 234, 774, 2298, 6045, 13965,
    27597, 45870, 62814, 69624, 61932, 43416, 22680, 7776, 1296,
]  # fmt: skip
"""The levels of rabbitmq-sac, 3 queues and 3 apps: 366,404 states."""
BELL = [round(1e6 * exp(-(((n - 15) / 5) ** 2))) + 1 for n in range(31)]


def progress(levels: list[int], **more: int) -> Progress:
    given = {"states": sum(levels), "transitions": 0, "depth": len(levels), "frontier": 0, **more}
    return Progress(bytes=5 << 20, seconds=2.0, levels=levels, **given)


@pytest.mark.parametrize("levels", [SAC_3_3, BELL], ids=["rabbitmq-sac", "bell"])
def test_from_half_way_the_estimate_is_near_the_truth(levels: list[int]) -> None:
    total = sum(levels)
    for count, known in enumerate(accumulate(levels), 1):
        left = states_left(progress(levels[:count]))
        if left is not None:
            assert known > 0.4 * total
            assert known + left == pytest.approx(total, rel=0.35)
        else:
            assert known < 0.7 * total


@pytest.mark.parametrize(
    "levels",
    [
        [],
        [5],
        [1, 2, 3],
        [2**n for n in range(12)],
        [n + 1 for n in range(8)],
        [7] * 20,
        [*[10] * 10, 9, 9, 9],
    ],
    ids=["none", "one", "few", "doubling", "still growing", "constant", "barely shrinking"],
)
def test_there_is_no_estimate_without_grounds(levels: list[int]) -> None:
    assert levels_left(levels) is None


def test_what_was_found_of_the_next_level_is_no_longer_left() -> None:
    levels = SAC_3_3[:14]
    before, after = progress(levels), progress(levels, states=sum(levels) + 1000)
    assert states_left(before) == (states_left(after) or 0) + 1000


def test_nothing_negative_is_left() -> None:
    assert states_left(progress(SAC_3_3[:14], states=10**9)) == 0


def test_the_line_says_where_the_search_is() -> None:
    shown = line(progress([1, 5], states=2_500_000, frontier=900, depth=2))
    assert shown == "2.5 M states, 1.25 M/s, depth 2, frontier 900, 5 MiB"


def test_the_estimate_comes_early_in_the_line() -> None:
    shown = line(progress(SAC_3_3[:14], frontier=5))
    assert shown.startswith("291 k states, ~100 k left (0.69 s), ")


def test_behind_the_search_it_says_what_is_judged() -> None:
    assert line(Progress(1_200_000, 5, 4, 0, 3, 2.0, judging="no-loss")) == "judging no-loss on 1.2 M states"
