"""Loading recovery tables, as a broker process does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Broker, Mesh
from angarium.mesh.recovery.files import load, load_from, write_tables
from angarium.mesh.recovery.files.binary import file_name, is_ours
from tests.mesh.recovery.files.sample import RING, agree, mark, recovered

STRANGE = "New York", "../etc/passwd", "B1", "b1", "x" * 300, "ñ", "a\nb", "\ud800"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, tables = tmp_path_factory.mktemp("tables") / "ring", recovered(RING)
    write_tables(tables, place, mark(tables))
    return place


@pytest.mark.parametrize("suffix", [".tables", ".json"])
def test_both_forms_say_what_was_calculated(folder: Path, suffix: str) -> None:
    for number in range(1, 6):
        assert agree(load(folder / f"{number}-b{number}{suffix}"), recovered(RING))


def test_a_broker_is_found_by_its_name(folder: Path) -> None:
    assert load_from(folder, "b4").broker == "b4"


def test_json_alone_is_enough(tmp_path: Path) -> None:
    tables = recovered(RING)
    write_tables(tables, tmp_path / "tables", mark(tables), forms=(".json",))

    assert agree(load_from(tmp_path / "tables", "b2"), tables)


def strange_mesh() -> Mesh:
    return replace(RING, brokers=tuple(map(Broker, STRANGE)), links=(), shared_risks=())


@pytest.mark.parametrize("suffix", [".tables", ".json"])
def test_brokers_of_any_name_have_files_of_their_own(tmp_path: Path, suffix: str) -> None:
    tables, place = recovered(strange_mesh()), tmp_path / "tables"
    write_tables(tables, place, mark(tables), forms=(suffix,))

    assert [load_from(place, name).broker for name in STRANGE] == list(STRANGE)
    assert len(list(place.iterdir())) == len(STRANGE) + 1
    assert all(is_ours(path.name) for path in place.iterdir())


def test_a_name_never_leads_out_of_the_folder() -> None:
    assert [file_name(number, name) for number, name in enumerate(STRANGE[:3])] == [
        "1-New_York",
        "2-.._etc_passwd",
        "3-B1",
    ]


def test_an_unknown_broker_gets_the_nearest(folder: Path) -> None:
    with pytest.raises(MeshError, match="for no broker 'b44'") as caught:
        load_from(folder, "b44")

    assert caught.value.possible.startswith("did you mean b4?")


@pytest.mark.parametrize("name", ["1-b1.tables", "1-b1.json"])
def test_a_damaged_file_is_named(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes((folder / name).read_bytes()[:-9])
    (tmp_path / "colours.json").write_bytes((folder / "colours.json").read_bytes())

    with pytest.raises(MeshError, match=f"{name}: this is no file of recovery tables"):
        load(tmp_path / name)


def test_files_of_two_runs_do_not_mix(folder: Path, tmp_path: Path) -> None:
    other = recovered(replace(RING, brokers=RING.brokers[::-1]))
    write_tables(other, tmp_path / "other", mark(other))
    (tmp_path / "other" / "1-b1.json").write_bytes((folder / "1-b1.json").read_bytes())

    with pytest.raises(MeshError, match="their fingerprints differ"):
        load(tmp_path / "other" / "1-b1.json")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=r"cannot read .*: No such file"):
        load(tmp_path / "1-b1.tables")
    with pytest.raises(MeshError, match=r"cannot read .*colours\.json: No such file"):
        load_from(tmp_path, "b1")


def test_text_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "colours.json").write_bytes(b"\xff\xfe")

    with pytest.raises(MeshError, match=r"colours\.json is no text"):
        load_from(tmp_path, "b1")
