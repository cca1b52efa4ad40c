"""Logarithmic axes, curves with figures of 0, and chances with limits."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from angarium.app.report.plot import curves, decades, limits
from angarium.app.report.plot.frame import Caption

CAPTION = Caption("title", "subtitle", "note")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 40], (0, 2)),
        ([10], (1, 2)),
        ([0.002, 0.03], (-3, -1)),
        ([0, 5], (0, 1)),
        ([0], (0, 1)),
        ([], (0, 1)),
    ],
)
def test_the_powers_of_ten_enclose_all_values(values: list[float], expected: tuple[int, int]) -> None:
    assert decades.span(values) == expected


def test_marks_are_powers_of_ten_and_not_too_many() -> None:
    assert decades.marks(-2, 1) == [(-2, "0.01"), (-1, "0.1"), (0, "1"), (1, "10")]
    assert len(decades.marks(-30, 10)) <= decades.MOST_MARKS
    assert decades.named(-7) == "1e-7"


def test_a_figure_of_nothing_stands_on_the_lowest_line() -> None:
    drawn = curves.draw([curves.Curve("c", [(10, 100, "some"), (100, 0, "none")])], "x", "y", CAPTION)

    circles = [each for each in ElementTree.fromstring(drawn) if each.tag.endswith("circle")]
    heights = [float(each.attrib["cy"]) for each in circles]
    assert heights[0] < heights[1] == 322


def test_a_chance_of_nothing_stands_at_the_left() -> None:
    drawn = limits.draw([limits.Row("a", 0.01, 0.001, 0.02), limits.Row("b", 0, 0, 0.004)], "x", CAPTION)

    circles = [each for each in ElementTree.fromstring(drawn) if each.tag.endswith("circle")]
    assert [float(each.attrib["cx"]) for each in circles][1] == 210
