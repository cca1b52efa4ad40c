"""A history's story as a sequence diagram: in Mermaid's language, and as arrows between columns of text.

Producers, queues, consumers and brokers are lifelines, in the order in which they appear. The two events that
prove the violation are marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from angarium.checker.export.mermaid import NOTE, legible
from angarium.history.explanations import seconds
from angarium.history.stories import HistoryStory, StoryRow

WIDEST = 44
"""So many columns the arrows may take beside the text."""
_LEAST, _MOST = 6, 12
"""Columns from one lifeline to the next."""


def lifelines(story: HistoryStory) -> list[str]:
    """Who takes part."""
    named = (name for row in story.rows if not row.cut for name in (row.source, row.target) if name)
    return list(dict.fromkeys(named))


# --- Mermaid ----------------------------------------------------------------------------------------


def mermaid(story: HistoryStory) -> str:
    """The source of a Mermaid sequence diagram."""
    keys = {name: f"P{number}" for number, name in enumerate(lifelines(story) or [story.run_id], 1)}
    span = ",".join(dict.fromkeys((next(iter(keys.values())), list(keys.values())[-1])))
    note = "<br/>".join(map(legible, wrap(story.explanation, NOTE, break_on_hyphens=False)))
    lines = [f"participant {key} as {legible(name)}" for name, key in keys.items()]
    lines += [line for row in story.rows for line in _mermaid_row(row, keys, span)]
    lines.append(f"Note over {span}: {note}")
    return "\n".join(["sequenceDiagram", *(f"    {line}" for line in lines), ""])


def _mermaid_row(row: StoryRow, keys: dict[str, str], span: str) -> list[str]:
    if row.cut:
        return [f"Note over {span}: {legible(row.text)}"]
    text = legible(f"+{seconds(row.after)} {_deed(row)}")
    if row.target is None or row.target == row.source:
        line = f"Note over {keys[row.source]}: {text}"
    else:
        line = f"{keys[row.source]}{'-x' if row.failed else '->>'}{keys[row.target]}: {text}"
    return ["rect rgb(255, 224, 224)", f"    {line}", "end"] if row.proof else [line]


def _deed(row: StoryRow) -> str:
    """What an arrow says: who does it is seen."""
    return row.text.removeprefix(f"{row.source} ").removeprefix(f"{row.target} ")


# --- text -------------------------------------------------------------------------------------------


def arrows(story: HistoryStory) -> list[str]:
    """A line of names, and for each row an arrow between two columns; empty if they need too much room."""
    names = lifelines(story)
    pitch = min(max([_LEAST, *(len(name) + 1 for name in names)]), _MOST)
    if not names or pitch * len(names) > WIDEST:
        return []
    head = "".join(f"{_shortened(name, pitch - 1):<{pitch}}" for name in names)
    return [head, *(_arrow(row, names, pitch) for row in story.rows)]


def _arrow(row: StoryRow, names: Sequence[str], pitch: int) -> str:
    line = [" "] * (pitch * len(names))
    for number in range(len(names)):
        line[number * pitch] = ":" if row.cut else "|"
    if not row.cut:
        _draw(line, names.index(row.source) * pitch, names.index(row.target or row.source) * pitch, row)
    return "".join(line)


def _draw(line: list[str], start: int, end: int, row: StoryRow) -> None:
    """From one column to another; a star where somebody is alone."""
    if start == end:
        line[start] = "*"
        return
    low, high = sorted((start, end))
    line[low + 1 : high] = "-" * (high - low - 1)
    line[end] = "x" if row.failed else ">" if start < end else "<"


def _shortened(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"
