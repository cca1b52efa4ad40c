"""What a reader wants to know of a model before its verdicts, gathered from the model itself."""

from __future__ import annotations

from collections.abc import Mapping

from angarium.compile.frontend.parameters import as_text, elaborate
from angarium.model.transition import TransitionSystem
from angarium.model.types import Index
from angarium.report.text import Background
from angarium.systems.registry import find, load


def background(subject: str, settings: Mapping[str, str]) -> Background:
    """A model's description, its parameters' defaults, and what this scenario has."""
    decl, system = find(subject), load(subject, settings)
    defaults = {name: as_text(value) for name, value in elaborate(decl, {}).parameters.items()}
    faults = dict.fromkeys(action.name for action in system.actions if action.fault)
    return Background(decl.description, defaults, tuple(faults), _is_symmetric(system))


def _is_symmetric(system: TransitionSystem) -> bool:
    """Whether some index of the model is declared interchangeable."""
    indices = [key for variable in system.variables for key in (variable.type, *variable.keys)]
    return any(isinstance(each, Index) and each.symmetric for each in indices)
