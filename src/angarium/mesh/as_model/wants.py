"""What is asked of a mesh: who publishes what, who wants it, and what links make of its name.

Topics that no link tells apart are of one kin, and one topic stands for its kin. What a chain of links makes
of a name is a `Transform`; a kin and a transform together are a `Name`, and a model needs one value for each
name that can come about. Where links change no names and refuse nothing that is wanted, there is nothing to
tell apart, and a model is spared it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from angarium.core.errors import MeshError
from angarium.mesh.mesh import FORWARD, Link, Mesh
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform
from angarium.mesh.verify.demands import Need

MOST_NAMES = 1_000
"""More than that are names that grow with every round."""

Name = tuple[int, Transform]
"""A kin of topics, and what links have made of its names."""
Crossing = Callable[[Topic], tuple[Topic, Transform] | None]


@dataclass(frozen=True, slots=True)
class Wants:
    """The needs of a mesh, and what its links do to what is needed."""

    needs: tuple[Need, ...]
    names: Mapping[Name, str] = field(default_factory=dict)
    """Every name that can come about, as people read it; empty if links tell nothing apart."""
    behind: Mapping[tuple[str, Name], Name] = field(default_factory=dict)
    """By link and name: the name behind the link. What is not there is refused."""


def wants(mesh: Mesh) -> tuple[Mesh, Wants]:
    """The mesh, with probes where nobody is named, and what is wanted of it."""
    from angarium.mesh.verify.sweep import prepared

    sweep, topics = prepared(mesh)
    kins = dict.fromkeys(need.kin for need in sweep.needs)
    return sweep.mesh, named(sweep.mesh, sweep.needs, {kin: topics.topic(kin) for kin in kins})


def named(mesh: Mesh, needs: Iterable[Need], topics: Mapping[int, Topic]) -> Wants:
    """What links do to what is needed; `topics` has a topic of each kin."""
    needs = tuple(needs)
    if not any(link.accepts or link.refuses or link.rename for link in mesh.links):
        return Wants(needs)
    reached = {(kin, IDENTITY): topic for kin, topic in topics.items()}
    behind: dict[tuple[str, Name], Name] = {}
    crossings = [(link, _crossing(mesh, link)) for link in mesh.links]
    waiting = list(reached)
    while waiting:
        name = waiting.pop()
        for link, cross in crossings:
            crossed = cross(reached[name])
            if crossed is None:
                continue
            after = _after(mesh, name, crossed[1])
            behind[link.name, name] = after
            if after not in reached:
                reached[after] = crossed[0]
                waiting.append(after)
                _bounded(mesh, link, reached)
    if len(behind) == len(mesh.links) * len(reached) and all(
        one == name for (_, name), one in behind.items()
    ):
        return Wants(needs)
    return Wants(needs, {name: _readable(topic) for name, topic in reached.items()}, behind)


def _crossing(mesh: Mesh, link: Link) -> Crossing:
    from angarium.mesh.topics.match import crossing

    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    return crossing(link, dialects[link.source], dialects[link.target])


def _after(mesh: Mesh, name: Name, made: Transform) -> Name:
    """The name behind a link; routers send by destination and leave names alone."""
    from angarium.mesh.delivery.names import shortened

    kin, transform = name
    composed = transform.then(made) if mesh.routing.kind == FORWARD else IDENTITY
    assert composed is not None, "the link took a topic of this name"
    return kin, shortened(composed)


def _bounded(mesh: Mesh, link: Link, reached: Mapping[Name, Topic]) -> None:
    if len(reached) > MOST_NAMES:
        raise MeshError(
            "ANG125",
            f"the links of {mesh.name} make more than {MOST_NAMES:,} names of its topics,"
            f" such as {_readable(max(reached.values(), key=len))[:60]}",
            possible="a model has one value for each name that a topic can get",
            remedy="angarium mesh verify finds names that grow with each round",
            place=link.place,
        )


def _readable(topic: Topic) -> str:
    return "/".join(part for part in topic if part)
