"""What a notebook shows of an answer: its page, its text, its data; of a story also its diagram.

A notebook takes of the media types what it can show best: most show HTML, JupyterLab draws Mermaid as well.
The page is that of a report, with a style that stays inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from angarium.app.report import story_text
from angarium.app.report.html.claim import answer
from angarium.app.report.html.elements import Html, Part, element, plain, scrolling, several
from angarium.app.report.html.page import style
from angarium.app.report.plot import histogram
from angarium.app.report.plot.histogram import caption_of
from angarium.app.report.record import result_record
from angarium.app.report.sequence_svg import diagram
from angarium.checker.export import mermaid
from angarium.checker.walks.results import Simulation
from angarium.core.records import write
from angarium.core.result import GuaranteeVerdict, Result, Story
from angarium.mesh.mesh import Mesh
from angarium.mesh.results import MeshResult

Bundle = Mapping[str, Any]
"""What there is to show, by media type."""
MOST_BROKERS = 60
"""A drawing of more is a ball of wool."""


def of_result(result: Result[GuaranteeVerdict]) -> Bundle:
    """The answer of any verb; of a mesh with its drawing."""
    mesh = result.found.mesh if isinstance(result, MeshResult) and result.found else None
    return _bundle(result, _drawn(mesh) if mesh else None)


def of_simulation(found: Simulation) -> Bundle:
    """The answer of a simulation, with a plot of each statistic."""
    plots = [
        element("div", Html(histogram.draw([("", each)], caption)), class_="picture")
        for each in found.statistics
        for caption in [caption_of(found.subject, each, found.parameters, found.plan)]
    ]
    return _bundle(found, several(plots))


def of_story(story: Story) -> Bundle:
    """A story: its steps in words, and drawn."""
    drawn = scrolling(Html(diagram(story)), label=f"Sequence diagram: {story.guarantee}")
    steps = story_text.render(story)
    page = _styled([element("p", element("strong", story.summary)), drawn, element("pre", steps)])
    return {
        "text/html": page,
        "text/vnd.mermaid": mermaid.render(story),
        "text/plain": steps,
        "application/json": write(story),
    }


def _bundle(result: Result[GuaranteeVerdict], picture: Part = None) -> Bundle:
    title, worst = f"{result.kind} {result.subject}", result.worst.value
    lines = [f"  {each.verdict.value:<8}  {each.guarantee}" for each in result.verdicts]
    return {
        "text/html": _styled([element("h3", f"{title}: ", plain(worst)), picture, *answer(result)]),
        "text/plain": "\n".join([f"{title}: {worst}", *lines]),
        "application/json": result_record(result),
    }


def _styled(parts: Iterable[Part]) -> str:
    """Parts of a page with what makes them look like one, and nothing else of the notebook."""
    inside = Html(f"<style>@scope {{\n{style().replace(':root', ':scope')}\n}}</style>")
    return str(element("section", inside, *parts))


def _drawn(mesh: Mesh) -> Part:
    from angarium.mesh.draw import Drawing, svg

    if len(mesh.brokers) > MOST_BROKERS:
        return None
    return element("div", Html(svg(Drawing(mesh))), class_="picture")
