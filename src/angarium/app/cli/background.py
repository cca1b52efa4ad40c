"""What a reader wants to know of a model before its verdicts, gathered from the model itself."""

from __future__ import annotations

from angarium.app.report.text import Background
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir.syntax import Write
from angarium.checker.ir.transition import Action, TransitionSystem
from angarium.checker.ir.traversal import statements
from angarium.checker.ir.types import Index
from angarium.checker.language.declarations import ModelDecl


def background(decl: ModelDecl, system: TransitionSystem) -> Background:
    """A model's description, its parameters' defaults, and what this scenario has."""
    model = elaborate(decl, {})
    defaults = {name: as_setting(value) for name, value in model.parameters.items()}
    budgets = [each for each in system.variables if each.name in model.budgets]
    empty = {each.name for each in budgets if each.high == each.low}
    faults = dict.fromkeys(each.name for each in system.actions if _is_allowed(each, empty))
    return Background(decl.description, defaults, tuple(faults), _is_symmetric(system))


def _is_allowed(action: Action, empty: set[str]) -> bool:
    """Whether an action is a fault, and none of its budgets is empty from the start."""
    written = {each.variable for each in statements(action.body) if isinstance(each, Write)}
    return action.fault and not written & empty


def _is_symmetric(system: TransitionSystem) -> bool:
    """Whether some index of the model is declared interchangeable."""
    indices = [key for variable in system.variables for key in (variable.type, *variable.keys)]
    return any(isinstance(each, Index) and each.symmetric for each in indices)
