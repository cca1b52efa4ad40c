"""A mesh as simulations see it: numbered links with rates and delays, what is cut, what heals, and the clock.

A link does not work while its cable is cut, or while a broker at one of its ends is dead. Times in between
that touch or overlap are one outage.

Time and chance are the same on every machine. Times are whole nanoseconds, so that sums are exact. Random
numbers are drawn by name: each use has its own stream, so that no use disturbs another. The numbers are those
of SplitMix64, as in `checker.walks`: a beginning and an increment, both made of the seed and of what the
numbers are for, by a hash of the words that is not Python's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks import walk_core
from angarium.core.errors import MeshError, UsageError
from angarium.core.units import time_of
from angarium.mesh.mesh import Failures, Link, Mesh, check_none
from angarium.mesh.packets.packets_core import LINK_MASK
from angarium.mesh.routing.graph import Graph, graph_of

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
NEVER = (1 << 62) - 1
"""Later than everything."""
LONGEST = 366 * 24 * 3600 * SECOND
"""A simulation takes at most a year."""


def from_milliseconds(time: float) -> int:
    """Nanoseconds, of the times of a mesh."""
    return round(time * MILLISECOND)


def in_words(time: int) -> str:
    """A time that somebody gave, as people say it: 30 ms, 4.2125 s."""
    return _with_unit(time, 9)


def about(time: int) -> str:
    """A time that was measured: 31.42 ms, 4.213 s."""
    return _with_unit(time, 4)


def _with_unit(time: int, digits: int) -> str:
    if 0 < time < SECOND:
        return f"{time / MILLISECOND:.{digits}g} ms"
    return f"{time / SECOND:.{digits}g} s"


def _word(seed: int, *purpose: object) -> int:
    words = "\0".join(map(str, (seed, *purpose)))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "little")


def stream(seed: int, *purpose: object) -> NDArray[np.uint64]:
    """What the compiled functions of `walk_core` draw from."""
    own = np.zeros(walk_core.OWN_SIZE, np.uint64)
    own[walk_core.RANDOM] = _word(seed, "first", *purpose)
    own[walk_core.GAMMA] = _word(seed, "step", *purpose) | 1
    return own


def below(limit: int, seed: int, *purpose: object) -> int:
    """One whole number from 0, less than the limit."""
    return _word(seed, *purpose) * limit >> 64


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


LOST, KEPT, AS_THE_MESH_SAYS = "lost", "kept", "mesh"
BUFFERING = (LOST, KEPT, AS_THE_MESH_SAYS)
"""What becomes of packets that wait for a link that is down, or come to it: lost, as routers lose them; kept
until it heals; or as each link of the mesh says."""
CONTROL_BITS = 1000
"""Of a message between brokers about links, such as a heartbeat."""


@dataclass(frozen=True)
class Network:
    """What a broker does within itself is no link."""

    mesh: Mesh
    links: tuple[Link, ...]

    @cached_property
    def only_links(self) -> Mesh:
        """The mesh with just the links that have numbers."""
        return Mesh(self.mesh.name, self.mesh.brokers, self.links)

    @cached_property
    def graph(self) -> Graph:
        return graph_of(self.mesh)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(broker.name for broker in self.mesh.brokers)

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def number_of_link(self) -> Mapping[str, int]:
        return {link.name: number for number, link in enumerate(self.links)}

    @cached_property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """Of each link: from which broker it leads to which."""
        return tuple((self.number[link.source], self.number[link.target]) for link in self.links)

    @cached_property
    def outgoing(self) -> tuple[tuple[int, ...], ...]:
        return self._by_end(0)

    @cached_property
    def incoming(self) -> tuple[tuple[int, ...], ...]:
        return self._by_end(1)

    def _by_end(self, end: int) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.names]
        for link, ends in enumerate(self.ends):
            found[ends[end]].append(link)
        return tuple(map(tuple, found))

    @cached_property
    def back(self) -> tuple[int | None, ...]:
        """Of each link: one of its cable that leads the other way."""
        known: dict[tuple[str, int, int], int] = {}
        for number, (link, (source, target)) in enumerate(zip(self.links, self.ends, strict=True)):
            known.setdefault((link.fails_as, source, target), number)
        return tuple(
            known.get((link.fails_as, target, source))
            for link, (source, target) in zip(self.links, self.ends, strict=True)
        )

    @cached_property
    def control_delays(self) -> tuple[int, ...]:
        """How long a message between brokers takes to cross each link: it does not wait behind packets."""
        return tuple(delay(link) + sending_time(CONTROL_BITS, rate(link)) for link in self.links)


def network_of(mesh: Mesh) -> Network:
    """The links of a mesh that lead somewhere. MeshError if there are too many."""
    check_none(mesh, "a simulation")
    links = tuple(link for link in mesh.links if link.source != link.target)
    if len(links) >= LINK_MASK:
        raise MeshError(
            "ANG125",
            f"a simulation of {len(links):,} links",
            possible=f"up to {LINK_MASK - 1:,}",
            remedy="simulate a part of the mesh",
        )
    return Network(mesh, links)


def delay(link: Link) -> int:
    """Nanoseconds that a packet takes to cross."""
    return from_milliseconds(link.latency)


def rate(link: Link) -> int:
    """Whole bits a second; 0 if there is no limit."""
    return 0 if link.rate is None else max(1, round(link.rate * 1000))


def sending_time(bits: int, rate: int) -> int:
    """Nanoseconds until the last bit is sent."""
    return -(-bits * SECOND // rate) if rate else 0


def patience(link: Link, buffering: str) -> int:
    """How long packets wait for a link that is down."""
    how = link.buffering if buffering == AS_THE_MESH_SAYS else buffering
    if how == LOST:
        return 0
    return NEVER if how == KEPT else from_milliseconds(time_of(how) or 0.0)
