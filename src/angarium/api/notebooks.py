"""Answers in notebooks: each kind of answer with what makes a page of it, loaded when one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from angarium.core.result import Result, Story, display

if TYPE_CHECKING:
    from angarium.checker.walks.results import Simulation


def show() -> None:
    """Let answers know how they are shown; see `angarium.core.result.display`."""
    display.register(Result, _result)
    display.register(Story, _story)


def show_simulations() -> None:
    """The same for simulations, which few programs load."""
    from angarium.checker.walks.results import Simulation

    display.register(Simulation, _simulation)


def _result(answer: Result[Any]) -> Mapping[str, Any]:
    from angarium.app.report.notebook import of_result

    return of_result(answer)


def _simulation(answer: Simulation) -> Mapping[str, Any]:
    from angarium.app.report.notebook import of_simulation

    return of_simulation(answer)


def _story(answer: Story) -> Mapping[str, Any]:
    from angarium.app.report.notebook import of_story

    return of_story(answer)
