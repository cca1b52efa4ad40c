"""Rates and capacities of links in mesh files."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.files.find import load
from angarium.mesh.files.write import written_mesh
from angarium.mesh.mesh import Mesh


def mesh_of(tmp_path: Path, more: str) -> Mesh:
    path = tmp_path / "mesh.yaml"
    path.write_text(f"mesh: m\nbrokers: [a, b]\nlinks:\n  - {{between: [a, b], {more}}}\n")
    return load(str(path))


@pytest.mark.parametrize(
    ("text", "kilobits"),
    [("10 kbit/s", 10.0), ("1.5 Mbit/s", 1500.0), ("2Gbit/s", 2e6), ("800 bit/s", 0.8), ("1e3 kbit/s", 1e3)],
)
def test_a_rate_has_a_unit(tmp_path: Path, text: str, kilobits: float) -> None:
    mesh = mesh_of(tmp_path, f"rate: {text}, capacity: 7")

    assert {(link.rate, link.capacity) for link in mesh.links} == {(kilobits, 7)}


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "rate: 10 kbit/s, capacity: 7")
    path = tmp_path / "again.yaml"
    path.write_text(written_mesh(mesh))

    assert load(str(path)) == mesh
    assert "rate: 10 kbit/s, capacity: 7" in path.read_text()


@pytest.mark.parametrize(
    "wrong", ["rate: 10", "rate: 0 bit/s", "rate: 9e99 Gbit/s", "rate: fast", "rate: []", "capacity: -1"]
)
def test_what_is_no_rate_or_capacity_is_refused_where_it_stands(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(MeshError) as caught:
        mesh_of(tmp_path, wrong)

    assert caught.value.code == "ANG121"
    assert caught.value.place and caught.value.place.line == 4
    assert caught.value.possible.startswith("possible: ")
