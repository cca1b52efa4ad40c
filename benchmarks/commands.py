"""What commands take from start to end, in processor seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from benchmarks.common.measure import middle, of_command
from benchmarks.common.row import Row, within

HELP = ("--help",)
CHECK = ("check", "rabbitmq-sac", *"--set queues=2 --set apps=2 --only type-ok -q".split())
PROVE = ("prove", "queue")


@dataclass(frozen=True, slots=True)
class Size:
    repeats: int


FULL, TINY = Size(repeats=3), Size(repeats=1)


def rows(size: Size) -> Iterator[Row]:
    of_angarium(CHECK)  # so that bytecode is there
    asked = {
        "angarium --help": (HELP, 0.3),
        "angarium check of a small model, nothing cached": (CHECK, 1.0),
        "angarium prove queue, both implementations": (PROVE, 2.0),
    }
    for what, (words, promise) in asked.items():
        seconds = middle([of_angarium(words) for _ in range(size.repeats)])
        yield within(what, seconds, promise, "CPU s")


def of_angarium(words: tuple[str, ...]) -> float:
    """Processor seconds of a command that finds nothing cached."""
    with TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "angarium", *words]
        return of_command(command, env={"XDG_CACHE_HOME": cache}).cpu
