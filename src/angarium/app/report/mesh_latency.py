"""How likely bounds are missed, told, recorded and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, duration, entry, paragraphs, printable, widest
from angarium.app.report.plot import limits
from angarium.app.report.plot.frame import Caption
from angarium.mesh.probability.latency import Latencies, Missing
from angarium.mesh.probability.results import named, percent, verdict_of

_MARGIN = "  "
MOST_ROWS = 20
_LIMIT = "≤"


def worst_first(found: Latencies) -> list[Missing]:
    return sorted(found.rows, key=lambda row: -row.missed.value)


def render(
    found: Latencies, *, at_most: float | None = None, width: int = 80, everything: bool = False
) -> str:
    """The chances of all rows, the worst first, and what they rest on."""
    rows = worst_first(found)
    shown = rows if everything else rows[:MOST_ROWS]
    parts = [
        wrap(_head(found), width),
        _table(found, shown, at_most, width),
        [f"{len(rows) - len(shown):,} more (--all)."] if len(shown) < len(rows) else [],
        wrap(_words(rows, at_most), width),
        wrap(_basis(found), width),
    ]
    return printable(paragraphs(parts))


def _head(found: Latencies) -> str:
    mesh = found.mesh
    what = f"{amount(len(mesh.brokers), 'broker')}, {amount(len(mesh.cables), 'link')}"
    if not found.risks:
        return f"{mesh.name}: {what}. Nothing says how often it fails (mtbf, mttr): nothing does."
    whole = f"all of them work {percent(found.healthy)} % of the time"
    return f"{mesh.name}: {what}. {amount(found.risks, 'part')} can fail; {whole}."


def _table(found: Latencies, rows: Sequence[Missing], at_most: float | None, width: int) -> list[str]:
    between = "between" if found.confidence is None else f"{percent(found.confidence)} % between"
    heads = ("missed %", between, "away", "lost", "late", "what, to whom, within")
    cells = [_cells(found, row, at_most) for row in rows]
    columns = [widest([head, *(each[place] for each in cells)]) for place, head in enumerate(heads[:-1])]
    room = width - len(_MARGIN)

    def told(row: tuple[str, ...]) -> list[str]:
        left = GAP.join(f"{cell:<{column}}" for cell, column in zip(row, columns, strict=False))
        return entry(left, row[-1], left=len(left), width=room)

    lines = [*told(heads), "-" * room, *chain.from_iterable(map(told, cells))]
    return [f"{_MARGIN}{line}" for line in lines]


def _cells(found: Latencies, row: Missing, at_most: float | None) -> tuple[str, ...]:
    mark = _LIMIT if row.is_limit else ""
    return (
        mark + percent(row.missed.value),
        f"{percent(row.missed.low)} to {percent(row.missed.high)}",
        percent(row.away.value),
        percent(row.lost.value),
        mark + percent(row.late.value),
        named(row) if at_most is None else f"{named(row)}: {verdict_of(found, row, at_most).value}",
    )


def _words(rows: Sequence[Missing], at_most: float | None) -> str:
    words = "All in %. away: a broker at an end is dead, and nobody takes its place. lost: no path. late: not"
    words += " within the bound. missed: all of these."
    if any(row.is_limit for row in rows):
        words += f" {_LIMIT}: at most so much, because the first of several copies counts."
    if at_most is not None:
        words += f" holds: missed at most {percent(at_most)} %."
    return words


def _basis(found: Latencies) -> str:
    failures = f"0 to {found.failures} failures at a time" if found.failures else "no failure"
    if found.runs is None:
        basis = f"Exact: {'all ' * (found.sets > 1)}{amount(found.sets, 'set')} with {failures}"
    else:
        basis = f"Simulated: {amount(found.runs, 'run')} with {failures}, seed {found.seed}"
    if found.rest:
        basis += f"; more of them at a time have a chance of {percent(found.rest)} %, counted as missed above"
    cut = f" Cut short: {found.cut}." if found.cut else ""
    return f"{basis}.{cut} Took {duration(found.seconds)}."


def plotted(found: Latencies, at_most: float | None) -> str:
    """The chances of missing a bound, the worst first, as a picture."""
    rows = worst_first(found)[:MOST_ROWS]
    drawn = [_in_percent(row) for row in rows]
    allowed = None if at_most is None else 100 * at_most
    sure = "certain" if found.confidence is None else f"{percent(found.confidence)} % confidence"
    caption = Caption(
        f"{found.mesh.name}: chances of missing a bound", f"with limits, {sure}", _basis_of_plot(found)
    )
    return limits.draw(drawn, "messages that miss their bound, %", caption, allowed)


def _in_percent(row: Missing) -> limits.Row:
    missed = row.missed
    return limits.Row(named(row), 100 * missed.value, 100 * missed.low, 100 * missed.high)


def _basis_of_plot(found: Latencies) -> str:
    """What the figures depend on, without how long they took: the same figures are the same picture."""
    return _basis(found).rpartition(" Took ")[0]
