"""Words that every report of a simulation uses: numbers, rows of figures, bars, how walks ended."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import isnan

from angarium.app.report.layout import GAP, amount, duration, rounded
from angarium.checker.walks.results import Bin, End, Simulation, Statistic
from angarium.core.result import Parameters, assigned

HEADS = ("mean", "± 95 %", "sd", "min", "5 %", "median", "95 %", "max")
"""What a row of figures shows; the second is how far the 95 % confidence interval reaches from the mean."""
BARS = 16
"""The most bars that a histogram has in a terminal."""
_EIGHTHS = "▏▎▍▌▋▊▉█"
_ENDS = {
    End.GOAL: "came to the goal",
    End.REST: "ended where nothing more could happen",
    End.LIMIT: "ended at the limit of steps",
}


def figure(value: float) -> str:
    """A figure as people read it: two digits behind the point, none if it is large."""
    if isnan(value):
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"


def figures(each: Statistic) -> tuple[str, ...]:
    """A statistic in the columns of `HEADS`; a dash where there is nothing to say."""
    if not each.count:
        return ("-",) * len(HEADS)
    share = each.quantiles
    counts = (each.minimum, share[0.05], share[0.5], share[0.95], each.maximum)
    measures = (each.mean, (each.high - each.low) / 2, each.sd)
    return (*map(figure, measures), *(f"{value:,}" for value in counts))


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines: the first column to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [GAP.join(map(_padded, row, widths, range(len(row)))).rstrip() for row in rows]


def _padded(word: str, width: int, column: int) -> str:
    return word.rjust(width) if column else word.ljust(width)


def bars(histogram: Sequence[Bin], width: int) -> Iterator[str]:
    """A histogram as lines of text: a range of figures, a bar, and how many there are."""
    bins = merged(histogram)
    labels, counts = _ranges(bins), [f"{each.count:,}" for each in bins]
    room = width - len(labels[0]) - max(map(len, counts)) - len(GAP) - 1
    most = max(each.count for each in bins)
    for each, label, words in zip(bins, labels, counts, strict=True):
        yield f"{label}{GAP}{_bar(each.count / most * room)} {words}"


def merged(histogram: Sequence[Bin]) -> list[Bin]:
    """The same histogram with few bins: neighbours are put together."""
    together = -(-len(histogram) // BARS)
    groups = [histogram[first : first + together] for first in range(0, len(histogram), together)]
    return [Bin(group[0].low, group[-1].high, sum(each.count for each in group)) for group in groups]


def _ranges(bins: Sequence[Bin]) -> list[str]:
    """The figures that each bin has, all equally wide."""
    places = max(len(str(end)) for each in bins for end in (each.low, each.high))
    if all(each.low == each.high for each in bins):
        return [f"{each.low:>{places}}" for each in bins]
    return [f"{each.low:>{places}} to {each.high:>{places}}" for each in bins]


def _bar(length: float) -> str:
    """A bar of so many columns, drawn in eighths; what is not nothing is at least the thinnest."""
    eighths = max(round(length * 8), int(length > 0))
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")


def walks_made(each: Simulation) -> str:
    """How many walks there were, and how they ended."""
    planned = f" of {each.plan.runs:,}" if each.walks < each.plan.runs else ""
    made = f"Made {each.walks:,}{planned} {'walk' if each.plan.runs == 1 else 'walks'}"
    cut = f"; cut: {each.cut}" if each.cut else ""
    if not each.walks:
        return f"{made}{cut}."
    mean = f"{figure(each.extent.steps / each.walks)} steps each on average"
    return f"{made} (seed {each.plan.seed}): {_ended(each)}; {mean}{cut}."


def _ended(each: Simulation) -> str:
    seen = [(end, count) for end in End if (count := each.extent.ends.of(end))]
    if len(seen) == 1:
        return f"all {_ENDS[seen[0][0]]}"
    return ", ".join(f"{count:,} {_ENDS[end]}" for end, count in seen)


def not_counted(simulations: Sequence[Simulation]) -> str:
    """A remark on walks that gave no figures, if there are any."""
    if not any(each.goal for each in simulations):
        return ""
    missed = sum(each.walks - each.extent.ends.goal for each in simulations)
    if not missed:
        return ""
    return f"{amount(missed, 'walk')} did not come to the goal; the figures are of those that did."


def partly(simulation: Simulation) -> Iterator[str]:
    """Remarks on observations of which only some walks that count gave a figure, or none did."""
    counted = simulation.extent.ends.goal if simulation.goal else simulation.walks
    for each in simulation.statistics:
        if each.walks < counted:
            yield f"{each.observation}: figures of only {each.walks:,} of {amount(counted, 'walk')}."
    for name in simulation.unseen:
        yield f"{name}: no walk gave a figure{_TIMELESS if simulation.plan.schedule != 'rates' else '.'}"


_TIMELESS = "; if it is a time, that passes only with --schedule rates."


def check_command(subject: str, settings: Parameters) -> str:
    """The command that explores every run instead of some."""
    words = [word for each in assigned(settings) for word in ("--set", each)]
    return shlex.join(["angarium", "check", subject, *words])


# --- progress -------------------------------------------------------------------------------


def walking(planned: int, walks: int, steps: int, seconds: float) -> str:
    """A running simulation in one line."""
    speed = max(seconds, 1e-9)
    parts = [
        f"{rounded(walks)} of {rounded(planned)} walks",
        *_left(planned - walks, walks, seconds),
        f"{rounded(walks / speed)}/s",
        f"{rounded(steps / speed)} steps/s",
    ]
    return ", ".join(parts)


def sweeping(done: int, planned: int, seconds: float) -> str:
    """A running sweep in one line."""
    return ", ".join([f"{done:,} of {planned:,} scenarios", *_left(planned - done, done, seconds)])


def _left(left: int, done: int, seconds: float) -> list[str]:
    return [f"~{duration(left * seconds / done)} left"] if done and left > 0 else []
