"""Schemes of recovery side by side: as text, and as pictures of lengths, entries of tables and coverage.

lengths    the share of paths of each length, by scheme: over affected pairs, and over all (Figure 6-10)
entries    entries that a broker keeps on average, by the number of brokers (Figures 6-11 and 6-12)
coverage   how many meshes have at least which share of their pairs covered by alternates
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from angarium import __version__
from angarium.app.report.layout import GAP, amount, duration, paint, paragraphs, printable, widest
from angarium.app.report.plot.frame import Caption
from angarium.app.report.plot.series import Axis, Series, draw
from angarium.core.control import Cut
from angarium.mesh.schemes.compare import SCHEMES, Comparison, Ranked
from angarium.mesh.schemes.results import Group

HEALTHY = SCHEMES[0]
LONGEST = 12
"""Hops that have a line of their own, at most; longer paths are told together."""
_MARGIN = "  "
_FIXED = "\u00a0"
"""A space at which no line ends."""
_TITLES = {
    "healthy": "healthy: before the failure",
    "tables": "tables: recovery tables (PCRT)",
    "layers": "layers: resilient routing layers",
    "lfa": "lfa: loop-free alternates",
    "remote": "remote: lfa, else a remote one",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be told."""

    groups: Sequence[Group]
    seconds: float
    engine: str
    cut: Cut | None


# --- text -----------------------------------------------------------------------------------------


def render(told: Told, *, width: int, colourful: bool) -> str:
    """Each group, then all of them side by side."""
    parts = [part for group in told.groups for part in _group(group, width, colourful)]
    if len(told.groups) > 1:
        parts.append(_side_by_side(told.groups))
    return paragraphs([*parts, _end(told)])


def _group(group: Group, width: int, colourful: bool) -> list[list[str]]:
    total = group.total
    head = [
        paint(line, "title", colourful) for line in wrap(f"{printable(group.name)}: {_size(group)}.", width)
    ]
    if not group.comparisons:
        return [[*head, "None of them was looked at."]]
    if not total.affected:
        return [[*head, "No path uses a link, so there is nothing to compare."]]
    if total.affected == total.cut:
        return [[*head, "Every link is a bridge: what is cut off has no other way, whatever the scheme."]]
    said = f"Every single link is cut, one at a time. {amount(total.affected, 'pair')} of brokers"
    said += f" had a path over it; {total.cut:,} of them have no other way."
    return [
        [*head, *wrap(said, width)],
        _schemes(total),
        _lengths(total),
        _coverage(total, width),
        _entries(group),
    ]


def _size(group: Group) -> str:
    total = group.total
    size = (
        f"{amount(total.brokers, 'broker')}, {amount(total.links, 'link')}, {amount(total.bridges, 'bridge')}"
    )
    if group.asked == 1:
        return size
    looked_at = len(group.comparisons)
    count = f"{looked_at:,}" if looked_at == group.asked else f"{looked_at:,} of {group.asked:,}"
    return f"{count} meshes with {size}"


def _schemes(total: Comparison) -> list[str]:
    left = widest(list(_TITLES.values()))
    lines = [f"{'scheme':<{left}}{GAP}delivered{GAP}mean hops{GAP}longest{GAP}stretch"]
    lines.append("-" * len(lines[0]))
    for each in total.ranked:
        lines.append(f"{_TITLES[each.scheme]:<{left}}{GAP}{_figures(each)}")
    return [f"{_MARGIN}{line.rstrip()}" for line in lines]


def _figures(each: Ranked) -> str:
    if not each.delivered:
        return f"{share(0, 1):>9}"
    delivered = share(each.delivered, each.delivered + each.undelivered)
    stretch = "" if each.scheme == HEALTHY or each.stretch is None else f"{each.stretch:.3f}"
    mean = f"{each.hops / each.delivered:.2f}"
    return f"{delivered:>9}{GAP}{mean:>9}{GAP}{len(each.affected) - 1:>7}{GAP}{stretch:>7}"


def share(part: int, whole: int) -> str:
    """A part in per cent; what is not all is never written as 100.0 %, nor what is not nothing as 0.0 %."""
    if part in (0, whole):
        return "none" if not whole else "100.0 %" if part else "0.0 %"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"


