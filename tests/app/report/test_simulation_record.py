"""Simulations as records."""

from __future__ import annotations

import json

from angarium.app.report.simulation_sweep import comparison_record, sweep_record
from angarium.checker.walks.statistics import Comparison
from angarium.core.control import INTERRUPTED
from tests.app.report.simulations import NOTHING, VIOLATED, axis, comparison, simulation, statistic, swept


def test_one_simulation_defends_itself() -> None:
    record = comparison_record(Comparison(simulation([statistic()], verdicts=[VIOLATED])))
    assert {**record, "statistics": 1, "verdicts": 1, "ends": 1} == {
        "angarium": record["angarium"],
        "schema": 1,
        "form": "Simulation",
        "kind": "simulate",
        "subject": "counter",
        "parameters": {"high": 3, "rule": "always"},
        "model_hash": "0" * 12,
        "engine": "local",
        "threads": 2,
        "schedule": "by-action",
        "seed": 7,
        "runs": 100,
        "steps_limit": 10_000,
        "goal": "All is done.",
        "complete": True,
        "cut_by": None,
        "cut": None,
        "walks": 100,
        "steps": 1200,
        "ends": 1,
        "seconds": 0.5,
        "cpu_seconds": 0.75,
        "statistics": 1,
        "unseen": [],
        "alternatives": [],
        "verdicts": 1,
    }
    assert record["ends"] == {"goal": 100, "rest": 0, "limit": 0}
    [found] = record["statistics"]
    assert (found["mean"], found["low"], found["high"], found["sd"]) == (18.0, 17.5, 18.5, 2.0)
    assert found["quantiles"]["0.5"] == 5
    assert found["histogram"][0] == {"low": 1, "high": 2, "count": 10}
    [verdict] = record["verdicts"]
    assert verdict["verdict"] == "violated"
    assert verdict["story"]["address"].startswith("counter@")


def test_what_is_not_a_number_is_null() -> None:
    record = comparison_record(Comparison(simulation([NOTHING])))
    [found] = json.loads(json.dumps(record, allow_nan=False))["statistics"]
    assert (found["mean"], found["sd"], found["minimum"], found["histogram"]) == (None, None, None, [])


def test_alternatives_have_their_changes_and_differences() -> None:
    [other] = comparison_record(comparison())["alternatives"]
    assert other["changes"] == {"rule": "poorer"}
    assert other["statistics"][0]["mean"] == 12.0
    assert other["differences"] == [
        {"observation": "total-releases", "mean": -6.0, "low": -6.7, "high": -5.3, "clear": True}
    ]


def test_a_sweep_has_its_scenarios_in_order() -> None:
    record = sweep_record(
        swept(axis("queues", 2, 3), axis("apps", 1, 2), missing=[("3", "2")], cut=INTERRUPTED)
    )
    assert record["sweep"] == {"queues": [2, 3], "apps": [1, 2]}
    assert [each["parameters"] for each in record["scenarios"]] == [
        {"queues": 2, "apps": 1},
        {"queues": 2, "apps": 2},
        {"queues": 3, "apps": 1},
    ]
    assert (record["engine"], record["complete"], record["cut"]) == ("spark", False, "interrupted")
    assert record["parameters"] == {"high": 3}
    assert [each["verdict"] for each in record["verdicts"]] == ["unknown"]
