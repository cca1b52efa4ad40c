"""Figures over time: panels, shades and marks."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from angarium.app.report.plot import over_time
from angarium.app.report.plot.frame import Caption

CAPTION = Caption("title", "subtitle", "note")
AXES = over_time.Axes("s", "ms", 100.0)


def series(name: str, count: int, lost: int = 0) -> over_time.Series:
    times = np.linspace(0, 99, count) if count else np.zeros(0)
    return over_time.Series(name, times, times + 1, np.linspace(0, 10, lost) if lost else np.zeros(0))


def lines(picture: str, colour: str) -> int:
    return picture.count(f'stroke="{colour}"')


def test_each_series_has_its_panel_and_all_the_same_scale() -> None:
    picture = over_time.draw([series("one", 50), series("two", 0, 3)], [(10, 20)], AXES, CAPTION)

    texts = [each.text for each in ElementTree.fromstring(picture).iter() if each.tag.endswith("}text")]
    assert {"one", "two, 3 lost"} <= set(texts)
    assert texts.count("100") == 3
    assert lines(picture, "#0072b2") == 50
    assert lines(picture, "#d55e00") == 3


def test_a_million_figures_are_as_many_lines_as_there_is_room_for() -> None:
    picture = over_time.draw([series("many", 1_000_000)], [], AXES, CAPTION)

    assert lines(picture, "#0072b2") <= 280
    assert len(picture) < 100_000


def test_a_picture_of_nothing_is_a_picture() -> None:
    picture = over_time.draw([series("none", 0)], [], AXES, CAPTION)

    assert ElementTree.fromstring(picture).tag.endswith("svg")
