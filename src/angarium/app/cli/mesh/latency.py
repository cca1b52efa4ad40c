"""`angarium mesh latency`: how likely does a topic miss its bound?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import engine_options, mesh_argument
from angarium.app.cli.options import Number, json_option, quiet_option, timeout_option
from angarium.core.control import Control, in_lines
from angarium.core.errors import UsageError

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given
    from angarium.mesh.mesh import Mesh
    from angarium.mesh.probability.latency import Latencies

_CHANCE = Number(0, 1, min_open=True, max_open=True)


@click.command()
@mesh_argument
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="Only this; may be repeated.")
@click.option(
    "--at-most",
    type=_CHANCE,
    metavar="CHANCE",
    help="Judge: missed no more often than this, 0.004 for 0.4 %.",
)
@click.option("--exact", is_flag=True, help="Look at every set of failures instead of drawing some.")
@click.option(
    "--runs",
    type=click.IntRange(1, 10**10),
    default=1_000_000,
    show_default=True,
    metavar="NUMBER",
    help="How many moments are drawn.",
)
@click.option(
    "--confidence",
    type=_CHANCE,
    default=0.95,
    show_default=True,
    metavar="CHANCE",
    help="That a row's limits hold.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Which random numbers.",
)
@click.option("--all", "everything", is_flag=True, help="All rows, not only the worst.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw the chances.")
@engine_options
@timeout_option
@json_option
@quiet_option
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    given: Given,
    topics: tuple[str, ...],
    at_most: float | None,
    exact: bool,
    runs: int,
    confidence: float,
    seed: int,
    everything: bool,
    plot: Path | None,
    engine: str,
    master: str,
    memory: str | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say how likely topics miss their bounds, by chance and by failures.

    The mesh file says how latencies vary, how often links and brokers fail (mtbf, mttr), and within
    which time subscribers want what they want (within).

    \b
    Examples:
      angarium mesh latency examples/meshes/latency-bounds.yaml
      angarium mesh latency mesh.yaml --exact --at-most 0.001
      angarium mesh latency mesh.yaml --topic order --runs 10000000

    Exit codes: 0 it is told, with --at-most: no bound is missed more often; 1 one is missed more often;
    2 wrong usage or input; 3 unknown, because what is allowed is between the limits, or because of what
    the files leave open.
    """
    from angarium.app.cli.failures import EXIT_CODE_OF, ExitCode
    from angarium.app.cli.files import check, write
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import note, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_latency import plotted, render
    from angarium.app.report.record import result_record
    from angarium.mesh.files.find import load
    from angarium.mesh.probability.results import latency_result

    check(plot)
    if exact:
        _refuse_chance(context)
    mesh = load(*files, given=given)
    place = (master, memory) if engine == "spark" else None
    with telling(quiet) as tell:
        control = Control(timeout, in_lines(tell))
        if exact:
            found = _exact(mesh, topics, control)
        else:
            found = _simulated(mesh, topics, runs, confidence, seed, place, control)
    result = latency_result(found, at_most)
    if as_json:
        say_record(result_record(result))
    else:
        page = render(found, at_most=at_most, width=width(), everything=everything)
        say_answer(page, mesh, everything=everything)
    if plot:
        write(plot, plotted(found, at_most))
        note(f"wrote {plot}")
    if at_most is None:
        return careful(ExitCode.UNKNOWN if found.cut else ExitCode.HOLDS, mesh)
    return EXIT_CODE_OF[result.worst]


_OF_CHANCE = ("runs", "confidence", "seed", "engine", "master", "memory")
"""Options that mean something only where something is drawn."""


def _refuse_chance(context: click.Context) -> None:
    """Whoever says --exact draws nothing: an option for it would do nothing, and nobody would notice."""
    default = click.core.ParameterSource.DEFAULT
    given = [name for name in _OF_CHANCE if context.get_parameter_source(name) is not default]
    if given:
        raise UsageError(
            "ANG013",
            f"--{given[0]} does nothing together with --exact",
            possible="--exact looks at every set of failures, on this machine; nothing is drawn",
            remedy=f"leave out --exact, or --{given[0]}",
        )


def _exact(mesh: Mesh, topics: tuple[str, ...], control: Control) -> Latencies:
    from angarium.mesh.probability.latency import exact

    return exact(mesh, topics=topics, control=control)


def _simulated(
    mesh: Mesh,
    topics: tuple[str, ...],
    runs: int,
    confidence: float,
    seed: int,
    place: tuple[str, str | None] | None,
    control: Control,
) -> Latencies:
    from angarium.mesh.probability import sampling
    from angarium.spark.place import Place

    if place is None:
        return sampling.simulated(
            mesh, topics=topics, runs=runs, confidence=confidence, seed=seed, control=control
        )
    return sampling.simulated_on_spark(
        mesh,
        Place(*place),
        topics=topics,
        runs=runs,
        confidence=confidence,
        seed=seed,
        control=control,
    )