def _lengths(total: Comparison) -> list[str]:
    """The share of paths of each length: of affected pairs, and of all pairs."""
    longest = max(len(each.everyone) for each in total.ranked) - 1
    both = (
        "".join(f"{name:>8}" for name in SCHEMES),
        "".join(f"{name:>8}" for name in SCHEMES if name != HEALTHY),
    )
    lines = [
        f"{'':>7}{'paths of affected pairs, %':^40}{'paths of all pairs, %':^32}".rstrip(),
        f"{'hops':>7}{both[0]}{both[1]}",
    ]
    lines.append("-" * max(map(len, lines)))
    lines += [_line(label, total.ranked, hops) for label, hops in _bins(longest)]
    return lines


def _bins(longest: int) -> Iterator[tuple[str, slice]]:
    """Lines of the table: one for each number of hops, or for several where paths are very long."""
    wide = 1 if longest <= 2 * LONGEST else -(-longest // LONGEST)
    for first in range(1, min(longest, wide * LONGEST) + 1, wide):
        last = first + wide - 1
        yield (str(first) if wide == 1 else f"{first}-{last}"), slice(first, last + 1)
    if longest > wide * LONGEST:
        yield f"{LONGEST + 1}+", slice(LONGEST + 1, None)


def _line(label: str, ranked: Sequence[Ranked], hops: slice) -> str:
    affected = "".join(f"{_per_cent(each.affected, hops):>8}" for each in ranked)
    everyone = "".join(f"{_per_cent(each.everyone, hops):>8}" for each in ranked if each.scheme != HEALTHY)
    return f"{label:>7}{affected}{everyone}".rstrip()


def _per_cent(counts: Sequence[int], hops: slice) -> str:
    found = sum(counts[hops])
    return f"{100 * found / sum(counts):.2f}" if found else "."


def _coverage(total: Comparison, width: int) -> list[str]:
    found = total.coverage
    said = (
        f"Of {amount(found.pairs, 'pair')} of brokers whose first link is not needed to stay connected,"
        f" {share(found.lfa, found.pairs)} have a loop-free alternate;"
        f" {share(found.near_remote, found.pairs)} with a remote one in the P-space,"
        f" {share(found.remote, found.pairs)} in the extended P-space."
        f" Round the next broker, where it is not the destination: {share(found.around_broker, found.inner)}."
    )
    return [line.replace(_FIXED, " ") for line in wrap(said.replace(" %", f"{_FIXED}%"), width)]


def _entries(group: Group) -> list[str]:
    total = group.total
    found = total.entries
    most = max(each.layers for each in group.comparisons)
    kept = (
        ("a table for every failure", found.plain, ""),
        ("condensed super table", found.condensed, f"{share(found.condensed, found.plain)} of it"),
        (
            "a table for every layer",
            found.layers,
            f"{'up to ' if group.asked > 1 else ''}{amount(most, 'layer')}",
        ),
        ("one table, with alternates", found.lfa, ""),
    )
    left = widest([what for what, _, _ in kept], len("entries kept by a broker"))
    lines = [f"{'entries kept by a broker':<{left}}{GAP}{'on average':>10}", "-" * (left + 30)]
    for what, count, remark in kept:
        lines.append(f"{what:<{left}}{GAP}{count / total.brokers:>10,.1f}{GAP}{remark}".rstrip())
    return [f"{_MARGIN}{line}" for line in lines]


def _side_by_side(groups: Sequence[Group]) -> list[str]:
    """What grows with the size of meshes."""
    left = min(widest([printable(each.name) for each in groups], len("meshes")), 24)
    heads = ("brokers", "LFA", "layers", "stretch", "plain", "condensed")
    lines = [f"{'meshes':<{left}}" + "".join(f"{head:>10}" for head in heads)]
    lines.append("-" * len(lines[0]))
    for each in groups:
        lines.append(
            f"{printable(each.name)[:left]:<{left}}" + "".join(f"{cell:>10}" for cell in _cells(each))
        )
    return [f"{_MARGIN}{line}" for line in lines]


def _cells(group: Group) -> Iterator[str]:
    total = group.total
    stretch = total.of("layers").stretch
    brokers = max(total.brokers, 1)
    yield f"{total.brokers / max(len(group.comparisons), 1):,.1f}"
    yield share(total.coverage.lfa, total.coverage.pairs)
    yield f"{total.layers}"
    yield "" if stretch is None else f"{stretch:.3f}"
    yield f"{total.entries.plain / brokers:,.1f}"
    yield f"{total.entries.condensed / brokers:,.1f}"


def _end(told: Told) -> list[str]:
    lines = [f"Took {duration(told.seconds)} ({told.engine} engine)."]
    if told.cut:
        lines.append(f"Not everything was looked at: {told.cut}.")
    return lines


# --- pictures ---------------------------------------------------------------------------


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
