"""How the page looks: colours that can be read, and no sideways scrolling on a phone."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import escape
from importlib.resources import files
from pathlib import Path

import pytest

from angarium.report.html import page
from angarium.report.sequence_svg import diagram
from tests.report.jobs import everything, story

CHROMIUM = shutil.which("chromium", path="/usr/bin")
PHONE = 360
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
    sheet = files("angarium.report.html").joinpath("page.css").read_text(encoding="utf-8")
    colours = _palettes(diagram(story("queue", "no-duplicates")) if drawn else sheet)[dark]
    pairs = _ON_DIAGRAM if drawn else _ON_PAGE
    found = {
        (ground, ink): contrast(colours[ground], colours[ink])
        for ground, inks in pairs.items()
        for ink in inks
    }
    assert {pair: value for pair, value in found.items() if value < READABLE} == {}


@pytest.mark.skipif(CHROMIUM is None, reason="needs /usr/bin/chromium")
def test_on_a_phone_only_boxes_scroll_sideways(tmp_path: Path) -> None:
    shape = f'width="{PHONE}" height="700" style="border: 0"'
    frame = f'<iframe {shape} srcdoc="{escape(page(everything()))}"></iframe>'
    asked = "document.title = document.querySelector('iframe').contentDocument.documentElement.scrollWidth"
    file = tmp_path / "phone.html"
    file.write_text(f'<body onload="{asked}">{frame}</body>', encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    done = subprocess.run(
        [str(CHROMIUM), *words, "--virtual-time-budget=5000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    (width,) = re.findall(r"<title>(\d+)</title>", done.stdout)
    assert int(width) <= PHONE
