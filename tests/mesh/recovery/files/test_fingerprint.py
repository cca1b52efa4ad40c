"""A fingerprint tells tables apart that must not work together, and no others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.mesh.mesh import Broker, Failures, Mesh
from angarium.mesh.recovery.files import fingerprint
from angarium.mesh.recovery.overrides import Override
from angarium.mesh.recovery.tables import Colours, coloured
from tests.mesh.recovery.files.sample import RING

LINKS = [Failures(cables=frozenset({cable})) for cable in RING.cables]
COLOURS = coloured(RING, LINKS)
SAME = fingerprint(RING, COLOURS)


@pytest.mark.parametrize(
    "mesh",
    [
        replace(RING, name="another name"),
        replace(RING, links=RING.links[::-1]),
        replace(RING, links=tuple(replace(link, latency=5.0, hop_limit=2) for link in RING.links)),
        replace(RING, shared_risks=()),
    ],
    ids=["name", "order of links", "latency", "risks that have no colour"],
)
def test_what_does_not_change_tables_does_not_change_it(mesh: Mesh) -> None:
    assert fingerprint(mesh, coloured(mesh, LINKS)) == SAME


@pytest.mark.parametrize(
    "mesh",
    [
        replace(RING, brokers=RING.brokers[::-1]),
        replace(RING, brokers=(*RING.brokers, Broker("b6"))),
        replace(RING, links=RING.links[:-1]),
        replace(RING, links=(replace(RING.links[0], cost=2), *RING.links[1:])),
    ],
    ids=["order of brokers", "a broker more", "a link less", "a cost"],
)
def test_what_may_change_tables_changes_it(mesh: Mesh) -> None:
    assert fingerprint(mesh, COLOURS) != SAME


def test_other_colours_change_it() -> None:
    first, second, third, *rest = COLOURS.failures

    assert fingerprint(RING, Colours((first, third, second, *rest))) != SAME
    assert fingerprint(RING, Colours(COLOURS.failures[:-1])) != SAME


def test_overrides_change_it() -> None:
    one, other = Override("b1", "b3", "b2", 1), Override("b1", "b3", "b2", 2)

    assert len({SAME, fingerprint(RING, COLOURS, [one]), fingerprint(RING, COLOURS, [other])}) == 3
