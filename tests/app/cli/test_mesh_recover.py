"""`angarium mesh recover`: tables that hold are written, and what does not hold is told and not written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from angarium.mesh.recovery.files import load_from
from tests.app.cli.running import record, run
from tests.mesh.smv.smv_walks import Walks

MESHES = "examples/meshes"
TRIANGLE = f"{MESHES}/triangle.yaml"
RING = f"{MESHES}/ring-with-duct.yaml"
SIX = f"{MESHES}/six-brokers.yaml"

SUPER_TABLE = """\
  address  destination  next         colours
  ------------------------------------------
        1  b2           b2           1, 3, 4
        2  b3           b3           1, 2, 4
        3  b2           b3           2
        4  b3           b2           3

next broker by destination and colour:
  destination  1   2   3   4
  b1           b1  b1  b1  b1
  b2           b2  b3  b2  b2
  b3           b3  b3  b2  b3

address by destination and colour:
  destination  1  2  3  4
  b1           -  -  -  -
  b2           1  3  1  1
  b3           2  2  4  2
"""
"""Table 6-4 and formula (6-3) of the thesis, and the pointers that its text describes."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "tables"


def test_tables_that_hold_are_written_and_can_be_loaded(out: Path) -> None:
    result = run("mesh", "recover", RING, "--failures", "one,risks", "--out", str(out))

    assert result.exit_code == 0
    assert "13 colours for 6 failures of 1 link, 5" in result.stdout
    assert f"Wrote {out}: 11 files" in " ".join(result.stdout.split())
    tables = load_from(out, "b1")
    assert tables.next(1, "b3") == "b3"
    assert tables.next(13, "b3") == "b5"


def test_nothing_is_written_where_nobody_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = Path(TRIANGLE).absolute()
    monkeypatch.chdir(tmp_path)

    result = run("mesh", "recover", str(mesh))

    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_the_super_table_of_the_triangle_is_that_of_the_thesis() -> None:
    result = run("mesh", "recover", TRIANGLE, "--failures", "links=1", "--tables", "b1")

    assert SUPER_TABLE in result.stdout


def test_an_override_that_leads_in_a_circle_is_told_and_nothing_is_written(out: Path) -> None:
    result = run("mesh", "recover", RING, "--override", "b1->b3=b5@1", "--out", str(out))

    assert result.exit_code == 1
    assert "loop-free     violated" in result.stdout
    assert "b1 to b3 goes round for ever, (b1 > b5 > b1 > …)" in " ".join(result.stdout.split())
    assert "It follows the override b1->b3=b5." in result.stdout
    assert "Nothing is written" in result.stdout
    assert not out.exists()


def test_an_override_that_breaks_something_leaves_the_old_tables(out: Path) -> None:
    run("mesh", "recover", RING, "--out", str(out))
    before = load_from(out, "b1").fingerprint

    result = run("mesh", "recover", RING, "--override", "b1->b3=b5@1", "--out", str(out))

    assert result.exit_code == 1
    assert load_from(out, "b1").fingerprint == before


def test_overrides_in_a_file_are_followed(out: Path, tmp_path: Path) -> None:
    file = tmp_path / "overrides.yaml"
    file.write_text("overrides:\n  - {at: b2, to: b4, next: b1}\n")

    result = run("mesh", "recover", RING, "--overrides", str(file), "--out", str(out))

    assert result.exit_code == 0
    assert "Overrides make paths dearer than they need be, which breaks nothing:" in result.stdout
    assert load_from(out, "b2").next(1, "b4") == "b1"


def test_what_cannot_be_protected_is_listed_with_links_that_would_help() -> None:
    result = run("mesh", "recover", SIX)

    text = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "Not protected: 7 of 11 failures leave brokers without a path, whatever the tables say." in text
    assert "colour 4, without link b2-b4, 18 pairs: {b1, b2, b3} from {b4, b5, b6}" in text
    assert "add 2 links" in text


def test_the_links_that_would_help_do_help(tmp_path: Path) -> None:
    added = record("mesh", "recover", SIX)["unprotected"]["links_to_add"]
    more = "".join(f"  - {one} - {other}\n" for one, other in added)
    mended = tmp_path / "mended.yaml"
    mended.write_text(Path(SIX).read_text().replace("links:\n", f"links:\n{more}"))

    assert record("mesh", "recover", str(mended))["unprotected"]["failures"] == []


def test_the_record_has_everything(out: Path) -> None:
    answer = record("mesh", "recover", RING, "--failures", "links=1", "--out", str(out), "--tables", "b2")

    assert answer["kind"] == "mesh recover"
    assert {each["guarantee"]: each["verdict"] for each in answer["verdicts"]} == {
        "reachability": "holds",
        "loop-free": "holds",
        "shortest-path": "holds",
    }
    assert (answer["colours"], answer["failures"], answer["complete"]) == (7, {"1 link": 6}, True)
    assert answer["written"] == {"folder": str(out), "files": 11, "bytes": answer["written"]["bytes"]}
    assert answer["sizes"]["plain"]["entries"] == 5 * 4 * 7
    assert answer["fingerprint"] == json.loads((out / "colours.json").read_text())["fingerprint"]
    assert answer["tables"][0]["super_table"][0] == {
        "destination": "b1",
        "next": "b1",
        "colours": [1, 3, 4, 5, 6, 7],
    }


