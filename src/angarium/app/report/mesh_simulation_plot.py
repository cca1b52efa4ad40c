"""The latency of packets over time, a panel a scheme, with the time of failures shaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from angarium import __version__
from angarium.app.report.plot import over_time
from angarium.app.report.plot.frame import Caption
from angarium.mesh.packets.experiment import CAUSES, Experiment, Run
from angarium.mesh.packets.links import MILLISECOND, SECOND, in_words, outages


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
