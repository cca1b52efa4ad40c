"""Numbers of an answer: statistics of simulations, figures of audits, and the table of mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

from angarium.app.report.history_text import duration_of, range_of
from angarium.app.report.html.elements import (
    Html,
    assigned,
    element,
    folded,
    joined,
    listed,
    parameter,
    plain,
    several,
    sign_of,
    table,
)
from angarium.app.report.layout import amount
from angarium.app.report.simulation_text import HEADS, figure
from angarium.checker.logic.mutate import MutantResult, MutationTable
from angarium.checker.walks.results import Alternative, Difference, Simulation, Statistic, SweepResult
from angarium.core.result import Verdict
from angarium.history.automaton.against import Life
from angarium.history.result import AuditResult
from angarium.history.results import Figures
from angarium.history.told import Times

MOST_LIVES = 20
_FIGURES = {
    "attempted": "messages attempted",
    "confirmed": "confirmed",
    "unconfirmed": "never confirmed nor delivered",
    "delivered": "delivered",
    "deliveries": "deliveries",
    "redelivered": "messages delivered again",
    "max_deliveries": "most deliveries of one",
    "requeues": "requeues",
    "unseen": "unseen at the end",
    "lost": "lost",
}
_TIMES = {
    "confirm": "send to confirmation",
    "deliver": "send to delivery",
    "settle": "delivery to acknowledgement",
}


# --- simulations ------------------------------------------------------------------------------


def statistics(result: Simulation | SweepResult) -> Html:
    """What runs observed: of the simulation itself, of its alternatives, of each scenario of a sweep."""
    if isinstance(result, SweepResult):
        return several(map(_scenario, result.scenarios))
    own = _statistics("Statistics", result.statistics)
    return several([own, *map(_alternative, result.alternatives)])


def _statistics(caption: str, rows: Sequence[Statistic]) -> Html | None:
    heads = ["observation", "95 % interval of the mean", *HEADS]
    told = [[_observation(each), _interval(each), *_figures(each)] for each in rows]
    return table(caption, heads, told, numbers=range(1, 10)) if told else None


def _observation(each: Statistic) -> Html:
    return joined(each.observation, element("p", each.description, class_="remark"))


def _interval(each: Statistic | Difference) -> str:
    return f"{figure(each.low)} to {figure(each.high)}"


def _figures(each: Statistic) -> list[str]:
    """In the columns of `HEADS`."""
    figures = (each.mean, (each.high - each.low) / 2, each.sd)
    counts = (each.minimum, *(each.quantiles.get(share) for share in (0.05, 0.5, 0.95)), each.maximum)
    return [*map(figure, figures), *map(_count, counts)]


def _count(value: int | None) -> str:
    return figure(nan) if value is None else f"{value:,}"


def _alternative(each: Alternative) -> Html:
    changed = assigned(each.changes)
    heads = ["observation", "difference of the mean", "95 % interval", "clear"]
    rows = [
        [diff.observation, figure(diff.mean), _interval(diff), "yes" if diff.is_clear else "no"]
        for diff in each.differences
    ]
    differing = table(f"Difference with {changed}", heads, rows, numbers=(1, 2)) if rows else None
    found = _statistics(f"Statistics with {changed}", each.simulation.statistics)
    return folded(f"With {changed}", found, differing)


def _scenario(each: Simulation) -> Html:
    values = assigned(each.parameters)
    title = f"{values}: {amount(each.walks, 'run')}"
    return folded(title, _statistics(f"Statistics with {values}", each.statistics))


# --- audits -----------------------------------------------------------------------------------


def audited(result: AuditResult) -> Html:
    """How many messages, how fast, and what stands in quarantine."""
    return joined(
        _counts(result.figures), _times(result.times), _quarantine(result.quarantine), _lives(result.lives)
    )


def _counts(figures: Sequence[Figures]) -> Html | None:
    """One column a run; what is nowhere is left out, but never how many were lost."""
    told = {
        name: label
        for name, label in _FIGURES.items()
        if name == "lost" or any(getattr(each, name) for each in figures)
    }
    rows = [[label, *(f"{getattr(each, name):,}" for each in figures)] for name, label in told.items()]
    heads = ["messages", *(f"run {each.run_id}" for each in figures)]
    return table("Messages", heads, rows, numbers=range(1, len(heads))) if figures else None


def _times(times: Sequence[Times]) -> Html | None:
    heads = ["time", "run", "messages", "median", "99 %", "longest"]
    rows = [
        [
            _TIMES.get(each.kind, each.kind),
            each.run_id,
            f"{each.count:,}",
            *(range_of(between.low, between.high) for between in (each.median, each.most)),
            duration_of(each.longest),
        ]
        for each in times
    ]
    return table("Times", heads, rows, numbers=(2, 3, 4, 5)) if rows else None


def _quarantine(quarantine: Mapping[str, int]) -> Html | None:
    reasons = sorted(quarantine.items(), key=lambda item: -item[1])
    rows = [[reason, f"{count:,}"] for reason, count in reasons]
    return (
        table("In quarantine: rows that do not fit the schema", ["reason", "rows"], rows, numbers=(1,))
        if rows
        else None
    )


def _lives(lives: Sequence[Life] | None) -> Html | None:
    """The lives of messages against a model; those that it does not have first."""
    if not lives:
        return None
    ranked = sorted(lives, key=lambda each: each.verdict is Verdict.HOLDS)
    rows = [
        [each.life, plain(each.verdict.value), f"{each.count:,}", _seen(each)] for each in ranked[:MOST_LIVES]
    ]
    left = len(lives) - len(rows)
    more = element("p", f"and {amount(left, 'other kind')} of life", class_="remark") if left else None
    heads = ["life of a message", "verdict", "messages", "seen by the model"]
    return joined(table("Lives of messages, against the model", heads, rows, numbers=(2,)), more)


def _seen(life: Life) -> str:
    if life.verdict is Verdict.VIOLATED:
        return f"cannot happen: {parameter(life.cannot)} (for example {life.message_id})"
    if life.verdict is Verdict.UNKNOWN:
        return f"not judged: {life.reason}"
    assumed = ", ".join(life.assumptions)
    return f"happens only without the assumption: {assumed}" if assumed else "happens though nothing fails"


# --- mutants ----------------------------------------------------------------------------------


def mutants(found: MutationTable) -> Html | None:
    """Which guarantees noticed which change that was made on purpose."""
    if not found.rows:
        return None
    names, rows = found.guarantees, found.rows
    told = [[_mutant(row), plain(row.verdict), *(_mark(row, name) for name in names)] for row in rows]
    counts = [
        f"{sum(row.verdict == word for row in rows)} {word}" for word in ("noticed", "survived", "unknown")
    ]
    lesson = "One that survived behaves like the model, or breaks something that no guarantee asks for."
    return joined(
        element("p", f"{amount(len(rows), 'mutant')}: {', '.join(counts)}. {lesson}"),
        listed([f"Guarantees that noticed nothing: {', '.join(found.idle)}." if found.idle else None]),
        table("Mutants: the model, broken on purpose", ["mutant", "what became of it", *names], told),
    )


def _mutant(row: MutantResult) -> Html:
    return joined(row.place, element("p", row.description, class_="remark"))


def _mark(row: MutantResult, name: str) -> str:
    return f"{sign_of('noticed')} noticed" if name in row.noticed else ""
