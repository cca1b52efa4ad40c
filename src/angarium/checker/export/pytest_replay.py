"""A story as a pytest test, which replays it and fails once it no longer happens.

So a story that was found once becomes a test of the model: paste it while the fault is there, and
turn it round when the fault is mended. The source is laid out as ruff and black would.

A run without end must repeat itself: following its address fails if it does not, and the test asserts where
it begins to. A story without a summary (a run that decides nothing by itself) is only asserted to happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from angarium.core.result import Story

_TEMPLATE = '''\
"""A story that angarium found; it replays the run and checks that it still happens."""

import angarium

ADDRESS = {address}


def test_{name}() -> None:
    story = angarium.replay(ADDRESS)

    assert [step.action for step in story.steps] == {actions}
{more}'''


def render(story: Story) -> str:
    """The source of the test."""
    return _TEMPLATE.format(
        address=_literal(story.address),
        name=_identifier(f"{story.subject}_{story.guarantee}"),
        actions=_list([step.action for step in story.steps]),
        more="".join(f"    {line}\n" for line in _assertions(story)),
    )


def _assertions(story: Story) -> Iterator[str]:
    """What else must be so."""
    if story.cycle is not None:
        what = "the same again" if story.cycle < len(story.steps) else "nothing more happens"
        yield f"assert story.cycle == {story.cycle}  # behind so many steps {what}, for ever"
    if story.summary:
        yield f"assert {_literal(story.summary)} in story.summary"


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
