"""What is cut and what heals, and when: and from that, when each link does not work.

A link does not work while its cable is cut, or while a broker at one of its ends is dead. Times in between
that touch or overlap are one outage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from angarium.core.errors import UsageError
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.packets.clock import NEVER, in_words

Outage = tuple[int, int]
"""From when to when something does not work; it works again at the second time."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Links or brokers are cut, or heal."""

    time: int
    what: Failures
    heals: bool = False

    @property
    def parts(self) -> tuple[Failures, ...]:
        """What it is about, one by one."""
        return (
            *(Failures(frozenset({name})) for name in sorted(self.what.brokers)),
            *(Failures(cables=frozenset({name})) for name in sorted(self.what.cables)),
        )

    def __str__(self) -> str:
        return f"{self.what} {'heals' if self.heals else 'is cut'} at {in_words(self.time)}"


def in_order(happenings: Iterable[Happening]) -> tuple[Happening, ...]:
    """By time; UsageError if what is cut is cut again, or what works heals."""
    found = tuple(sorted(happenings, key=lambda each: each.time))
    dead: set[Failures] = set()
    for each in found:
        if any((part in dead) != each.heals for part in each.parts):
            state = "works" if each.heals else "is cut already"
            raise UsageError(
                "ANG013",
                f"{each}, but it {state} then",
                possible="each link or broker is cut, heals, is cut again, in this order",
                remedy="give other times, or leave one out",
            )
        dead ^= set(each.parts)
    return found


def outages(happenings: Sequence[Happening], what: Iterable[Failures]) -> list[Outage]:
    """When at least one of several things does not work, in order."""
    own = set(what)
    cut: dict[Failures, int] = {}
    spans: list[Outage] = []
    for each in happenings:
        for part in own.intersection(each.parts):
            if each.heals:
                spans.append((cut.pop(part), each.time))
            else:
                cut[part] = each.time
    spans += [(since, NEVER) for since in cut.values()]
    return _merged(sorted(spans))


def _merged(spans: Iterable[Outage]) -> list[Outage]:
    merged: list[Outage] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def works(spans: Sequence[Outage], start: int, end: int) -> bool:
    """Whether something works from one time to another, both included."""
    return all(end < since or start >= until for since, until in spans)


@dataclass(frozen=True, slots=True)
class Weather:
    """When links and brokers do not work, by their numbers."""

    links: tuple[tuple[Outage, ...], ...]
    brokers: tuple[tuple[Outage, ...], ...]


def weather(mesh: Mesh, happenings: Sequence[Happening]) -> Weather:
    """What happens to every link, in the order of the file, and to every broker."""
    brokers = {broker.name: Failures(frozenset({broker.name})) for broker in mesh.brokers}
    touched = {name for each in happenings for name in each.what.brokers | each.what.cables}
    links = []
    for link in mesh.links:
        if touched & {link.source, link.target, link.fails_as}:
            parts = Failures(cables=frozenset({link.fails_as})), brokers[link.source], brokers[link.target]
            links.append(tuple(outages(happenings, parts)))
        else:
            links.append(())
    return Weather(tuple(links), tuple(tuple(outages(happenings, [each])) for each in brokers.values()))
