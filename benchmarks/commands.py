"""What commands take from start to end, in processor seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from benchmarks.common.measure import middle, of_command
from benchmarks.common.row import Row, within

ANGARIUM = (sys.executable, "-m", "angarium")
CHECK = "check rabbitmq-sac --set queues=2 --set apps=2 --only type-ok -q"
SAFE = "check examples/at_least_once.py --only no-loss -q"
MESH = "mesh verify examples/meshes/six-brokers.yaml --failures none -q"
COLD = {"--help": 0.3, CHECK: 1.0, "prove queue": 2.0}
"""CPU seconds that commands may take where nothing is cached."""
CACHED = {SAFE: 0.3, MESH: 0.2, "prove queue": 0.5}
"""The same for a second time."""


@dataclass(frozen=True, slots=True)
class Size:
    repeats: int


FULL, TINY = Size(repeats=3), Size(repeats=1)


def rows(size: Size) -> Iterator[Row]:
    first_and_second(CHECK)  # so that bytecode is there
    for number, (kind, promises) in enumerate({"nothing cached": COLD, "cached": CACHED}.items()):
        for words, promise in promises.items():
            seconds = middle([first_and_second(words)[number] for _ in range(size.repeats)])
            yield within(f"{_called(words)}, {kind}", seconds, promise, "CPU s")


def first_and_second(words: str) -> tuple[float, float]:
    """Processor seconds of a command that finds nothing cached, and of the same that finds everything."""
    with TemporaryDirectory() as cache:
        taken = [of_command([*ANGARIUM, *words.split()], env={"XDG_CACHE_HOME": cache}).cpu for _ in range(2)]
    return taken[0], taken[1]


def _called(words: str) -> str:
    """A command without its options."""
    return f"angarium {words.partition(' --')[0]}"
