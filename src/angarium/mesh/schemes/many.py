"""What was found for many meshes: the work of comparing them, sums as if they were one, and tables.

Sums of pairs and paths weigh every pair the same, so a large mesh weighs more than a small one.

The tables are for Parquet and for SQL.

    meshes        one row a mesh: its size, what is affected and cut off, coverage, entries of all its brokers
    schemes       one row a mesh and scheme: affected pairs delivered and not, their hops, the shortest ones
    lengths       one row a mesh, scheme, kind of pairs (`affected`, `all`) and number of hops: how many paths
    distribution  one row a group, scheme, kind of pairs and number of hops: how many paths, and which share

`mesh` is the number of the mesh in the order in which they were asked for, since names need not be unique;
its group is what it was asked for by: a file, a folder, a size of random graphs.

On Spark a task looks at one mesh; a random graph is made by the task, other meshes are sent. What has come
back when the time is up, or when somebody presses Ctrl-C, is the answer. The tables are then Spark's, and
what is summed up over them is said in SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from angarium.checker.walks.row_files import write_parquet
from angarium.core.control import Control, Cut
from angarium.mesh.mesh import Mesh
from angarium.mesh.schemes.compare import SCHEMES, Comparison, Coverage, Entries, Ranked, compare
from angarium.mesh.schemes.graphs import RandomGraph
from angarium.spark.jobs import Jobs
from angarium.spark.place import Place
from angarium.spark.session import session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Subject = Mesh | RandomGraph
Sums = TypeVar("Sums", Coverage, Entries)


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparisons of many meshes, in their order."""

    numbers: tuple[int, ...]
    """Which of the meshes that were asked for these are, from 0."""
    comparisons: tuple[Comparison, ...]
    requested: int
    """How many meshes there were."""
    cut: Cut | None = None
    """What cut it short, if something did: then these are not all meshes that were asked for."""


def compared(requested: Subject, layers: int | None = None) -> Comparison:
    """The schemes for one mesh, which may be still to be made."""
    return compare(requested if isinstance(requested, Mesh) else requested.mesh(), layers=layers)


def compare_all(
    requested: Sequence[Subject],
    *,
    layers: int | None = None,
    control: Control | None = None,
) -> Compared:
    """Compare the schemes for many meshes; what is done when the time is up, or at Ctrl-C, is the answer."""
    done: list[Comparison] = []
    control = control or Control()
    with control.stopping():
        for each in requested:
            if control.is_over():
                break
            done.append(compared(each, layers))
            control.report("meshes compared", len(done), len(requested))
    return Compared(tuple(range(len(done))), tuple(done), len(requested), control.cut)


def together(comparisons: Sequence[Comparison], name: str) -> Comparison:
    """The sums over many meshes; of the layers the most that one of them needs."""
    return Comparison(
        name=name,
        brokers=sum(each.brokers for each in comparisons),
        links=sum(each.links for each in comparisons),
        bridges=sum(each.bridges for each in comparisons),
        layers=max((each.layers for each in comparisons), default=0),
        affected=sum(each.affected for each in comparisons),
        cut=sum(each.cut for each in comparisons),
        ranked=tuple(_ranked([each.of(scheme) for each in comparisons], scheme) for scheme in SCHEMES),
        coverage=_added(Coverage, [each.coverage for each in comparisons]),
        entries=_added(Entries, [each.entries for each in comparisons]),
    )


def _ranked(parts: Sequence[Ranked], scheme: str) -> Ranked:
    return Ranked(
        scheme=scheme,
        affected=tuple(_columns([each.affected for each in parts])),
        everyone=tuple(_columns([each.everyone for each in parts])),
        undelivered=sum(each.undelivered for each in parts),
        shortest=sum(each.shortest for each in parts),
    )


def _columns(rows: Sequence[tuple[int, ...]]) -> Iterator[int]:
    return (sum(column) for column in zip_longest(*rows, fillvalue=0))


def _added(kind: type[Sums], parts: Sequence[Sums]) -> Sums:
    return kind(**{each.name: sum(getattr(part, each.name) for part in parts) for each in fields(kind)})


KINDS = ("affected", "all")
"""Of pairs: those whose path used the failed link, or all."""
_SIZES = "brokers links bridges layers affected cut"
_COVERAGE = "pairs lfa near_remote remote inner around_broker"
_ENTRIES = "plain condensed layers lfa"
_TEXTS = frozenset({"group", "name", "scheme", "pairs_of"})
_SHARE = "share"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "meshes": (
        *("group", "mesh", "name", *_SIZES.split()),
        *(f"coverage_{name}" for name in _COVERAGE.split()),
        *(f"entries_{name}" for name in _ENTRIES.split()),
    ),
    "schemes": ("group", "mesh", "scheme", "delivered", "undelivered", "hops", "shortest"),
    "lengths": ("group", "mesh", "scheme", "pairs_of", "hops", "paths"),
    "distribution": ("group", "scheme", "pairs_of", "hops", "paths", _SHARE),
}
Row = tuple[str | int | float, ...]
Rows = Mapping[str, list[Row]]


