"""A first project file: what is found in a folder, and a file that can be read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from angarium.pipeline.draft import draft, found_in
from angarium.pipeline.project import read_project

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "kafka/server.properties",
        "meshes/triangle.yaml",
        "histories/shop.jsonl",
        "at_least_once.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLES / name, path)
    shutil.copytree(EXAMPLES / "meshes" / "mosquitto", tmp_path / "mosquitto")
    (tmp_path / "node_modules").mkdir()
    shutil.copy(EXAMPLES / "at_least_once.py", tmp_path / "node_modules" / "other.py")
    (tmp_path / "django.py").write_text("class Order(models.Model): ...\n", encoding="utf-8")
    (tmp_path / "other.parquet").write_bytes(b"PAR1")
    (tmp_path / "notes.yaml").write_text("shopping: [milk]\n", encoding="utf-8")
    return tmp_path


def test_what_is_in_a_folder_is_found(folder: Path) -> None:
    found = found_in(folder)

    assert found.meshes == ["meshes/triangle.yaml"]
    assert found.settings == {"kafka": ["kafka/server.properties"]}
    assert found.histories == ["histories/shop.jsonl"]
    assert found.models == ["at_least_once.py"]
    assert [*found.brokers] == ["mosquitto in mosquitto/ring", "mosquitto in mosquitto/sites"]
    assert all(path.endswith(".conf") for files in found.brokers.values() for path in files)


def test_the_draft_is_a_project_file(folder: Path) -> None:
    (folder / "angarium.toml").write_text(draft('the "shop"', found_in(folder)), encoding="utf-8")

    project = read_project(folder)

    assert project.name == 'the "shop"'
    assert {claim.kind for claim in project.claims} == {"mesh", "check", "audit"}


def test_an_empty_folder_gives_an_example(tmp_path: Path) -> None:
    (tmp_path / "angarium.toml").write_text(draft("x", found_in(tmp_path)), encoding="utf-8")

    assert [claim.about for claim in read_project(tmp_path).claims] == [("nsq",)]
