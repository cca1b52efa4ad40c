"""Audits on two cores and 2 GB, in the process and on Spark, and what DuckDB takes for the same findings.

A message is four events. Each shape is audited in the process, and on Spark started anew: its first round is
cold, in the others Java has compiled what it runs often; start-up is not counted. DuckDB answers with SQL
that was written for these histories, in turn with us, round by round. All counts of violations must be the
same. What counts is processor time, of the process and all that it has started: the machine is shared.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.spark.session import Place, session, stop
from benchmarks.common.measure import Cost, cost_of_tree, of_command
from benchmarks.common.row import Row, within
from benchmarks.inputs.large_histories import Shape, as_lines, write
from benchmarks.peers import duckdb_audits as peer

GUARANTEES = (*peer.ONE_COUNT, "complete-log", "no-duplicates", "duplicates-after-ack")
THREADS = 2
ROOM_FOR_LINES = "8g"
"""Texts are kept when they have been read, which takes more memory than the others get."""
SMALL = Path(__file__).parents[1] / "examples" / "histories" / "shop.jsonl"
FINDS = "{} -m angarium audit {}; test $? -eq 1"
"""Its exit code says that it has found something."""
PROMISES = {
    "in the process": 1 / 5, "JSON lines, in the process": 1 / 2,
    "on Spark, cold": 1.0, "on Spark, warm": 2 / 3,
}  # fmt: skip
"""At most so much of DuckDB's processor time."""


@dataclass(frozen=True, slots=True)
class Size:
    messages: int
    shapes: tuple[str, ...]
    memory: str
    rounds: int


FULL = Size(messages=2_500_000, shapes=("even", "hot", "hoarding"), memory="2g", rounds=2)
TINY = Size(messages=1_000, shapes=("even",), memory="1g", rounds=1)


def rows(size: Size) -> Iterator[Row]:
    small = min(of_command(["sh", "-c", FINDS.format(sys.executable, SMALL)]).cpu for _ in range(3))
    yield within("audit of 168 events, the whole command", small, 0.6, "CPU s")
    for name in size.shapes:
        with TemporaryDirectory(prefix="angarium-benchmark-") as folder:
            history = Path(folder) / name
            events = write(shape_of(name, size.messages), history)
            for where, ours, theirs in compare(history, size):
                ratio, promise = ours.cpu / theirs.cpu, PROMISES[where]
                figure = f"{ours} / DuckDB's {theirs} = {ratio:.2f} x"
                large = size.messages >= FULL.messages
                what = f"audit of {events:,} events, {name}, {where}"
                yield Row(what, figure, f"{promise:.2f} x", ratio <= promise if large else None)


def shape_of(name: str, messages: int) -> Shape:
    return Shape(messages, hot=name == "hot", hoarding=name == "hoarding")


def found_by(folder: Path, place: Place, engine: str) -> dict[str, int]:
    """How many violations of each guarantee the audit finds."""
    told = conduct(Asked([folder], only=GUARANTEES, engine=engine), place).told
    counts: Counter[str] = Counter()
    for each in told.judgements:
        counts[each.guarantee] += each.violations
    return {name: counts[name] for name in GUARANTEES}


def compare(folder: Path, size: Size) -> Iterator[tuple[str, Cost, Cost]]:
    """What an audit takes, and what DuckDB takes after it, where and how often."""
    place = Place(f"local[{THREADS}]", memory=size.memory, long=True)
    theirs = partial(peer.findings, folder, size.memory.upper() + "B", THREADS)
    yield ("in the process", *_in_turn(partial(found_by, folder, place, "local"), theirs))
    with TemporaryDirectory(prefix="angarium-benchmark-") as lines:
        as_lines(folder, Path(lines))
        ours = partial(found_by, Path(lines), replace(place, memory=ROOM_FOR_LINES), "local")
        others = partial(peer.findings_in_lines, Path(lines), size.memory.upper() + "B", THREADS)
        yield ("JSON lines, in the process", *_in_turn(ours, others))
    session(place)
    for number in range(size.rounds):
        where = "on Spark, warm" if number else "on Spark, cold"
        yield (where, *_in_turn(partial(found_by, folder, place, "spark"), theirs))
    stop()


def _in_turn(ours: Callable[[], dict[str, int]], theirs: Callable[[], dict[str, int]]) -> tuple[Cost, Cost]:
    """What both take for the same."""
    found, mine = cost_of_tree(ours)
    wall, cpu = time.perf_counter(), time.process_time()
    expected = theirs()  # in this process: what Spark's workers took is not ended here
    other = Cost(time.process_time() - cpu, time.perf_counter() - wall)
    assert found == expected, (found, expected)
    return mine, other
