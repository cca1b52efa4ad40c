"""`angarium mesh heartbeats`: false alarms against detection time."""

from __future__ import annotations

from pathlib import Path

import click

from angarium.app.cli.options import Number, json_option, quiet_option, timeout_option

_LOADS, _INTERVALS = (0.3, 0.6, 0.9), ("5 ms", "20 ms", "100 ms", "500 ms")
_MINUTE = 60_000.0
_HOUR = 60 * _MINUTE


@click.command()
@click.option(
    "--load",
    "loads",
    multiple=True,
    type=Number(0.001, 1.9),
    default=_LOADS,
    metavar="SHARE",
    help="Share of the link that data need; may be repeated. 0.3, 0.6, 0.9 by default.",
)
@click.option(
    "--interval",
    "intervals",
    multiple=True,
    default=_INTERVALS,
    metavar="TIME",
    help="Between two heartbeats; may be repeated. 5 ms, 20 ms, 100 ms, 500 ms by default.",
)
@click.option(
    "--rate", default="10 Mbit/s", show_default=True, metavar="RATE", help="How fast the link sends."
)
@click.option(
    "--room",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    metavar="PACKETS",
    help="How many the link's queue holds.",
)
@click.option(
    "--burst",
    default="200 ms",
    show_default=True,
    metavar="TIME",
    help="How long a burst of data lasts on average; 0: no bursts.",
)
@click.option(
    "--duration",
    default="1 h",
    show_default=True,
    metavar="TIME",
    help="How long each figure is simulated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Which random numbers.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw the curves of the greatest load.",
)
@timeout_option
@json_option
@quiet_option
def command(
    loads: tuple[float, ...],
    intervals: tuple[str, ...],
    rate: str,
    room: int,
    burst: str,
    duration: str,
    seed: int,
    plot: Path | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare fixed dead intervals with one that follows what is measured.

    Heartbeats share a link's queue with data: under load they come late or not at all, and a link that
    lives is believed dead. Which rule notices real failures soon and raises few false alarms? Times have a
    unit: 5 ms, 2 s, 1 h.

    \b
    Examples:
      angarium mesh heartbeats
      angarium mesh heartbeats --load 0.9 --interval 10ms --interval 50ms
      angarium mesh heartbeats --rate 100Mbit/s --duration 10min
      angarium mesh heartbeats --burst 0 --plot quiet.svg

    Exit codes: 0 it is told, 2 wrong usage, 3 it was cut short.
    """
    from angarium.app.cli.failures import ExitCode
    from angarium.app.cli.files import check, write
    from angarium.app.cli.output import note, say, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_heartbeats import plotted, render
    from angarium.app.report.record import result_record
    from angarium.core.control import Control, in_lines
    from angarium.core.units import read_rate, read_time
    from angarium.mesh.probability.heartbeats import Traffic, heartbeats
    from angarium.mesh.probability.results import heartbeats_result

    check(plot)
    every = [read_time("--interval", each, 0.1, _MINUTE) for each in intervals]
    lasting = read_time("--burst", burst, 0, 10 * _MINUTE)
    hours = read_time("--duration", duration, 0.01 * _HOUR, 100_000 * _HOUR) / _HOUR
    speed = read_rate("--rate", rate, 0.01, 100_000)
    traffic = Traffic(max(loads), speed, room=room, burst=lasting)
    with telling(quiet) as tell:
        control = Control(timeout, in_lines(tell))
        found = heartbeats(loads, every, traffic=traffic, hours=hours, seed=seed, control=control)
    if as_json:
        say_record(result_record(heartbeats_result(found)))
    else:
        say(render(found, width=width()))
    if plot and found.points:
        write(plot, plotted(found))
        note(f"wrote {plot}")
    return ExitCode.UNKNOWN if found.cut else ExitCode.HOLDS
