"""What one broker carries: its next hops in every colour, by names, wherever they were read from.

A fingerprint of what recovery tables are made from.

Tables of several brokers work together only if they were made from the same: the same brokers in the same
order (it settles ties), the same links at the same costs, the same failures under the same colours, and the
same overrides. The fingerprint is the SHA-256 of just that, as JSON in one line. What does not change tables
is left out: the order of links, latencies, filters, topics and clients, and the name of the mesh.

How the files of a folder of recovery tables are called.

A broker may be called anything: `New York`, `../etc`, `B1` beside `b1`. So its file begins with its place in
the mesh, from 1, which is enough to tell it from all others; what follows is for people.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.compact import neighbours_of, packed, unpacked
from angarium.mesh.recovery.tables import HEALTHY, Colours, Recovery
from angarium.mesh.routing.graph import NONE

if TYPE_CHECKING:
    from angarium.mesh.recovery.overrides import Override

COLOURS_FILE = "colours.json"
BINARY, JSON = ".tables", ".json"
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")
_OURS = re.compile(r"\d{1,4}-[A-Za-z0-9._-]{1,40}\.(?:tables|json)", re.ASCII)
LONGEST = 40


def file_name(number: int, broker: str, suffix: str = "") -> str:
    """The file of a broker, by its position from 0 and its name."""
    return f"{number + 1}-{_STRANGE.sub('_', broker)[:LONGEST]}{suffix}"


def is_ours(name: str) -> bool:
    """Whether a file is called as one of ours."""
    return name == COLOURS_FILE or _OURS.fullmatch(name) is not None


def fingerprint(mesh: Mesh, colours: Colours, overrides: Sequence[Override] = ()) -> str:
    """Sixty-four hexadecimal digits."""
    links = [
        (each.source, each.target, each.fails_as, each.cost)
        for each in mesh.links
        if each.source != each.target
    ]
    said = {
        "brokers": [broker.name for broker in mesh.brokers],
        "links": sorted(links),
        "colours": [_dead(failures) for failures in colours.failures],
        "overrides": [(each.broker, each.destination, each.next, each.colour) for each in overrides],
    }
    line = json.dumps(said, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(line.encode("ascii")).hexdigest()


def _dead(failures: Failures) -> list[list[str]]:
    return [sorted(failures.brokers), sorted(failures.cables)]


class Lookup(Protocol):
    """Next hops by positions: of a colour, and of a destination among the brokers."""

    def next(self, colour: int, destination: int) -> int:
        """The position of the next broker; -1 if there is no way, or none is needed."""
        ...


@dataclass(frozen=True)
class BrokerTables:
    """The tables of a broker."""

    mesh: str
    fingerprint: str
    """Of what the tables were made from; brokers whose fingerprints differ must not work together."""
    broker: str
    destinations: tuple[str, ...]
    """Every broker of the mesh, this one too, in the mesh's order."""
    neighbours: tuple[str, ...]
    """The brokers that it can hand on to, in the mesh's order."""
    colours: Colours
    lookup: Lookup

    @cached_property
    def position(self) -> dict[str, int]:
        """Of each destination."""
        return {name: number for number, name in enumerate(self.destinations)}

    def next(self, colour: int, destination: str) -> str | None:
        """The next broker on the way to a destination; None if there is no way, or none is needed."""
        if not HEALTHY <= colour < HEALTHY + len(self.colours):
            raise _no_such("colour", str(colour), f"{HEALTHY} to {len(self.colours)}")
        if destination not in self.position:
            raise _no_such("broker", repr(destination), did_you_mean(destination, self.destinations))
        found = self.lookup.next(colour, self.position[destination])
        return None if found == NONE else self.destinations[found]


def tables_of(recovery: Recovery, broker: int, fingerprint: str) -> BrokerTables:
    """The tables of a broker, by its position."""
    names = recovery.graph.names
    near = tuple(names[number] for number in neighbours_of(recovery.graph, broker).tolist())
    lookup = unpacked(packed(recovery, broker))
    mesh = recovery.mesh.name
    return BrokerTables(mesh, fingerprint, names[broker], names, near, recovery.colours, lookup)


def _no_such(kind: str, given: str, possible: str) -> MeshError:
    return MeshError(
        "ANG123",
        f"these recovery tables have no {kind} {given}",
        possible=possible,
        remedy=f"ask for a {kind} that they were made for",
    )
