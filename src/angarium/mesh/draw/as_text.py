"""A mesh as text that other tools draw: in the language of Graphviz, and as a Mermaid flowchart.

For Graphviz nodes have numbers for names; what the mesh calls them is always a quoted string, in which quotes
and backslashes are escaped, and ampersands too, since Graphviz reads entities there. Marked paths are lines
of their own, which do not pull at the layout.

Mermaid's text has many traps: quotes, entities, HTML, Markdown, and directives in percent signs and braces.
There everything but letters, digits, spaces and a few harmless signs is written as the number of its
character.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from angarium.mesh.draw import words
from angarium.mesh.draw.drawing import KINDS, Drawing, Strand, lettered
from angarium.mesh.mesh import Broker

_FONT = {"fontname": "Helvetica"}
_NODE = {"shape": "box", "style": "rounded,filled", "fillcolor": "#eef4fa", "color": "#40617f", **_FONT}
_LINE = {"color": "#75818d", "fontsize": "10", **_FONT}
_DEAD = {"style": "dashed", "color": "#8a8a8a", "fontcolor": "#6a6a6a"}
_LETTERS, _CLIENTS = 40, 4


def dot(drawing: Drawing) -> str:
    """The source for Graphviz."""
    keys = {broker.name: f"b{number}" for number, broker in enumerate(drawing.mesh.brokers, 1)}
    lines = [
        f"graph {_list({'label': _heading(drawing), 'labelloc': 't', **_FONT})};",
        f"node {_list(_NODE)};",
        f"edge {_list(_LINE)};",
        *_nodes(drawing, keys),
        *(_edge(strand, drawing, keys) for strand in drawing.strands),
        *_ways(drawing, keys),
    ]
    return "\n".join(
        [f"digraph {_quoted(words.title(drawing))} {{", *(f"  {line}" for line in lines), "}", ""]
    )


def _heading(drawing: Drawing) -> str:
    """The title, how much there is, and what the marks mean."""
    marks = [words.of_mark(mark, letters) for letters, mark in lettered(drawing.marks)]
    return "\n".join([words.title(drawing), words.summary(drawing), *marks])


def _nodes(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    marked = {drawing.happens_at(mark): KINDS[mark.kind].light for mark in drawing.marks}
    for broker in drawing.mesh.brokers:
        looks = {"label": "\n".join(words_of(broker, drawing)), "tooltip": words.of_broker(broker, drawing)}
        if broker.name in drawing.dead.brokers:
            looks |= _DEAD | {"style": "rounded,dashed"}
        if broker.name in marked:
            looks |= {"color": marked[broker.name], "penwidth": "3"}
        yield f"{keys[broker.name]} {_list(looks)};"


def words_of(broker: Broker, drawing: Drawing) -> list[str]:
    """What stands in the box of a broker: its name, some of its clients, and how many more there are."""
    clients = [words.cut(words.of_client(client), _LETTERS) for client in drawing.clients[broker.name]]
    shown = len(clients) if len(clients) <= _CLIENTS else _CLIENTS - 1
    rest = [f"+ {len(clients) - shown:,} more"] if clients[shown:] else []
    return [words.cut(broker.name, _LETTERS), *clients[:shown], *rest]


def _edge(strand: Strand, drawing: Drawing, keys: Mapping[str, str]) -> str:
    looks = {"dir": "none" if strand.both_ways else "forward", "tooltip": words.of_strand(strand, drawing)}
    texts = words.short_labels(strand) + ["dead"] * (strand.cable in drawing.dead.cables)
    if texts:
        looks["label"] = "\n".join(texts)
    if drawing.is_dead(strand):
        looks |= _DEAD
    return f"{keys[strand.first]} -> {keys[strand.second]} {_list(looks)};"


def _ways(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    """A line for each hop, numbered."""
    for letters, mark in lettered(drawing.marks):
        colour = KINDS[mark.kind].light
        look = {"color": f"{colour}:{colour}" if mark.kind == "doubled" else colour, "fontcolor": colour}
        look |= {
            "style": "dashed" if mark.kind == "lost" else "solid",
            "penwidth": "2.5",
            "constraint": "false",
            "weight": "0",
        }
        for hop, name in enumerate(mark.path, 1):
            link = drawing.links[name]
            said_here = {
                "label": f"{letters}{hop}",
                "tooltip": f"{words.of_mark(mark)}\n{words.of_link(link)}",
            }
            yield f"{keys[link.source]} -> {keys[link.target]} {_list(look | said_here)};"


def _list(looks: Mapping[str, str]) -> str:
    return f"[{', '.join(f'{key}={_quoted(value)}' for key, value in looks.items())}]"


def _quoted(text: str) -> str:
    """A string that Graphviz shows as it is, each line of ours as a line."""
    lines = (words.clean(line) for line in text.split("\n"))
    escapes = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
    return '"' + "\\n".join("".join(escapes.get(each, each) for each in line) for line in lines) + '"'


_HARMLESS = " -,/"
_STROKES = {
    "loop": "stroke-width:4px",
    "lost": "stroke-width:4px,stroke-dasharray:8 5",
    "doubled": "stroke-width:6px",
    "path": "stroke-width:3px",
}


def mermaid(drawing: Drawing) -> str:
    """The source of the flowchart."""
    keys = {broker.name: f"b{number}" for number, broker in enumerate(drawing.mesh.brokers, 1)}
    lines = [
        *_boxes(drawing, keys),
        *(_arrow(strand, drawing, keys) for strand in drawing.strands),
        *_marked(drawing, keys),
        *_legend(drawing),
        *_styles(drawing, keys),
    ]
    title = json.dumps(words.cut(words.title(drawing), 200), ensure_ascii=False)
    head = ["---", f"title: {title}", "---", "flowchart LR"]
    return "\n".join([*head, *(f"    {line}" for line in lines), ""])


def _boxes(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    for broker in drawing.mesh.brokers:
        name, *clients = words_of(broker, drawing)
        dead = " (dead)" if broker.name in drawing.dead.brokers else ""
        yield f"{keys[broker.name]}({_numbered(name + dead, *clients)})"


def _arrow(strand: Strand, drawing: Drawing, keys: Mapping[str, str]) -> str:
    arrow = ("-.-", "-.->") if drawing.is_dead(strand) else ("---", "-->")
    texts = words.short_labels(strand) + ["dead"] * (strand.cable in drawing.dead.cables)
    label = f"|{_numbered(*texts)}|" if texts else ""
    return f"{keys[strand.first]} {arrow[not strand.both_ways]}{label} {keys[strand.second]}"


def _marked(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    """A line for each hop, numbered."""
    for letters, mark in lettered(drawing.marks):
        for hop, name in enumerate(mark.path, 1):
            link = drawing.links[name]
            yield f"{keys[link.source]} ==>|{_numbered(f'{letters}{hop}')}| {keys[link.target]}"


def _legend(drawing: Drawing) -> Iterator[str]:
    """What the marks mean, in a box of its own."""
    marks = [words.of_mark(mark, letters) for letters, mark in lettered(drawing.marks)]
    if marks:
        yield f"legend[{_numbered(*(words.cut(mark, 120) for mark in marks))}]"
        yield "style legend fill:none,stroke:none"


def _styles(drawing: Drawing, keys: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(drawing.dead.brokers):
        yield f"style {keys[name]} stroke:#8a8a8a,stroke-dasharray:5 4"
    for mark in drawing.marks:
        if at := drawing.happens_at(mark):
            yield f"style {keys[at]} stroke:{KINDS[mark.kind].light},stroke-width:4px"
    number = len(drawing.strands)
    for mark in drawing.marks:
        if mark.path:
            hops = ",".join(str(number + hop) for hop in range(len(mark.path)))
            yield f"linkStyle {hops} stroke:{KINDS[mark.kind].light},{_STROKES[mark.kind]}"
        number += len(mark.path)


def _numbered(*lines: str) -> str:
    """A string that Mermaid shows as it is."""
    return '"' + "<br/>".join(_encoded(words.clean(line)) for line in lines) + '"'


def _encoded(line: str) -> str:
    """A line with all that may mean something as numbers; a dash means a list only at its beginning."""
    begins = "#45;" if line.startswith("-") else ""
    return begins + "".join(_letter(letter) for letter in (line[1:] if begins else line))


def _letter(letter: str) -> str:
    return letter if letter.isalnum() or letter in _HARMLESS else f"#{ord(letter)};"
