"""Pictures are well-formed, say what they show, and show what they say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from angarium.app.report.plot import band, frame, heat_map, histogram
from tests.app.report.simulations import NOTHING, statistic

CAPTION = frame.Caption("a < b & c", 'What "it" shows.', "Schedule by-action, seed 1.")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def words(text: str) -> list[str]:
    return [each.text or "" for each in parsed(text).iter(f"{SVG}text")]


def hints(text: str) -> list[str]:
    return [each.text or "" for each in parsed(text).findall(f"*/{SVG}title")]


def test_every_picture_has_title_caption_and_size() -> None:
    pictures = [
        histogram.draw([("", statistic())], CAPTION),
        band.draw("queues", [("2", statistic()), ("3", statistic())], CAPTION),
        heat_map.draw(heat_map.Axis("q", ["1"]), heat_map.Axis("a", ["1"]), [[2.0]], CAPTION),
    ]
    for text in pictures:
        root = parsed(text)
        assert (root.get("width"), root.get("height")) == ("640", "400")
        assert root.findtext(f"{SVG}title") == "a < b & c"
        assert {"a < b & c", 'What "it" shows.', "Schedule by-action, seed 1."} <= set(words(text))


def test_everything_is_inside_the_picture() -> None:
    wide = [[float(row * column) for column in range(20)] for row in range(20)]
    axis = heat_map.Axis("q", [str(each) for each in range(20)])
    for text in (
        histogram.draw([("one", statistic(3.0)), ("two", statistic(50.0, low=40, width=3))], CAPTION),
        band.draw("queues", [(str(each), statistic(each)) for each in range(2, 21)], CAPTION),
        heat_map.draw(axis, axis, wide, CAPTION),
    ):
        for box in parsed(text).iter(f"{SVG}rect"):
            x, y, width, height = (float(box.get(name) or 0) for name in ("x", "y", "width", "height"))
            assert x >= 0 and x + width <= frame.WIDTH
            assert y >= 0 and y + height <= frame.HEIGHT
            assert width >= 0 and height >= 0


# --- histograms -----------------------------------------------------------------------------


def test_a_histogram_shows_every_bin_of_every_simulation() -> None:
    text = histogram.draw([("rule=always", statistic(18.0)), ("rule=poorer", statistic(12.0))], CAPTION)
    assert hints(text) == ["1 to 2: 10", "3 to 4: 20", "5 to 6: 40", "7 to 8: 20", "9 to 10: 10"] * 2
    assert {"rule=always: mean 18.00", "rule=poorer: mean 12.00", "total-releases"} <= set(words(text))


def test_heights_are_shares_so_that_widths_do_not_matter() -> None:
    narrow, wide = statistic(width=1), statistic(width=2)
    boxes = list(parsed(histogram.draw([("", narrow), ("", wide)], CAPTION)).iter(f"{SVG}rect"))
    bars = [float(each.get("height") or 0) for each in boxes if each.get("fill-opacity") == "0.35"]
    assert bars[:5] == pytest.approx([2 * each for each in bars[5:]], abs=0.05)


def test_a_histogram_of_nothing_is_empty() -> None:
    assert hints(histogram.draw([("", NOTHING)], CAPTION)) == []


# --- bands ----------------------------------------------------------------------------------


def test_numbers_are_joined_by_a_line_and_words_are_not() -> None:
    numbers = band.draw("queues", [("2", statistic(2.0)), ("4", statistic(4.0))], CAPTION)
    rules = band.draw("rule", [("always", statistic(2.0)), ("poorer", statistic(4.0))], CAPTION)
    assert len(list(parsed(numbers).iter(f"{SVG}polyline"))) == 1
    assert len(list(parsed(rules).iter(f"{SVG}polyline"))) == 0
    assert {"always", "poorer"} <= set(words(rules))
    assert hints(numbers) == ["2: mean 2", "4: mean 4"]


def test_a_value_that_was_not_simulated_is_left_out() -> None:
    assert hints(band.draw("queues", [("2", statistic(2.0)), ("3", None)], CAPTION)) == ["2: mean 2"]


# --- heat maps ------------------------------------------------------------------------------


def test_a_heat_map_has_a_cell_for_each_pair() -> None:
    down, across = heat_map.Axis("queues", ["2", "3"]), heat_map.Axis("apps", ["5", "6"])
    text = heat_map.draw(down, across, [[1.0, 2.5], [100.4, None]], CAPTION)
    assert hints(text) == [
        "queues=2, apps=5: 1",
        "queues=2, apps=6: 2.5",
        "queues=3, apps=5: 100.4",
        "queues=3, apps=6: not simulated",
    ]
    assert {"1", "2.5", "100", "queues", "apps"} <= set(words(text))


def test_more_is_brighter() -> None:
    shades = [sum(heat_map.colour_of(share / 10)) for share in range(11)]
    assert shades == sorted(shades)


# --- axes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (0.5, 63.5, [10, 20, 30, 40, 50, 60]),
        (3, 3, [3]),
        (0, 0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert frame.ticks(low, high) == pytest.approx(expected)


def test_words_that_do_not_fit_are_cut() -> None:
    assert frame.fitting("short", 100, 10) == "short"
    assert frame.fitting("a title that is much too long", 60, 10) == "a title t…"
