"""A story as a pytest test, which replays it and fails once it no longer happens.

So a story that was found once becomes a test of the model: paste it while the fault is there, and
turn it round when the fault is mended. The source is laid out as ruff and black would.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from angarium.verdict import Story

_TEMPLATE = '''\
"""A story that angarium found; it replays the run and checks that it still happens."""

import angarium

ADDRESS = {address}


def test_{name}() -> None:
    story = angarium.replay(ADDRESS)

    assert [step.action for step in story.steps] == {actions}
    assert {summary} in story.summary
'''


def render(story: Story) -> str:
    """The source of the test."""
    return _TEMPLATE.format(
        address=_literal(story.address),
        name=_identifier(f"{story.subject}_{story.guarantee}"),
        actions=_list([step.action for step in story.steps]),
        summary=_literal(story.summary),
    )


def _list(words: Sequence[str]) -> str:
    if not words:
        return "[]"
    return "\n".join(["[", *(f"        {_literal(word)}," for word in words), "    ]"])


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower() or "story"


def _literal(text: str) -> str:
    """A string in double quotes, unless single quotes need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    inner = repr("'\"" + text)[1:-1].removeprefix("\\'\"")
    return quote + inner.replace("\\'", "'").replace(quote, f"\\{quote}") + quote
