"""Rows of super tables from exceptions: the same as those that are made from plain tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.recovery.files.as_json import Row, ranges, ranges_text, read_ranges, rows_of
from angarium.mesh.recovery.tables import Recovery, condensed
from tests.effort import examples
from tests.mesh.recovery.made import recoveries, triangle


@given(recoveries())
@settings(max_examples=examples(40))
def test_the_rows_are_those_of_the_condensed_table_in_the_same_order(recovery: Recovery) -> None:
    for broker in range(recovery.graph.brokers):
        found = rows_of(recovery.of_broker(broker))

        assert found == [
            Row(row.destination, row.next, ranges(row.colours)) for row in condensed(recovery, broker).rows
        ]


def test_the_super_table_of_broker_1_is_that_of_the_thesis() -> None:
    rows = rows_of(triangle().of_broker(0))

    assert [(row.destination + 1, row.next + 1, ranges_text(row.colours)) for row in rows] == [
        (2, 2, "1,3,4"),
        (3, 3, "1,2,4"),
        (2, 3, "2"),
        (3, 2, "3"),
    ]


@given(st.sets(st.integers(1, 40), min_size=1))
def test_ranges_are_read_as_they_are_told(colours: set[int]) -> None:
    found = ranges(sorted(colours))

    assert {each for first, last in found for each in range(first, last + 1)} == colours
    again = read_ranges(ranges_text(found), 40)
    assert again is not None
    assert {each for first, last in again for each in range(first, last + 1)} == colours


@pytest.mark.parametrize(
    "text", ["", ",", "1,", "2-1", "1-", "-1", "1,1", "1-3,2", "0", "41", "40-41", "٣", "1 "]
)
def test_what_are_no_ranges_is_refused(text: str) -> None:
    assert read_ranges(text, 40) is None
