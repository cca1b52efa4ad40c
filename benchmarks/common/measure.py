"""Measuring: processor seconds of this process and of commands, and medians of interleaved repeats.

Machines are shared and noisy, so that seconds mean little by themselves: every promise is a ratio of two
things that were measured in turns in the same run, and processor time is used wherever only one thread works.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s, {self.cpu:.2f} CPU s"


def _environment(more: Mapping[str, str] | None) -> dict[str, str]:
    """As an installed program runs: Python keeps the bytecode of what it imports."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(more or {})}


def of_command(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Cost:
    """What a command takes, its children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=_environment(env))
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, wall)


def of_python(code: str, *, env: Mapping[str, str] | None = None) -> str:
    """What a piece of Python prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=_environment(env),
    )
    return done.stdout.strip()


def cost_of(work: Callable[[], object]) -> Cost:
    """What a piece of work takes in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def cost_of_tree(work: Callable[[], T]) -> tuple[T, Cost]:
    """What a piece of work gives, and what it takes in this process and all that it has started."""
    wall, cpu = time.perf_counter(), _processor_time(os.getpid())
    given = work()
    return given, Cost(_processor_time(os.getpid()) - cpu, time.perf_counter() - wall)


def _processor_time(process: int) -> float:
    """Seconds that a process has taken, with its children: the living and those that have ended."""
    try:
        with Path(f"/proc/{process}/stat").open(encoding="utf-8") as stream:
            fields = stream.read().rpartition(")")[2].split()
        children = " ".join(each.read_text() for each in Path(f"/proc/{process}/task").glob("*/children"))
    except OSError:
        return 0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_processor_time(int(child)) for child in children.split())


def in_turns(repeats: int, *measures: Callable[[], T]) -> list[list[T]]:
    """Each measure as often as asked for, one after the other and then again."""
    results: list[list[T]] = [[] for _ in measures]
    for _ in range(repeats):
        for measure, found in zip(measures, results, strict=True):
            found.append(measure())
    return results


def free_cores(seconds: float = 0.3) -> float:
    """How many cores nobody uses: what is to show that two cores help needs two of them."""
    before = _idle_seconds()
    time.sleep(seconds)
    return (_idle_seconds() - before) / seconds


def _idle_seconds() -> float:
    """Of all cores since the machine was started, as Linux counts them."""
    return float(Path("/proc/uptime").read_text().split()[1])


def middle(values: Sequence[float]) -> float:
    """The median."""
    return median(values)
