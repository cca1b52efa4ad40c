"""How the command line shows a story, and what is to be known of a model before its verdicts."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap

from angarium.app.report import story_text
from angarium.app.report.text import Background, Teller
from angarium.checker.export import itf, mermaid, pytest_replay
from angarium.checker.export.step_text import step_sentences
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir.syntax import Write
from angarium.checker.ir.transition import Action, TransitionSystem
from angarium.checker.ir.traversal import statements
from angarium.checker.ir.types import Index
from angarium.checker.language.declarations import ModelDecl
from angarium.core.result import Story


def teller(way: str, width: int) -> Teller:
    """A function that shows a story as a table, a diagram, a trace or a test."""
    ways: dict[str, Teller] = {
        "table": lambda story: story_text.render(story, width),
        "brief": lambda story: _in_brief(story, width),
        "mermaid": mermaid.render,
        "itf": itf.render,
        "pytest": _as_test,
    }
    return ways[way]


def _in_brief(story: Story, width: int) -> str:
    told = "; ".join(words for step in story.steps for words in step_sentences(step))
    return "\n".join(wrap(told, width, break_on_hyphens=False))


def _as_test(story: Story) -> str:
    """A test asserts what following the address shows, which may be less than what the search knew."""
    from angarium.api import replay
    from angarium.checker.logic.replay import DECIDES_NOTHING

    again = replay(story.address)
    summary = "" if again.summary in DECIDES_NOTHING else again.summary
    return pytest_replay.render(replace(story, summary=summary))


# --- background -----------------------------------------------------------------------------------


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
