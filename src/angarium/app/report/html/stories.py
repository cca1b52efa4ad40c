"""Stories: drawn, and step by step in a table below that.

The first story of a claim is open, the others are folded away. The table has all steps, also those that the
picture leaves out, with what each of them changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from angarium.app.report import story_rows
from angarium.app.report.html.elements import (
    Html,
    Part,
    code,
    element,
    folded,
    joined,
    scrolling,
    several,
    table,
)
from angarium.app.report.html.extent import assigned
from angarium.app.report.job import Record
from angarium.app.report.layout import amount
from angarium.app.report.plain_story import without_counters
from angarium.app.report.sequence_svg import diagram
from angarium.app.report.story_rows import Row
from angarium.app.report.told_story import shown_again, story_of
from angarium.core.result import Story
from angarium.history.explanations import seconds, time_of_day

_ROOM = 100
"""Letters that a change may take before only the difference is told."""


def stories(record: Record) -> Html:
    """All stories of a claim's record."""
    told = [each for each in record.get("verdicts", ()) if each.get("story")]
    return several(_story(each, is_open=number == 0) for number, each in enumerate(told))


def _story(verdict: Record, *, is_open: bool) -> Html:
    story = verdict["story"]
    where = next((f" under {verdict[key]}" for key in ("failures", "faults") if verdict.get(key)), "")
    is_audit = "rows" in story
    title = f"{verdict['guarantee']} {verdict['verdict']}{where}: {_length(story)}"
    told = story if is_audit else story_of(story)
    drawn = scrolling(Html(diagram(told)), label=f"Sequence diagram: {verdict['guarantee']}")
    steps = _steps(told) if isinstance(told, Story) else _events(told)
    parts = [drawn, _remedies(verdict), _address(told), folded("Step by step", steps)]
    return folded(title, *parts, is_open=is_open)


def _length(story: Mapping[str, Any]) -> str:
    if "rows" in story:
        return amount(len(story["rows"]), "event")
    endless = "" if story["cycle"] is None else ", without end"
    return f"{amount(len(story['steps']), 'step')}{endless}"


def _remedies(verdict: Record) -> Html | None:
    ways = [assigned(each) for each in verdict.get("remedies", ())]
    return element("p", f"It would hold with: {'; or '.join(ways)}.", class_="remedy") if ways else None


def _address(story: Story | Mapping[str, Any]) -> Html:
    if not isinstance(story, Story):
        others = f"; {amount(story['others'], 'other violation')} of it" if story["others"] else ""
        told = f"Begins at {time_of_day(story['begins'])}{others}. Address: "
        return element("p", told, code(story["address"]), class_="address")
    told, command = shown_again(story)
    return element("p", told, code(command), class_="address")


# --- step by step -----------------------------------------------------------------------------


def _events(story: Mapping[str, Any]) -> Html:
    rows = [[_when(row), _between(row), joined(row["text"], _signs(row))] for row in story["rows"]]
    return table("Events", ["after", "between", "what happens"], rows)


def _when(row: Mapping[str, Any]) -> str:
    return "" if row["cut"] else f"+{seconds(row['after'])}"


def _between(row: Mapping[str, Any]) -> str:
    if row["cut"]:
        return ""
    return f"{row['source']} → {row['target']}" if row["target"] else row["source"]


def _signs(row: Mapping[str, Any]) -> Html | None:
    said = [*(["did not arrive"] if row["failed"] else []), *(["proves it"] if row["proof"] else [])]
    return element("strong", f" ({', '.join(said)})") if said else None


def _steps(story: Story) -> Html:
    plain = without_counters(story)
    rows = [["start", element("span", *_lines(story_rows.initial(plain.initial, _ROOM)))]]
    by_processes = any(step.actor for step in plain.steps)
    for row in story_rows.rows(plain, story.initial):
        again = " ↻" if story.cycle is not None and row.first > story.cycle else ""
        rows.append([f"{row.number}{again}", element("span", *_lines(_told(row, by_processes)))])
    rows.append(["end", story.summary])
    return table(_caption(story), ["step", "what happens"], rows)


def _caption(story: Story) -> str:
    if story.cycle is None:
        return "Steps"
    if story.cycle == len(story.steps):
        return "Steps; behind the last nothing more happens, for ever"
    return "Steps; those with ↻ are repeated for ever"


def _told(row: Row, by_processes: bool) -> list[str]:
    if by_processes:
        first, *rest = story_rows.sentences(row, _ROOM)
        return [f"fault: {first}" if row.steps[-1].fault else first, *rest]
    fault = "fault: " if row.steps[-1].fault else ""
    return [f"{fault}{story_rows.label(row).removeprefix('! ')}", *story_rows.changes(row, _ROOM)]


def _lines(lines: list[str]) -> Iterator[Part]:
    """The first line, and below it, smaller, what changed."""
    for number, line in enumerate(lines):
        yield element("span", line.strip(), class_="line" if not number else "line change")
