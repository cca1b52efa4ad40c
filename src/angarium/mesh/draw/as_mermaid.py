"""A mesh as a Mermaid flowchart, which many places that show Markdown draw by themselves.

Mermaid's text has many traps: quotes, entities, HTML, Markdown, and directives in percent signs and braces.
Here everything but letters, digits, spaces and a few harmless signs is written as the number of its
character.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from angarium.mesh.draw import words
from angarium.mesh.draw.as_dot import words_of
from angarium.mesh.draw.drawing import KINDS, Drawing, Strand, lettered

_HARMLESS = " -,/"
_STROKES = {
    "loop": "stroke-width:4px",
    "lost": "stroke-width:4px,stroke-dasharray:8 5",
    "doubled": "stroke-width:6px",
    "way": "stroke-width:3px",
}


def mermaid(drawing: Drawing) -> str:
    """The source of the flowchart."""
    keys = {broker.name: f"b{number}" for number, broker in enumerate(drawing.mesh.brokers, 1)}
    lines = [
        *_nodes(drawing, keys),
        *(_edge(strand, drawing, keys) for strand in drawing.strands),
        *_ways(drawing, keys),
        *_legend(drawing),
        *_styles(drawing, keys),
    ]
    title = json.dumps(words.cut(words.title(drawing), 200), ensure_ascii=False)
    head = ["---", f"title: {title}", "---", "flowchart LR"]
    return "\n".join([*head, *(f"    {line}" for line in lines), ""])


def _nodes(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    for broker in drawing.mesh.brokers:
        name, *clients = words_of(broker, drawing)
        dead = " (dead)" if broker.name in drawing.dead.brokers else ""
        yield f"{keys[broker.name]}({_quoted(name + dead, *clients)})"


def _edge(strand: Strand, drawing: Drawing, keys: Mapping[str, str]) -> str:
    arrow = ("-.-", "-.->") if drawing.is_dead(strand) else ("---", "-->")
    texts = words.short_labels(strand) + ["dead"] * (strand.cable in drawing.dead.cables)
    label = f"|{_quoted(*texts)}|" if texts else ""
    return f"{keys[strand.first]} {arrow[not strand.both_ways]}{label} {keys[strand.second]}"


def _ways(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    """A line for each hop, numbered."""
    for letters, mark in lettered(drawing.marks):
        for hop, name in enumerate(mark.way, 1):
            link = drawing.links[name]
            yield f"{keys[link.source]} ==>|{_quoted(f'{letters}{hop}')}| {keys[link.target]}"


def _legend(drawing: Drawing) -> Iterator[str]:
    """What the marks mean, in a box of its own."""
    marks = [words.of_mark(mark, letters) for letters, mark in lettered(drawing.marks)]
    if marks:
        yield f"legend[{_quoted(*(words.cut(mark, 120) for mark in marks))}]"
        yield "style legend fill:none,stroke:none"


def _styles(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(drawing.dead.brokers):
        yield f"style {keys[name]} stroke:#8a8a8a,stroke-dasharray:5 4"
    for mark in drawing.marks:
        if at := drawing.happens_at(mark):
            yield f"style {keys[at]} stroke:{KINDS[mark.kind].light},stroke-width:4px"
    number = len(drawing.strands)
    for mark in drawing.marks:
        if mark.way:
            hops = ",".join(str(number + hop) for hop in range(len(mark.way)))
            yield f"linkStyle {hops} stroke:{KINDS[mark.kind].light},{_STROKES[mark.kind]}"
        number += len(mark.way)


def _quoted(*lines: str) -> str:
    """A string that Mermaid shows as it is."""
    return '"' + "<br/>".join(_encoded(words.clean(line)) for line in lines) + '"'


def _encoded(line: str) -> str:
    """A line with all that may mean something as numbers; a dash means a list only at its beginning."""
    begins = "#45;" if line.startswith("-") else ""
    return begins + "".join(_letter(letter) for letter in (line[1:] if begins else line))


def _letter(letter: str) -> str:
    return letter if letter.isalnum() or letter in _HARMLESS else f"#{ord(letter)};"
