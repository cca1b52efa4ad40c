"""Claims as tasks: what a worker makes of a copy of their files is what the verb makes of the files."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.api import verify
from angarium.app.pipeline import worker
from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.inputs import contents_of, key_of
from angarium.app.pipeline.publish import pictures_of
from angarium.app.pipeline.run import UnderWay, task_of
from angarium.app.pipeline.worker import Answer, Task, answered
from angarium.core.result import Verdict
from angarium.mesh.results import Dead, MeshVerdict, MeshViolation
from tests.app.cli.running import run

TRIANGLE = (Path(__file__).parents[3] / "examples" / "meshes" / "triangle.yaml").read_bytes()
BRIDGE = "listener 1883\nallow_anonymous true\n\nconnection there\naddress {to}:1883\ntopic # both 1\n"


def _asked(claim: Claim, folder: Path) -> Answer:
    return answered(task_of(claim, folder, contents_of(claim, folder)))


@pytest.fixture
def berlin(tmp_path: Path) -> Path:
    """Two brokers that have no name but that of their folder, and a bridge to each other."""
    for here, there in (("berlin", "paris"), ("paris", "berlin")):
        (tmp_path / here).mkdir()
        (tmp_path / here / "mosquitto.conf").write_text(BRIDGE.format(to=there), encoding="utf-8")
    return tmp_path / "berlin"


BRIDGES = Claim("b", "mesh", ("mosquitto.conf", "../paris/mosquitto.conf"), {"failures": "none"})


def test_brokers_are_named_after_their_real_folders(berlin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = _asked(BRIDGES, berlin)
    monkeypatch.chdir(berlin)
    told = json.loads(run("mesh", "verify", *BRIDGES.about, "--failures", "none", "--json").stdout)

    assert answer.record["brokers"] == told["brokers"] == 2
    verdicts = [(each["guarantee"], each["verdict"]) for each in answer.record["verdicts"]]
    assert verdicts == [(each["guarantee"], each["verdict"]) for each in told["verdicts"]]
    assert ("loop-free", "violated") in verdicts


def test_a_broker_of_no_name_is_not_named_after_the_copy() -> None:
    files = {"mosquitto.conf": BRIDGE.format(to="elsewhere").encode()}

    answer = answered(Task(["mesh", "verify", "mosquitto.conf", "--json"], 60.0, files, "/etc/mosquitto"))

    assert answer.record["subject"] == "mosquitto"


def test_the_same_files_in_another_folder_are_another_mesh(berlin: Path) -> None:
    before = key_of(BRIDGES, berlin)
    elsewhere = berlin.rename(berlin.parent / "rome")

    assert key_of(BRIDGES, elsewhere) != before


@pytest.mark.parametrize(
    "name", ["../bad/triangle.yaml", "{folder}/triangle.yaml", "../../../../../../..{folder}/triangle.yaml"]
)
def test_however_a_path_is_written_the_copy_is_read(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "triangle.yaml").write_bytes(TRIANGLE)
    claim = Claim("t", "mesh", (name.format(folder=folder),), {"failures": "none"})
    contents = contents_of(claim, folder)
    (folder / "triangle.yaml").write_text("changed meanwhile", encoding="utf-8")

    answer = answered(task_of(claim, folder, contents))

    assert answer.record.get("brokers") == 3, answer.problem


def test_all_files_of_a_claim_are_moved() -> None:
    claim = Claim("c", "check", ("/a/model.py:Queue",), {"config": ["/a/s.properties"], "only": ["order"]})

    moved = claim.moved(lambda name: name.replace("/a/", "../"))

    assert (moved.about, moved.options) == (
        ("../model.py:Queue",),
        {"config": ["../s.properties"], "only": ["order"]},
    )
    assert Claim("n", "check", ("nsq",)).moved(str.upper).about == ("nsq",)


def test_files_beside_the_project_keep_their_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look(words: object, root: Path, folder: Path, timeout: float) -> subprocess.CompletedProcess[str]:
        seen.append((folder / "../../a/b.yaml").read_text() + (folder / "c.yaml").read_text())
        return subprocess.CompletedProcess([], 2, "", "wrong")

    monkeypatch.setattr(worker, "_run", look)
    answer = answered(Task([], 1.0, {"../../a/b.yaml": b"b", "c.yaml": b"c"}, "/x/y/z"))

    assert (seen, answer.problem, answer.died) == (["bc"], "wrong", False)


def test_a_process_that_dies_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = subprocess.CompletedProcess[str]([], -9, "", "")
    monkeypatch.setattr(worker, "_run", lambda words, root, folder, timeout: killed)

    answer = answered(Task(["check", "nsq"], 1.0))

    assert answer.died
    assert answer.problem == "it died of signal 9"


def test_a_verb_that_was_stopped_before_it_had_an_answer_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = json.dumps({"kind": "check", "error": {"message": "time limit of 1 s"}, "verdicts": []})
    said = "time limit of 1 s before there was anything to report"
    early = subprocess.CompletedProcess([], 3, text, f"{said}\n")
    monkeypatch.setattr(worker, "_run", lambda words, root, folder, timeout: early)

    answer = answered(Task(["check", "nsq"], 1.0))

    assert (answer.over, answer.died, answer.record) == (True, False, {})
    assert answer.problem == said


def test_a_mesh_is_drawn_also_if_its_failure_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "triangle.yaml").write_bytes(TRIANGLE)
    claim = Claim("t", "mesh", ("triangle.yaml",))
    healthy = verify(str(tmp_path / "triangle.yaml"), failures="none")

    def drawn(dead: str) -> list[str]:
        lost = MeshViolation(what="lost", dead=Dead([dead]), path=[], round=[], copies=None, demands=[])
        verdict = MeshVerdict(
            guarantee="reachability", verdict=Verdict.VIOLATED, failures="1 broker", violations=[lost]
        )
        return [*pictures_of(claim, tmp_path, replace(healthy, verdicts=[verdict]))]

    assert drawn("b1") == ["the mesh", "without b1"]
    assert drawn("nobody") == ["the mesh"]


def test_those_are_named_that_really_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 5.0, 9.0])
    monkeypatch.setattr("angarium.app.pipeline.run.time.monotonic", lambda: next(clock))
    under_way = UnderWay(["a", "b", "c", "d"], cores=2)

    told = [under_way.told(ended) for ended in ((), ("a",), ("a", "c", "d"))]

    assert told == ["a (0 s), b (0 s)", "b (5 s), c (0 s)", "b (9 s)"]


def test_of_many_that_run_some_are_named() -> None:
    assert UnderWay([*"abcdefgh"], cores=6).told(()).endswith("d (0 s), 2 more")
