"""Entries that an operator wants otherwise than they were calculated, in one colour or in all.

The tables with overrides in them must be verified again: an override that is right in the healthy mesh may
lead into a dead link in some colour, or in a circle; and whatever it does, the way may be longer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.recovery.exceptions import Packed, as_words, from_words
from angarium.mesh.recovery.tables import HEALTHY, Recovery
from angarium.mesh.routing.graph import Ints

Pair = tuple[int, int]
"""A broker and a destination."""
Wanted = Mapping[int | None, int]
"""The next broker by colour; that of None is for all colours that are not named."""


@dataclass(frozen=True, slots=True)
class Override:
    """An entry that an operator wants, by the names of brokers."""

    broker: str
    destination: str
    next: str
    colour: int | None = None
    """None: in every colour."""
    place: Place | None = field(default=None, compare=False)


def overridden(recovery: Recovery, overrides: Iterable[Override]) -> Recovery:
    """Other tables, with these entries; one for a colour counts more than one for all.

    MeshError if a name or a colour is not known, a next broker is no neighbour, or an entry is given twice.
    """
    healthy, wanted = recovery.healthy.copy(), _by_pair(recovery, overrides)
    parts = [_others(recovery, wanted)]
    for (broker, destination), entries in wanted.items():
        column = _replaced(recovery.of_broker(broker).to(destination), entries)
        healthy[broker, destination] = column[0]
        places = np.flatnonzero(column != column[0])
        parts.append(as_words(places - 1, destination, broker, column[places]))
    together = np.sort(np.concatenate(parts))
    exceptions = from_words([together], [len(recovery.colours) - 1])
    return replace(recovery, healthy=healthy, exceptions=exceptions)


def _by_pair(recovery: Recovery, overrides: Iterable[Override]) -> dict[Pair, dict[int | None, int]]:
    wanted: dict[Pair, dict[int | None, int]] = {}
    for each in overrides:
        number = recovery.graph.number
        _check(recovery, each)
        entries = wanted.setdefault((number(each.broker), number(each.destination)), {})
        if each.colour in entries:
            raise _twice(each)
        entries[each.colour] = number(each.next)
    return wanted


def _replaced(column: Ints, entries: Wanted) -> Ints:
    """A broker's next ones to a destination, by colour."""
    found = np.full_like(column, entries[None]) if None in entries else column
    for colour, after in entries.items():
        if colour is not None:
            found[colour - HEALTHY] = after
    return found


def _others(recovery: Recovery, pairs: Collection[Pair]) -> Packed:
    """The exceptions of all entries that are not overridden."""
    found, brokers = recovery.exceptions, recovery.graph.brokers
    asked = [broker * brokers + destination for broker, destination in pairs]
    kept = ~np.isin(found.brokers.astype(np.int64) * brokers + found.destinations, asked)
    failures = found.colours[kept] - HEALTHY - 1
    return as_words(failures, found.destinations[kept], found.brokers[kept], found.next[kept])


# --- what cannot be wanted ----------------------------------------------------------------------


def _check(recovery: Recovery, wanted: Override) -> None:
    graph = recovery.graph
    at, to = graph.number(wanted.broker), graph.number(wanted.destination)
    if at == to:
        raise MeshError(
            "ANG121",
            f"an override sends what is for {wanted.broker} away from it",
            possible="another destination",
            remedy="what has arrived goes no further: leave this override out",
            place=wanted.place,
        )
    near = [graph.names[target] for target in graph.targets[graph.rows[at] : graph.rows[at + 1]].tolist()]
    if wanted.next not in near:
        raise MeshError(
            "ANG123",
            f"an override sends from {wanted.broker} to {wanted.next}, and no link leads there",
            possible=did_you_mean(wanted.next, near),
            remedy="name a broker that a link leads to",
            place=wanted.place,
        )
    if wanted.colour is not None:
        recovery.checked(wanted.colour)


def _twice(wanted: Override) -> MeshError:
    where = "every colour" if wanted.colour is None else f"colour {wanted.colour}"
    return MeshError(
        "ANG122",
        f"two overrides are for {wanted.broker} to {wanted.destination} in {where}",
        possible="one for all colours, and one for each of some colours",
        remedy="leave one of them out",
        place=wanted.place,
    )
