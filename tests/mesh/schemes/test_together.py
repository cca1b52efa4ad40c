"""Many meshes: sums, tables, and the same tables on Spark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from angarium.core.control import INTERRUPTED, Control
from angarium.core.errors import MeshError, UsageError
from angarium.mesh.files.write import written_mesh
from angarium.mesh.schemes import many
from angarium.mesh.schemes.compare import SCHEMES, Comparison, compare
from angarium.mesh.schemes.graphs import RandomGraph, meshes_at
from angarium.mesh.schemes.many import Compared, Subject, compare_all, merged
from angarium.spark.place import Place
from tests.mesh.routing.meshes import TRIANGLE, mesh_of
from tests.mesh.schemes.meshes import BOW_TIE, ring

pytestmark = pytest.mark.spark

ASKED: list[Subject] = [*(RandomGraph(8, 12, seed) for seed in range(3)), ring(5), mesh_of(BOW_TIE)]
GROUPS = [*["8x12"] * 3, "ring", "bow tie"]


@pytest.fixture(scope="module")
def found() -> Compared:
    return compare_all(ASKED)


def test_meshes_are_compared_in_their_order(found: Compared) -> None:
    assert [each.name for each in found.comparisons[:3]] == ["8x12 seed 0", "8x12 seed 1", "8x12 seed 2"]
    assert found.comparisons[3] == compare(ring(5))
    assert (found.numbers, found.requested, found.cut) == ((0, 1, 2, 3, 4), 5, None)


def test_sums_are_of_everything(found: Compared) -> None:
    parts = found.comparisons

    total = many.together(parts, "all")

    assert total.affected == sum(each.affected for each in parts)
    assert total.coverage.lfa == sum(each.coverage.lfa for each in parts)
    assert total.layers == max(each.layers for each in parts)
    for scheme in SCHEMES:
        assert total.of(scheme).hops == sum(each.of(scheme).hops for each in parts)
        assert sum(total.of(scheme).everyone) == sum(sum(each.of(scheme).everyone) for each in parts)


def test_more_layers_can_be_wanted() -> None:
    few, many = (compare_all(ASKED[:1], layers=wanted).comparisons[0] for wanted in (None, 8))

    assert few.layers < many.layers


def test_what_is_not_done_in_time_is_left_out() -> None:
    told: list[tuple[int, int | None]] = []

    cut = compare_all(ASKED, control=Control(-1.0, lambda each: told.append((each.done, each.total))))

    assert (cut.comparisons, cut.requested, cut.cut) == ((), 5, "time limit of -1 s")
    assert told == []


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Subject] = []

    def impatient(requested: Subject, layers: int | None) -> Comparison:
        if done:
            raise KeyboardInterrupt
        done.append(requested)
        return compare(ring(3))

    monkeypatch.setattr(many, "compared", impatient)

    cut = compare_all(ASKED)

    assert (len(cut.comparisons), cut.cut) == (1, INTERRUPTED)


def test_several_links_between_two_brokers_can_be_one() -> None:
    mesh = mesh_of(TRIANGLE)
    again = tuple(replace(link, name=f"{link.name}'", cable="again") for link in mesh.links[:2])
    doubled = replace(mesh, links=(*mesh.links, *again))

    assert merged(doubled) == mesh
    assert compare(doubled).affected == 4


# --- files ----------------------------------------------------------------------------------------


def test_a_folder_of_meshes_is_many(tmp_path: Path) -> None:
    for name, text in (("a", TRIANGLE), ("b", BOW_TIE)):
        (tmp_path / f"{name}.yaml").write_text(written_mesh(replace(mesh_of(text), name=name)))
    (tmp_path / ".hidden.yaml").write_text("not a mesh")

    assert [mesh.name for mesh in meshes_at(str(tmp_path))] == ["a", "b"]
    assert [mesh.name for mesh in meshes_at(str(tmp_path / "b.yaml"))] == ["b"]


def test_a_folder_without_meshes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="is no mesh that can be read"):
        meshes_at(str(tmp_path))


# --- tables ---------------------------------------------------------------------------------------


def test_tables_say_what_was_found(found: Compared) -> None:
    tables = many.tables(many.rows(found, GROUPS))

    meshes, schemes = tables["meshes"].to_pylist(), tables["schemes"].to_pylist()
    assert [row["group"] for row in meshes] == GROUPS
    assert meshes[4]["coverage_lfa"] == found.comparisons[4].coverage.lfa
    assert meshes[4]["entries_condensed"] == found.comparisons[4].entries.condensed
    assert len(schemes) == len(ASKED) * len(SCHEMES)
    assert schemes[2]["hops"] == found.comparisons[0].of("layers").hops


def test_shares_add_up_to_one(found: Compared) -> None:
    table = many.tables(many.rows(found, GROUPS))["distribution"]

    sums = table.group_by(["group", "scheme", "pairs_of"]).aggregate([("share", "sum")])

    assert sums.num_rows == 3 * len(SCHEMES) * len(many.KINDS)
    assert all(each == pytest.approx(1.0) for each in sums["share_sum"].to_pylist())


def test_files_are_written_whole(found: Compared, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    tables = many.tables(many.rows(found, GROUPS))

    files = many.write(tmp_path, tables)

    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(file.name for file in files)
    assert all(pq.read_table(file).equals(tables[file.stem]) for file in files)


def test_a_folder_that_is_not_there_is_told(found: Compared, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        many.write(tmp_path / "none", many.tables(many.rows(found, GROUPS)))


def test_nothing_found_is_empty_tables() -> None:
    tables = many.tables(many.rows(Compared((), (), 5, "time limit"), GROUPS))

    assert {name: table.num_rows for name, table in tables.items()} == dict.fromkeys(many.COLUMNS, 0)
    assert all(tuple(tables[name].column_names) == names for name, names in many.COLUMNS.items())


def test_on_spark_the_tables_are_the_same(found: Compared) -> None:
    pytest.importorskip("pyspark")
    from angarium.spark.session import session

    place = Place("local[2]")
    told: list[tuple[int, int | None]] = []

    there = many.compare_all_on_spark(
        ASKED, place, control=Control(observe=lambda each: told.append((each.done, each.total)))
    )

    assert there == found
    assert told[-1] == (5, 5)
    rows = many.rows(there, GROUPS)
    frames = {name: frame.toArrow() for name, frame in many.frames(session(place), rows).items()}
    here = many.tables(many.rows(found, GROUPS))
    assert {name: frames[name].equals(table) for name, table in here.items()} == dict.fromkeys(here, True)
