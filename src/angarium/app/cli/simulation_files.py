"""The files that `angarium simulate` writes: pictures, and the figures of every walk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.app.cli import files
from angarium.app.cli.output import note
from angarium.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from angarium.app.cli.simulate import Request
    from angarium.checker.walks.results import Sample, Statistic
    from angarium.checker.walks.statistics import Comparison
    from angarium.checker.walks.sweep import Sweep


def refuse(request: Request) -> None:
    """Say what does not fit together before anything takes time."""
    if request.raw and (request.axes or request.changes):
        other = "--sweep" if request.axes else "--compare"
        raise _together(
            "--raw", other, "the figures of one scenario", f"leave out {other}, and set one scenario"
        )
    if request.axes and request.changes:
        raise _together(
            "--compare", "--sweep", "one of them", "sweep over it: --sweep rule=always,poorer for --compare"
        )
    if request.plot and len(request.axes) > 2:
        what = f"{len(request.axes)} parameters of --sweep"
        raise _together("--plot", what, "one or two parameters in a picture", "leave out --plot")
    files.check(request.plot, request.raw)


def _together(option: str, other: str, possible: str, remedy: str) -> UsageError:
    what = f"{option} cannot be given with {other}"
    return UsageError("ANG013", what, possible=f"possible: {possible}", remedy=remedy)


def write_raw(path: Path | None, sample: Sample) -> None:
    """The figures of every walk."""
    if path:
        from angarium.checker.walks.row_files import write

        write(path, sample)


def write_histogram(path: Path | None, answer: Comparison, shown: str) -> None:
    """A picture of how often each figure was seen."""
    if not path:
        return
    from angarium.app.report.plot import histogram
    from angarium.app.report.plot.histogram import caption_of

    found = [_named(each.statistics, shown) for each in answer.all]
    series = [(label, each) for label, each in zip(answer.labels, found, strict=True) if each]
    if not series:
        _say_nothing_is_drawn(path, shown)
        return
    one = answer.simulation
    changed = {name for each in answer.alternatives for name in each.changes}
    shared = {name: value for name, value in one.parameters.items() if name not in changed}
    caption = caption_of(one.subject, series[0][1], shared, one.plan, len(answer.all))
    files.write(path, histogram.draw(series, caption))


def write_map(path: Path | None, answer: Sweep, shown: str) -> None:
    """A picture of how an observation changes with one or two parameters."""
    if not path:
        return
    from angarium.app.report.plot import band, heat_map
    from angarium.app.report.plot.histogram import caption_of

    asked = answer.asked
    found = {values: _named(each.statistics, shown) for values, each in answer.simulations.items()}
    some = next((each for each in found.values() if each), None)
    if some is None:
        _say_nothing_is_drawn(path, shown)
        return
    caption = caption_of(asked.subject, some, answer.parameters, asked.plan)
    if len(asked.axes) == 1:
        rows = [(value, found.get((value,))) for value in asked.axes[0].values]
        files.write(path, band.draw(asked.axes[0].name, rows, caption))
        return
    down, across = (heat_map.Axis(axis.name, axis.values) for axis in asked.axes)
    means = [[_mean(found.get((row, column))) for column in across.values] for row in down.values]
    of_means = replace(caption, subtitle=f"{caption.subtitle} The mean of each scenario.".strip())
    files.write(path, heat_map.draw(down, across, means, of_means))


def refuse_nothing(request: Request, shown: str) -> None:
    """A picture needs an observation."""
    if request.plot and not shown:
        raise UsageError(
            "ANG013",
            f"{request.subject} names no observations, so there is nothing to draw in {request.plot.name}",
            possible="possible: a picture of what the model observes",
            remedy="name an observation in the model with @observation, or leave out --plot",
        )


def _say_nothing_is_drawn(path: Path, shown: str) -> None:
    note(f"{path} is not written: no walk gave a figure of {shown}")


def _named(statistics: Sequence[Statistic], shown: str) -> Statistic | None:
    return next((each for each in statistics if each.observation == shown), None)


def _mean(each: Statistic | None) -> float | None:
    return each.mean if each and each.count else None
