"""Killed at its worst moments and started again, a followed history neither loses nor doubles a finding."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from angarium.history.tables import COMPARED
from tests.history.generated import numbered
from tests.history.live.streams import Row, alerts_in, expected, hand_written, pieces, write

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from angarium.history.live.follow import follow
from angarium.spark.session import Place, session
from tests.history.live.streams import LIVE, PARAMETERS
folder, checkpoint = map(Path, sys.argv[1:])
follow(session(Place("local[2]")), folder, checkpoint, PARAMETERS, LIVE)
"""
PATIENCE = 600.0
"""Seconds: a batch takes few on a machine that has nothing else to do."""


def started(*paths: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *map(str, paths)], cwd=ROOT)


def killed_at(process: subprocess.Popen[bytes], moment: Path) -> None:
    """Kill Python, and then its Java, as soon as there is a file."""
    deadline = time.monotonic() + PATIENCE
    while not moment.exists():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline, f"there is no {moment}"
        time.sleep(0.005)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8").split()
    process.kill()
    for child in children:
        os.killpg(int(child), signal.SIGKILL)
    process.wait()


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
    killed_at(started(folder, checkpoint), checkpoint / "findings" / "batch=3" / "_SUCCESS")
    killed_at(started(folder, checkpoint), checkpoint / "state" / "batch=3" / "_SUCCESS")
    assert started(folder, checkpoint).wait(PATIENCE) == 0
    found = alerts_in(checkpoint)
    assert found == expected(stream())
    guarantee = COMPARED.index("guarantee")
    assert {"duplicates-after-ack", "order", "one-active-consumer"} <= {each[guarantee] for each in found}
    assert sum(_progress(checkpoint)["findings"].values()) == sum(found.values())


def _progress(checkpoint: Path) -> dict[str, dict[str, int]]:
    last = max(
        checkpoint.glob("state/*/_progress.json"), key=lambda path: int(path.parent.name.partition("=")[2])
    )
    return json.loads(last.read_text("utf-8"))  # type: ignore[no-any-return]
