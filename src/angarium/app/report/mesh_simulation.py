"""Simulations of packets: schemes side by side, as text; and a picture of latency over time.

It has a panel a scheme, with the time of failures shaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import numpy as np

from angarium import __version__
from angarium.app.report.layout import GAP, amount, duration, paragraphs, printable, rounded, widest
from angarium.app.report.plot import over_time
from angarium.app.report.plot.frame import Caption
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import CAUSES, FATES, Experiment, Flow, Response, Run, responses
from angarium.mesh.packets.links import MILLISECOND, SECOND, about, in_words, outages
from angarium.mesh.packets.results import QUANTILES, latencies_of

_NONE = "-"
_WHILE_DOWN = {
    "lost": "What comes to a dead link, or waits for it, is lost.",
    "kept": "What comes to a dead link waits until it heals.",
    "mesh": "What comes to a dead link waits or is lost, as the mesh says of the link.",
}
Line = tuple[str, Sequence[str]]


def render_simulation(experiment: Experiment, runs: Sequence[Run], *, width: int = 80) -> str:
    """What was simulated, the schemes side by side, and what it took."""
    parts = [_header(experiment, width), *_tables(runs, width), _notes(experiment, runs, width)]
    return printable(paragraphs(parts))


def _header(experiment: Experiment, width: int) -> list[str]:
    mesh = experiment.mesh
    size = f"{amount(len(mesh.brokers), 'broker')}, {amount(len(mesh.cables), 'link')}"
    title = f"{mesh.name}: {size}; {in_words(experiment.duration)}, seed {experiment.seed}."
    lines = wrap(title, width, break_on_hyphens=False)
    said = [_flow(flow) for flow in experiment.flows[:5]]
    if len(experiment.flows) > 5:
        said.append(f"and {len(experiment.flows) - 5:,} more")
    said += map(str, experiment.happenings)
    return [*lines, *(line for each in said for line in _indented(each, width))]


def _indented(text: str, width: int) -> list[str]:
    """Names may be longer than a line."""
    return wrap(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _flow(flow: Flow) -> str:
    how = "at equal distances" if flow.arrivals == "constant" else "at random (Poisson)"
    packets = f"{flow.rate:,g} packet{'s' * (flow.rate != 1)}/s of {flow.size:,} bit"
    return f"{flow.origin} to {flow.destination}: {packets}, {how}"


def _tables(runs: Sequence[Run], width: int) -> Iterator[list[str]]:
    """The schemes side by side; where that is too wide, one table below the other."""
    rows: list[Line] = [("", [run.scheme.name for run in runs]), *_timers(runs), *_packets(runs)]
    rows += [*_latencies(runs), ("most hops", [str(run.hops.max(initial=0)) for run in runs])]
    rows += _answers(runs)
    left = widest([label for label, cells in rows if cells])
    columns = [widest([cells[place] for _, cells in rows if cells]) for place in range(len(runs))]
    first = 0
    for after in range(1, len(runs) + 1):
        wide = 2 + left + sum(len(GAP) + column for column in columns[first : after + 1])
        if after == len(runs) or wide > width:
            yield _table(rows, slice(first, after), left, columns, width)
            first = after


def _table(rows: Sequence[Line], which: slice, left: int, columns: Sequence[int], width: int) -> list[str]:
    """Some of the schemes; what has no cells is a heading."""
    lines = [
        line
        for label, cells in rows
        for line in ([_line(label, cells[which], left, columns[which])] if cells else _indented(label, width))
    ]
    rule = 2 + left + sum(len(GAP) + column for column in columns[which])
    return [lines[0], f"  {'-' * (rule - 2)}", *lines[1:]]


def _line(label: str, cells: Sequence[str], left: int, columns: Sequence[int]) -> str:
    shown = GAP.join(f"{cell:>{column}}" for cell, column in zip(cells, columns, strict=False))
    return f"  {label:<{left}}{GAP}{shown}".rstrip()


def _timers(runs: Sequence[Run]) -> list[Line]:
    timers = [run.scheme.timers for run in runs]
    return [
        ("heartbeat", [in_words(each.heartbeat) for each in timers]),
        ("dead interval", [in_words(each.dead) for each in timers]),
    ]


def _packets(runs: Sequence[Run]) -> list[Line]:
    causes = [cause for cause in FATES if any(cause in run.losses for run in runs)]
    rows: list[Line] = [
        ("packets sent", [f"{len(run.sent):,}" for run in runs]),
        ("arrived", [f"{run.count(core.ARRIVED):,}" for run in runs]),
        ("arrived again", [f"{run.copies:,}" for run in runs]),
        ("under way at the end", [f"{run.count(core.UNDER_WAY):,}" for run in runs]),
        ("lost", [f"{run.lost:,}" for run in runs]),
    ]
    return rows + [
        (f"  {FATES[cause]}", [f"{run.losses.get(cause, 0):,}" for run in runs]) for cause in causes
    ]


def _latencies(runs: Sequence[Run]) -> list[Line]:
    found = [latencies_of(run) for run in runs]
    names = ("latency, mean", *(f"  {share:.0%} of packets" for share in QUANTILES), "  longest")
    return [
        (name, [_NONE if each is None else about(each[place]) for each in found])
        for place, name in enumerate(names)
    ]


def _answers(runs: Sequence[Run]) -> list[Line]:
    found = [list(responses(run)) for run in runs]
    rows: list[Line] = []
    for number in range(min(map(len, found))):
        those = [each[number] for each in found]
        rows += [(f"{those[0].happening}", []), *_response(those)]
    return rows


def _response(those: Sequence[Response]) -> list[Line]:
    rows: list[Line] = [
        ("  noticed after", [_after(each.noticed) for each in those]),
        ("  last switch after", [_after(each.settled) for each in those]),
    ]
    if those[0].happening.heals:
        rows.append(("  used again after", [_after(each.used) for each in those]))
    if any(each.lost for each in those) or not those[0].happening.heals:
        rows.append(("  packets lost", [f"{each.lost:,}" for each in those]))
        rows.append(("  delivers again after", [_again(each) for each in those]))
    return rows


def _again(each: Response) -> str:
    return "at once" if each.again == 0 else _after(each.again)


def _after(time: int | None) -> str:
    return _NONE if time is None else f"{time / SECOND:.3f} s"


def _notes(experiment: Experiment, runs: Sequence[Run], width: int) -> list[str]:
    said = [
        f"{run.scheme.name} was cut ({run.cut}) after {in_words(run.until)}: what follows is not known."
        for run in runs
        if run.cut
    ]
    said += [_WHILE_DOWN[experiment.buffering]] if experiment.happenings else []
    events, seconds = sum(run.events for run in runs), sum(run.seconds for run in runs)
    speed = rounded(events / max(seconds, 1e-9))
    said.append(f"Took {duration(seconds)}: {amount(events, 'packet event')}, {speed} a second.")
    return [line for each in said for line in wrap(each, width, break_on_hyphens=False)]


# --- picture -------------------------------------------------------------------------


def drawn(runs: Sequence[Run]) -> str:
    """The picture of a comparison; packets stand where they were sent."""
    experiment = runs[0].experiment
    end = experiment.duration / SECOND
    spans = outages(experiment.happenings, {part for each in experiment.happenings for part in each.parts})
    shaded = [(start / SECOND, min(stop / SECOND, end)) for start, stop in spans if start / SECOND < end]
    axes = over_time.Axes("sent at, s", "latency, ms", end)
    return over_time.draw([_series(run) for run in runs], shaded, axes, _caption(experiment, runs))


def _series(run: Run) -> over_time.Series:
    lost = np.isin(run.fate, CAUSES)
    return over_time.Series(
        run.scheme.name,
        run.sent[run.arrived] / SECOND,
        run.latencies / MILLISECOND,
        run.sent[lost] / SECOND,
    )


def _caption(experiment: Experiment, runs: Sequence[Run]) -> Caption:
    flows = ", ".join(f"{flow.origin} to {flow.destination}" for flow in experiment.flows[:3])
    more = f" and {len(experiment.flows) - 3:,} more" if len(experiment.flows) > 3 else ""
    happened = "; ".join(map(str, experiment.happenings)) or "nothing fails"
    note = f"Red: lost. Shaded: something is cut. {_heartbeats(runs)}. Seed {experiment.seed}. "
    return Caption(
        f"{experiment.mesh.name}: latency of packets, {flows}{more}",
        happened,
        f"{note}Angarium {__version__}.",
    )


def _heartbeats(runs: Sequence[Run]) -> str:
    """Of all schemes together if they have the same, as it should be for a comparison."""
    beats = {run.scheme.name: in_words(run.scheme.timers.heartbeat) for run in runs}
    if len(set(beats.values())) == 1:
        return f"A heartbeat every {beats.popitem()[1]}"
    return f"Heartbeats: {', '.join(f'{name} {time}' for name, time in beats.items())}"
