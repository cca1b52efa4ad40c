"""The same failure has the same colour in every process."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from angarium.mesh.mesh import Failures, Link
from angarium.mesh.recovery.tables import coloured
from angarium.mesh.verify.budget import read_budget
from tests.mesh.routing.meshes import mesh_of

SQUARE = mesh_of("1-2 2-3 3-4 1-4")
WITH_A_BUS = replace(
    SQUARE,
    links=(*SQUARE.links, Link("bus 1", "3", "4", cable="bus"), Link("bus 2", "1", "2", cable="bus")),
)
"""One cable joins all four brokers: which of its links comes first in a file says nothing."""


def colours_of(order: int) -> tuple[Failures, ...]:
    """The colours with the links in another order."""
    links = list(WITH_A_BUS.links)
    Random(order).shuffle(links)
    mesh = replace(WITH_A_BUS, links=tuple(links))
    return coloured(mesh, (each for _, each in read_budget("links=2,brokers=1").failures(mesh))).failures


def test_the_order_of_links_does_not_matter_even_if_a_cable_joins_many_brokers() -> None:
    assert len({colours_of(order) for order in range(8)}) == 1


def test_a_cable_that_joins_many_brokers_stands_where_the_first_of_its_links_does() -> None:
    singles = [sorted(each.cables) for each in colours_of(0) if len(each.cables) == 1 and not each.brokers]

    assert singles == [["1-2"], ["bus"], ["1-4"], ["2-3"], ["3-4"]]
