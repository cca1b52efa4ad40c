"""`angarium mesh convert`: brokers' own configuration as one mesh file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import mesh_argument

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given


@click.command()
@mesh_argument
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
def command(files: tuple[str, ...], given: Given, out: Path | None) -> None:
    """Write brokers' own configuration as one mesh file.

    The mesh file can then be given publishers, subscribers and latencies, which brokers' configuration
    seldom names. What the files leave open is listed on standard error, and kept in the mesh file.

    \b
    Examples:
      angarium mesh convert eu.json us.json ap.json --out mesh.yaml
      angarium mesh convert /etc/mosquitto --out mesh.yaml

    Exit codes: 0 it was written, 2 wrong usage or input.
    """
    from angarium.app.cli.files import hand_over
    from angarium.app.cli.mesh.answering import note_open
    from angarium.mesh.files.find import load
    from angarium.mesh.files.write import readable

    mesh = load(*files, given=given)
    note_open(mesh)
    hand_over(readable(mesh), out)