def rows(compared: Compared, groups: Sequence[str]) -> Rows:
    """The rows of each table but the distribution; the group of every mesh that was asked for is given."""
    found = zip(compared.numbers, compared.comparisons, strict=True)
    labelled = [(groups[number], number, each) for number, each in found]
    return {
        "meshes": [_of_mesh(*each) for each in labelled],
        "schemes": [row for each in labelled for row in _of_schemes(*each)],
        "lengths": [row for each in labelled for row in _of_lengths(*each)],
    }


def _of_mesh(group: str, number: int, found: Comparison) -> Row:
    sizes = (getattr(found, name) for name in _SIZES.split())
    coverage, entries = asdict(found.coverage), asdict(found.entries)
    return (
        *(group, number, found.name, *sizes),
        *(coverage[name] for name in _COVERAGE.split()),
        *(entries[name] for name in _ENTRIES.split()),
    )


def _of_schemes(group: str, number: int, found: Comparison) -> Iterator[Row]:
    for each in found.ranked:
        yield group, number, each.scheme, each.delivered, each.undelivered, each.hops, each.shortest


def _of_lengths(group: str, number: int, found: Comparison) -> Iterator[Row]:
    for each in found.ranked:
        for kind, counts in zip(KINDS, (each.affected, each.everyone), strict=True):
            for hops, count in enumerate(counts):
                if count:
                    yield group, number, each.scheme, kind, hops, count


def distribution(lengths: Sequence[Row]) -> list[Row]:
    """The rows of the distribution, from those of the lengths."""
    paths: Counter[tuple[str | int | float, ...]] = Counter()
    totals: Counter[tuple[str | int | float, ...]] = Counter()
    for group, _, scheme, kind, hops, count in lengths:
        paths[group, scheme, kind, hops] += int(count)
        totals[group, scheme, kind] += int(count)
    return [(*key, count, count / totals[key[:3]]) for key, count in sorted(paths.items())]


def table(name: str, found: Sequence[Row]) -> pa.Table:
    """Rows as a table of Arrow."""
    import pyarrow as pa

    names = COLUMNS[name]
    values = list(zip(*found, strict=True)) or [()] * len(names)
    columns = [
        pa.array(each, pa.string() if column in _TEXTS else pa.float64() if column == _SHARE else pa.int64())
        for column, each in zip(names, values, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=list(names))


def tables(found: Rows) -> Mapping[str, pa.Table]:
    """All tables."""
    whole = {**found, "distribution": distribution(found["lengths"])}
    return {name: table(name, each) for name, each in whole.items()}


def write(folder: Path, found: Mapping[str, pa.Table]) -> list[Path]:
    """Write the tables as Parquet, each file whole or not at all; which files these are."""
    files = [folder / f"{name}.parquet" for name in found]
    for file, each in zip(files, found.values(), strict=True):
        write_parquet(file, each)
    return files


def merged(mesh: Mesh) -> Mesh:
    """The mesh with only the first cable between the same two brokers."""
    first: dict[frozenset[str], str] = {}
    for link in mesh.links:
        first.setdefault(frozenset({link.source, link.target}), link.fails_as)
    kept = (link for link in mesh.links if first[frozenset({link.source, link.target})] == link.fails_as)
    return replace(mesh, links=tuple(kept))


DISTRIBUTION = """
    SELECT group, scheme, pairs_of, hops, sum(paths) AS paths,
           sum(paths) / CAST(sum(sum(paths)) OVER (PARTITION BY group, scheme, pairs_of) AS DOUBLE) AS share
    FROM {lengths}
    GROUP BY group, scheme, pairs_of, hops
    ORDER BY group, scheme, pairs_of, hops
"""


def compare_all_on_spark(
    requested: Sequence[Subject],
    place: Place,
    *,
    layers: int | None = None,
    control: Control | None = None,
) -> Compared:
    """Compare the schemes for many meshes."""
    done: dict[int, Comparison] = {}
    control = control or Control()

    def tick() -> None:
        control.report("meshes compared", len(done), len(requested))

    work = partial(compared, layers=layers)
    cut = Jobs(session(place), work, done.__setitem__, control, tick).run(requested)
    numbers = tuple(sorted(done))
    return Compared(numbers, tuple(done[number] for number in numbers), len(requested), cut)


def frames(spark: SparkSession, found: Rows) -> Mapping[str, DataFrame]:
    """The tables as Spark's, with the distribution."""
    made = {name: spark.createDataFrame(table(name, each)) for name, each in found.items()}
    return {**made, "distribution": distribution_frame(spark, made["lengths"])}


def distribution_frame(spark: SparkSession, lengths: DataFrame) -> DataFrame:
    """The distribution of lengths in every group."""
    return spark.sql(DISTRIBUTION, lengths=lengths).select(*COLUMNS["distribution"])
