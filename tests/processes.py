"""Programs that tests start. Whatever a test starts ends with it, also if it fails.

A program that is left over slows down all that follows. And when Python tidies the memory that knew of it, it
warns in whichever test is running then, which fails although nothing is wrong with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from threading import Timer
from typing import IO, TypeAlias

from tests.waiting import PATIENCE

Output: TypeAlias = int | IO[bytes] | None

ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL") if which("setpriv") else ()
"""In front of a command: the kernel ends it when these tests are killed, and so come to no end of a block."""


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    stdout: Output = subprocess.PIPE,
    stderr: Output = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """A program that is killed at the end of the block, with all that it has started."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        [*ENDS_WITH_US, *command],
        stdin=nothing,
        stdout=stdout,
        stderr=stderr,
        env=env,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            kill(process)


@contextmanager
def ending(
    command: Sequence[str | Path], *, stderr: Output = subprocess.PIPE
) -> Iterator[subprocess.Popen[str]]:
    """A running program that is to end in the block.

    If it hangs it is killed, so that nobody who reads what it says, or waits for its end, needs a limit.
    """
    with running(command, stderr=stderr) as process:
        alarm = Timer(PATIENCE, kill, (process,))
        alarm.start()
        try:
            yield process
        finally:
            alarm.cancel()


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a program with its group, and what it has started in groups of their own, as Spark's Java is."""
    family = [] if process.poll() is not None else descendants(process.pid)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for each in family:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def worked(process: subprocess.Popen[str]) -> float:
    """Seconds of processor time that a program has had: how far it is, on a machine however busy."""
    fields = _text(Path(f"/proc/{process.pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def descendants(process: int) -> list[int]:
    """The children of a process, theirs, and so on."""
    own = children(process)
    return own + [each for child in own for each in descendants(child)]


def children(process: int) -> list[int]:
    """The processes that a process has started and that are still there; none, if it is gone itself."""
    with suppress(FileNotFoundError, ProcessLookupError):
        threads = Path(f"/proc/{process}/task").iterdir()
        return [int(each) for thread in threads for each in _text(thread / "children").split()]
    return []


def is_running(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked after does not."""
    state = _text(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"


def left_running() -> list[str]:
    """The command lines of this process's children; those that have ended have none."""
    lines = [_text(Path(f"/proc/{each}/cmdline")) for each in children(os.getpid())]
    return [line.replace("\0", " ").strip() for line in lines if line]


def _text(path: Path) -> str:
    """What a file of the kernel says; nothing, if what it is about has gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def members(group: int) -> list[str]:
    """The command lines of a group's processes that have not ended."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        fields = _text(place / "stat").rpartition(")")[2].split()
        if len(fields) > 2 and int(fields[2]) == group and fields[0] != "Z":
            found.append(_text(place / "cmdline").replace("\0", " ").strip())
    return found
