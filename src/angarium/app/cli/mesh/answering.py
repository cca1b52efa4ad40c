"""What every verb of meshes says besides its answer: what the files leave open, which could change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.app.cli.failures import ExitCode

if TYPE_CHECKING:
    from angarium.mesh.mesh import Mesh


def say_answer(text: str, *meshes: Mesh, everything: bool = False) -> None:
    """The answer, and below it what the files of the meshes leave open."""
    from angarium.app.cli.output import say, width
    from angarium.app.report.layout import paragraphs, wrapped
    from angarium.app.report.mesh_open import caution, told_open

    parts = [text.split("\n"), wrapped(caution(meshes), width())]
    for mesh in meshes:
        told = [each for each in told_open(mesh, width=width(), everything=everything) if each]
        parts += [[f"{mesh.name}:"], *told] if told and len(meshes) > 1 else told
    say(paragraphs(parts))


def note_open(mesh: Mesh) -> None:
    """What the files leave open, on standard error: where the answer is a file or a picture."""
    from angarium.app.cli.output import note, width
    from angarium.app.report.layout import paragraphs
    from angarium.app.report.mesh_open import told_open

    told = paragraphs(told_open(mesh, width=width(), everything=True))
    if told:
        note(told)


def careful(code: ExitCode, *meshes: Mesh) -> ExitCode:
    """Nothing holds for sure while files leave something open."""
    from angarium.app.report.mesh_open import any_open

    return ExitCode.UNKNOWN if code is ExitCode.HOLDS and any_open(meshes) else code
