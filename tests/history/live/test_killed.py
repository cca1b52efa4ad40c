"""Killed at its worst moments and started again, a followed history neither loses nor doubles a finding."""

from __future__ import annotations

import subprocess
import sys
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from random import Random, SystemRandom

import pytest

from angarium.history.live.progress import Progress, from_text
from angarium.history.tables import COMPARED
from tests.history.generated import numbered
from tests.history.live.streams import Row, alerts_in, expected, hand_written, pieces, write
from tests.processes import descendants, ending, is_running, kill
from tests.waiting import wait_until

PROGRAM = """
import sys
from pathlib import Path
from angarium.history.live.follow import follow
from angarium.spark.session import Place, session
from tests.history.live.streams import LIVE, PARAMETERS
folder, checkpoint = map(Path, sys.argv[1:])
follow(session(Place("local[2]")), folder, checkpoint, PARAMETERS, LIVE)
"""


def started(*paths: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    return ending([sys.executable, "-c", PROGRAM, *map(str, paths)], stderr=None)


def killed_at(moment: Path, *paths: Path) -> None:
    """Start it, and kill Python and its Java as soon as there is a file."""
    with started(*paths) as process:
        wait_until(f"there is {moment}", lambda: moment.exists() or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be killed"
        kill(process)


def stream() -> tuple[Row, ...]:
    runs = hand_written().items()
    return tuple(row | {"run_id": name} for name, rows in runs for row in numbered(rows))


@pytest.mark.thorough
@pytest.mark.slow
def test_killed_twice_and_started_again_it_finds_everything_once(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    write(folder, pieces(stream(), seed=2))
    (folder / "_END").touch()
    killed_at(checkpoint / "findings" / "batch=3" / "_SUCCESS", folder, checkpoint)
    killed_at(checkpoint / "state" / "batch=3" / "_SUCCESS", folder, checkpoint)
    with started(folder, checkpoint) as process:
        assert process.wait() == 0
    found = alerts_in(checkpoint)
    assert found == expected(stream())
    guarantee = COMPARED.index("guarantee")
    assert {"duplicates-after-ack", "order", "one-active-consumer"} <= {each[guarantee] for each in found}
    assert sum(_progress(checkpoint).findings.values()) == sum(found.values())


@pytest.mark.thorough
@pytest.mark.slow
def test_killed_at_any_moment_it_finds_everything_once(tmp_path: Path) -> None:
    """Also before its first batch, while one is written, and while nothing is under way."""
    pytest.importorskip("pyspark")
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    write(folder, pieces(stream(), seed=2))
    (folder / "_END").touch()
    seed = SystemRandom().randrange(10**9)
    moments = Random(seed)
    for _ in range(3):
        with started(folder, checkpoint) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(2, 25))
            family = descendants(process.pid)
            kill(process)
        wait_until("no process is left", lambda: not any(map(is_running, family)))  # noqa: B023
    with started(folder, checkpoint) as process:
        assert process.wait() == 0
    assert alerts_in(checkpoint) == expected(stream()), f"seed {seed}"


def _progress(checkpoint: Path) -> Progress:
    last = max(
        checkpoint.glob("state/*/_progress.json"), key=lambda path: int(path.parent.name.partition("=")[2])
    )
    return from_text(last.read_text("utf-8"))
