"""A comparison of two systems as people read it, and as a record.

pair.py refines queue.py: violated
  implementation  Two buffers of one place, one behind the other.
                  items=2: 9 states, 16 transitions
  specification   A queue with two places.
                  items=2: 7 states, 12 transitions
  visible         get, put

trace-refinement: every sequence of visible events is one of the specification.
It breaks in 3 steps.
...
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from textwrap import wrap

from angarium.app.report.layout import amount, duration, entry, paint, paragraphs
from angarium.app.report.text import Teller
from angarium.checker.logic.refinement import Comparison
from angarium.core.result import Report, Story, Verdict, assigned

_LEFT = len("implementation")
_MARGIN = "  "


def render(
    comparison: Comparison,
    descriptions: Mapping[str, str],
    *,
    tell: Teller | None = None,
    width: int = 80,
    colourful: bool = False,
) -> str:
    """The comparison; descriptions of both models by `implementation` and `specification`."""
    story = comparison.verdict.story
    parts = [
        _header(comparison, descriptions, width, colourful),
        [line for text in _judged(comparison) for line in wrap(text, width, break_on_hyphens=False)],
        _told(story, tell) if story else [],
    ]
    return paragraphs(parts)


def _header(
    comparison: Comparison, descriptions: Mapping[str, str], width: int, colourful: bool
) -> list[str]:
    word = comparison.verdict.verdict.value
    sides = {"implementation": comparison.implementation, "specification": comparison.specification}
    subjects = " refines ".join(side.subject for side in sides.values())
    *lines, last = wrap(f"{subjects}: {word}", width, break_on_hyphens=False)
    lines.append(f"{last.removesuffix(word)}{paint(word, word, colourful)}")
    for role, report in sides.items():
        lines += _entry(role, descriptions[role], width) + _entry("", _scenario(report), width)
    return lines + _entry("visible", ", ".join(comparison.visible) or "nothing", width)


def _entry(label: str, text: str, width: int) -> list[str]:
    return [f"{_MARGIN}{line}" for line in entry(label, text, left=_LEFT, width=width - len(_MARGIN))]


def _scenario(report: Report) -> str:
    parameters = ", ".join(assigned(report.parameters))
    coverage = report.coverage
    counts = f"{amount(coverage.states, 'state')}, {amount(coverage.transitions, 'transition')}"
    return f"{parameters}: {counts}" if parameters else counts


def _judged(comparison: Comparison) -> list[str]:
    """What was claimed, why it is unknown if it is, and what it cost."""
    verdict, story = comparison.verdict, comparison.verdict.story
    lines = [f"{verdict.guarantee}: {verdict.description}."]
    if story:
        lines.append(f"It breaks in {amount(len(story.steps), 'step')}.")
    if verdict.verdict is Verdict.UNKNOWN:
        lines.append(f"Unknown is not holds: {comparison.undecided}.")
    return [*lines, _cost(comparison)]


def _cost(comparison: Comparison) -> str:
    reports = (comparison.implementation, comparison.specification)
    seconds = sum(report.coverage.seconds for report in reports)
    threads, engine = amount(reports[0].threads, "thread"), reports[0].engine
    return f"Took {duration(seconds)} to search both on {threads} ({engine} engine)."


def _told(story: Story, tell: Teller | None) -> Sequence[str]:
    told = [*tell(story).rstrip("\n").splitlines(), ""] if tell else []
    command = f"{_MARGIN}angarium replay {shlex.quote(story.address)}"
    return [*told, "Show it again (--as mermaid draws it, --as pytest makes a test of it):", command]
