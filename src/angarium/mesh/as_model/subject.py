"""Subjects that may be meshes: `overlay:FILE` is the model of the mesh in that file.

Wherever a model is named, a mesh can be: `overlay:mesh.yaml`, or `overlay:eu.json:us.json` if several files
describe it. The model is made anew from the files each time. The same mesh gives the same text and so the
same hash, and the addresses of its stories hold for as long as the mesh is not changed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from angarium.checker.frontend.build import build
from angarium.checker.ir.formula import Question
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl, find_model
from angarium.checker.language.source import parse
from angarium.core.errors import UsageError
from angarium.core.result import Parameters
from angarium.systems import registry

OVERLAY = "overlay"
"""The system whose meshes can be given."""


def with_mesh(subject: str, files: Sequence[str]) -> str:
    """The subject, with the files of a mesh in the place of those that come with it."""
    if not files:
        return subject
    if subject != OVERLAY:
        raise UsageError(
            "ANG013",
            f"--mesh is for meshes; {subject} is another system",
            possible=f"possible with --mesh: {OVERLAY}",
            remedy="give the parameters of a model with --set",
        )
    return f"{OVERLAY}:{os.pathsep.join(files)}"


def find(subject: str, within: Path | None = None) -> ModelDecl:
    """The model that a subject names: a mesh's, a bundled one, or a user's; see there for `within`."""
    system, colon, files = subject.partition(":")
    if system != OVERLAY or not colon:
        return registry.find(subject, within)
    from angarium.core.files import confined
    from angarium.mesh.as_model.source import model_source
    from angarium.mesh.files.find import load
    from angarium.mesh.remarks import refuse_open

    with confined(within):
        mesh = load(*files.split(os.pathsep))
    refuse_open(mesh, "a model")
    return find_model(parse(model_source(mesh), subject))


def load(
    subject: str, settings: Parameters | None = None, questions: Sequence[Question] = ()
) -> TransitionSystem:
    """The transition system of a subject, with its parameters set."""
    return build(find(subject), settings, questions)
