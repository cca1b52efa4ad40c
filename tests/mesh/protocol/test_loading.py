"""The tables with which a broker starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.protocol.forwarding import agreed, are_just_so, calculated_tables, loaded_tables
from angarium.mesh.recovery.files import fingerprint, write_tables
from angarium.mesh.recovery.tables import coloured, recovery
from angarium.mesh.verify.budget import ONE, read_budget
from tests.mesh.protocol.meshes import CHORD, LINE, SQUARE, mesh


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("recovery") / "tables"
    square = mesh(SQUARE)
    colours = coloured(square, (each for _, each in ONE.failures(square)))
    write_tables(recovery(square, colours), place, fingerprint(square, colours))
    return place


def test_tables_from_files_are_those_that_would_be_calculated(folder: Path) -> None:
    loaded, calculated = loaded_tables(mesh(SQUARE), "2", folder), calculated_tables(mesh(SQUARE), "2", ONE)

    assert loaded.colours == calculated.colours
    assert all(
        loaded.next(colour, destination) == calculated.next(colour, destination)
        for colour in loaded.colours
        for destination in "134"
    )


def test_brokers_with_files_and_brokers_that_calculate_understand_each_other(folder: Path) -> None:
    loaded, calculated = loaded_tables(mesh(SQUARE), "2", folder), calculated_tables(mesh(SQUARE), "1", ONE)

    assert agreed(mesh(SQUARE), loaded).fingerprint == agreed(mesh(SQUARE), calculated).fingerprint != 0


def test_brokers_with_tables_for_other_meshes_do_not(folder: Path) -> None:
    ours, others = loaded_tables(mesh(SQUARE), "1", folder), calculated_tables(mesh(CHORD), "1", ONE)

    assert agreed(mesh(SQUARE), ours).fingerprint != agreed(mesh(CHORD), others).fingerprint


def test_a_mesh_that_has_changed_its_costs_is_noticed(folder: Path) -> None:
    tables = loaded_tables(mesh(SQUARE), "2", folder)

    assert are_just_so(mesh(SQUARE), tables)
    assert not are_just_so(mesh("1-2 2-3 3-4:2 1-4"), tables)


@pytest.mark.parametrize("other", [LINE, CHORD, "1-2 2-3 3-4 4-5 1-5"])
def test_tables_of_another_mesh_are_refused(folder: Path, other: str) -> None:
    with pytest.raises(MeshError, match="were made for"):
        loaded_tables(mesh(other), "1", folder)


def test_more_failures_than_there_is_room_for_are_refused_at_once() -> None:
    ring = mesh(" ".join(f"{one}-{one + 1}" for one in range(1, 80)))

    with pytest.raises(MeshError, match="sets of failures") as caught:
        calculated_tables(ring, "1", read_budget("links=9"))

    assert caught.value.code == "ANG125"
