"""`angarium mesh export`: a mesh in another checker's language."""

from __future__ import annotations

from pathlib import Path

import click

from angarium.cli.mesh.options import dead_option, files_argument


@click.command()
@files_argument
@click.option("--to", type=click.Choice(["smv"]), required=True, help="The language to write.")
@dead_option
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
def command(files: tuple[str, ...], to: str, dead: tuple[str, ...], out: Path | None) -> None:
    """Write a mesh with routing tables in the language of another checker.

    smv is for NuSMV and nuXmv: a message's place as the state, the tables as its steps, and for every
    publisher and subscriber that belong together the claim that the message arrives, in CTL.

    \b
    Examples:
      angarium mesh export mesh.yaml --to smv --out mesh.smv
      angarium mesh export mesh.yaml --to smv --dead b2-b4

    Exit codes: 0 it was written, 2 wrong usage or input.
    """
    from angarium.cli.files import hand_over
    from angarium.mesh.export.exported import exported
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.failed import failed

    mesh = load(*files)
    text = exported(mesh, failed(mesh, dead))
    hand_over(text, out)
