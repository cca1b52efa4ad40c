"""The ways in which the command line shows a story."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap

from angarium.app.report import story_text
from angarium.app.report.text import Teller
from angarium.checker.export import itf, mermaid, pytest_replay
from angarium.checker.export.step_text import step_sentences
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
