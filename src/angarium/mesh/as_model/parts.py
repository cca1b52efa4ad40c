"""What the models of all meshes have in common: brokers, cables, what fails, and what is asked.

Something fails only before the message is published. So one run has one set of failures, and a verdict under
a budget is one over every set within it: the same question that `angarium mesh verify` asks.

Asked is who publishes what, who wants it, and what links make of its name. Topics that no link distinguishes
are of one kin, and one topic stands for its kin. What a chain of links makes of a name is a `Transform`; a
kin and a transform together are a `Name`, and a model needs one value for each name that can come about.
Where links change no names and refuse nothing that is wanted, there is nothing to tell apart, and a model is
spared it.

Names come from other people's files and may be anything; a word of a model is an identifier of Python. Each
name gets a word that looks like it, no two the same, and the name itself is kept as a text beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword, issoftkeyword

from angarium.core.errors import MeshError
from angarium.mesh.mesh import FORWARD, Link, Mesh, StandBy
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform
from angarium.mesh.verify.demands import Need

LONGEST = 40
"""Characters of a word: what is longer is cut, and numbered if that makes two words the same."""
_TAKEN = frozenset({"name", "value", "mro", "self"})
"""What would mean something else as a member of an enumeration."""


def words(names: Iterable[str], letter: str) -> dict[str, str]:
    """A word for each name, in order; `letter` is put before what would begin with none."""
    given = tuple(dict.fromkeys(names))
    return dict(zip(given, distinct(word_for(name, letter) for name in given), strict=True))


def distinct(wishes: Iterable[str]) -> list[str]:
    """Each wish, with a number behind it if it has been wished before."""
    found: dict[str, None] = {}
    for wish in wishes:
        word, number = wish, 1
        while word in found:
            number += 1
            word = f"{wish}_{number}"
        found[word] = None
    return list(found)


def word_for(name: str, letter: str) -> str:
    """A word that looks like a name; another name may get the same."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")[:LONGEST]
    if not plain or not plain[0].isalpha():
        plain = f"{letter}{plain}"
    odd = iskeyword(plain) or issoftkeyword(plain) or plain in _TAKEN
    return f"{plain}_" if odd else plain


def enumeration(kind: str, about: str, members: Mapping[str, str]) -> str:
    """A class with one member for each name."""
    lines = [f"    {word} = {name!a}" for name, word in members.items()]
    return "\n".join([f"class {kind}(Enum):", f'    """{about}"""', "", *lines])


def either(kind: str, members: Iterable[str]) -> str:
    """Some members of an enumeration, as what `in` looks into."""
    listed = [f"{kind}.{member}" for member in members]
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"


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
    from angarium.mesh.topics.dialects import crossing

    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    return crossing(link, dialects[link.source], dialects[link.target])


def _after(mesh: Mesh, name: Name, made: Transform) -> Name:
    """The name behind a link; routers send by destination and leave names alone."""
    from angarium.mesh.delivery.legs import shortened

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