def test_the_record_of_a_violation_has_the_way() -> None:
    answer = record("mesh", "recover", RING, "--override", "b1->b3=b5@1")

    (violation,) = answer["verdicts"][1]["findings"]
    assert (violation["colour"], violation["first"], violation["path"]) == (
        1,
        ["b1", "b3"],
        ["b1", "b5", "b1"],
    )
    assert answer["written"] is None


def test_time_that_was_too_short_gives_an_unknown_and_no_files(out: Path) -> None:
    result = run("mesh", "recover", RING, "--timeout", "0.000001", "--out", str(out))

    assert result.exit_code == 3
    assert "unknown" in result.stdout
    assert "Not everything was looked at: time limit" in result.stdout
    assert not out.exists()


@pytest.mark.parametrize(("form", "suffixes"), [("binary", {".tables", ".json"}), ("json", {".json"})])
def test_a_form_can_be_chosen(out: Path, form: str, suffixes: set[str]) -> None:
    run("mesh", "recover", TRIANGLE, "--format", form, "--out", str(out))

    assert {path.suffix for path in out.iterdir()} == suffixes
    assert len(list(out.iterdir())) == 4


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--failures", "risks"], "the mesh triangle names none"),
        (["--failures", "risks,one"], "does not say what may fail"),
        (["--override", "b1"], "does not say what goes where"),
        (["--override", "b1->b3=b9"], "no link leads there"),
        (["--override", "b1->b3=b2@9"], "no colour 9"),
        (["--overrides", "nowhere.yaml"], "nowhere.yaml"),
        (["--tables", "b9"], "no broker is called 'b9'"),
        (["--out", "examples"], "which is not ours"),
        (["--out", "nowhere/tables"], "there is no folder nowhere"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(words: list[str], complaint: str) -> None:
    result = run("mesh", "recover", TRIANGLE, *words)

    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_mesh_that_routes_otherwise_is_told_how_tables_are_made() -> None:
    result = run("mesh", "recover", f"{MESHES}/two-plants.yaml", "--failures", "links=1")

    assert "Tables are calculated over its links, by cost; how it routes now does not count." in " ".join(
        result.stdout.split()
    )


# --- verify and export ----------------------------------------------------------------------------


def test_verify_looks_at_shared_risks_too() -> None:
    answer = record("mesh", "verify", RING, "--failures", "one,risks", "--only", "reachability")

    assert {each["failures"]: each["verdict"] for each in answer["verdicts"]} == {
        "healthy": "holds",
        "1 link": "holds",
        "1 broker": "holds",
        "1 shared risk": "holds",
    }
    assert answer["failures"]["1 shared risk"] == 1


def test_the_export_with_colours_is_judged_true() -> None:
    result = run("mesh", "export", TRIANGLE, "--to", "smv", "--recovery", "links=1")

    verdicts = Walks(result.stdout).verdicts
    assert len(verdicts) == 48
    assert all(verdicts.values())


def test_the_export_of_a_broken_override_is_judged_false() -> None:
    words = ("--recovery", "links=1", "--override", "b1->b2=b3@4")

    result = run("mesh", "export", TRIANGLE, "--to", "smv", *words)

    assert not Walks(result.stdout).verdicts["loop_1_2_4"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--recovery", "one", "--dead", "b1"], "--dead cannot stand beside --recovery"),
        (["--override", "b1->b3=b2"], "an override changes recovery tables, and none are asked for"),
    ],
)
def test_an_export_that_asks_for_two_things_is_refused(words: list[str], complaint: str) -> None:
    result = run("mesh", "export", TRIANGLE, "--to", "smv", *words)

    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_new_link_that_need_lead_only_one_way_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "one-way.yaml"
    file.write_text("brokers: [a, b, c]\nlinks: [a -> b, b -> c]\n", encoding="utf-8")

    result = run("mesh", "recover", str(file), "--failures", "links=1")

    assert result.exit_code == 0
    assert "  a -> b, a -> c, b -> c" in result.stdout


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ("rabbitmq/triangle", "RabbitMQ brokers cannot load these tables: they forward by their own"),
        ("mosquitto/ring", "Mosquitto brokers cannot load these tables"),
        ("nats/twice", "NATS brokers cannot load these tables"),
        ("mirrormaker/identity.properties", "Kafka brokers cannot load these tables"),
        ("artemis/cluster", "Artemis brokers cannot load these tables"),
        ("dispatch", "These routers cannot load tables: they calculate their own"),
    ],
)
def test_who_cannot_load_tables_is_told_so_first(files: str, says: str) -> None:
    result = run("mesh", "recover", f"examples/meshes/{files}", "--failures", "none")

    assert result.stdout.startswith(says)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_record_says_whether_brokers_can_load_tables() -> None:
    own = record("mesh", "recover", "examples/meshes/triangle.yaml", "--failures", "none")
    nats = record("mesh", "recover", "examples/meshes/nats/twice", "--failures", "none")

    assert (own["brokers_can_load"], nats["brokers_can_load"]) == (None, False)
