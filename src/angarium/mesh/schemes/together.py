"""What was found for many meshes, added up as if they were one; and the work of comparing many.

Sums of pairs and ways weigh every pair the same, so a large mesh weighs more than a small one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TypeVar

from angarium.core.control import reason
from angarium.mesh.mesh import Mesh
from angarium.mesh.schemes.compare import SCHEMES, Comparison, Coverage, Entries, Ranked, compare
from angarium.mesh.schemes.random_graph import RandomGraph

Asked = Mesh | RandomGraph
Observer = Callable[[int, int], None]
Sums = TypeVar("Sums", Coverage, Entries)


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparisons of many meshes, in their order."""

    numbers: tuple[int, ...]
    """Which of the meshes that were asked for these are, from 0."""
    comparisons: tuple[Comparison, ...]
    asked: int
    """How many meshes there were."""
    cut: str | None = None
    """What cut it short, if something did: then these are not all meshes that were asked for."""


def compared(asked: Asked, layers: int | None = None) -> Comparison:
    """The schemes for one mesh, which may be still to be made."""
    return compare(asked if isinstance(asked, Mesh) else asked.mesh(), layers=layers)


def compare_all(
    asked: Sequence[Asked],
    *,
    layers: int | None = None,
    timeout: float | None = None,
    observe: Observer | None = None,
) -> Compared:
    """Compare the schemes for many meshes; what is done when the time is up, or at Ctrl-C, is the answer.

    Who observes is told how many meshes have been looked at, and of how many.
    """
    done: list[Comparison] = []
    begin, cut = time.monotonic(), None
    try:
        for each in asked:
            if timeout is not None and time.monotonic() - begin >= timeout:
                cut = f"time limit of {timeout:g} s"
                break
            done.append(compared(each, layers))
            if observe:
                observe(len(done), len(asked))
    except KeyboardInterrupt as problem:
        cut = reason(problem)
    return Compared(tuple(range(len(done))), tuple(done), len(asked), cut)


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
