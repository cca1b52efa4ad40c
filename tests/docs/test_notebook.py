"""The how-to about notebooks: its cells are run in their order, and what each ends in is shown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import pytest

from scripts import docs

TEXT = (docs.ROOT / "docs" / "how-to" / "notebook.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)
EMPTY = ("meta", "br", "link", "input")


def shown() -> Iterator[Any]:
    """What the last lines of the cells give, as a notebook would run them."""
    names: dict[str, Any] = {}
    for source in CELLS:
        *before, last = ast.parse(source).body
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        assert isinstance(last, ast.Expr), "a cell ends in what it shows"
        yield eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture(scope="module")
def bundles() -> list[Mapping[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(docs.ROOT)
        return [each._repr_mimebundle_() for each in shown()]


class Balance(HTMLParser):
    """Whether every element is closed, in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_cell_ends_in_something_to_show(bundles: list[Mapping[str, Any]]) -> None:
    assert len(bundles) == len(CELLS) > 6
    for bundle in bundles:
        assert {"text/html", "text/plain", "application/json"} <= set(bundle)
        parser = Balance()
        parser.feed(bundle["text/html"])
        assert parser.open == []


def test_verdicts_are_tables_stories_are_diagrams_and_a_mesh_is_drawn(
    bundles: list[Mapping[str, Any]],
) -> None:
    check, story, again, mesh, lost, tables, proof, walks = bundles

    assert "<table>" in check["text/html"] and "no-duplicates" in check["text/html"]
    assert "<svg" in story["text/html"] and story["text/vnd.mermaid"].startswith("sequenceDiagram")
    assert again["application/json"] == story["application/json"]
    assert mesh["text/html"].count("<svg") > check["text/html"].count("<svg")
    assert "dies" in lost["text/plain"]
    assert tables["application/json"]["colours"] == 12
    assert "Counterexamples" in proof["text/html"]
    assert "<svg" in walks["text/html"]


def test_the_style_of_a_page_stays_inside_it(bundles: list[Mapping[str, Any]]) -> None:
    for bundle in bundles:
        (style,) = re.findall(r"<style>(@scope \{.*?)</style>", bundle["text/html"][:20_000], re.S)[:1]
        assert ":root" not in style
