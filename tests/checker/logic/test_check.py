"""Every guarantee gets the verdict that the search can defend."""

from __future__ import annotations

import pytest

from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.logic.check import check
from angarium.core.control import Limits
from angarium.core.errors import UsageError
from angarium.core.result import Report, Verdict
from tests.zoo import counter, handoff, overflow

ENGINE = ReferenceEngine()


def verdicts(report: Report) -> dict[str, str]:
    return {each.guarantee: each.verdict.value for each in report.verdicts}


def test_a_complete_search_decides_every_guarantee() -> None:
    report = check(counter(stops=True), engine=ENGINE, subject="counter")
    assert verdicts(report) == {
        "stays-in-range": "holds",
        "small": "violated",
        "natural": "holds",
        "two": "holds",
        "hundred": "violated",
        "finished": "holds",
        "unfinished": "violated",
    }
    with_story = {each.guarantee for each in report.verdicts if each.story}
    assert with_story == {"small", "two", "unfinished"}
    assert report.worst is Verdict.VIOLATED


def test_behind_a_step_that_fails_nothing_is_known() -> None:
    report = check(counter(), engine=ENGINE, subject="counter")
    assert verdicts(report) == {
        "stays-in-range": "violated",
        "small": "violated",
        "natural": "unknown",
        "two": "holds",
        "hundred": "unknown",
        "finished": "unknown",
        "unfinished": "unknown",
    }


def test_a_cut_search_never_says_holds_without_a_witness() -> None:
    report = check(counter(), engine=ENGINE, subject="counter", limits=Limits(max_states=2))
    assert verdicts(report) == {
        "stays-in-range": "unknown",
        "small": "unknown",
        "natural": "unknown",
        "two": "unknown",
        "hundred": "unknown",
        "finished": "unknown",
        "unfinished": "unknown",
    }


def test_what_was_found_before_the_cut_counts() -> None:
    report = check(counter(9), engine=ENGINE, subject="counter", limits=Limits(max_states=5))
    assert verdicts(report)["two"] == "holds"
    assert verdicts(report)["small"] == "violated"


def test_only_some_guarantees_and_the_whole_systems_hash() -> None:
    report = check(handoff(), engine=ENGINE, subject="handoff", only=["in-order"])
    assert verdicts(report) == {"stays-in-range": "holds", "in-order": "holds"}
    assert report.model_hash == handoff().hash


def test_a_search_that_ended_because_all_is_decided_is_no_reason_for_unknown() -> None:
    report = check(overflow(), engine=ENGINE, subject="overflow", only=["stays-in-range"])
    assert not report.coverage.complete
    assert verdicts(report) == {"stays-in-range": "violated"}


def test_an_unknown_guarantee_is_refused_with_a_hint() -> None:
    with pytest.raises(UsageError, match="in-ordre") as caught:
        check(handoff(), engine=ENGINE, subject="handoff", only=["in-ordre"])
    assert "did you mean in-order?" in str(caught.value)
    assert caught.value.code == "ANG012"
