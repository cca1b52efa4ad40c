"""What the models of all meshes have in common: brokers, cables, what fails, and who takes over.

Something fails only before the message is published. So one run has one set of failures, and a verdict under
a budget is one over every set within it: the same question that `angarium mesh verify` asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from angarium.mesh.as_model.wants import Name, Wants
from angarium.mesh.as_model.words import either, enumeration, words
from angarium.mesh.failover import StandBy
from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.topics.topic import IDENTITY
from angarium.mesh.verify.demands import Need


@dataclass(frozen=True, slots=True)
class Cast:
    """The mesh, what is wanted of it, and the word for each of its names."""

    mesh: Mesh
    wants: Wants
    brokers: dict[str, str]
    cables: dict[str, str]
    topics: dict[Name, str]

    def broker(self, name: str) -> str:
        return f"Broker.{self.brokers[name]}"

    def lives(self, link: Link) -> str:
        """The condition under which a link works and its target takes what comes."""
        return f"{self.broker(link.target)} not in self.dead and {self.whole(link)}"

    def whole(self, link: Link) -> str:
        """The condition under which a link is not cut."""
        return f"Cable.{self.cables[link.fails_as]} not in self.cut"

    def awaited(self, link: Link) -> Iterator[str]:
        """The conditions under which a link does not stand by: all before it are dead."""
        for each in StandBy(self.mesh.links).awaits(link):
            ends = (f"{self.broker(end)} in self.dead" for end in dict.fromkeys((each.source, each.target)))
            cut = [] if each.source == each.target else [f"Cable.{self.cables[each.fails_as]} in self.cut"]
            yield " or ".join([*cut, *ends])


def cast(mesh: Mesh, wants: Wants) -> Cast:
    """Who plays in the model of a mesh."""
    brokers = words((broker.name for broker in mesh.brokers), "b")
    cables = words(mesh.cables, "c")
    labels = words((f"{text} {number}" for number, text in enumerate(wants.names.values(), 1)), "t")
    return Cast(mesh, wants, brokers, cables, dict(zip(wants.names, labels.values(), strict=True)))


IMPORTS = """from enum import Enum

from angarium import (
    Model,
    action,
    array,
    budget,
    ctl,
    implies,
    integer,
    invariant,
    leads_to,
    ltl,
    option,
    param,
    require,
    setof,
    spend,
    AG,
    EF,
)"""


def kinds(cast: Cast) -> Iterator[str]:
    """The enumerations of the model."""
    yield enumeration("Broker", "A broker.", cast.brokers)
    if cast.cables:
        yield enumeration("Cable", "What can fail between brokers.", cast.cables)
    if cast.topics:
        members = {word: word for word in cast.topics.values()}
        yield enumeration("Topic", "Topics that the links treat alike, under one name.", members)


def parameters(cast: Cast) -> Iterator[str]:
    """What may fail, and what has failed."""
    if cast.cables:
        yield f"    link_failures = param(0, high={len(cast.cables)})  # so many cables are dead"
    yield f"    broker_failures = param(0, high={len(cast.brokers)})  # so many brokers are dead"
    if cast.cables:
        yield "    links_left = budget(link_failures)"
    yield "    brokers_left = budget(broker_failures)"
    yield ""
    yield "    dead = setof(Broker)"
    if cast.cables:
        yield "    cut = setof(Cable)"


def failures(cast: Cast) -> Iterator[str]:
    """The steps that break something."""
    if cast.cables:
        yield "    @action"
        yield "    def fail_link(self, cable: Cable) -> None:"
        yield "        require(self.fate == Fate.UNPUBLISHED and cable not in self.cut)"
        yield "        spend(self.links_left)"
        yield "        self.cut.add(cable)"
        yield ""
    yield "    @action"
    yield "    def fail_broker(self, broker: Broker) -> None:"
    yield "        require(self.fate == Fate.UNPUBLISHED and broker not in self.dead)"
    yield "        spend(self.brokers_left)"
    yield "        self.dead.add(broker)"
    yield ""


def homes(cast: Cast) -> Iterator[str]:
    """Where the clients of a broker are."""
    yield "    def home(self, broker: Broker) -> Broker | None:"
    yield '        """The broker itself, or the first of its substitutes that lives."""'
    for name in cast.brokers:
        chain = _substitutes(cast.mesh, name)
        if len(chain) > 1:
            yield f"        if broker == {cast.broker(name)}:"
            parts = [f"{cast.broker(each)} if {cast.broker(each)} not in self.dead" for each in chain]
            yield f"            return {' else '.join([*parts, 'None'])}"
    yield "        return broker if broker not in self.dead else None"
    yield ""


def _substitutes(mesh: Mesh, name: str) -> list[str]:
    """The broker, its substitute, that one's substitute and so on, each once."""
    following = {broker.name: broker.substitute for broker in mesh.brokers}
    chain: dict[str, None] = {}
    at: str | None = name
    while at is not None and at not in chain:
        chain[at] = None
        at = following.get(at)
    return list(chain)


def publishing(cast: Cast, origin: str, targets: Iterable[str]) -> Iterator[str]:
    """The conditions of a step that publishes at a broker, and where the message then is and belongs."""
    listed = either("Broker", (cast.brokers[each] for each in dict.fromkeys(targets)))
    yield f"        require(self.fate == Fate.UNPUBLISHED and target in {listed})"
    yield f"        require(self.home({cast.broker(origin)}) is not None and self.home(target) is not None)"
    yield f"        self.at = self.home({cast.broker(origin)})"
    yield "        self.to = self.home(target)"


def by_origin(needs: Iterable[Need]) -> dict[str, list[Need]]:
    """The needs of each publishing broker."""
    found: dict[str, list[Need]] = {}
    for need in needs:
        found.setdefault(need.origin, []).append(need)
    return found


def topic_of(cast: Cast, kin: int) -> str:
    """The topic as it is published."""
    return f"Topic.{cast.topics[kin, IDENTITY]}"
