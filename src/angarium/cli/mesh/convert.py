"""`angarium mesh convert`: brokers' own configuration as one mesh file."""

from __future__ import annotations

from pathlib import Path

import click

from angarium.cli.mesh.options import files_argument


@click.command()
@files_argument
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
def command(files: tuple[str, ...], out: Path | None) -> None:
    """Write brokers' own configuration as one mesh file.

    The mesh file can then be given publishers, subscribers and latencies, which brokers' configuration
    seldom names. What is not understood is listed on standard error.

    \b
    Examples:
      angarium mesh convert eu.json us.json ap.json --out mesh.yaml
      angarium mesh convert /etc/mosquitto --out mesh.yaml

    Exit codes: 0 it was written, 2 wrong usage or input.
    """
    from angarium.cli.files import hand_over
    from angarium.cli.output import note
    from angarium.mesh.files.find import load
    from angarium.mesh.files.write import readable

    mesh = load(*files)
    for remark in mesh.remarks:
        note(f"{remark.kind}: {f'{remark.place}: ' if remark.place else ''}{remark.what}")
    hand_over(readable(mesh), out)
