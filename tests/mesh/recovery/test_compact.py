"""Lookups from the bytes lead where plain tables do, and bytes from anywhere do no harm."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.files.gml import read_gml
from angarium.mesh.recovery.compact import (
    HEADER,
    all_entries,
    all_entries_by_degree,
    links_of,
    most_condensed,
    number_bytes,
    packed,
    sizes,
    tables_for,
    unpacked,
)
from angarium.mesh.recovery.tables import Recovery
from tests.effort import examples
from tests.mesh.recovery.made import for_links, recovered, recoveries, triangle
from tests.mesh.routing.meshes import ZOO, mesh_of
from tests.needs import needs

PRISM = "1-2 2-3 3-1 4-5 5-6 6-4 1-4 2-5 3-6 6-7"


@settings(max_examples=examples(40))
@given(recovery=recoveries())
def test_lookups_from_the_bytes_lead_where_plain_tables_do(recovery: Recovery) -> None:
    for broker in range(recovery.graph.brokers):
        found = unpacked(packed(recovery, broker))

        looked_up = [
            [found.next(colour, to) for to in range(recovery.graph.brokers)] for colour in recovery.colours
        ]

        assert looked_up == recovery.of_broker(broker).plain.tolist()


@settings(max_examples=examples(40))
@given(recovery=recoveries())
def test_sizes_are_those_of_the_bytes(recovery: Recovery) -> None:
    found = sizes(recovery)

    assert found.compact.tolist() == [
        len(packed(recovery, broker)) for broker in range(recovery.graph.brokers)
    ]


def test_the_bytes_of_broker_1_of_the_triangle_are_as_documented() -> None:
    data = packed(triangle(), 0)

    neighbours, healthy, ends = [1, 0, 2, 0], 0b01_00_10, 0b10_01_00
    exceptions = 0b00_011_01_010  # colour 2 by way of the second neighbour, colour 3 by way of the first
    assert data[: HEADER.size] == HEADER.pack(b"ANGR", 1, 0, 3, 4, 2, 2)
    assert data[HEADER.size :] == bytes([*neighbours, healthy, ends, exceptions & 0xFF, exceptions >> 8])


@given(data=st.data())
def test_damaged_bytes_are_refused_or_every_lookup_names_a_broker(data: st.DataObject) -> None:
    good = bytearray(packed(recovered(mesh_of(PRISM)), 0))
    for _ in range(data.draw(st.integers(1, 3))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))

    try:
        found = unpacked(bytes(good))
    except MeshError:
        return

    for colour in range(1, found.shape.colours + 1):
        for destination in range(found.shape.brokers):
            assert -1 <= found.next(colour, destination) < found.shape.brokers


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda data: data[:10], "it has 10 bytes, and a header has 19"),
        (lambda data: b"ELF!" + data[4:], "it begins with b'ELF!"),
        (lambda data: data + b"\0", "bytes, and its header asks for"),
        (lambda data: data[:-1], "bytes, and its header asks for"),
        (lambda data: data[:5] + b"\x09\x00" + data[7:], "broker 9 of 7"),
        (lambda data: data[:19] + b"\xff\xff" + data[21:], "names a broker that is not there"),
    ],
)
def test_what_is_no_table_is_refused(spoil: object, complaint: str) -> None:
    assert callable(spoil)
    data = spoil(packed(recovered(mesh_of(PRISM)), 0))

    with pytest.raises(MeshError, match=complaint):
        unpacked(data)


def test_a_number_that_is_no_neighbour_is_refused() -> None:
    data = bytearray(packed(triangle(), 0))
    healthy = unpacked(bytes(data)).shape.starts[1]
    data[healthy] = 0b11_11_11

    with pytest.raises(MeshError, match="names a broker that is not there"):
        unpacked(bytes(data))


def test_ends_that_are_not_in_order_are_refused() -> None:
    recovery = recovered(mesh_of(PRISM))
    data = bytearray(packed(recovery, 0))
    ends = unpacked(bytes(data)).shape.starts[2]
    data[ends] = 0xFF

    with pytest.raises(MeshError, match="in their order"):
        unpacked(bytes(data))


# --- sizes --------------------------------------------------------------------------------------


def test_condensing_takes_more_room_than_it_saves_and_compact_tables_do_not() -> None:
    found = sizes(for_links(mesh_of(PRISM)))

    assert (found.condensed > found.plain).all()
    assert (found.compact < found.plain).all()
    assert found.saved > 1


@needs("zoo")
@pytest.mark.parametrize(("name", "plain", "condensed"), [("Abilene", 150, 20.4), ("Geant2012", 2418, 85.2)])
def test_entries_of_two_nets_are_those_that_are_known(name: str, plain: int, condensed: float) -> None:
    found = sizes(for_links(read_gml(str(ZOO / f"{name}.gml"))))

    assert found.plain_entries.mean() == plain
    assert round(found.condensed_entries.mean(), 1) == pytest.approx(condensed, abs=0.051)
    assert found.compact.sum() * 3 < found.plain.sum() < found.condensed.sum()


def test_the_formulas_of_the_thesis_agree_with_each_other() -> None:
    for brokers, degree in [(32, 4), (32, 2), (5, 3), (1024, 4)]:
        tables = tables_for(links_of(brokers, degree))

        assert all_entries_by_degree(brokers, degree) == tables * (brokers - 1)


def test_6_9_is_mended() -> None:
    printed = 32**2 * 4 / 2 + 32 * (4 / 2 - 1) - 1

    assert all_entries_by_degree(32, 4) == all_entries(32, 65) == 2015
    assert printed == 2079


@settings(max_examples=examples(40))
@given(recovery=recoveries())
def test_a_super_table_has_at_most_6_1_rows_and_one_more_a_destination_for_no_way(recovery: Recovery) -> None:
    graph, found = recovery.graph, sizes(recovery).condensed_entries
    for broker in range(graph.brokers):
        neighbours = int(graph.rows[broker + 1] - graph.rows[broker])

        assert found[broker] <= most_condensed(graph.brokers, neighbours) + graph.brokers - 1


@pytest.mark.parametrize(("largest", "expected"), [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3)])
def test_numbers_take_whole_bytes(largest: int, expected: int) -> None:
    assert number_bytes(largest) == expected
