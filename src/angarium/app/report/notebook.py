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
from angarium.app.report.record import Record, result_record
from angarium.app.report.sequence_svg import diagram
from angarium.app.report.simulation_sweep import comparison_record
from angarium.checker.export import mermaid
from angarium.checker.walks.results import Simulation
from angarium.checker.walks.statistics import Comparison
from angarium.core.records import write
from angarium.core.result import GuaranteeVerdict, Report, Result, Story
from angarium.mesh.mesh import Mesh
from angarium.mesh.results import MeshResult

Bundle = Mapping[str, Any]
"""What there is to show, by media type."""
MOST_BROKERS = 60
"""A drawing of more is a ball of wool."""


def of_result(result: Result[GuaranteeVerdict]) -> Bundle:
    """The answer of any verb; of a mesh with its drawing."""
    mesh = result.found.mesh if isinstance(result, MeshResult) and result.found else None
    return _bundle(result_record(result), result.worst.value, _drawn(mesh) if mesh else None)


def of_report(report: Report) -> Bundle:
    """The answer of a check."""
    return _bundle(result_record(report), report.worst.value)


def of_simulation(found: Simulation) -> Bundle:
    """The answer of a simulation, with a plot of each statistic."""
    plots = [
        element("div", Html(histogram.draw([("", each)], caption)), class_="picture")
        for each in found.statistics
        for caption in [caption_of(found.subject, each, found.parameters, found.plan)]
    ]
    return _bundle(comparison_record(Comparison(found)), found.worst.value, several(plots))


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


def _bundle(record: Record, worst: str, picture: Part = None) -> Bundle:
    title = element("h3", f"{record['kind']} {record['subject']}: ", plain(worst))
    lines = [f"{record['kind']} {record['subject']}: {worst}"]
    lines += [f"  {each['verdict']:<8}  {each['guarantee']}" for each in record["verdicts"]]
    return {
        "text/html": _styled([title, picture, *answer(record)]),
        "text/plain": "\n".join(lines),
        "application/json": record,
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
