"""A story's table is readable at its width."""

from __future__ import annotations

import pytest

from angarium.explore.stories import replay
from angarium.report.story_table import render
from tests.zoo import counter, handoff, overflow

BAR = "-" * 80


def test_a_table_shows_only_what_changed() -> None:
    assert render(replay(counter(), (0, 0, 0))).splitlines() == [
        "step    what happens",
        BAR,
        "start   n = 0",
        "1 tick  n: 0 -> 1",
        "2 tick  n: 1 -> 2",
        BAR,
        "end: two is reached",
    ]


def test_a_table_shows_who_gave_what_to_whom() -> None:
    lines = render(replay(handoff(), (0, 0, 0, 0, 0, 0))).splitlines()
    assert lines[6:9] == [
        "1 producer: produce      producer sends 1 to box",
        "                         box: [] -> [1]",
        "                         made: 0 -> 1",
    ]
    assert "5 consumer(c1): thank    consumer(c1) signals producer on thanks" in lines


def test_faults_are_marked_and_arguments_shown() -> None:
    assert "1 ! append(q2)" in render(replay(overflow(), (0, 1)))


@pytest.mark.parametrize("width", [30, 40, 60, 80])
def test_no_line_is_wider_than_asked(width: int) -> None:
    table = render(replay(handoff(), (0, 0, 0, 0, 0, 0)), width)
    assert max(map(len, table.splitlines())) <= width
