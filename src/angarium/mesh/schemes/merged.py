"""A mesh with one link between two brokers, where there are several.

Figures of the literature are mostly counted so: a second link between the same brokers is then no protection.
"""

from __future__ import annotations

from dataclasses import replace

from angarium.mesh.mesh import Mesh


def merged(mesh: Mesh) -> Mesh:
    """The mesh with only the first cable between the same two brokers."""
    first: dict[frozenset[str], str] = {}
    for link in mesh.links:
        first.setdefault(frozenset({link.source, link.target}), link.fails_as)
    kept = (link for link in mesh.links if first[frozenset({link.source, link.target})] == link.fails_as)
    return replace(mesh, links=tuple(kept))
