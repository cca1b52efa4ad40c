"""Pictures of schemes of recovery: lengths of paths, entries of tables, coverage.

lengths    the share of paths of each length, by scheme: over affected pairs, and over all (Figure 6-10)
entries    entries that a broker keeps on average, by the number of brokers (Figures 6-11 and 6-12)
coverage   how many meshes have at least which share of their pairs covered by alternates
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from angarium import __version__
from angarium.app.report.plot.frame import Caption
from angarium.app.report.plot.series import Axis, Series, draw
from angarium.mesh.schemes.compare import SCHEMES, Comparison, Ranked
from angarium.mesh.schemes.results import Group

_FEW, _MANY = 12, 40
"""Sizes of meshes up to which points are joined; and lengths of paths up to which there is a dot for each."""


def pictures(groups: Sequence[Group]) -> Iterator[tuple[str, str]]:
    """The names of files, and what is in them; what would show nothing is not drawn."""
    several = len(groups) > 1
    for group in groups:
        name = f"-{_file_name(group.name)}" if several else ""
        if group.total.affected:
            yield f"lengths{name}.svg", lengths(group, affected=True)
            yield f"lengths-all{name}.svg", lengths(group, affected=False)
        if len(group.comparisons) > 1:
            yield f"coverage{name}.svg", coverage(group)
    everything = [each for group in groups for each in group.comparisons]
    if len({each.brokers for each in everything}) > 1:
        yield "entries.svg", entries(everything)


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]


def lengths(group: Group, *, affected: bool) -> str:
    """The share of paths of each length, by scheme."""
    shares = {each.scheme: list(_shares(_counts(each, affected))) for each in group.total.ranked}
    few = max(map(len, shares.values())) <= _MANY
    series = [Series(scheme, points, dotted=few) for scheme, points in shares.items()]
    whose = "those whose path had the failed link" if affected else "all of them"
    title = f"{group.name}: how long paths are when a link is cut"
    subtitle = f"Pairs of brokers, {whose}. Every single link, one at a time."
    across, up = Axis("hops"), Axis("paths that are delivered, %")
    return draw(across, up, series, Caption(title, subtitle, _note(group)))


def _counts(each: Ranked, affected: bool) -> tuple[int, ...]:
    return each.affected if affected else each.everyone


def _shares(counts: Sequence[int]) -> Iterator[tuple[float, float]]:
    whole = sum(counts)
    for hops, count in enumerate(counts):
        yield float(hops), 100 * count / whole


def entries(comparisons: Sequence[Comparison]) -> str:
    """Entries of each kind of tables, by the number of brokers; meshes of the same size are averaged."""
    sizes = sorted({each.brokers for each in comparisons})
    kinds = ("plain", "condensed", "layers", "lfa")
    series = [
        Series(kind, [_average(comparisons, size, kind) for size in sizes], len(sizes) <= _FEW)
        for kind in kinds
    ]
    caption = Caption(
        "Entries that a broker keeps, on average",
        "plain: a table for every link that may fail. condensed: what differs of these.",
        f"{len(comparisons):,} meshes; those with as many brokers are averaged. Angarium {__version__}.",
    )
    across = Axis("brokers", powers=sizes[-1] > 10 * sizes[0])
    return draw(across, Axis("entries", powers=True), series, caption)


def _average(comparisons: Sequence[Comparison], size: int, kind: str) -> tuple[float, float]:
    found = [getattr(each.entries, kind) / size for each in comparisons if each.brokers == size]
    return float(size), sum(found) / len(found)


def coverage(group: Group) -> str:
    """How many meshes have at least which coverage."""
    known = [each.coverage for each in group.comparisons if each.coverage.pairs]
    kinds = {"lfa": "lfa", "remote, P-space": "near_remote", "remote, extended": "remote"}
    series = []
    for name, field in kinds.items():
        series.append(
            Series(name, _at_least([getattr(each, field) / each.pairs for each in known]), dotted=False)
        )
    caption = Caption(
        f"{group.name}: how much alternates cover",
        "Of the pairs of brokers whose first link is not needed to stay connected.",
        f"{len(known):,} meshes that have such pairs. Angarium {__version__}.",
    )
    across = Axis("pairs with an alternate, at least, %", high=100.0)
    return draw(across, Axis("meshes, %", high=100.0), series, caption)


def _at_least(shares: Sequence[float]) -> list[tuple[float, float]]:
    """A falling staircase: from each share on, how many have at least so much."""
    points = [(0.0, 100.0)]
    ranked = sorted(shares)
    for place, share in enumerate(ranked):
        points.append((100 * share, 100 * (len(ranked) - place) / len(ranked)))
        points.append((100 * share, 100 * (len(ranked) - place - 1) / len(ranked)))
    return points


def _note(group: Group) -> str:
    ranked = {each.scheme: each for each in group.total.ranked}
    undelivered = [
        f"{name} leaves {ranked[name].undelivered:,}" for name in SCHEMES if ranked[name].undelivered
    ]
    lost = f" Affected pairs not delivered: {', '.join(undelivered)}." if undelivered else ""
    counted = f"{len(group.comparisons):,} meshes" if group.asked > 1 else "One mesh"
    return f"{counted}.{lost} {group.total.cut:,} have no other way. Angarium {__version__}."
