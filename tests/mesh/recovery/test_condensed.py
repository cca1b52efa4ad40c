"""Super tables are those of the thesis, and lookups by way of them lead where plain tables do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from angarium.mesh.recovery.compact import condensed_entries
from angarium.mesh.recovery.tables import Recovery, Row, condensed
from tests.effort import examples
from tests.mesh.recovery.made import for_links, recoveries, triangle
from tests.mesh.routing.meshes import mesh_of

Said = list[tuple[int, int, set[int]]]

TABLE_6_4: Said = [(2, 2, {1, 3, 4}), (3, 3, {1, 2, 4}), (2, 3, {2}), (3, 2, {3})]
TABLE_6_7: Said = [(1, 1, {1, 3, 4}), (1, 3, {2}), (3, 3, {1, 2, 3}), (3, 1, {4})]
TABLE_6_9: Said = [(1, 1, {1, 2, 4}), (2, 2, {1, 2, 3}), (1, 2, {3}), (2, 1, {4})]


def said(rows: tuple[Row, ...]) -> Said:
    """With the numbers of the thesis, which begin with 1."""
    return [(row.destination + 1, row.next + 1, set(row.colours)) for row in rows]


def test_the_super_tables_of_brokers_1_and_3_are_those_of_the_thesis() -> None:
    assert said(condensed(triangle(), 0).rows) == TABLE_6_4
    assert said(condensed(triangle(), 2).rows) == TABLE_6_9


def test_the_super_table_of_broker_2_is_that_of_the_thesis_sorted_by_destination() -> None:
    found = condensed(triangle(), 1)

    assert said(found.by_destination()) == TABLE_6_7
    assert said(found.rows) == [TABLE_6_7[number] for number in (0, 2, 1, 3)]


def test_the_lookups_of_next_brokers_are_6_3_and_6_10() -> None:
    one, three = (condensed(triangle(), broker).next_hops + 1 for broker in (0, 2))

    assert one.tolist() == [[1, 1, 1, 1], [2, 3, 2, 2], [3, 3, 2, 3]]
    assert three.tolist() == [[1, 1, 2, 1], [2, 2, 2, 1], [3, 3, 3, 3]]


def test_the_lookup_of_pointers_leads_to_the_rows() -> None:
    assert condensed(triangle(), 0).pointers.tolist() == [[0, 0, 0, 0], [1, 3, 1, 1], [2, 2, 4, 2]]


def test_no_way_is_an_entry_too() -> None:
    found = condensed(for_links(mesh_of("1-2 2-3")), 0)

    assert said(found.rows) == [(2, 2, {1, 3}), (3, 2, {1}), (2, 0, {2}), (3, 0, {2, 3})]
    assert found.next(3, 2) == -1


@settings(max_examples=examples(40))
@given(recovery=recoveries())
def test_pointers_lead_where_plain_tables_do(recovery: Recovery) -> None:
    for broker in range(recovery.graph.brokers):
        found = condensed(recovery, broker)
        for colour in recovery.colours:
            for destination in set(range(recovery.graph.brokers)) - {broker}:
                expected = recovery.next(colour, broker, destination)

                assert found.next(colour, destination) == expected
                assert found.next_hops[destination, colour - 1] == expected


@settings(max_examples=examples(40))
@given(recovery=recoveries())
def test_every_row_is_used_once_for_each_of_its_colours(recovery: Recovery) -> None:
    for broker in range(recovery.graph.brokers):
        rows = condensed(recovery, broker).rows

        assert len({(row.destination, row.next) for row in rows}) == len(rows)
        assert sum(len(row.colours) for row in rows) == len(recovery.colours) * (recovery.graph.brokers - 1)
        assert condensed_entries(recovery)[broker] == len(rows)


def test_the_next_broker_to_oneself_is_oneself() -> None:
    assert condensed(triangle(), 2).next(2, 2) == 2


@pytest.mark.parametrize("broker", [0, 1, 2])
def test_there_are_as_many_rows_as_in_the_thesis(broker: int) -> None:
    assert len(condensed(triangle(), broker)) == 4
