"""Files that are none, too long, or strange inside: said at once, in a line, whichever verb is given them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from angarium.spark.reasons import reason_in
from tests.app.cli.running import AT_LEAST_ONCE, run

SHOP = "examples/histories/shop.jsonl"
NO_BROKERS = "kind: KafkaMirrorMaker2\nspec: {version: 3.7.0}\n"


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody starts Spark: what is wrong is to be known before."""

    def started(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("angarium.history.auditing.session", started)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "THIS"),
        ("check", "overlay", "--mesh", "THIS"),
        ("check", "kafka", "--config", "THIS"),
        ("prove", "THIS"),
        ("mesh", "verify", "THIS"),
        ("mesh", "recover", "examples/meshes/three-brokers.yaml", "--overrides", "THIS"),
        ("audit", "THIS"),
        ("audit", "examples/histories", "--mapping", "THIS"),
        ("run", "THIS"),
        ("replay", "THIS@0123456789ab::0"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("kind", ["pipe.py", "device.py"])
def test_what_is_no_file_is_refused(words: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    strange = tmp_path / kind
    if kind == "pipe.py":
        os.mkfifo(strange)
    else:
        strange.symlink_to("/dev/zero")
    done = run(*(word.replace("THIS", str(strange)) for word in words))
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("error[ANG")


def test_a_pipe_in_a_folder_is_passed_by(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mesh.yaml")
    os.mkfifo(tmp_path / "events.jsonl")
    assert "no mesh that can be read" in run("mesh", "verify", str(tmp_path)).stderr
    assert "there is no file of events" in run("audit", str(tmp_path)).stderr
    assert run("init", str(tmp_path)).exit_code == 0


def test_links_to_nowhere_are_passed_by_where_files_are_only_looked_for(tmp_path: Path) -> None:
    for name in ("mesh.yaml", "events.jsonl", "server.properties"):
        (tmp_path / name).symlink_to("nowhere")
    assert run("init", str(tmp_path)).exit_code == 0
    assert "there is no file" in run("audit", str(tmp_path / "events.jsonl")).stderr


def test_a_whole_disk_is_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To look at all files of `/` took minutes, and nothing but Ctrl-C ended it."""
    monkeypatch.setattr("angarium.history.intake.paths.MOST", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").touch()
    assert "more than 3 files" in run("audit", str(tmp_path)).stderr
    (tmp_path / "0.txt").unlink()
    assert "no event" in run("audit", str(tmp_path)).stderr


def test_a_live_audit_goes_on_whatever_comes_into_its_folder(tmp_path: Path) -> None:
    """A file of which no line is an event ended it as a bug, and links that lead round in a ring hung it."""
    folder = tmp_path / "in"
    (folder / "deeper").mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(Path(SHOP).read_bytes())
    (folder / "garbage.jsonl").write_bytes(b"{}\n[\n\xff\n" + b"x" * 300_000)
    (folder / "garbage.parquet").write_bytes(b"PAR1" + b"x" * 10_000)
    (folder / "nowhere.jsonl").symlink_to("nowhere")
    (folder / "endless.jsonl").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.jsonl")
    for name in ("a", "b", "c"):
        (folder / "deeper" / name).symlink_to(folder)
    (folder / "_END").touch()

    done = run("audit", "--follow", str(folder), "--checkpoint", str(tmp_path / "state"), "-q", "--json")

    assert done.exit_code in (1, 3), done.output
    told = json.loads(done.stdout)
    assert told["accepted"] == 168 and told["quarantined"] >= 8


@pytest.mark.parametrize("words", [("--until-idle", "0.1s"), ()], ids=["idle", "ended"])
def test_a_live_audit_of_an_empty_folder_ends(words: tuple[str, ...], tmp_path: Path) -> None:
    folder, state = tmp_path / "in", tmp_path / "state"
    folder.mkdir()
    if not words:
        (folder / "_END").touch()

    done = run("audit", "--follow", str(folder), "--checkpoint", str(state), "-q", *words)

    assert done.exit_code == 3 and "The stream has ended" in done.stdout
    (folder / "events.jsonl").write_bytes(Path(SHOP).read_bytes())
    done = run("audit", "--follow", str(folder), "--checkpoint", str(state), "-q", *words)
    assert "168 events accepted" in done.stdout


def test_a_folder_that_is_not_there_is_told_before_spark_starts() -> None:
    done = run("audit", "no-such-folder")
    assert done.exit_code == 2 and "there is no file no-such-folder" in done.stderr


def test_a_first_line_too_long_for_csv_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("x" * 200_000)
    assert run("init", str(tmp_path)).exit_code == 0
    from angarium.history.intake.formats import look
    from angarium.history.intake.paths import File
    from angarium.history.intake.reasons import BAD_HEADER

    for mapped in (False, True):
        found = look(File(tmp_path / "long.csv", named=True), None, mapped=mapped)
        assert found.fault is not None and found.fault.reason == BAD_HEADER


def test_mirrors_without_clusters_are_no_mesh(tmp_path: Path) -> None:
    file = tmp_path / "mirrors.yaml"
    file.write_text(NO_BROKERS)
    for verb in ("convert", "verify", "recover"):
        done = run("mesh", verb, str(file))
        assert done.exit_code == 2 and "there is no broker" in done.stderr


@pytest.mark.parametrize(
    ("definitions", "part"),
    [('alias: "e\\e[2Ju"', "printable characters"), (f"alias: {'e' * 2000}", "not YAML")],
    ids=["control characters", "longer than 1,024"],
)
def test_a_mesh_that_cannot_be_read_again_is_not_written(definitions: str, part: str, tmp_path: Path) -> None:
    file, out = tmp_path / "mirrors.yaml", tmp_path / "out.yaml"
    file.write_text(
        f"kind: KafkaMirrorMaker2\nspec: {{clusters: [{{? {definitions.replace(': ', ' : ', 1)}}}]}}\n"
    )
    done = run("mesh", "convert", str(file), "--out", str(out))
    assert done.exit_code == 2 and part in done.stderr
    assert "\x1b" not in done.stderr and not out.exists()


def test_a_device_that_is_written_to_stays_one(tmp_path: Path) -> None:
    full, nothing = tmp_path / "full", tmp_path / "null"
    full.symlink_to("/dev/full")
    nothing.symlink_to("/dev/null")
    words = ("export", AT_LEAST_ONCE, "--to", "promela", "--out")
    assert run(*words, str(nothing)).exit_code == 0
    done = run(*words, str(full))
    assert done.exit_code == 2 and "No space left on device" in done.stderr
    assert all(link.is_symlink() and stat.S_ISCHR(link.stat().st_mode) for link in (full, nothing))


def test_the_reason_is_a_line_with_words() -> None:
    said = "\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'c'. (line 1, pos 3)\n\n== SQL ==\na b`c\n---^^^\n"
    assert "Syntax error at or near 'c'" in reason_in(said).what
