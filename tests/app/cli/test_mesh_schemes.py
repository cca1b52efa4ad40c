"""`angarium mesh schemes`: schemes of recovery side by side, with tables and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from angarium.app.cli import main
from angarium.mesh.files.write import written_mesh
from tests.mesh.routing.meshes import SIX, mesh_of
from tests.mesh.schemes.meshes import BOW_TIE, ring

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"


def schemes(*words: str) -> Result:
    return CliRunner().invoke(main, ["mesh", "schemes", "--quiet", *words])


@pytest.fixture
def bow_tie(tmp_path: Path) -> str:
    file = tmp_path / "bow-tie.yaml"
    file.write_text(written_mesh(mesh_of(BOW_TIE)))
    return str(file)


def test_a_mesh_has_a_table_of_schemes_lengths_and_entries(bow_tie: str) -> None:
    result = schemes(bow_tie)

    assert result.exit_code == 0, result.output
    assert "6 brokers, 7 links, 1 bridge." in result.stdout
    assert "lfa: loop-free alternates" in result.stdout
    assert "condensed super table" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_sizes_of_random_graphs_stand_side_by_side() -> None:
    result = schemes("--random", "8x12", "--random", "10x15", "--graphs", "3")

    assert result.exit_code == 0, result.output
    assert "random 8x12: 3 meshes with 24 brokers, 36 links" in result.stdout
    assert result.stdout.count("random 10x15") == 2
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_record_has_the_same_figures(bow_tie: str) -> None:
    record = json.loads(schemes(bow_tie, "--json").stdout)

    (group,) = record["groups"]
    assert (record["kind"], record["complete"], group["bridges"]) == ("mesh schemes", True, 1)
    assert group["schemes"]["tables"]["stretch"] == 1.0
    assert sum(group["schemes"]["layers"]["affected_by_hops"]) == group["affected"] - group["cut_off"]


def test_a_seed_gives_the_same_record() -> None:
    words = ("--random", "8x12", "--graphs", "2", "--json")
    first, again, other = (json.loads(schemes(*words, "--seed", seed).stdout) for seed in ("3", "3", "4"))

    assert first["groups"] == again["groups"] != other["groups"]


def test_tables_and_pictures_are_written_into_a_folder(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    folder = tmp_path / "figures"

    result = schemes("--random", "8x12", "--random", "12x18", "--graphs", "2", "--out", str(folder))

    assert result.exit_code == 0, result.output
    names = {file.name for file in folder.iterdir()}
    assert names >= {"meshes.parquet", "distribution.parquet", "entries.svg", "lengths-random-8x12.svg"}
    assert pq.read_table(folder / "meshes.parquet").num_rows == 4
    for file in folder.glob("*.svg"):
        ElementTree.parse(file)


def test_links_between_the_same_brokers_can_be_merged(tmp_path: Path) -> None:
    file = tmp_path / "doubled.gml"
    edges = "".join(f"edge [ source {a} target {b} ]" for a, b in ("01", "01", "12", "20"))
    file.write_text("graph [" + "".join(f"node [ id {n} ]" for n in range(3)) + edges + "]")

    assert "3 brokers, 4 links, 0 bridges" in schemes(str(file)).stdout
    assert "3 brokers, 3 links, 0 bridges" in schemes(str(file), "--merged").stdout


def test_where_every_link_is_a_bridge_nothing_is_compared(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text(written_mesh(mesh_of(SIX)))

    assert "Every link is a bridge" in schemes(str(file)).stdout


def test_what_is_not_done_in_time_is_unknown(tmp_path: Path) -> None:
    result = schemes("--random", "8x12", "--graphs", "5", "--timeout", "1e-9")

    assert result.exit_code == 3
    assert "0 of 5 meshes" in result.stdout
    assert "None of them was looked at." in result.stdout
    assert "Not everything was looked at: time limit" in result.stdout


def test_more_layers_mean_shorter_ways() -> None:
    words = ("--random", "24x48", "--graphs", "1", "--json")
    few, many = (json.loads(schemes(*words, *more).stdout)["groups"][0] for more in ((), ("--layers", "8")))

    assert few["most_layers"] < many["most_layers"]
    assert few["schemes"]["layers"]["hops"] > many["schemes"]["layers"]["hops"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing says which meshes"),
        (("--random", "4x9"), "9 links"),
        (("--random", "many"), "does not say how many"),
        (("nowhere.yaml",), "there is no file"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], said: str) -> None:
    result = schemes(*words)

    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("above", ["file", "nowhere"])
def test_a_folder_that_cannot_be_made_is_told_at_once(above: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = schemes("--random", "8x12", "--out", str(tmp_path / above / "below"))

    assert result.exit_code == 2
    assert "cannot make the folder" in result.stderr
    assert not (tmp_path / "nowhere").exists()


def test_meshes_of_a_folder_are_added_up(tmp_path: Path) -> None:
    for brokers in (4, 6):
        (tmp_path / f"ring-{brokers}.yaml").write_text(written_mesh(ring(brokers)))

    assert "2 meshes with 10 brokers, 10 links, 0 bridges." in schemes(str(tmp_path)).stdout


def test_the_picture_of_the_documents_is_as_it_is_drawn_now(tmp_path: Path) -> None:
    result = schemes("--random", "32x64", "--graphs", "20", "--out", str(tmp_path))

    assert result.exit_code == 0, result.output
    assert (tmp_path / "lengths.svg").read_text() == (PICTURES / "schemes-lengths.svg").read_text()
