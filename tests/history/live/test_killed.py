"""Killed at any moment and started again, a followed history neither loses nor doubles a finding."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random, SystemRandom

import pytest

from angarium.history.live.folder import Folder
from angarium.history.tables import COMPARED
from tests.effort import is_thorough
from tests.history.generated import numbered
from tests.history.live.streams import Row, alerts_in, expected, hand_written, pieces, write
from tests.processes import ending, kill, worked
from tests.waiting import wait_until

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from angarium.history.live.follow import follow
from tests.history.live.streams import LIVE, PARAMETERS
folder, checkpoint = map(Path, sys.argv[1:])
follow(folder, checkpoint, PARAMETERS, replace(LIVE, every=0.0))
"""
FILES = 60
"""So many batches there are to be killed in."""
KILLS = 20 if is_thorough() else 3


def started(*paths: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    return ending([sys.executable, "-c", PROGRAM, *map(str, paths)], stderr=None)


def killed_at(moment: Path, *paths: Path) -> None:
    """Start it, and kill it as soon as there is a file."""
    with started(*paths) as process:
        wait_until(f"there is {moment}", lambda: moment.exists() or process.poll() is not None)
        kill(process)


def stream() -> tuple[Row, ...]:
    runs = hand_written().items()
    return tuple(row | {"run_id": name} for name, rows in runs for row in numbered(rows))


def many_files(seed: int) -> Iterator[list[Row]]:
    """The stream in files of the same number of rows: no row is later than the lateness allows."""
    rows = sorted(
        (row for file in pieces(stream(), seed) for row in file), key=lambda row: row["time_unix_nano"]
    )
    size = -(-len(rows) // FILES)
    yield from (rows[first : first + size] for first in range(0, len(rows), size))


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    pytest.importorskip("pyarrow")
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder, list(many_files(seed=2)))
    (folder / "_END").touch()
    return folder, tmp_path / "checkpoint"


def test_killed_where_it_hurts_it_finds_everything_once(paths: tuple[Path, Path]) -> None:
    """When it has just found something, and while it writes down what it remembers."""
    _, checkpoint = paths
    killed_at(checkpoint / "findings", *paths)
    killed_at(checkpoint / "memory" / "batch=20", *paths)
    with started(*paths) as process:
        assert process.wait() == 0
    found = alerts_in(checkpoint)
    assert found == expected(stream())
    guarantee = COMPARED.index("guarantee")
    assert {"duplicates-after-ack", "order", "one-active-consumer"} <= {each[guarantee] for each in found}
    assert sum(Folder(checkpoint).progress().findings.values()) == sum(found.values())


def test_killed_at_random_moments_it_finds_everything_once(paths: tuple[Path, Path]) -> None:
    """Also before its first batch, and while one is written."""
    _, checkpoint = paths
    seed = SystemRandom().randrange(10**9) if is_thorough() else 25
    moments, batches = Random(seed), [-1]
    for _ in range(KILLS):
        with started(*paths) as process:
            wanted, more = batches[-1] + moments.randrange(5), moments.uniform(0, 0.1)
            wait_until("it is so far", lambda: last_batch(checkpoint) >= wanted or process.poll() is not None)  # noqa: B023
            limit = worked(process) + more if process.poll() is None else 0
            wait_until("it has worked", lambda: process.poll() is not None or worked(process) > limit)  # noqa: B023
            kill(process)
        batches.append(last_batch(checkpoint))
    with started(*paths) as process:
        assert process.wait() == 0
    assert alerts_in(checkpoint) == expected(stream()), f"seed {seed}"
    assert len(set(batches)) > KILLS / 2, f"seed {seed}: always killed at one moment"


def last_batch(checkpoint: Path) -> int:
    """The last batch that was finished; -1 if none was."""
    found = checkpoint.glob("state/batch=*/_progress.json")
    return max((int(path.parent.name.partition("=")[2]) for path in found), default=-1)
