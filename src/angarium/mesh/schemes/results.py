"""What `angarium mesh schemes` answers, as data: schemes of recovery side by side, for groups of meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from angarium.core.control import Cut
from angarium.core.result import Extent, GuaranteeVerdict, Parameters, Result
from angarium.mesh.schemes.compare import Comparison, Coverage, Entries, Ranked


@dataclass(frozen=True, slots=True)
class Group:
    """Meshes that were asked for together, and what was found for them, added up."""

    name: str
    asked: int
    comparisons: Sequence[Comparison]
    """Of the meshes that were looked at."""
    total: Comparison


@dataclass(frozen=True, slots=True)
class SchemeLengths:
    """Whom a scheme delivers to, and over how many hops."""

    delivered: int
    undelivered: int
    hops: int
    shortest: int
    stretch: float | None
    affected_by_hops: Sequence[int]
    all_by_hops: Sequence[int]


@dataclass(frozen=True, slots=True)
class GroupResult:
    """A group of meshes, as if it were one."""

    name: str
    asked: int
    meshes: int
    brokers: int
    links: int
    bridges: int
    most_layers: int
    affected: int
    cut_off: int
    schemes: Mapping[str, SchemeLengths]
    coverage: Coverage
    entries: Entries


@dataclass(frozen=True, kw_only=True)
class SchemesResult(Result[GuaranteeVerdict]):
    """The schemes, for each group of meshes."""

    kind: str = "mesh schemes"
    groups: Sequence[GroupResult]


def schemes_result(
    groups: Sequence[Group], parameters: Parameters, *, engine: str, seconds: float, cut: Cut | None
) -> SchemesResult:
    """The answer to how schemes compare."""
    return SchemesResult(
        subject=", ".join(each.name for each in groups),
        parameters=parameters,
        engine=engine,
        extent=Extent(complete=cut is None, cut=cut, seconds=seconds),
        groups=[_group(each) for each in groups],
    )


def _group(group: Group) -> GroupResult:
    total = group.total
    return GroupResult(
        name=group.name,
        asked=group.asked,
        meshes=len(group.comparisons),
        brokers=total.brokers,
        links=total.links,
        bridges=total.bridges,
        most_layers=total.layers,
        affected=total.affected,
        cut_off=total.cut,
        schemes={each.scheme: _lengths(each) for each in total.ranked},
        coverage=total.coverage,
        entries=total.entries,
    )


def _lengths(each: Ranked) -> SchemeLengths:
    return SchemeLengths(
        delivered=each.delivered,
        undelivered=each.undelivered,
        hops=each.hops,
        shortest=each.shortest,
        stretch=each.stretch,
        affected_by_hops=each.affected,
        all_by_hops=each.everyone,
    )
