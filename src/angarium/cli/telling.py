"""The ways in which the command line shows a story."""

from __future__ import annotations

from angarium.export import itf, mermaid, pytest_replay
from angarium.report import story_table
from angarium.report.text import Teller


def teller(way: str, width: int) -> Teller:
    """A function that shows a story as a table, a diagram, a trace or a test."""
    ways: dict[str, Teller] = {
        "table": lambda story: story_table.render(story, width),
        "mermaid": mermaid.render,
        "itf": itf.render,
        "pytest": pytest_replay.render,
    }
    return ways[way]
