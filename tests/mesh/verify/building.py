"""Small meshes in few words."""

from __future__ import annotations

from dataclasses import replace

from angarium.mesh.mesh import FORWARD, Broker, Link, Mesh, Pattern, Publisher, Routing, Subscriber


def cable(a: str, b: str, **rules: object) -> tuple[Link, Link]:
    """A link both ways."""
    there = Link(f"{a}->{b}", a, b, cable=f"{a}-{b}", **rules)  # type: ignore[arg-type]
    return there, replace(there, name=f"{b}->{a}", source=b, target=a)


def mesh(names: str, *cables: tuple[Link, ...], kind: str = FORWARD, **more: object) -> Mesh:
    links = tuple(link for both in cables for link in both)
    whole = Mesh("m", tuple(Broker(name) for name in names.split()), links, routing=Routing(kind))
    return replace(whole, **more)  # type: ignore[arg-type]


def topic(name: str, at: str, *to: str) -> dict[str, object]:
    """A publisher and its subscribers."""
    pattern = (Pattern(name),)
    return {
        "publishers": (Publisher("p", at, pattern),),
        "subscribers": tuple(Subscriber(f"s{broker}", broker, pattern) for broker in to),
    }
