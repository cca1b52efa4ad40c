"""A sweep as people read it: one table.

With two parameters it is a matrix of means, the first downwards and the second across, with as many digits as
fit. With one, or with three and more, or where the matrix would be too wide, it has a row for each scenario.

Simulations and sweeps as the JSON record of the command line's contract.

One simulation has its statistics; `alternatives` are more of them, each with what it changes and how it
differs. A sweep has `scenarios`, each with the values that are its own. `complete` is whether all walks that
were asked for were made. Verdicts are `violated` if a walk met a violation, else `unknown`; only a `reaches`
that some walk has reached `holds`. A figure that does not exist, such as the mean of nothing, is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from angarium.app.report.layout import amount, duration, rounded
from angarium.app.report.record import Record, result_record
from angarium.app.report.simulation_text import (
    HEADS,
    Page,
    advice,
    check_command,
    columns,
    conditions,
    figures,
    joined,
    not_counted,
    proofs,
    ruled,
    stories,
)
from angarium.app.report.text import Background, header
from angarium.checker.walks.results import Statistic, SweepResult
from angarium.checker.walks.statistics import Comparison
from angarium.checker.walks.sweep import Sweep, Values
from angarium.core.result import CheckVerdict, Extent, Parameters, Verdict, typed

_MARGIN = "  "
_DIGITS = (2, 1, 0)
"""How many digits behind the point are tried, one after the other."""


def render(answer: Sweep, background: Background, *, shown: str, page: Page) -> str:
    """The whole report; `shown` is the observation whose figures are in the table."""
    asked, made = answer.asked, list(answer.simulations.values())
    goal = made[0].goal if made else None
    parts = [
        header(asked.subject, answer.parameters, background, page.width, page.colourful)
        + conditions(asked.plan, goal, page),
        table(answer, shown, page),
        _made(answer, page),
        _met(answer, page),
        *stories([("", each) for each in answer.verdicts()], page),
        proofs(answer.verdicts(), [_check(answer)], page),
    ]
    return joined(parts)


def table(answer: Sweep, shown: str, page: Page) -> list[str]:
    """The figures of one observation in every scenario."""
    found = {values: _named(answer, values, shown) for values in answer.simulations}
    title = next((_title(each) for each in found.values() if each), "")
    if not any(found.values()):
        return []
    if len(answer.asked.axes) == 2 and (matrix := _matrix(answer, found, page.width - len(_MARGIN))):
        return [*page.wrapped(f"{title} (mean)"), "", *page.indented(matrix)]
    return [*page.wrapped(title), "", *page.indented(_rows(answer, found, page.width - len(_MARGIN)))]


def _title(each: Statistic) -> str:
    return f"{each.observation}: {each.description}" if each.description else each.observation


def _named(answer: Sweep, values: Values, shown: str) -> Statistic | None:
    statistics = answer.simulations[values].statistics
    return next((each for each in statistics if each.observation == shown), None)


def _rows(answer: Sweep, found: Mapping[Values, Statistic | None], width: int) -> list[str]:
    names = tuple(axis.name for axis in answer.asked.axes)
    none = ("-",) * len(HEADS)
    rows = [(", ".join(values), *(figures(each) if each else none)) for values, each in found.items()]
    return ruled([(", ".join(names), *HEADS), *rows], width)


def _matrix(answer: Sweep, found: Mapping[Values, Statistic | None], width: int) -> list[str]:
    """The means, with as many digits as fit; nothing if not even whole numbers do."""
    down, across = answer.asked.axes
    for digits in _DIGITS:
        cells = [[_mean(found.get((row, column)), digits) for column in across.values] for row in down.values]
        rows = [(value, *row) for value, row in zip(down.values, cells, strict=True)]
        lines = columns([(f"{down.name} \\ {across.name}", *across.values), *rows])
        if len(lines[0]) <= width:
            return [lines[0], "-" * width, *lines[1:]]
        narrow = columns([("", *across.values), *rows])
        if len(narrow[0]) <= width:
            says = f"{down.name} downwards, {across.name} across"
            return [says, "", narrow[0], "-" * width, *narrow[1:]]
    return []


def _mean(each: Statistic | None, digits: int) -> str:
    return f"{each.mean:,.{digits}f}" if each and each.count else "-"


# --- what was covered, and what it is worth ---------------------------------------------------


def _made(answer: Sweep, page: Page) -> list[str]:
    made, plan = list(answer.simulations.values()), answer.asked.plan
    cut = f" of {answer.planned:,}; cut: {answer.cut}" if answer.cut else ""
    scenarios = f"{amount(len(made), 'scenario')}{cut}"
    says = f"Simulated {scenarios}: {amount(plan.runs, 'walk')} each (seed {plan.seed})."
    return page.wrapped(says, not_counted(made), _took(answer), advice(answer.cut) if answer.cut else "")


def _took(answer: Sweep) -> str:
    steps = sum(each.extent.steps for each in answer.simulations.values())
    threads = "" if answer.engine == "gpu" else f"on {amount(answer.threads, 'thread')} "
    where = f"{threads}({answer.engine} engine)"
    speed = rounded(steps / max(answer.seconds, 1e-9))
    return f"Took {duration(answer.seconds)} {where}: {speed} steps/s."


def _met(answer: Sweep, page: Page) -> list[str]:
    return page.wrapped(*_violations(answer))


def _violations(answer: Sweep) -> Iterator[str]:
    """In how many scenarios, and in which first, a walk met a violation."""
    for verdict in answer.verdicts():
        where = [
            values for values, one in answer.simulations.items() if _violates(one.verdicts, verdict.guarantee)
        ]
        if where:
            pairs = zip(answer.asked.axes, where[0], strict=True)
            first = ", ".join(f"{axis.name}={value}" for axis, value in pairs)
            yield f"{verdict.guarantee} is violated in {amount(len(where), 'scenario')}, the first: {first}."


def _violates(verdicts: Sequence[CheckVerdict], guarantee: str) -> bool:
    return any(each.guarantee == guarantee and each.verdict is Verdict.VIOLATED for each in verdicts)


def _check(answer: Sweep) -> str:
    """The command for the first scenario, which usually is the smallest."""
    first = {axis.name: axis.values[0] for axis in answer.asked.axes}
    return check_command(answer.asked.subject, {**answer.asked.settings, **first})


# --- simulation record ----------------------------------------------------------------------------


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
