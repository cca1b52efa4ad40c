"""`angarium mesh draw`: a picture of a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import dead_option, mesh_argument

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given

FORMATS = ("svg", "dot", "mermaid")


@click.command()
@mesh_argument
@click.option("--as", "form", type=click.Choice(FORMATS), help="The language; by the file's name, else svg.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
@dead_option
@click.option("--problems", is_flag=True, help="Mark what goes wrong, with what is dead.")
@click.option("--title", default="", help="What stands above; the name of the mesh by default.")
def command(
    files: tuple[str, ...],
    given: Given,
    form: str | None,
    out: Path | None,
    dead: tuple[str, ...],
    problems: bool,
    title: str,
) -> None:
    """Draw a mesh, what of it is dead, and what goes wrong then.

    MESH is a mesh file, or the brokers' own configuration files, or a folder of them.

    \b
    Examples:
      angarium mesh draw mesh.yaml --out mesh.svg
      angarium mesh draw mesh.yaml --dead b2-b4 --problems --out without.svg
      angarium mesh draw edge.conf hub.conf --as mermaid

    Exit codes: 0 it was drawn, 2 wrong usage or input.
    """
    from angarium.app.cli.files import hand_over
    from angarium.app.cli.mesh.answering import note_open
    from angarium.app.report.mesh_marks import marks
    from angarium.mesh.draw import Drawing, dot, mermaid, svg
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.budget import failed

    mesh = load(*files, given=given)
    failures = failed(mesh, dead)
    drawing = Drawing(mesh, failures, marks(mesh, failures) if problems else (), title)
    text = {"svg": svg, "dot": dot, "mermaid": mermaid}[form or _form_of(out)](drawing)
    note_open(mesh)
    hand_over(text, out)


def _form_of(out: Path | None) -> str:
    """The form that a file's name asks for."""
    forms = {".dot": "dot", ".gv": "dot", ".mmd": "mermaid"}
    return forms.get(out.suffix, "svg") if out else "svg"
