"""Tables 5-5, 5-8 and 5-9 of the thesis, regenerated beside its figures, as Markdown.

`uv run python -m scripts.thesis_tables` (some seconds). Counts are averages over fixed seeds, and the
same in every run; milliseconds are of the machine that runs it. The thesis's net of fifty brokers is known
only in part: ours has the known links and random others, so that its counts are like the thesis's, not equal.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from inspect import getdoc
from pathlib import Path
from statistics import mean

from angarium.mesh.files.yaml_file import read_mesh
from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.tables import outcomes, tables
from angarium.mesh.smv import smv, thesis_lines
from benchmarks.inputs.nets import Pair, random_mesh, random_topics
from tests.oracles.subpaths import is_closed, sound_filter, thesis_filter

MESHES = Path(__file__).parents[1] / "examples" / "meshes"
FIFTY, SIX = (MESHES / name for name in ("fifty-brokers.yaml", "six-brokers.yaml"))
SEEDS = range(20)
SUBSCRIBERS = 5

PATHS_5_5 = {10: 30, 50: 120, 100: 200, 500: 468, 1000: 550, 5000: 570, 10000: 588}
"""Topics, and how many paths the thesis checks with its sub-path detection."""
MS_5_5 = {10: (2, 7), 50: (3, 27), 100: (7, 67), 500: (15, 183), 1000: (18, 318), 5000: (21, 7942)}
MS_5_5 |= {10000: (37, 58627)}
"""Milliseconds with and without it."""
ROWS_5_8 = {6: (138, 85), 12: (558, 379), 24: (2262, 729), 48: (9126, 1069), 96: (36678, 9336)}
ROWS_5_8 |= {192: (147078, 144605), 384: (589062, 2591069)}
"""Brokers: lines of XML, and milliseconds."""
PATHS_5_9 = {10: 8, 50: 9, 100: 9, 200: 9, 300: 9, 500: 9, 1000: 9}
MS_5_9 = {10: (5, 7.5), 50: (6, 27), 100: (5, 71), 200: (5, 265), 300: (6, 601), 500: (6, 1730)}
MS_5_9 |= {1000: (7, 9230)}


HEADS = ("topics", "paths", "thesis: filtered", "its filter here", "sound filter")
HEADS += ("thesis: ms with / without", "ours: ms for all")


def table_5_5() -> str:
    """Paths to be looked at on fifty brokers, and how long it takes to know all of them."""
    return _markdown(HEADS, _filtered(read_mesh(str(FIFTY)), PATHS_5_5, MS_5_5))


def table_5_9() -> str:
    """The same on both nets that it may be about.

    Its caption says fifty brokers, but then it contradicts Table 5-5: 8 to 9 paths are what six brokers give.
    """
    nets = {"six": read_mesh(str(SIX)), "fifty": read_mesh(str(FIFTY))}
    rows = {name: _markdown(HEADS, _filtered(mesh, PATHS_5_9, MS_5_9)) for name, mesh in nets.items()}
    return "\n\n".join(f"On {name} brokers:\n\n{table}" for name, table in rows.items())


def _filtered(
    mesh: Mesh, counts: dict[int, int], times: dict[int, tuple[float, float]]
) -> Iterator[Sequence[object]]:
    made = tables(mesh)
    names, closed = [broker.name for broker in mesh.brokers], is_closed(made)
    for topics, filtered in counts.items():
        asked = [list(random_topics(names, topics, SUBSCRIBERS, seed)) for seed in SEEDS]
        theirs = mean(len(thesis_filter(made, pairs)) for pairs in asked)
        ours = mean(len(sound_filter(made, pairs, closed=closed)) for pairs in asked)
        with_it, without = times[topics]
        spent = mean(milliseconds(mesh, pairs) for pairs in asked)
        yield topics, topics * SUBSCRIBERS, filtered, theirs, ours, f"{with_it} / {without}", round(spent, 1)


def milliseconds(mesh: Mesh, pairs: Iterable[Pair]) -> float:
    """From the mesh to the verdict on every pair. No filter is needed: all walks are settled at once."""
    start = time.perf_counter()
    made = tables(mesh)
    arrives, number = outcomes(made).arrives, made.graph.number
    assert all(arrives[number(one), number(other)] for one, other in pairs)
    return (time.perf_counter() - start) * 1000


def table_5_8() -> str:
    """Lines that are generated, and how long it takes to generate and to verify."""
    heads = ["brokers", "thesis: XML lines", "4N²-2N+6", "thesis: NuSMV lines", "our SMV lines", "thesis: ms"]
    return _markdown([*heads, "ours: ms to write SMV", "ours: ms to verify all pairs"], _generated())


def _generated() -> Iterator[Sequence[object]]:
    for brokers, (xml, thesis_ms) in ROWS_5_8.items():
        mesh = read_mesh(str(SIX)) if brokers == 6 else random_mesh(brokers)
        names = [broker.name for broker in mesh.brokers]
        pairs = list(dict.fromkeys(random_topics(names, 6, 1)))
        start = time.perf_counter()
        lines = smv(mesh, tables(mesh).as_names(), pairs).count("\n")
        writing = (time.perf_counter() - start) * 1000
        everything = ((one, other) for one in names for other in names)
        closed_form = 4 * brokers * brokers - 2 * brokers + 6
        yield (
            *(brokers, xml, closed_form, thesis_lines(brokers), lines, thesis_ms),
            *(round(writing, 1), round(milliseconds(mesh, everything), 1)),
        )


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---:|' * len(heads)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if isinstance(value, float) else str(value)
    )


def main() -> None:
    for name, made in (("5-5", table_5_5), ("5-8", table_5_8), ("5-9", table_5_9)):
        print(f"## Table {name}\n\n{getdoc(made)}\n\n{made()}\n", flush=True)


if __name__ == "__main__":
    main()
