"""Series of points: every point is drawn at its place, on linear axes and in powers of ten."""

from __future__ import annotations

from xml.etree import ElementTree

from angarium.app.report.plot import frame
from angarium.app.report.plot.series import Axis, Series, draw

CAPTION = frame.Caption("title", "subtitle", "note")
SVG = "{http://www.w3.org/2000/svg}"


def circles(text: str) -> list[tuple[float, float]]:
    found = ElementTree.fromstring(text).iter(f"{SVG}circle")
    return [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in found]


def test_points_are_at_their_places() -> None:
    text = draw(Axis("x"), Axis("y", high=10.0), [Series("a", [(0, 0), (4, 5)])], CAPTION)

    (left, bottom), (right, middle) = circles(text)
    assert (left, bottom) == (frame.LEFT, frame.HEIGHT - frame.BOTTOM)
    assert right == frame.WIDTH - frame.RIGHT
    assert middle == (bottom + frame.TOP + 14) / 2


def test_powers_of_ten_are_equally_far_apart() -> None:
    text = draw(Axis("x"), Axis("y", powers=True), [Series("a", [(0, 10), (1, 100), (2, 1000)])], CAPTION)

    heights = [y for _, y in circles(text)]
    assert heights[0] - heights[1] == heights[1] - heights[2] > 0
    assert ">1,000<" in text


def test_names_are_told_and_a_staircase_has_no_dots() -> None:
    text = draw(Axis("x"), Axis("y"), [Series("a <b>", [(0, 1), (1, 1)], dotted=False)], CAPTION)

    assert circles(text) == []
    assert "a &lt;b&gt;" in text
    assert text.count("<polyline") == 1


def test_points_alone_are_not_joined() -> None:
    text = draw(Axis("x"), Axis("y"), [Series("a", [(0, 1), (1, 2)], joined=False)], CAPTION)

    assert "<polyline" not in text
    assert len(circles(text)) == 2
