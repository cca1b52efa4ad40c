"""Recovery tables for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from angarium.mesh.mesh import Failures, Mesh, SharedRisk
from angarium.mesh.recovery.exceptions import as_words, from_words
from angarium.mesh.recovery.tables import Recovery, coloured, recovery
from angarium.mesh.routing.graph import Ints
from tests.mesh.routing.meshes import TRIANGLE, cut, failure_sets, mesh_of, meshes, singles


def recovered(mesh: Mesh, failures: Iterable[Failures] | None = None) -> Recovery:
    """The tables for failures, or for all single ones."""
    return recovery(mesh, coloured(mesh, singles(mesh) if failures is None else failures))


def for_links(mesh: Mesh) -> Recovery:
    """The tables for single links, as in the thesis."""
    return recovered(mesh, map(cut, mesh.cables))


def triangle() -> Recovery:
    """The example of the thesis (6.1)."""
    return for_links(mesh_of(TRIANGLE))


@st.composite
def recoveries(draw: st.DrawFn) -> Recovery:
    """Of meshes with costs, parallel links and one-way links: single failures, some sets, a shared risk."""
    mesh = draw(meshes())
    sets = draw(st.lists(failure_sets(mesh), max_size=5))
    risks = tuple(
        SharedRisk(f"risk {number}", tuple(sorted(each.brokers)), tuple(sorted(each.cables)))
        for number, each in enumerate(sets[:2])
    )
    return recovered(replace(mesh, shared_risks=risks), [*singles(mesh), *sets])


def with_tables(found: Recovery, tables: Sequence[Ints]) -> Recovery:
    """The same mesh and colours with any tables at all, right or wrong."""
    entries = [
        (c, to, at) for c, table in enumerate(tables[1:]) for to, at in np.argwhere((table != tables[0]).T)
    ]
    colours, destinations, brokers = np.array(entries, np.int64).reshape(-1, 3).T
    after = np.array([tables[c + 1][at, to] for c, to, at in entries], np.int64)
    words = as_words(colours, destinations, brokers, after)
    return replace(found, healthy=tables[0], exceptions=from_words([words], [len(tables) - 1]))


def tables_of(found: Recovery) -> list[Ints]:
    return [found.table(colour) for colour in found.colours]
