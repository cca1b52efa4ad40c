"""Progress is shown now and then, and leaves a terminal clean."""

from __future__ import annotations

import io
import sys

import pytest

from angarium.app.cli.watching import Ticker
from angarium.app.report.progress import line
from angarium.checker.explore.engine import Progress

PROGRESS = Progress(5, 5, 2, 3, 100, 1.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_a_short_search_shows_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    ticker = Ticker()
    clock[0] = 0.9
    ticker(PROGRESS)
    ticker.clear()
    assert capsys.readouterr().err == ""


def test_elsewhere_a_line_every_few_seconds(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    ticker = Ticker()
    for now in (1.1, 1.5, 5.0, 6.2, 6.5):
        clock[0] = now
        ticker(PROGRESS)
    ticker.clear()
    assert capsys.readouterr().err.splitlines() == [line(PROGRESS)] * 2


def test_nothing_is_shown_once_nothing_is_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    ticker = Ticker()
    clock[0] = 2.0
    ticker(Progress(5, 5, 2, 0, 100, 1.0))
    assert capsys.readouterr().err == ""


def test_on_a_terminal_one_line_that_overwrites_itself(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    ticker = Ticker()
    for now in (1.1, 1.2, 1.4):
        clock[0] = now
        ticker(PROGRESS)
    ticker.clear()
    shown = terminal.getvalue()
    assert "\n" not in shown
    assert shown.split("\r\x1b[K") == ["", line(PROGRESS), line(PROGRESS), ""]
