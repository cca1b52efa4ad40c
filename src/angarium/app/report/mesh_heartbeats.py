"""False alarms against detection time, told, recorded and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, duration, paragraphs, rounded, widest
from angarium.app.report.plot import curves
from angarium.app.report.plot.frame import Caption
from angarium.mesh.probability.heartbeats import Curves, Point, by_curve

_MARGIN = "  "
_HEADS = ("scheme", "every ms", "alarms/h", "95 % between", "noticed ms", "at most", "lost %")


def render(found: Curves, *, width: int = 80) -> str:
    """A table for each load, and what the figures depend on."""
    loads = dict.fromkeys(point.load for point in found.points)
    tables = [
        [
            f"load {load:g}:",
            *_table([point for point in found.points if point.load == load]),
        ]
        for load in loads
    ]
    words = (
        "alarms: a living link was believed dead. noticed: so long after a failure at a random moment, on"
        " average; at most: the longest dead interval. lost: heartbeats that the full queue dropped."
        " fixed: the dead interval is so many heartbeat intervals. adaptive: it follows how late heartbeats"
        " come. stretched: so does the interval between heartbeats, up to 4 times as long on a busy link."
    )
    return paragraphs([wrap(_head(found), width), *tables, wrap(words, width), wrap(_basis(found), width)])


def _head(found: Curves) -> str:
    link = found.traffic
    return (
        f"Heartbeats of {link.heartbeat} bytes among data of {link.packet} bytes on a link of {link.rate:g}"
        f" Mbit/s with room for {link.room} packets; {_bursts(found)}."
    )


def _bursts(found: Curves) -> str:
    burst = found.traffic.burst
    return f"bursts of {burst:g} ms, twice as fast as the link" if burst else "no bursts"


def _table(points: Sequence[Point]) -> list[str]:
    rows = [_HEADS, *map(_cells, points)]
    columns = [widest([row[place] for row in rows]) for place in range(len(_HEADS))]
    lines = []
    for row in rows:
        cells = [f"{row[0]:<{columns[0]}}"]
        cells += [f"{cell:>{column}}" for cell, column in zip(row[1:], columns[1:], strict=True)]
        lines.append(f"{_MARGIN}{GAP.join(cells)}")
    return lines


def _cells(point: Point) -> tuple[str, ...]:
    return (
        point.scheme,
        f"{point.interval:g}",
        _rate(point.alarms_per_hour),
        f"{_rate(point.low)} to {_rate(point.high)}",
        _milliseconds(point.detection),
        _milliseconds(point.longest),
        f"{100 * point.lost:.2g}",
    )


def _milliseconds(time: float) -> str:
    return f"{time:,.0f}" if time >= 10 else f"{time:.2g}"


def _rate(rate: float) -> str:
    if rate >= 100_000:
        return rounded(rate)
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2g}"


def _basis(found: Curves) -> str:
    cut = f" Cut short: {found.cut}." if found.cut else ""
    return (
        f"{amount(len(found.points), 'point')} of {_hours(found)} each, {rounded(found.packets)}"
        f" packets, seed {found.seed}.{cut} Took {duration(found.seconds)}."
    )


def _hours(found: Curves) -> str:
    return "1 hour" if found.hours == 1 else f"{found.hours:g} hours"


def plotted(found: Curves) -> str:
    """The curves of all schemes under the greatest load."""
    load, link = max(point.load for point in found.points), found.traffic
    drawn = [
        curves.Curve(scheme, [(each.detection, each.alarms_per_hour, _hint(each)) for each in points])
        for of, scheme, points in by_curve(found.points)
        if of == load
    ]
    caption = Caption(
        f"Heartbeats on a link with load {load:g}",
        "each dot is a heartbeat interval; best is low and left",
        f"Link of {link.rate:g} Mbit/s with room for {link.room} packets; {_bursts(found)}."
        f" {_hours(found)} for each dot, seed {found.seed}.",
    )
    return curves.draw(drawn, "mean time until a failure is noticed, ms", "false alarms an hour", caption)


def _hint(point: Point) -> str:
    noticed = _milliseconds(point.detection)
    return f"every {point.interval:g} ms, {_rate(point.alarms_per_hour)} alarms/h, {noticed} ms"
