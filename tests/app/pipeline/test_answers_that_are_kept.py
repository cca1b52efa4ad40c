"""Answers by the hash of their inputs: what changes the hash, and entries that are broken."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.inputs import contents_of, files_of, key_of, key_of_contents
from angarium.app.pipeline.store import BROKEN, UNKEPT, Cache, claim_folder
from angarium.core.result import Verdict

CLAIM = Claim("a", "check", ("model.py:Queue",), {"set": {"messages": 2}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text("class Queue: ...\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing\n", encoding="utf-8")
    return tmp_path


def _rewrite(path: Path) -> None:
    path.write_text("changed = 1\n", encoding="utf-8")


@pytest.mark.parametrize("name", ["model.py", "helper.py"])
def test_another_content_is_another_key(folder: Path, name: str) -> None:
    before = key_of(CLAIM, folder)

    _rewrite(folder / name)

    assert key_of(CLAIM, folder) != before


@pytest.mark.parametrize(
    "changed",
    [{"options": {"set": {"messages": 3}}}, {"kind": "simulate"}, {"about": ("helper.py",)}, {"budget": 1.0}],
    ids=str,
)
def test_another_question_is_another_key(folder: Path, changed: dict[str, object]) -> None:
    assert key_of(replace(CLAIM, **changed), folder) != key_of(CLAIM, folder)  # type: ignore[arg-type]


def test_what_does_not_change_the_answer_does_not_change_the_key(folder: Path) -> None:
    renamed = replace(CLAIM, name="b", line=9, expect=Verdict.VIOLATED)
    before = key_of(CLAIM, folder)
    _rewrite(folder / "notes.txt")

    assert key_of(renamed, folder) == before


def test_contents_have_the_key_of_their_files(folder: Path) -> None:
    contents = contents_of(CLAIM, folder)

    assert [*contents] == ["helper.py", "model.py"]
    assert key_of_contents(CLAIM, folder, contents) == key_of(CLAIM, folder)


def test_what_a_configuration_may_include_counts(tmp_path: Path) -> None:
    (tmp_path / "nats" / "more").mkdir(parents=True)
    for name in ("nats/hub.conf", "nats/accounts.conf", "nats/more/users.conf", "nats/readme.md"):
        (tmp_path / name).touch()
    claim = Claim("m", "mesh", ("nats/hub.conf",))

    assert [*contents_of(claim, tmp_path)] == ["nats/accounts.conf", "nats/hub.conf", "nats/more/users.conf"]


def test_all_files_of_a_folder_count(tmp_path: Path) -> None:
    (tmp_path / "history" / "part").mkdir(parents=True)
    for name in ("a.jsonl", "part/b.jsonl"):
        (tmp_path / "history" / name).write_text("{}\n", encoding="utf-8")
    claim = Claim("h", "audit", ("history",))

    assert [path.name for path in files_of(claim, tmp_path)] == ["a.jsonl", "b.jsonl"]


def test_what_a_run_itself_writes_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "mesh.yaml").touch()
    claim = Claim("m", "mesh", (".",))
    before = key_of(claim, tmp_path)

    for name in (".angarium", "results", ".git/objects"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "run.json").write_text("{}", encoding="utf-8")
    claim_folder(tmp_path / "other")
    (tmp_path / "other" / "report.html").touch()
    (tmp_path / ".mesh.yaml.swp").touch()

    assert [*contents_of(claim, tmp_path)] == ["mesh.yaml", "results/run.json"]
    (tmp_path / "results" / "run.json").unlink()
    assert key_of(claim, tmp_path) == before


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.yaml")).touch()

    assert key_of(Claim("m", "mesh", (".",)), tmp_path)


def test_what_was_put_is_found_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.put("k", {"seconds": 1.0, "record": {"a": [1]}})

    assert cache.get("k") == ({"seconds": 1.0, "record": {"a": [1]}}, None)
    assert cache.get("other") == (None, None)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"key": "k"}', '{"seal": "é"}', "changed"])
def test_a_broken_entry_is_no_entry(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path)
    cache.put("k", {"record": {"verdict": "violated"}})
    path = tmp_path / "k.json"
    if damage == "changed":
        entry = json.loads(path.read_text())
        entry["answer"]["record"]["verdict"] = "holds"
        damage = json.dumps(entry)
    path.write_text(damage, encoding="utf-8")

    assert cache.get("k") == (None, BROKEN)


def test_an_answer_that_came_with_a_checkout_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "project" / "cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "theirs"))
    cache.put("k", {"record": {"verdict": "holds"}})
    assert cache.get("k")[0] == {"record": {"verdict": "holds"}}

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "ours"))
    assert cache.get("k") == (None, BROKEN)


def test_neither_is_one_under_the_name_of_another(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.put("good", {"record": {"verdict": "holds"}})
    (cache.folder / "good.json").rename(cache.folder / "bad.json")

    assert cache.get("bad") == (None, BROKEN)


def test_the_folder_of_somebody_else_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    cache.put("k", {"record": {}})
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    cache.folder.rename(tmp_path / "theirs")
    cache.folder.symlink_to(tmp_path / "theirs")

    assert cache.get("k") == (None, None)
    told = cache.put("k", {"record": {}})
    assert told and told.endswith("is somebody else's, or a link")


def test_an_answer_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    cache = Cache(tmp_path / "cache")

    assert cache.put("k", {"record": {}}) == f"{UNKEPT}: File exists"
    assert cache.get("k") == (None, None)
