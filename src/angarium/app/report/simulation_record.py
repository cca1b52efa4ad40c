"""Simulations as the JSON record of the command line's contract.

One simulation has its statistics; `alternatives` are more of them, each with what it changes and how it
differs. A sweep has `scenarios`, each with the values that are its own. `complete` is whether all walks that
were asked for were made. Verdicts are `violated` if a walk met a violation, else `unknown`; only a `reaches`
that some walk has reached `holds`. A figure that does not exist, such as the mean of nothing, is null.
"""

from __future__ import annotations

from dataclasses import replace

from angarium.app.report.record import Record, result_record
from angarium.checker.walks.results import SweepResult
from angarium.checker.walks.statistics import Comparison
from angarium.checker.walks.sweep import Sweep, Values
from angarium.core.result import Extent, Parameters, typed


def comparison_record(answer: Comparison) -> Record:
    """A simulation with its alternatives."""
    return result_record(replace(answer.simulation, alternatives=answer.alternatives))


def sweep_record(answer: Sweep) -> Record:
    """A sweep with its scenarios."""
    return result_record(result_of(answer))


def result_of(answer: Sweep) -> SweepResult:
    """A sweep as plain data."""
    asked = answer.asked
    return SweepResult(
        subject=asked.subject,
        parameters=typed(answer.parameters),
        engine=answer.engine,
        extent=Extent(complete=answer.cut is None, cut=answer.cut, seconds=answer.seconds),
        threads=answer.threads,
        plan=asked.plan,
        sweep={axis.name: [typed({"": value})[""] for value in axis.values] for axis in asked.axes},
        scenarios=[
            replace(each, parameters=_own(answer, values)) for values, each in answer.simulations.items()
        ],
        verdicts=answer.verdicts(),
    )


def _own(answer: Sweep, values: Values) -> Parameters:
    """The values of a scenario that other scenarios do not have."""
    return typed(dict(zip((axis.name for axis in answer.asked.axes), values, strict=True)))
