"""Simulations as the JSON record of the command line's contract.

One simulation has its statistics; `alternatives` are more of them, each with what it changes and how it
differs. A sweep has `scenarios`, each with the values that are its own. `complete` is whether all walks that
were asked for were made. Verdicts are `violated` if a walk met a violation, else `unknown`; only a `reaches`
that some walk has reached `holds`. A figure that does not exist, such as the mean of nothing, is null.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from angarium.app.report.record import Record, envelope, typed_values, verdict_record
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Bin, End, Simulation, Statistic
from angarium.checker.walks.statistics import Alternative, Comparison, Difference
from angarium.checker.walks.sweep import Sweep, Values
from angarium.core.result import CheckVerdict

KIND = "simulate"


def comparison_record(answer: Comparison) -> Record:
    """A simulation with its alternatives."""
    one = answer.simulation
    more = {
        **_engine(one),
        **_made(one),
        "alternatives": [_alternative(each) for each in answer.alternatives],
    }
    return envelope(KIND, one.subject, one.parameters, more, _verdicts(one.verdicts))


def sweep_record(answer: Sweep) -> Record:
    """A sweep with its scenarios."""
    asked = answer.asked
    more = {
        "engine": answer.engine,
        "threads": answer.threads,
        "complete": answer.cut is None,
        "cut": answer.cut,
        "seconds": round(answer.seconds, 3),
        **_plan(asked.plan),
        "sweep": {axis.name: _typed(axis.name, axis.values) for axis in asked.axes},
        "scenarios": [_scenario(answer, values, each) for values, each in answer.simulations.items()],
    }
    return envelope(KIND, asked.subject, answer.parameters, more, _verdicts(answer.verdicts()))


def _typed(name: str, values: Values) -> list[Any]:
    return [typed_values({name: value})[name] for value in values]


def _scenario(answer: Sweep, values: Values, each: Simulation) -> Record:
    own = dict(zip((axis.name for axis in answer.asked.axes), values, strict=True))
    begin = {"parameters": typed_values(own), "model_hash": each.model_hash}
    return {**begin, **_made(each), "verdicts": _verdicts(each.verdicts)}


def _alternative(each: Alternative) -> Record:
    one = each.simulation
    begin = {"changes": typed_values(each.changes), "seed": one.plan.seed, "model_hash": one.model_hash}
    differing = [_difference(difference) for difference in each.differences]
    return {**begin, **_made(one), "differences": differing, "verdicts": _verdicts(one.verdicts)}


def _engine(one: Simulation) -> Record:
    begin = {"model_hash": one.model_hash, "engine": one.engine, "threads": one.threads}
    return {**begin, **_plan(one.plan), "goal": one.goal or None}


def _plan(plan: Plan) -> Record:
    return {"schedule": plan.schedule, "seed": plan.seed, "runs": plan.runs, "steps_limit": plan.steps}


def _made(one: Simulation) -> Record:
    return {
        "complete": one.cut is None,
        "cut": one.cut,
        "walks": one.walks,
        "steps": one.steps,
        "ends": {end.name.lower(): one.ends.get(end, 0) for end in End},
        "seconds": round(one.seconds, 3),
        "cpu_seconds": round(one.cpu_seconds, 3),
        "statistics": [_statistic(each) for each in one.statistics],
    }


def _statistic(each: Statistic) -> Record:
    return {
        "observation": each.observation,
        "description": each.description,
        "walks": each.walks,
        "count": each.count,
        "mean": _number(each.mean),
        "low": _number(each.low),
        "high": _number(each.high),
        "sd": _number(each.sd),
        "minimum": each.minimum if each.count else None,
        "maximum": each.maximum if each.count else None,
        "quantiles": {str(share): value for share, value in each.quantiles.items()},
        "histogram": [_bin(part) for part in each.histogram],
    }


def _difference(each: Difference) -> Record:
    figures = {"mean": _number(each.mean), "low": _number(each.low), "high": _number(each.high)}
    return {"observation": each.observation, **figures, "clear": each.is_clear}


def _bin(part: Bin) -> Record:
    return {"low": part.low, "high": part.high, "count": part.count}


def _number(value: float) -> float | None:
    """JSON has no word for what is not a number."""
    return round(value, 6) if isfinite(value) else None


def _verdicts(verdicts: Sequence[CheckVerdict]) -> list[Record]:
    return [verdict_record(each) for each in verdicts]
