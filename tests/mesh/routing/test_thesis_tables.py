"""The thesis's tables, regenerated: the counts that can be compared are as near as they should be."""

from __future__ import annotations

import pytest

from scripts.thesis_tables import table_5_5, table_5_8, table_5_9

pytestmark = pytest.mark.slow


def rows(table: str) -> list[list[float]]:
    """The figures of a Markdown table, by row; cells with two figures are left out."""
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")][2:]
    return [[float(cell.replace(",", "")) for cell in row if "/" not in cell] for row in cells]


@pytest.fixture(scope="module")
def six_and_fifty() -> tuple[str, str]:
    _, six, fifty = table_5_9().split("On ")
    return six, fifty


def test_table_5_9_is_that_of_the_six_brokers(six_and_fifty: tuple[str, str]) -> None:
    six, fifty = map(rows, six_and_fifty)

    assert all(abs(thesis - ours) < 0.5 for _, _, thesis, ours, *_ in six)
    assert all(ours > 4 * thesis for _, _, thesis, ours, *_ in fifty)


@pytest.mark.thorough
def test_table_5_5_has_the_shape_of_the_thesis() -> None:
    found = rows(table_5_5())

    assert [row[1] for row in found] == [50, 250, 500, 2_500, 5_000, 25_000, 50_000]
    assert all(thesis < ours < 1.5 * thesis for _, _, thesis, ours, *_ in found)
    assert all(ours <= sound * 1.1 for _, _, _, ours, sound, _ in found)


def test_the_lines_of_table_5_8_are_their_closed_form_and_ours_are_fewer() -> None:
    found = rows(table_5_8())

    assert [row[0] for row in found] == [6, 12, 24, 48, 96, 192, 384]
    assert all(printed == closed_form for _, printed, closed_form, *_ in found)
    assert all(ours < theirs for _, _, _, theirs, ours, *_ in found)
