"""`angarium mesh heartbeats`: false alarms against detection time."""

from __future__ import annotations

from pathlib import Path

import click

from angarium.cli.options import json_option, quiet_option, timeout_option

_LOADS, _INTERVALS = (0.3, 0.6, 0.9), (5.0, 20.0, 100.0, 500.0)


@click.command()
@click.option(
    "--load",
    "loads",
    multiple=True,
    type=click.FloatRange(0.001, 1.9),
    default=_LOADS,
    help="Share of the link that data need; may be repeated. 0.3, 0.6, 0.9 by default.",
)
@click.option(
    "--interval",
    "intervals",
    multiple=True,
    type=click.FloatRange(0.1, 60_000),
    default=_INTERVALS,
    help="Milliseconds between heartbeats; may be repeated. 5, 20, 100, 500 by default.",
)
@click.option("--rate", type=click.FloatRange(0.01, 100_000), default=10.0, show_default=True, help="Mbit/s.")
@click.option(
    "--room",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    help="Packets that the queue holds.",
)
@click.option(
    "--burst",
    type=click.FloatRange(0, 600_000),
    default=200.0,
    show_default=True,
    help="Milliseconds that a burst of data lasts; 0: none.",
)
@click.option(
    "--hours",
    type=click.FloatRange(0.01, 100_000),
    default=1.0,
    show_default=True,
    help="Simulated, for each figure.",
)
@click.option("--seed", type=click.IntRange(0, 2**63), default=0, show_default=True)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curves of the greatest load as SVG.")
@timeout_option
@json_option
@quiet_option
def command(
    loads: tuple[float, ...],
    intervals: tuple[float, ...],
    rate: float,
    room: int,
    burst: float,
    hours: float,
    seed: int,
    plot: Path | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare fixed dead intervals with one that follows what is measured.

    Heartbeats share a link's queue with data: under load they come late or not at all, and a link that
    lives is believed dead. Which rule notices real failures soon and raises few false alarms?

    \b
    Examples:
      angarium mesh heartbeats
      angarium mesh heartbeats --load 0.9 --interval 10 --interval 50
      angarium mesh heartbeats --burst 0 --plot quiet.svg

    Exit codes: 0 it is told, 2 wrong usage, 3 it was cut short.
    """
    from angarium.cli.failures import ExitCode
    from angarium.cli.files import write
    from angarium.cli.output import note, say, say_record, width
    from angarium.cli.watching import telling
    from angarium.mesh.chances.heartbeats import Traffic, heartbeats
    from angarium.report.mesh_heartbeats import heartbeats_record, plotted, render

    traffic = Traffic(max(loads), rate, room=room, burst=burst)
    with telling(quiet) as tell:
        found = heartbeats(
            loads, intervals, traffic=traffic, hours=hours, seed=seed, observe=tell, timeout=timeout
        )
    if as_json:
        say_record(heartbeats_record(found))
    else:
        say(render(found, width=width()))
    if plot and found.points:
        write(plot, plotted(found))
        note(f"wrote {plot}")
    return ExitCode.UNKNOWN if found.cut else ExitCode.HOLDS
