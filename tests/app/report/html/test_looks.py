"""How the page looks: colours that can be read, and no sideways scrolling on a phone."""

from __future__ import annotations

import re
import subprocess
from html import escape
from importlib.resources import files
from pathlib import Path

import pytest

from angarium.app.report.html import page
from angarium.app.report.job import JobResult
from angarium.app.report.sequence_svg import diagram
from tests.app.report.jobs import answer, claim, everything, job, told
from tests.needs import CHROMIUM, needs
from tests.waiting import PATIENCE

PHONE = 360
PAPER, PAPER_HEIGHT = 703, 948
"""What the margins leave of the narrower of A4 and Letter, and of the lower."""
READABLE = 4.5
"""The least contrast of text, by WCAG 2.2 AA."""
_ON_PAGE = {
    "ground": ("ink", "pale", "link", "good", "bad", "open"),
    "soft": ("ink",),
    "good-ground": ("good",),
    "bad-ground": ("bad", "ink"),
    "open-ground": ("open",),
}
_ON_DIAGRAM = {
    "ground": ("ink", "pale", "bad", "again"),
    "box": ("ink",),
    "note": ("ink",),
    "end": ("ink",),
    "bad-band": ("bad",),
    "proof-band": ("ink", "pale"),
}


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """How well one colour is seen on another, from 1 to 21."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _palettes(style: str) -> list[dict[str, str]]:
    """The colours by name: first the light ones, then the dark ones."""
    light, dark = style.split("prefers-color-scheme: dark", 1)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]


def test_contrast_is_known_where_it_is_known() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [0, 1])
@pytest.mark.parametrize("drawn", [False, True])
def test_all_text_can_be_read(dark: int, drawn: bool) -> None:
    sheet = files("angarium.app.report.html").joinpath("page.css").read_text(encoding="utf-8")
    colours = _palettes(diagram(told("queue", "no-duplicates")) if drawn else sheet)[dark]
    pairs = _ON_DIAGRAM if drawn else _ON_PAGE
    found = {
        (ground, ink): contrast(colours[ground], colours[ink])
        for ground, inks in pairs.items()
        for ink in inks
    }
    assert {pair: value for pair, value in found.items() if value < READABLE} == {}


def _measured(text: str, width: int, measure: str, tmp_path: Path) -> int:
    """What a browser says of a page (`it`) that is so wide."""
    shape = f'width="{width}" height="700" style="border: 0"'
    frame = f'<iframe {shape} srcdoc="{escape(text)}"></iframe>'
    asked = f"const it = document.querySelector('iframe').contentDocument; document.title = {measure}"
    file = tmp_path / "framed.html"
    file.write_text(f'<body onload="{asked}">{frame}</body>', encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    done = subprocess.run(
        [str(CHROMIUM), *words, "--virtual-time-budget=5000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    (found,) = re.findall(r"<title>(\d+)</title>", done.stdout)
    return int(found)


@needs("browser")
def test_on_a_phone_only_boxes_scroll_sideways(tmp_path: Path) -> None:
    assert _measured(page(everything()), PHONE, "it.documentElement.scrollWidth", tmp_path) <= PHONE


def _on_paper(given: JobResult) -> str:
    """The page with the rules for paper, which a browser can then measure."""
    return page(given).replace("@media print", "@media all")


@needs("browser")
def test_on_paper_nothing_is_wider_than_the_sheet(tmp_path: Path) -> None:
    assert _measured(_on_paper(everything()), PAPER, "it.documentElement.scrollWidth", tmp_path) <= PAPER


@needs("browser")
def test_on_paper_no_picture_is_higher_than_the_sheet(tmp_path: Path) -> None:
    record = answer("queue")
    told = next(each for each in record["verdicts"] if each["story"])
    long = {**told, "story": {**told["story"], "steps": told["story"]["steps"] * 9}}
    mesh = '<svg viewBox="0 0 100 300" width="1000" height="3000"></svg>'
    found = claim("queue", record={**record, "verdicts": [long]}, pictures={"one": mesh, "two": mesh})
    heights = "[...it.querySelectorAll('svg')].map(each => each.getBoundingClientRect().height)"
    measure = f"Math.ceil(Math.max(...{heights}))"
    assert 0 < _measured(_on_paper(job(found)), PAPER, measure, tmp_path) <= PAPER_HEIGHT
