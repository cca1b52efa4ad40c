"""The arguments of a step as words: those that it was given, and the choices that it made.

A choice that a step did not come to is no part of it, and is not told.
"""

from __future__ import annotations

from collections.abc import Sequence

from angarium.checker.explore.interpret import names_in
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.transition import Action, Cells, Parameter


def told(labels: Labels, action: Action, arguments: Sequence[int], before: Cells) -> dict[str, str]:
    """What each parameter of a step from a state was, by its name."""
    pairs = list(zip(action.parameters, arguments, strict=True))
    if any(parameter.flag for parameter, _ in pairs):
        names = names_in(labels.system, action, arguments, before)
        pairs = [each for each in pairs if not each[0].flag or names.get(each[0].flag)]
    return {parameter.name: _word(labels, parameter, number) for parameter, number in pairs}


def _word(labels: Labels, parameter: Parameter, number: int) -> str:
    if parameter.options:
        return labels.text(*parameter.options[number - parameter.type.low])
    return labels.text(parameter.type, number)
