"""How a back end says no: with the construct, the target and the model's line."""

from __future__ import annotations

from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import ExportError, Place


def refusal(
    system: TransitionSystem, target: str, construct: str, *, at: int = 0, remedy: str = ""
) -> ExportError:
    """The error to raise where a target's language has no exact way to say something."""
    position = system.positions.get(at)
    place = Place(position.file, position.line, position.column, position.text) if position else None
    what = f"{target} cannot express {construct} of the model {system.name}"
    return ExportError("ANG040", what, remedy=remedy, place=place)
