"""`angarium mesh simulate`: what becomes of every packet while links fail and heal?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import mesh_argument
from angarium.app.cli.options import Number, json_option, quiet_option, timeout_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given
    from angarium.mesh.packets.experiment import Experiment, Run

SCHEMES = ("pcrt", "ospf", "ospf-fast", "lfa", "rrl")


@click.command()
@mesh_argument
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    type=click.Choice(SCHEMES),
    help="How brokers recover; may be repeated, and all are compared if none is given.",
)
@click.option("--from", "origins", multiple=True, required=True, metavar="BROKER", help="Who sends packets.")
@click.option(
    "--to",
    "destinations",
    multiple=True,
    required=True,
    metavar="BROKER",
    help="Where to; as often as --from, in the same order.",
)
@click.option(
    "--rate",
    type=Number(1e-4, 1e9),
    default=1.0,
    show_default=True,
    metavar="NUMBER",
    help="Packets a second, of each sender.",
)
@click.option(
    "--size",
    type=click.IntRange(1, 1_000_000_000),
    default=1000,
    show_default=True,
    metavar="BITS",
    help="Of each packet.",
)
@click.option(
    "--arrivals",
    type=click.Choice(("constant", "poisson")),
    default="constant",
    show_default=True,
    help="Packets at equal distances, or at random.",
)
@click.option("--duration", default="150 s", show_default=True, metavar="TIME", help="How long.")
@click.option(
    "--cut", multiple=True, metavar="NAME@TIME", help="A link, broker or shared risk fails then; repeatable."
)
@click.option("--heal", multiple=True, metavar="NAME@TIME", help="It works again then; repeatable.")
@click.option(
    "--heartbeat",
    metavar="TIME",
    help="Of all schemes, with a dead interval of four of them; else each has its own (1 s, of ospf 10 s).",
)
@click.option(
    "--buffering",
    type=click.Choice(("lost", "kept", "mesh")),
    default="lost",
    show_default=True,
    help="What comes to a dead link is lost, is kept until it heals, or as the mesh says of each link.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Which random numbers.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw the latency over time, with failures shaded.",
)
@click.option(
    "--raw",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what became of every packet: FILE.csv or FILE.parquet.",
)
@timeout_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    given: Given,
    schemes: tuple[str, ...],
    origins: tuple[str, ...],
    destinations: tuple[str, ...],
    rate: float,
    size: int,
    arrivals: str,
    duration: str,
    cut: tuple[str, ...],
    heal: tuple[str, ...],
    heartbeat: str | None,
    buffering: str,
    seed: int,
    plot: Path | None,
    raw: Path | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Send packets through a mesh while links and brokers fail and heal, packet by packet.

    Schemes are compared on the same packets and failures: pcrt (tables calculated beforehand), ospf and
    ospf-fast (tables calculated when a failure is known), lfa (loop-free alternates, then as
    ospf-fast), rrl (resilient routing layers). Times have a unit: 250 ms, 50 s, 5 min.

    \b
    Examples:
      angarium mesh simulate mesh.yaml --from eu --to us --cut eu-us@50s
      angarium mesh simulate mesh.yaml --from eu --to us --cut eu-us@50s \\
        --heal eu-us@100s --heartbeat 1s --scheme pcrt --scheme ospf
      angarium mesh simulate mesh.yaml --from a --to b --rate 500 \\
        --arrivals poisson --plot latency.svg --raw packets.parquet

    Exit codes: 0 all was simulated, 2 wrong usage or input, 3 cut before the end, or the files leave
    something open that could make it otherwise.
    """
    from angarium.app.cli.failures import ExitCode
    from angarium.app.cli.files import check
    from angarium.app.cli.mesh import simulating
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import say_record, width
    from angarium.app.report.mesh_simulation import render_simulation
    from angarium.app.report.record import result_record
    from angarium.mesh.files.find import load
    from angarium.mesh.packets.experiment import Experiment
    from angarium.mesh.packets.results import simulation_result

    check(plot, raw)
    mesh = load(*files, given=given)
    experiment: Experiment = Experiment(
        mesh,
        simulating.flows(origins, destinations, rate, size, arrivals),
        (*simulating.happenings(mesh, cut, heals=False), *simulating.happenings(mesh, heal, heals=True)),
        simulating.read_time("--duration", duration),
        seed,
        buffering,
    )
    beat = None if heartbeat is None else simulating.read_time("--heartbeat", heartbeat)
    runs: list[Run] = simulating.simulated(experiment, schemes or SCHEMES, beat, timeout, quiet)
    simulating.write_files(runs, plot, raw)
    if as_json:
        say_record(result_record(simulation_result(experiment, runs)))
    else:
        say_answer(render_simulation(experiment, runs, width=width()), mesh)
    return careful(ExitCode.UNKNOWN if any(run.cut for run in runs) else ExitCode.HOLDS, mesh)
