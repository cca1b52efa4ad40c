"""What a reader wants to know of a model before its verdicts, gathered from the model itself."""

from __future__ import annotations

from collections.abc import Mapping

from angarium.compile.frontend.parameters import as_text, elaborate
from angarium.report.text import Background
from angarium.systems.registry import find, load


def background(subject: str, settings: Mapping[str, str]) -> Background:
    """A model's description, the defaults of its parameters, and the faults of this scenario."""
    decl, system = find(subject), load(subject, settings)
    defaults = {name: as_text(value) for name, value in elaborate(decl, {}).parameters.items()}
    faults = dict.fromkeys(action.name for action in system.actions if action.fault)
    return Background(decl.description, defaults, tuple(faults))
