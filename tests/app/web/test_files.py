"""No file outside the folder is read or written, and only mesh files are written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from angarium.app.web.files import LARGEST, MESHES, MODELS, Folder
from angarium.core.errors import WebError
from tests.app.web.asking import Page

MESH = "mesh: two\nbrokers: {a: {}, b: {}}\nlinks: [{between: [a, b]}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with a secret beside it, and links that lead there."""
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (tmp_path / "secret.yaml").write_text(MESH)
    (tmp_path / "outside").mkdir()
    (inside / "mesh.yaml").write_text(MESH)
    (inside / "deep" / "model.py").write_text("model = 1\n")
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (inside / "own.yaml").symlink_to(inside / "mesh.yaml")
    (inside / "way").symlink_to(tmp_path / "outside")
    (inside / "round.yaml").symlink_to(inside / "round.yaml")
    (inside / "notes.txt").write_text("mine")
    (inside / "alias.yaml").symlink_to(inside / "notes.txt")
    return Folder(inside)


OUTSIDE = [
    "../secret.yaml",
    "deep/../../secret.yaml",
    "/etc/passwd",
    "~/secret.yaml",
    "link.yaml",
    "way/new.yaml",
    "mesh.yaml\0.yaml",
    "..\\secret.yaml",
    "round.yaml",
    "alias.yaml",
    "",
    ".",
    "x" * 5000 + ".yaml",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_is_outside_is_neither_read_nor_written(folder: Folder, path: str) -> None:
    secret = folder.root.parent / "secret.yaml"
    with pytest.raises(WebError):
        folder.read(path)
    with pytest.raises(WebError):
        folder.write(path, "brokers: [x]\n")

    assert secret.read_text() == MESH
    assert not list((folder.root.parent / "outside").iterdir())
    assert (folder.root / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("path", ["../x.py", "link.py", "/etc/hosts.py", "way/x.py"])
def test_neither_by_a_request(folder: Folder, path: str) -> None:
    (folder.root.parent / "secret.py").write_text("secret = 1\n")
    (folder.root / "link.py").symlink_to(folder.root.parent / "secret.py")

    answer = Page(folder.root).post("/api/explore/view", {"subject": path})

    assert answer.status_code in (403, 404)
    assert "secret = 1" not in answer.text and str(folder.root) not in answer.text


def test_what_is_inside_is_read(folder: Folder) -> None:
    assert folder.read("mesh.yaml") == MESH
    assert folder.read("own.yaml") == MESH
    assert folder.read("deep/model.py") == "model = 1\n"


@pytest.mark.parametrize("name", ["id_rsa", ".env", "notes.txt", "mesh.yaml.bak"])
def test_other_kinds_of_files_are_not_read(folder: Folder, name: str) -> None:
    (folder.root / name).write_text("mine")

    with pytest.raises(WebError, match="only files that end in"):
        folder.read(name)


def test_a_file_that_is_not_there_or_no_text_or_too_large_is_said(folder: Folder) -> None:
    (folder.root / "large.yaml").write_text(" " * (LARGEST + 1))
    (folder.root / "bytes.yaml").write_bytes(b"\xff\xfe")

    for name, why in (("no.yaml", "no such file"), ("large.yaml", "larger"), ("bytes.yaml", "UTF-8")):
        with pytest.raises(WebError, match=why):
            folder.read(name)


def test_a_mesh_is_written_and_written_again(folder: Folder) -> None:
    folder.write("deep/new.yml", MESH)
    folder.write("deep/new.yml", MESH.replace("two", "couple"))

    assert folder.read("deep/new.yml") == MESH.replace("two", "couple")
    assert [path.name for path in (folder.root / "deep").iterdir() if path.name.startswith(".")] == []


def test_what_a_killed_process_has_half_written_goes_with_the_next(folder: Folder) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    (folder.root / f".mesh.yaml.{gone.pid}.0a1b2c3d").write_text("mesh: half")
    (folder.root / ".mesh.yaml.swp").write_text("an editor's")

    folder.write("mesh.yaml", MESH.replace("two", "couple"))

    assert [path.name for path in folder.root.glob(".*")] == [".mesh.yaml.swp"]
    assert folder.read("mesh.yaml") == MESH.replace("two", "couple")


@pytest.mark.parametrize("name", ["model.py", "notes.txt", "page.html", "x.json", "mesh"])
def test_nothing_but_mesh_files_is_written(folder: Folder, name: str) -> None:
    with pytest.raises(WebError, match="only files that end in"):
        folder.write(name, MESH)


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.yaml",
        "return\r.yaml",
        "tab\t.yaml",
        "escape\x1b[2J.yaml",
        "gnp.\u202elmay.yaml",
        "left\u200e.yaml",
        "isolate\u2066.yaml",
        "no-width\u200b.yaml",
        "line\u2028.yaml",
        "del\x7f.yaml",
        ".hidden.yaml",
        ".yaml",
        ".git/mesh.yaml",
        "deep/.mesh.yaml",
        " mesh.yaml",
        "deep /mesh.yaml",
    ],
)
def test_a_name_that_looks_like_another_is_not_given_to_a_file(folder: Folder, name: str) -> None:
    (folder.root / ".git").mkdir()
    (folder.root / "deep ").mkdir()
    before = sorted(folder.root.rglob("*"))

    with pytest.raises(WebError, match=r"cannot be seen|begin with a dot|only files that end in"):
        folder.write(name, MESH)

    assert sorted(folder.root.rglob("*")) == before


@pytest.mark.parametrize("name", ["Netz für Köln.yaml", "網.yaml", "a.b.yml"])
def test_names_of_every_language_are_given(folder: Folder, name: str) -> None:
    folder.write(name, MESH)

    assert folder.read(name) == MESH


@pytest.mark.parametrize("text", ["services:\n  web: {}\n", "", "just words\n"])
def test_what_is_no_mesh_is_not_written_over(folder: Folder, text: str) -> None:
    (folder.root / "compose.yaml").write_text(text)

    with pytest.raises(WebError, match="no mesh file is there already"):
        folder.write("compose.yaml", MESH)

    assert (folder.root / "compose.yaml").read_text() == text


def test_a_folder_that_is_called_like_a_mesh_is_not_written_over(folder: Folder) -> None:
    (folder.root / "odd.yaml").mkdir()

    with pytest.raises(WebError):
        folder.write("odd.yaml", MESH)

    assert (folder.root / "odd.yaml").is_dir()


def test_in_a_folder_that_is_not_there_nothing_is_written(folder: Folder) -> None:
    with pytest.raises(WebError, match="No such file"):
        folder.write("no/new.yaml", MESH)


def test_who_may_read_a_file_stays_as_it_was(folder: Folder) -> None:
    os.chmod(folder.root / "mesh.yaml", 0o600)

    folder.write("mesh.yaml", MESH)

    assert (folder.root / "mesh.yaml").stat().st_mode & 0o777 == 0o600


def test_names_are_those_of_the_folder_without_links_and_hidden_ones(folder: Folder) -> None:
    (folder.root / ".git").mkdir()
    (folder.root / ".git" / "x.yaml").write_text(MESH)

    assert folder.names(MESHES) == ["mesh.yaml"]
    assert folder.names(MODELS) == ["deep/model.py"]
