"""Audits of large histories on two cores and 2 GB, and what DuckDB takes for the same findings.

A message is four events. Each shape is audited with Spark started anew: the first round is cold, in the
others Java has compiled what it runs often. Start-up is not counted. DuckDB answers with SQL that was written
for these histories, round by round in turn with us. All counts of violations must be the same.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.spark.session import Place, session, stop
from benchmarks.common.row import Row
from benchmarks.inputs.large_histories import Shape, write
from benchmarks.peers import duckdb_audits as peer

GUARANTEES = (*peer.ONE_COUNT, "complete-log", "no-duplicates", "duplicates-after-ack")
THREADS = 2


@dataclass(frozen=True, slots=True)
class Size:
    messages: int
    shapes: tuple[str, ...]
    memory: str
    rounds: int


FULL = Size(messages=2_500_000, shapes=("even", "hot", "hoarding"), memory="2g", rounds=2)
TINY = Size(messages=1_000, shapes=("even",), memory="1g", rounds=1)


def rows(size: Size) -> Iterator[Row]:
    for name in size.shapes:
        with TemporaryDirectory(prefix="angarium-benchmark-") as folder:
            history = Path(folder) / name
            events = write(shape_of(name, size.messages), history)
            for number, (seconds, theirs) in enumerate(compare(history, size)):
                what = f"audit of {events:,} events, {name}, {'warm' if number else 'cold'}"
                yield Row(what, f"{seconds:.1f} s / DuckDB's {theirs:.1f} s = {seconds / theirs:.2f} x")


def shape_of(name: str, messages: int) -> Shape:
    return Shape(messages, hot=name == "hot", hoarding=name == "hoarding")


def ours(folder: Path, place: Place) -> dict[str, int]:
    """How many violations of each guarantee the audit finds."""
    told = conduct(Asked([folder], only=GUARANTEES), place).told
    counts: Counter[str] = Counter()
    for each in told.judgements:
        counts[each.guarantee] += each.violations
    return {name: counts[name] for name in GUARANTEES}


def timed(find: Callable[[], dict[str, int]]) -> tuple[dict[str, int], float]:
    begin = time.perf_counter()
    found = find()
    return found, time.perf_counter() - begin


def compare(folder: Path, size: Size) -> Iterator[tuple[float, float]]:
    """Seconds of the audit and of DuckDB, round by round."""
    place = Place(f"local[{THREADS}]", memory=size.memory, long=True)
    session(place)
    memory = size.memory.upper() + "B"
    for _ in range(size.rounds):
        found, seconds = timed(lambda: ours(folder, place))
        expected, theirs = timed(lambda: peer.findings(folder, memory, THREADS))
        assert found == expected, (found, expected)
        yield seconds, theirs
    stop()
