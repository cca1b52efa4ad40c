"""What is dead, from the names that somebody gives."""

from __future__ import annotations

from collections.abc import Iterable

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Failures, Mesh


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
