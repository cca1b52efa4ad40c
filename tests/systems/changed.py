"""A bundled system whose text has been changed in some places, and what a check of it says.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

from functools import cache

from angarium.checker.explore.native import NativeEngine
from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.checker.logic.check import check
from angarium.core.result import Report, Story
from angarium.systems.registry import systems

Change = tuple[str, str]
"""What stands in the model's text, once, and what stands there instead."""
Changes = tuple[Change, ...]
Settings = tuple[tuple[str, str], ...]


@cache
def built(name: str, changes: Changes, settings: Settings) -> TransitionSystem:
    """The system with these changes and settings."""
    path = systems()[name].file
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return build(find_model(parse(text, str(path))), dict(settings))


@cache
def checked(name: str, changes: Changes, settings: Settings) -> Report:
    """What a check finds, with all stories."""
    return check(built(name, changes, settings), engine=NativeEngine(), subject=name)


def as_settings(**settings: object) -> Settings:
    """Settings as a command line gives them."""
    return tuple((name, str(value).lower()) for name, value in settings.items())


def violated(report: Report) -> set[str]:
    """What does not hold, after a complete search."""
    assert report.coverage.complete
    return {each.guarantee for each in report.verdicts if each.verdict.value != "holds"}


def story(report: Report, guarantee: str) -> Story:
    """How a guarantee breaks."""
    (found,) = (each.story for each in report.verdicts if each.guarantee == guarantee)
    assert found is not None
    return found


def actions(report: Report, guarantee: str) -> list[str]:
    """The steps of a story."""
    return [step.action for step in story(report, guarantee).steps]
