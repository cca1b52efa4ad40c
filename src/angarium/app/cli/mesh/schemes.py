"""`angarium mesh schemes`: how do schemes of recovery compare when a link fails?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import engine_options
from angarium.app.cli.options import json_option, quiet_option, timeout_option
from angarium.core.result import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from angarium.app.report.mesh_schemes import Told
    from angarium.mesh.schemes.many import Compared, Subject
    from angarium.spark.place import Place

    Groups = Sequence[tuple[str, Sequence[Subject]]]

MOST_GRAPHS = 100_000


@click.command()
@click.argument("files", nargs=-1, metavar="[MESH]...")
@click.option("--random", "sizes", multiple=True, metavar="BROKERSxLINKS", help="Random connected graphs.")
@click.option(
    "--graphs",
    type=click.IntRange(1, MOST_GRAPHS),
    default=100,
    show_default=True,
    help="How many of each size.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first random graph."
)
@click.option(
    "--layers",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="About so many resilient layers; by default as few as can be.",
)
@click.option("--merged", is_flag=True, help="Take several links between two brokers as one.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write tables (Parquet) and pictures (SVG) into this folder.",
)
@engine_options
@timeout_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    sizes: tuple[str, ...],
    graphs: int,
    seed: int,
    layers: int | None,
    merged: bool,
    out: Path | None,
    engine: str,
    master: str,
    memory: str | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare schemes of recovery, over every single link that fails.

    Recovery tables, resilient routing layers and loop-free alternates, near and remote: how long
    paths become, whom they do not deliver to, and how many entries brokers keep. MESH is a mesh
    file or a graph, or a folder of them: each is a mesh of its own.

    \b
    Examples:
      angarium mesh schemes examples/meshes/six-brokers.yaml
      angarium mesh schemes --random 32x64 --graphs 100 --out figures
      angarium mesh schemes --random 16x32 --random 64x128 --graphs 20
      angarium mesh schemes topology-zoo/ --merged --engine spark --out zoo

    Exit codes: 0 all were compared, 2 wrong usage or input, 3 not all of them in time.
    """
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_schemes import render
    from angarium.app.report.record import result_record
    from angarium.mesh.schemes.results import schemes_result
    from angarium.spark.place import Place

    groups = _groups(files, sizes, range(seed, seed + graphs), merged)
    _prepare(out)
    with telling(quiet) as tell:
        place = Place(master, memory) if engine == "spark" else None
        told, compared = _compared(groups, layers, place, timeout, tell)
    if out:
        _write(out, groups, told, compared, place)
    if as_json:
        parameters: dict[str, Setting] = {"graphs": graphs, "seed": seed} if sizes else {}
        parameters |= {"layers": layers} if layers else {}
        result = schemes_result(
            told.groups, parameters, engine=told.engine, seconds=told.seconds, cut=told.cut
        )
        say_record(result_record(result))
    else:
        say(render(told, width=width(), colourful=is_colourful()))
    return 3 if told.cut else 0


def _groups(files: Sequence[str], sizes: Sequence[str], seeds: range, is_merged: bool) -> Groups:
    """What to look at, by what it was asked for."""
    from angarium.core.errors import UsageError
    from angarium.mesh.schemes.graphs import RandomGraph, meshes_at, read_size
    from angarium.mesh.schemes.many import merged

    if not files and not sizes:
        raise UsageError(
            "ANG013",
            "nothing says which meshes to compare schemes for",
            possible="mesh files, graphs, folders of them, or --random BROKERSxLINKS",
            remedy="for example angarium mesh schemes --random 32x64",
        )
    groups: list[tuple[str, Sequence[Subject]]] = []
    for path in files:
        found = [merged(mesh) if is_merged else mesh for mesh in meshes_at(path)]
        groups.append((found[0].name if len(found) == 1 else Path(path).name or path, found))
    for size in sizes:
        brokers, links = read_size(size)
        groups.append((f"random {size}", [RandomGraph(brokers, links, seed) for seed in seeds]))
    return groups


def _prepare(out: Path | None) -> None:
    """Make the folder before anything takes time."""
    from angarium.core.errors import UsageError
    from angarium.core.extras import demand

    if out is None:
        return
    demand("parquet", "without it, the figures as text or JSON, without --out")
    try:
        out.mkdir(exist_ok=True)
    except OSError as problem:
        raise UsageError(
            "ANG014",
            f"cannot make the folder {out}: {problem.strerror}",
            possible="a folder in one that is there and that you may write to",
            remedy="give another folder",
        ) from None


def _compared(
    groups: Groups,
    layers: int | None,
    place: Place | None,
    timeout: float | None,
    tell: Callable[[str], None] | None,
) -> tuple[Told, Compared]:
    """Look at all meshes, here or on Spark, and add up what was found for each group."""
    from angarium.app.report.mesh_schemes import Told
    from angarium.core.control import Control, in_lines
    from angarium.mesh.schemes import many
    from angarium.mesh.schemes.results import Group

    control = Control(timeout, in_lines(tell))
    asked = [each for _, meshes in groups for each in meshes]
    if place:
        compared = many.compare_all_on_spark(asked, place, layers=layers, control=control)
    else:
        compared = many.compare_all(asked, layers=layers, control=control)
    found = dict(zip(compared.numbers, compared.comparisons, strict=True))
    told, first = [], 0
    for name, meshes in groups:
        mine = [found[number] for number in range(first, first + len(meshes)) if number in found]
        told.append(Group(name, len(meshes), mine, many.together(mine, name)))
        first += len(meshes)
    engine = "spark" if place else "local"
    return Told(told, control.seconds, engine, compared.cut), compared


def _write(out: Path, groups: Groups, told: Told, compared: Compared, place: Place | None) -> None:
    """The tables and the pictures."""
    from angarium.app.cli import files
    from angarium.app.cli.output import note
    from angarium.app.report.mesh_schemes import pictures
    from angarium.mesh.schemes import many
    from angarium.spark.session import session

    rows = many.rows(compared, [name for name, meshes in groups for _ in meshes])
    if place:
        found = {name: frame.toArrow() for name, frame in many.frames(session(place), rows).items()}
    else:
        found = dict(many.tables(rows))
    written = many.write(out, found)
    for name, text in pictures(told.groups):
        files.write(out / name, text)
        written.append(out / name)
    note(f"wrote {len(written)} files into {out}: {', '.join(file.name for file in written)}")
