"""What may fail at the same time, and every set of failures within that.

`one` (the default) is every single link and every single broker. A budget such as `links=2` or
`links=1,brokers=1` allows so many of each at the same time, and every smaller number too. Smaller sets come
first, so that what a small failure breaks is not told again for a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations

from angarium.errors import UsageError
from angarium.mesh.mesh import Failures, Mesh

KINDS = ("links", "brokers")


@dataclass(frozen=True, slots=True)
class Size:
    """How many links and brokers are dead."""

    links: int = 0
    brokers: int = 0

    def count(self, mesh: Mesh) -> int:
        """How many sets of failures have this size."""
        return math.comb(len(mesh.cables), self.links) * math.comb(len(mesh.brokers), self.brokers)

    def __str__(self) -> str:
        parts = [_counted(self.links, "link"), _counted(self.brokers, "broker")]
        return " + ".join(part for part in parts if part) or "healthy"


HEALTHY = Size()


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count > 1)}" if count else ""


@dataclass(frozen=True, slots=True)
class Budget:
    """The sizes of failures that are looked at, the healthy mesh apart."""

    sizes: tuple[Size, ...]

    def count(self, mesh: Mesh) -> int:
        """How many sets of failures there are."""
        return sum(size.count(mesh) for size in self.sizes)

    def failures(self, mesh: Mesh) -> Iterator[tuple[Size, Failures]]:
        """Every set of failures, small ones first."""
        return chain.from_iterable(_of_size(mesh, size) for size in self.sizes)


ONE = Budget((Size(links=1), Size(brokers=1)))
NONE = Budget(())


def _of_size(mesh: Mesh, size: Size) -> Iterator[tuple[Size, Failures]]:
    names = [broker.name for broker in mesh.brokers]
    for brokers in combinations(names, size.brokers):
        for cables in combinations(mesh.cables, size.links):
            yield size, Failures(frozenset(brokers), frozenset(cables))


def read_budget(text: str) -> Budget:
    """From `one`, `none`, or `links=1,brokers=2`."""
    if text in ("one", "none"):
        return ONE if text == "one" else NONE
    allowed = dict.fromkeys(KINDS, 0)
    for part in text.split(","):
        kind, equals, number = (word.strip() for word in part.partition("="))
        if not equals or kind not in KINDS or not number.isdecimal():
            raise _impossible(text)
        allowed[kind] = int(number)
    sizes = (
        Size(links, brokers)
        for links in range(allowed["links"] + 1)
        for brokers in range(allowed["brokers"] + 1)
    )
    return Budget(tuple(sorted((size for size in sizes if size != HEALTHY), key=_smallest_first)))


def _smallest_first(size: Size) -> tuple[int, int]:
    return size.links + size.brokers, size.brokers


def _impossible(text: str) -> UsageError:
    return UsageError(
        "ANG013",
        f"--failures {text!r} does not say what may fail",
        possible="one, none, links=K, brokers=K, or links=K,brokers=K for both at the same time",
        remedy="for example --failures links=2",
    )
