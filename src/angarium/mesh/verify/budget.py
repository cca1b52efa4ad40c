"""What may fail at the same time, and every set of failures within that.

`one` (the default) is every single link and every single broker. A budget such as `links=2` or
`links=1,brokers=1` allows so many of each at the same time, and every smaller number too. `risks`, alone or
behind one of these (`one,risks`), adds the shared risks that the mesh names, one at a time. Smaller sets come
first, so that what a small failure breaks is not reported again for a larger one; shared risks come last.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations

from angarium.core.errors import MeshError, UsageError, did_you_mean
from angarium.mesh.mesh import Failures, Mesh

KINDS = ("links", "brokers")
MOST_AT_ONCE = 100
"""Links, or brokers, that a budget may let fail at the same time: nobody could look at all sets of more."""
RISKS = "risks"


@dataclass(frozen=True, slots=True)
class Size:
    """How many links and brokers are dead, or how many of the shared risks have happened."""

    links: int = 0
    brokers: int = 0
    risks: int = 0

    def count(self, mesh: Mesh) -> int:
        """How many sets of failures have this size."""
        if self.risks:
            return len(_risks(mesh))
        return math.comb(len(mesh.cables), self.links) * math.comb(len(mesh.brokers), self.brokers)

    def __str__(self) -> str:
        counts = (self.links, "link"), (self.brokers, "broker"), (self.risks, "shared risk")
        parts = [_counted(count, noun) for count, noun in counts]
        return " + ".join(part for part in parts if part) or "healthy"


HEALTHY = Size()
RISK = Size(risks=1)


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


@dataclass(frozen=True, slots=True)
class Just(Budget):
    """One set of failures, and no other of its size."""

    of: Failures

    def failures(self, mesh: Mesh) -> Iterator[tuple[Size, Failures]]:
        yield self.sizes[0], self.of


ONE = Budget((Size(links=1), Size(brokers=1)))
NONE = Budget(())


def _of_size(mesh: Mesh, size: Size) -> Iterator[tuple[Size, Failures]]:
    if size.risks:
        yield from ((size, failures) for failures in _risks(mesh))
        return
    names, all_cables = [broker.name for broker in mesh.brokers], mesh.cables
    for brokers in combinations(names, size.brokers):
        for cables in combinations(all_cables, size.links):
            yield size, Failures(frozenset(brokers), frozenset(cables))


def _risks(mesh: Mesh) -> tuple[Failures, ...]:
    """What the shared risks of a mesh kill; two that kill the same count once."""
    if not mesh.shared_risks:
        raise UsageError(
            "ANG013",
            f"--failures asks for shared risks, and the mesh {mesh.name} names none",
            possible="shared-risks: {duct: {links: [b1-b2, b1-b3]}} in the mesh file",
            remedy="name what fails together, or leave risks out",
        )
    return tuple(dict.fromkeys(risk.failures for risk in mesh.shared_risks))


def counted(sets: int) -> str:
    """How many sets there are; when nobody would read the digits, about how many."""
    return f"{sets:,}" if sets < 10**15 else f"about 10^{len(str(sets)) - 1}"


def read_budget(text: str, *, option: str = "--failures") -> Budget:
    """From `one`, `none`, `links=1,brokers=2` or `risks`, which may also stand behind another."""
    words = [word.strip() for word in text.split(",")]
    if words[-1] != RISKS:
        return _counts(text, option)
    before = _counts(",".join(words[:-1]), option) if len(words) > 1 else NONE
    return Budget((*before.sizes, RISK))


def _counts(text: str, option: str) -> Budget:
    if text in ("one", "none"):
        return ONE if text == "one" else NONE
    allowed = dict.fromkeys(KINDS, 0)
    for part in text.split(","):
        kind, equals, number = (word.strip() for word in part.partition("="))
        if not equals or kind not in KINDS or not number.isdecimal():
            raise _impossible(text, option)
        if len(number) > len(str(MOST_AT_ONCE)) or int(number) > MOST_AT_ONCE:
            raise _too_many(kind, option)
        allowed[kind] = int(number)
    sizes = (
        Size(links, brokers)
        for links in range(allowed["links"] + 1)
        for brokers in range(allowed["brokers"] + 1)
    )
    return Budget(tuple(sorted((size for size in sizes if size != HEALTHY), key=_smallest_first)))


def _smallest_first(size: Size) -> tuple[int, int]:
    return size.links + size.brokers, size.brokers


def _too_many(kind: str, option: str) -> UsageError:
    return UsageError(
        "ANG013",
        f"{option} lets more than {MOST_AT_ONCE} {kind} fail at the same time",
        possible=f"up to {MOST_AT_ONCE} at the same time",
        remedy=f"for example {option} links=2",
    )


def _impossible(text: str, option: str) -> UsageError:
    return UsageError(
        "ANG013",
        f"{option} {text!r} does not say what may fail",
        possible="one, none, links=K, brokers=K, links=K,brokers=K for both at the same time, or risks, which"
        " may also stand last, as in one,risks",
        remedy=f"for example {option} links=2",
    )


def failed(mesh: Mesh, names: Iterable[str]) -> Failures:
    """What names of links and brokers stand for; `link X` or `broker X` where both have the name."""
    brokers, cables = {broker.name for broker in mesh.brokers}, set(mesh.cables)
    by_link = {link.name: link.fails_as for link in mesh.links if link.source != link.target}
    dead: tuple[set[str], set[str]] = (set(), set())
    for name in names:
        kind, _, rest = name.partition(" ")
        plain = rest if kind in ("broker", "link") and rest else name
        if plain in brokers and kind != "link":
            dead[0].add(plain)
        elif plain in cables or plain in by_link:
            dead[1].add(plain if plain in cables else by_link[plain])
        else:
            raise MeshError(
                "ANG123",
                f"the mesh {mesh.name} has no broker and no link named {name!r}",
                possible=did_you_mean(name, brokers | cables),
                remedy="give the name of a broker or a link, or `link NAME` where both have it",
            )
    return Failures(frozenset(dead[0]), frozenset(dead[1]))
