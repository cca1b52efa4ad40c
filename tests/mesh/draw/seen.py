"""What a picture shows, read back from its SVG by somebody who knows only SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

_NAMESPACE = "{http://www.w3.org/2000/svg}"

Sides = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An element, with what one reads when pointing at it."""

    element: ET.Element
    hint: str

    @property
    def name(self) -> str:
        return self.element.tag.removeprefix(_NAMESPACE)

    @property
    def classes(self) -> set[str]:
        return set(self.element.get("class", "").split())

    @property
    def sides(self) -> Sides:
        points = list(_points(self))
        across, down = [x for x, _ in points], [y for _, y in points]
        return min(across), min(down), max(across), max(down)


def shapes(text: str) -> list[Shape]:
    """Every element that is drawn."""
    return list(_shapes(ET.fromstring(text), ""))


def with_class(text: str, *names: str) -> list[Shape]:
    return [shape for shape in shapes(text) if set(names) <= shape.classes]


def view_box(text: str) -> Sides:
    left, top, width, height = map(float, ET.fromstring(text).get("viewBox", "").split())
    return left, top, left + width, top + height


def words(text: str) -> list[str]:
    return [shape.element.text or "" for shape in shapes(text) if shape.name == "text"]


def overlap(one: Sides, other: Sides) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _shapes(element: ET.Element, hint: str) -> Iterator[Shape]:
    title = element.find(f"{_NAMESPACE}title")
    hint = (title.text or "") if title is not None else hint
    for child in element:
        if child.tag == f"{_NAMESPACE}g":
            yield from _shapes(child, hint)
        elif child.tag.removeprefix(_NAMESPACE) not in ("title", "desc", "style"):
            yield Shape(child, hint)


def _points(shape: Shape) -> Iterator[tuple[float, float]]:
    def value(key: str) -> float:
        return float(shape.element.get(key, "0"))

    match shape.name:
        case "rect":
            yield value("x"), value("y")
            yield value("x") + value("width"), value("y") + value("height")
        case "circle":
            yield value("cx") - value("r"), value("cy") - value("r")
            yield value("cx") + value("r"), value("cy") + value("r")
        case "polygon":
            numbers = [float(each) for each in re.findall(r"-?[\d.]+", shape.element.get("points", ""))]
            yield from zip(numbers[::2], numbers[1::2], strict=True)
        case "path":
            yield from _path(shape.element.get("d", ""))
        case "text":
            wide = 0.5 * value("font-size") * len(shape.element.text or "")
            share = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.element.get("text-anchor", "start")]
            yield value("x") - share * wide, value("y") - 0.8 * value("font-size")
            yield value("x") + (1 - share) * wide, value("y")


def _path(commands: str) -> Iterator[tuple[float, float]]:
    """The ends of lines and curves; a curve's bend only shows halfway."""
    here = (0.0, 0.0)
    for letter, rest in re.findall(r"([MLQHl])([^MLQHl]*)", commands):
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", rest)]
        match letter:
            case "H":
                here = (numbers[0], here[1])
            case "l":
                here = (here[0] + numbers[0], here[1] + numbers[1])
            case "Q":
                end = (numbers[2], numbers[3])
                yield tuple(
                    0.25 * a + 0.5 * b + 0.25 * c for a, b, c in zip(here, numbers[:2], end, strict=True)
                )  # type: ignore[misc]
                here = end
            case _:
                here = (numbers[0], numbers[1])
        yield here
