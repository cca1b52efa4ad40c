"""Guarantees over time: what they cost beside a plain search of the same states.

The model is rabbitmq-sac with three queues, three apps, two restarts and the rule under which the formula
holds, so that nothing ends early; the formula has two operators. (TLC searches the specification at about
35,000 states a CPU second, and two to four times slower with liveness.)
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from angarium.checker.explore.native import NativeEngine
from angarium.checker.ir.formula import Question
from angarium.checker.logic.check import check
from angarium.core.result import Verdict
from angarium.systems.registry import load
from benchmarks.common.measure import in_turns, middle
from benchmarks.common.row import Row

FORMULA = Question("ltl", "[] (all_subscribed -> <> balanced)")


@dataclass(frozen=True, slots=True)
class Size:
    queues: int
    apps: int
    restarts: int
    states: int
    repeats: int


FULL = Size(queues=3, apps=3, restarts=2, states=1_465_531, repeats=3)
TINY = Size(queues=2, apps=2, restarts=1, states=362, repeats=1)


def rows(size: Size) -> Iterator[Row]:
    plain, formula = in_turns(size.repeats, lambda: plain_seconds(size), lambda: formula_seconds(size))
    speed, ratio = size.states / middle(formula), middle(formula) / middle(plain)
    what = "LTL of two operators, kernel to verdict"
    yield Row(what, f"{speed / 1e6:.2f} M states a CPU s", "0.5 M", speed >= 5e5)
    yield Row("the same / a plain search", f"{ratio:.2f} x its time", "3 x", ratio <= 3)


def plain_seconds(size: Size) -> float:
    """A search of all states, with one guarantee about each."""
    return _seconds(size, "type-ok", ())


def formula_seconds(size: Size) -> float:
    """From the kernel to the verdict on a formula of two operators."""
    return _seconds(size, "ltl", (FORMULA,))


def _seconds(size: Size, guarantee: str, questions: Sequence[Question]) -> float:
    setting = {"queues": str(size.queues), "apps": str(size.apps), "restarts": str(size.restarts)}
    system = load("rabbitmq-sac", {**setting, "rule": "poorer"}, questions)
    start = time.process_time()
    report = check(system, engine=NativeEngine(), subject="rabbitmq-sac", only=[guarantee])
    seconds = time.process_time() - start
    assert report.coverage.states == size.states
    assert report.worst is Verdict.HOLDS
    return seconds
