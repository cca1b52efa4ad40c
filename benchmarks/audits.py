"""Audits of large histories on two cores and 2 GB, and what DuckDB takes for the same findings.

    uv run --group benchmark python -m benchmarks.audits [--messages 2500000] [--shapes even hot hoarding]
                                                         [--memory 2g] [--folder DIR] [--rounds 2]

A message is four events. Each shape is audited with Spark started anew: the first round is cold, in the
others Java has compiled what it runs often. Start-up is not counted. DuckDB answers with SQL that was written
for these histories, round by round in turn with us. All counts of violations must be the same.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from angarium.history.auditing import Asked, conduct
from angarium.spark.session import Place, session, stop
from benchmarks import audits_by_duckdb as peer
from benchmarks.large_histories import Shape, write

SHAPES = ("even", "hot", "hoarding")
GUARANTEES = (*peer.ONE_COUNT, "complete-log", "no-duplicates", "duplicates-after-ack")
THREADS = 2


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


def compare(folder: Path, options: Namespace) -> Iterator[tuple[float, float]]:
    """Seconds of the audit and of DuckDB, round by round."""
    place = Place(f"local[{THREADS}]", memory=options.memory, long=True)
    session(place)
    memory = options.memory.upper() + "B"
    for _ in range(options.rounds):
        found, seconds = timed(lambda: ours(folder, place))
        expected, theirs = timed(lambda: peer.findings(folder, memory, THREADS))
        assert found == expected, (found, expected)
        yield seconds, theirs
    stop()


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given:
        yield given
        return
    made = Path(tempfile.mkdtemp(prefix="angarium-benchmark-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def main() -> None:
    options = _options()
    with _folder(options.folder) as folder:
        for name in options.shapes:
            path = folder / f"{name}-{options.messages}"
            events = write(shape_of(name, options.messages), path)
            print(f"{name}: {events:,} events", flush=True)
            for number, (seconds, theirs) in enumerate(compare(path, options)):
                state = "warm" if number else "cold"
                ratio = seconds / theirs
                print(f"  {state}: {seconds:.1f} s, DuckDB {theirs:.1f} s, {ratio:.2f} x", flush=True)
            shutil.rmtree(path)


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=2_500_000)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES)
    parser.add_argument("--memory", default="2g")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
