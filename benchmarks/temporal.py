"""Guarantees over time: what they cost beside a plain search of the same states.

The model is rabbitmq-sac with three queues, three apps, two restarts and the rule under which the formula
holds, so that nothing ends early; the formula has two operators. (TLC searches the specification at about
35,000 states a CPU second, and two to four times slower with liveness.)
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from angarium.explore.native import NativeEngine
from angarium.logic.check import check
from angarium.model.formula import Question
from angarium.systems.registry import load
from angarium.verdict import Verdict

SETTINGS = {"restarts": "2", "rule": "poorer"}
STATES = 1_465_531
FORMULA = Question("ltl", "[] (all_subscribed -> <> balanced)")


def plain_seconds() -> float:
    """A search of all states, with one guarantee about each."""
    return _seconds("type-ok", ())


def formula_seconds() -> float:
    """From the kernel to the verdict on a formula of two operators."""
    return _seconds("ltl", (FORMULA,))


def _seconds(guarantee: str, questions: Sequence[Question]) -> float:
    system = load("rabbitmq-sac", SETTINGS, questions)
    start = time.perf_counter()
    report = check(system, engine=NativeEngine(), subject="rabbitmq-sac", only=[guarantee])
    seconds = time.perf_counter() - start
    assert report.coverage.states == STATES
    assert report.worst is Verdict.HOLDS
    return seconds
