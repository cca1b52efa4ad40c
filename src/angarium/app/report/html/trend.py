"""How claims fared over the last runs: a row of signs, and a line of the numbers of states."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.app.report.html.elements import Html, Part, element, joined, table
from angarium.app.report.html.signs import kind_of, sign_of
from angarium.app.report.job_trend import Trend, TrendPoint
from angarium.app.report.layout import amount

MOST = 30
"""How many runs are shown: the last ones."""
_STEP, _HEIGHT, _DOT = 8.0, 28.0, 2.5


def trends(given: Sequence[Trend]) -> Html | None:
    """The section; nothing if there is at most one run to tell of."""
    told = [each for each in given if len(each.runs) > 1]
    if not told:
        return None
    heads = ["claim", "verdicts, the latest last", "states", "what changed"]
    rows = [_row(each.claim, each.runs[-MOST:]) for each in told]
    return joined(
        element("h2", "Over the last runs", id="trend"), table("The claims in the last runs", heads, rows)
    )


def _row(claim: str, runs: Sequence[TrendPoint]) -> list[Part]:
    signs = [_sign(point) for point in runs]
    counts = [point.states for point in runs if point.states is not None]
    return [claim, element("span", *signs, class_="signs"), sparkline(counts), _changed(runs)]


def _sign(point: TrendPoint) -> Html:
    told = f"{point.run_id}: {point.verdict}"
    return element("span", sign_of(point.verdict), class_=f"sign {kind_of(point.verdict)}", title=told)


def _changed(runs: Sequence[TrendPoint]) -> str:
    """The last run against the one before."""
    before, last = runs[-2], runs[-1]
    if before.verdict != last.verdict:
        return f"{before.verdict}, now {last.verdict}"
    if before.states is None or last.states is None or before.states == last.states:
        return "nothing since the run before"
    more = last.states - before.states
    return f"{amount(abs(more), 'state')} {'more' if more > 0 else 'fewer'} than in the run before"


def sparkline(counts: Sequence[int]) -> Html | None:
    """A small line, from 0 up, with a dot at its end and the last number as words."""
    if len(counts) < 2:
        return None
    scale = (_HEIGHT - 2 * _DOT) / max(*counts, 1)
    points = [(_STEP * place + _DOT, _HEIGHT - _DOT - scale * count) for place, count in enumerate(counts)]
    told = f"{amount(len(counts), 'run')}: {', '.join(f'{each:,}' for each in counts)} states"
    return joined(_drawn(points, told), f" {counts[-1]:,}")


def _drawn(points: Sequence[tuple[float, float]], told: str) -> Html:
    (x, y), path = points[-1], " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    size = f'viewBox="0 0 {x + _DOT:.1f} {_HEIGHT}" width="{x + _DOT:.1f}" height="{_HEIGHT}"'
    shapes = f'<polyline points="{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>'
    return Html(f'<svg class="spark" role="img" {size}>{element("title", told)}{shapes}</svg>')
