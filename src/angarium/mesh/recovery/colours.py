"""Colours: a number for every failure that tables are calculated for beforehand.

When something fails, brokers need only know its colour. So every process must give the same number to the
same failure, whatever the order of links in its file. Colour 1 is the healthy mesh; then come single links by
the positions of their two ends, single brokers in the order of the file, then larger sets in the order of
their parts, and last the shared risks that the mesh names, in its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from angarium.mesh.failover import check_none
from angarium.mesh.mesh import NOTHING, Failures, Mesh

HEALTHY = 1
"""The colour of the mesh in which nothing has failed."""


@dataclass(frozen=True)
class Colours:
    """The failures that tables are calculated for, in the order of their colours."""

    failures: tuple[Failures, ...]
    """The first is nothing: its colour is 1."""

    def __len__(self) -> int:
        return len(self.failures)

    def __iter__(self) -> Iterator[int]:
        return iter(range(HEALTHY, HEALTHY + len(self.failures)))

    def __getitem__(self, colour: int) -> Failures:
        """What has failed in a colour."""
        return self.failures[colour - HEALTHY]

    @cached_property
    def _colour(self) -> Mapping[Failures, int]:
        return {failures: colour for colour, failures in zip(self, self.failures, strict=True)}

    def of(self, failures: Failures) -> int | None:
        """The colour of failures, if tables were calculated for just these."""
        return self._colour.get(failures)


Place = tuple[int, int, str]


def coloured(mesh: Mesh, failures: Iterable[Failures]) -> Colours:
    """Colours for the healthy mesh and for each of these failures; the order of links does not matter."""
    check_none(mesh, "tables of recovery")
    brokers = {broker.name: number for number, broker in enumerate(mesh.brokers)}
    places = _places(mesh, brokers)
    cables = {name: number for number, name in enumerate(sorted(places, key=places.__getitem__))}

    def order(each: Failures) -> tuple[int, int, list[int], list[int]]:
        dead = sorted(map(brokers.__getitem__, each.brokers))
        return len(each), len(dead), sorted(map(cables.__getitem__, each.cables)), dead

    asked = dict.fromkeys(failures)  # in their order, which is nearly the one that is wanted: sorted at once
    risks = dict.fromkeys(risk.failures for risk in mesh.shared_risks)
    named = [risk for risk in risks if risk in asked and len(risk) > 1]
    for each in (NOTHING, *named):
        asked.pop(each, None)
    return Colours((NOTHING, *sorted(asked, key=order), *named))


def _places(mesh: Mesh, brokers: Mapping[str, int]) -> Mapping[str, Place]:
    """Where each cable stands among the others: by its two ends, the earlier broker first, then by name.

    One that joins more than two brokers stands where the first of its links does, by their ends.
    """
    places: dict[str, Place] = {}
    for link in mesh.links:
        first, second = sorted((brokers[link.source], brokers[link.target]))
        place = first, second, link.fails_as
        places[link.fails_as] = min(place, places.get(link.fails_as, place))
    return places
