"""Bounds of statistics: what so many walks say of a mean or a quantile, and no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from angarium.app.pipeline.bounds import is_statistic, judged, runs_needed
from angarium.app.pipeline.claims import Bound
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Bin, Ends, Simulation, Statistic, Walking
from angarium.core.control import cut_by_time
from angarium.core.result import Verdict

NAN = float("nan")
BARS = tuple(Bin(n, n, 10) for n in range(1, 101))
RELEASES = Statistic("releases", "", 100, 1000, 50.5, 1.0, 48.7, 52.3, 1, 100, {}, BARS)


def _found(*statistics: Statistic, **extent: Any) -> Simulation:  # noqa: ANN401 (fields of the extent)
    return Simulation(
        subject="nsq",
        model_hash="1",
        threads=1,
        plan=Plan(runs=1000),
        goal=None,
        statistics=statistics,
        extent=Walking(**extent),
    )


def _few(count: int) -> Simulation:
    """So few figures that their mean is not known."""
    return _found(replace(RELEASES, count=count, low=NAN, high=NAN))


SEEN = _found(RELEASES)


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        (Bound("releases", "mean", at_most=53), Verdict.HOLDS),
        (Bound("releases", "mean", at_most=52), Verdict.UNKNOWN),
        (Bound("releases", "mean", at_most=48), Verdict.VIOLATED),
        (Bound(None, "mean", at_least=48), Verdict.HOLDS),
        (Bound(None, "mean", at_least=53), Verdict.VIOLATED),
        (Bound(None, "mean", at_least=48, at_most=53), Verdict.HOLDS),
        (Bound(None, "p95", at_most=97), Verdict.HOLDS),
        (Bound(None, "p95", at_most=95), Verdict.UNKNOWN),
        (Bound(None, "p95", at_most=92), Verdict.VIOLATED),
        (Bound(None, "p99.9", at_most=100), Verdict.UNKNOWN),
        (Bound(None, "p99.9", at_most=98), Verdict.VIOLATED),
    ],
)
def test_the_whole_interval_decides(bound: Bound, verdict: Verdict) -> None:
    assert judged(bound, SEEN)[0] is verdict


def test_the_reason_says_what_is_known() -> None:
    _, told = judged(Bound("releases", "mean", at_most=53), SEEN)

    assert told == "mean of releases is 48.7 to 52.3 (95 %), wanted at most 53"


def test_what_was_never_observed_is_unknown() -> None:
    verdict, told = judged(Bound(None, "mean", at_most=1), _few(0))

    assert verdict is Verdict.UNKNOWN
    assert "in no walk" in told


def test_what_no_walk_has_come_to_is_unknown() -> None:
    assert judged(Bound("releases", "mean", at_most=1), _found()) == (
        Verdict.UNKNOWN,
        "releases was seen in no walk",
    )


def test_one_walk_says_nothing_of_a_mean() -> None:
    assert (
        judged(Bound(None, "mean", at_most=99), _found(replace(RELEASES, count=1, low=NAN, high=NAN)))[0]
        is Verdict.UNKNOWN
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"cut": cut_by_time(1), "walks": 900}, "only 900 of 1,000 walks were made (time limit of 1 s)"),
        ({"ends": Ends(goal=900, limit=100), "walks": 1000}, "100 of 1,000 walks ended at the limit"),
    ],
)
def test_nothing_holds_while_walks_are_missing(more: dict[str, Any], words: str) -> None:
    within, beyond = Bound(None, "mean", at_most=60), Bound(None, "mean", at_most=40)

    assert judged(within, _found(RELEASES, **more))[0] is Verdict.UNKNOWN
    assert judged(beyond, _found(RELEASES, **more))[0] is Verdict.VIOLATED
    assert words in judged(within, _found(RELEASES, **more))[1]


@pytest.mark.parametrize(
    ("name", "is_one"), [("mean", True), ("p99.9", True), ("p100", False), ("p0", False), ("max", False)]
)
def test_statistics_have_names(name: str, is_one: bool) -> None:
    assert is_statistic(name) is is_one


@pytest.mark.parametrize(
    ("bound", "expect", "runs", "needed"),
    [
        (Bound(None, "mean", at_most=1), Verdict.HOLDS, 2, 2),
        (Bound(None, "mean", at_most=1), Verdict.HOLDS, 1, 2),
        (Bound(None, "p95", at_most=1), Verdict.HOLDS, 1000, 1000),
        (Bound(None, "p95", at_least=1), Verdict.HOLDS, 10, 10),
        (Bound(None, "p99.9", at_most=1), Verdict.VIOLATED, 200, 200),
    ],
)
def test_some_verdicts_need_more_walks(bound: Bound, expect: Verdict, runs: int, needed: int) -> None:
    assert runs_needed(bound, expect, runs) == needed


@pytest.mark.parametrize("statistic", ["p50", "p95", "p99.9", "p99.9999"])
def test_so_many_walks_as_are_needed_can_decide(statistic: str) -> None:
    bound = Bound(None, statistic, at_most=1)
    needed = runs_needed(bound, Verdict.HOLDS, 1)

    def on(count: int) -> Verdict:
        return judged(bound, _found(replace(RELEASES, count=count, histogram=(Bin(1, 1, count),))))[0]

    assert (on(needed - 1), on(needed)) == (Verdict.UNKNOWN, Verdict.HOLDS)
