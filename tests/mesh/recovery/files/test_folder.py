"""A folder of recovery tables is there as a whole or not at all, and nobody else's files are replaced."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from angarium.core.errors import UsageError
from angarium.mesh.recovery.files import Written, write_tables
from angarium.mesh.recovery.files import folder as folders
from angarium.mesh.recovery.files.folder import write_whole
from tests.mesh.recovery.files.sample import RING, TRIANGLE, mark, recovered

KILLED = """
import os, signal, sys
from pathlib import Path
from angarium.mesh.recovery.files.folder import write_whole

def fill(beside):
    (beside / "colours.json").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

write_whole(Path(sys.argv[1]), fill)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "tables"


def put(place: Path) -> Written:
    tables = recovered(TRIANGLE)
    return write_tables(tables, place, mark(tables))


def content(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


def alone(place: Path) -> bool:
    """Whether nothing was left beside the folder."""
    return [path.name for path in place.parent.iterdir()] == [place.name]


def test_every_broker_has_its_files(place: Path) -> None:
    written = put(place)

    names = {f"{number}-b{number}{suffix}" for number in (1, 2, 3) for suffix in (".tables", ".json")}
    assert set(content(place)) == {*names, "colours.json"}
    assert (written.files, written.size) == (7, sum(map(len, content(place).values())))
    assert alone(place)


def test_only_the_forms_that_are_wanted_are_written(place: Path) -> None:
    tables = recovered(TRIANGLE)

    write_tables(tables, place, mark(tables), forms=(".json",))

    assert {path.suffix for path in place.iterdir()} == {".json"}


@pytest.mark.parametrize("at_once", [True, False])
def test_an_earlier_folder_of_ours_is_replaced_as_a_whole(
    place: Path, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = recovered(RING)
    write_tables(tables, place, mark(tables))
    if not at_once:
        monkeypatch.setattr(folders, "_exchanged", lambda one, other: False)

    put(place)

    assert len(content(place)) == 7
    assert alone(place)


def test_an_empty_folder_is_filled(place: Path) -> None:
    place.mkdir()

    put(place)

    assert len(content(place)) == 7


def test_a_symbolic_link_stays_one(place: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    place.symlink_to(real)

    put(place)

    assert place.is_symlink()
    assert len(content(real)) == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real", "tables"]


def test_a_mistake_while_writing_leaves_the_old_folder(place: Path) -> None:
    put(place)
    before = content(place)

    def fill(beside: Path) -> None:
        (beside / "colours.json").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="No space left on device") as caught:
        write_whole(place, fill)

    assert caught.value.code == "ANG014"
    assert content(place) == before
    assert alone(place)


def test_a_process_that_is_killed_leaves_the_old_folder(place: Path) -> None:
    put(place)
    before = content(place)

    done = subprocess.run([sys.executable, "-c", KILLED, str(place)], check=False)

    assert done.returncode == -signal.SIGKILL
    assert content(place) == before


@pytest.mark.parametrize("name", ["notes.txt", "1-b1.tables", "colours.json", ".hidden"])
def test_a_folder_that_is_not_ours_is_left_alone(place: Path, name: str) -> None:
    place.mkdir()
    (place / name).write_text('{"kind": "something else"}')

    with pytest.raises(UsageError, match=f"it has {name}, which is not ours"):
        put(place)

    assert list(content(place)) == [name]


def test_a_strange_file_among_ours_is_not_lost(place: Path) -> None:
    put(place)
    (place / "notes.txt").write_text("mine")

    with pytest.raises(UsageError, match=r"it has notes\.txt, which is not ours"):
        put(place)

    assert (place / "notes.txt").read_text() == "mine"


def test_a_file_is_no_folder(place: Path) -> None:
    place.write_text("mine")

    with pytest.raises(UsageError, match="it is no folder"):
        put(place)


def test_the_folder_above_must_be_there(place: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        put(place / "deeper")
