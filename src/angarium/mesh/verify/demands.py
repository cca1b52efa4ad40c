"""Who wants what: every publisher, subscriber and class of topics that belong together.

A subscriber wants what matches its patterns, under the name by which it is published or by which some chain
of links would bring it. Demands that links cannot tell apart (same broker to publish, same broker to deliver,
same filters passed) share one fate and are one `Need`: ten thousand topics between two brokers cost what one
does.

Who publishes and subscribes where no file says so.

The configuration of a broker seldom names its clients. Then every broker gets a probe that publishes
everything, or one that wants everything, for each scope that the broker has. What a probe should get is not
known either: it is what some chain of links would carry, if no hop limit and no rule against loops kept it
back. So a probe shows what those rules cost, what arrives twice, and what a failure takes away.

Subscribers as links that lead out of the mesh, so that what they want makes classes of topics as well.

Usually it need not: a subscriber asks which classes it wants something of, and all topics of a class fare
alike. But behind a renaming a subscriber may want some topics of a class under their old name and others
under the new one, which fare differently; and two versions of a mesh may differ in nothing but what a
subscriber wants. There, each set of patterns becomes a link whose filter tells topics apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.topics.classes import TopicClass, Universe
from angarium.mesh.topics.dialects import matcher
from angarium.mesh.topics.labels import first_word
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform

EVERYTHING = {"plain": "*", "mqtt": "#", "amqp": "#", "nats": ">", "mirrormaker": ".*"}
"""The pattern of all topics, in each dialect."""


def with_probes(mesh: Mesh) -> Mesh:
    """The mesh with probes for the clients that nobody names."""
    if not is_probed(mesh):
        return mesh
    scopes = all_scopes(mesh)
    probes = [probe for broker in mesh.brokers for probe in _probes(broker, scopes.get(broker.name, [""]))]
    publishers = mesh.publishers or tuple(Publisher(*probe) for probe in probes)
    subscribers = mesh.subscribers or tuple(Subscriber(*probe) for probe in probes)
    return replace(mesh, publishers=publishers, subscribers=subscribers)


def is_probed(mesh: Mesh) -> bool:
    """Whether some clients are nobody's but ours."""
    return not (mesh.publishers and mesh.subscribers)


def _probes(broker: Broker, scopes: list[str]) -> Iterator[tuple[str, str, tuple[Pattern, ...]]]:
    """A client for each scope of a broker, with a name, a place and all topics."""
    for scope in scopes:
        name = f"{broker.name} ({scope})" if scope and len(scopes) > 1 else broker.name
        yield name, broker.name, (Pattern(EVERYTHING[broker.dialect], broker.dialect, scope),)


def all_scopes(mesh: Mesh) -> dict[str, list[str]]:
    """By broker the scopes of all that is said of it, in order; not what only leads on within it."""
    within = {link.rename.scope for link in mesh.links if link.kind == "queue" and link.rename}
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for broker, scope in _said(mesh):
        if scope not in within:
            found[broker][scope] = None
    return {broker: list(scopes) for broker, scopes in found.items()}


def _said(mesh: Mesh) -> Iterator[tuple[str, str]]:
    """Of brokers the scopes of their clients, of what leaves them, and of what comes."""
    clients: tuple[Publisher | Subscriber, ...] = (*mesh.publishers, *mesh.subscribers)
    yield from ((client.broker, pattern.scope) for client in clients for pattern in client.topics)
    yield from ((link.source, pattern.scope) for link in mesh.links for pattern in link.accepts)
    for link in mesh.links:
        yield from ((link.target, scope) for scope in _behind(link))


def _behind(link: Link) -> Iterable[str]:
    """The scopes of what comes over a link."""
    renamed = link.rename.scope if link.rename else None
    return (pattern.scope for pattern in link.accepts) if renamed is None else (renamed,)


MOST = 3_000
"""More sets of patterns than this would make too many classes; then subscribers only ask."""
_OUT = "\0out"


def with_sinks(mesh: Mesh) -> Mesh:
    """The mesh with a link for what each subscriber wants."""
    wanted = dict.fromkeys((subscriber.broker, subscriber.topics) for subscriber in mesh.subscribers)
    if len(wanted) > MOST:
        return mesh
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    out = tuple(Broker(f"{_OUT} {dialect}", dialect) for dialect in dict.fromkeys(dialects.values()))
    links = tuple(
        Link(f"{_OUT} {number}", at, f"{_OUT} {dialects[at]}", accepts=tuple(map(_as_filter, topics)))
        for number, (at, topics) in enumerate(wanted)
    )
    return replace(mesh, brokers=(*mesh.brokers, *out), links=(*mesh.links, *links))


def _as_filter(pattern: Pattern) -> Pattern:
    """A name in MirrorMaker's dialect is a name for a subscriber, and an expression for a link."""
    name = all(letter.isalnum() or letter in "._-" for letter in pattern.text)
    if pattern.dialect != "mirrormaker" or not name:
        return pattern
    return replace(pattern, text=pattern.text.replace(".", "\\."))


_PLAIN = frozenset({IDENTITY})
_NONE: frozenset[Transform] = frozenset()


class Demand(NamedTuple):
    """A topic that a publisher publishes and a subscriber wants."""

    publisher: str
    subscriber: str
    number: int
    """The class of topics."""
    topic: Topic
    """One of the class that is wanted, as it is published."""
    bound: float | None = None
    """Milliseconds within which it must arrive."""


@dataclass(frozen=True, slots=True)
class Need:
    """Demands with one fate: what is published at `origin` must arrive at `at`, under a wanted name."""

    origin: str
    at: str
    kin: int
    """The class of topics, as far as links tell topics apart."""
    names: frozenset[Transform] = _PLAIN
    """The renamings behind which what arrives is what is wanted."""
    shares: str = ""
    """With whom at its broker the subscriber competes."""
    demands: tuple[Demand, ...] = field(default=(), compare=False)


_Fate = tuple[str, str, int, frozenset[Transform], str]
"""What the demands of a need have in common: its first five fields."""


def relaxed(mesh: Mesh) -> Mesh:
    """The mesh without hop limits, histories, split horizons and standby: what its filters would carry."""
    return replace(mesh, links=tuple(_relaxed(link) for link in mesh.links))


def _relaxed(link: Link) -> Link:
    return replace(link, hop_limit=None, avoids_visited=False, not_after=frozenset(), failover="")


Carried = Mapping[tuple[str, int], Spread]
"""What the filters alone would carry, by publishing broker and kin of topics."""


def needs(mesh: Mesh, universe: Universe, carried: Carried, probed: bool) -> tuple[Need, ...]:
    """What must arrive; for probes, only what the filters would carry there."""
    found: dict[_Fate, list[Demand]] = {}
    for shared, demand in _demands(mesh, universe, carried, probed):
        found.setdefault(shared, []).append(demand)
    return tuple(Need(*shared, tuple(demands)) for shared, demands in found.items())


def _demands(
    mesh: Mesh, universe: Universe, carried: Carried, probed: bool
) -> Iterator[tuple[_Fate, Demand]]:
    publishers = _by_class(mesh.publishers, universe)
    renamings, arriving = _Renamings.among(carried, universe.classes), _arriving(carried)
    classes, lookup = universe.classes, lru_cache(maxsize=None)(partial(_wanted, universe, renamings))
    for subscriber in mesh.subscribers:
        for number, topic, good in lookup(subscriber.topics):
            kin = classes[number].alike
            for publisher in publishers.get(number, ()):
                there = arriving.get((publisher.broker, kin, subscriber.broker), _NONE)
                if not good.isdisjoint(there) or (IDENTITY in good and not probed):
                    demand = Demand(publisher.name, subscriber.name, number, topic, subscriber.latency_bound)
                    yield (publisher.broker, subscriber.broker, kin, good, subscriber.shares), demand


def _by_class(publishers: Iterable[Publisher], universe: Universe) -> dict[int, list[Publisher]]:
    found: dict[int, list[Publisher]] = {}
    for publisher in publishers:
        for number in universe.published(publisher.name):
            found.setdefault(number, []).append(publisher)
    return found


_Front = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Renamings:
    """How topics may be renamed on their paths, and that few kins are renamed in the same way.

    In a cluster with a thousand shovels there are a thousand renamings, and each is of one exchange.
    """

    by_kin: Mapping[int, frozenset[Transform]]
    of: Mapping[Transform, tuple[TopicClass, ...]]
    """The classes that are renamed so; without those that are not renamed at all."""
    by_front: Mapping[_Front, tuple[Transform, ...]]
    """By the scope into which they bring a topic, and by that and the first word, None where that is its own.
    By nothing: it keeps its scope."""

    @classmethod
    def among(cls, carried: Carried, classes: Iterable[TopicClass]) -> _Renamings:
        by_kin: dict[int, set[Transform]] = {}
        for (_, kin), spread in carried.items():
            by_kin.setdefault(kin, set()).update(each.renamed for each in spread.arrivals)
        by_front: dict[_Front, list[Transform]] = {}
        for name in _PLAIN.union(*by_kin.values()):
            scope, word = name.add[:1], name.add[1:2] or (None,)
            for front in ((*scope, *word), scope) if scope else ((),):
                by_front.setdefault(front, []).append(name)
        of: dict[Transform, list[TopicClass]] = {}
        for each in classes:
            for name in by_kin.get(each.alike, _NONE) - _PLAIN:
                of.setdefault(name, []).append(each)
        return cls(
            {kin: frozenset(names) for kin, names in by_kin.items()},
            {name: tuple(its) for name, its in of.items()},
            {front: tuple(names) for front, names in by_front.items()},
        )

    @property
    def are_none(self) -> bool:
        return self.by_front == {(): (IDENTITY,)}

    def into(self, pattern: Pattern) -> Iterator[Transform]:
        """Those behind which a topic may match a pattern."""
        word = first_word(pattern, exact=True)
        fronts = [(pattern.scope,)] if word is None else [(pattern.scope, each) for each in (None, word)]
        for front in ((), *fronts):
            yield from self.by_front.get(front, ())


def _wanted(
    universe: Universe, renamings: _Renamings, patterns: tuple[Pattern, ...]
) -> tuple[tuple[int, Topic, frozenset[Transform]], ...]:
    """Each class of which patterns want something, with a topic, and the renamings that they want it by."""
    if renamings.are_none:
        return tuple((number, topic, _PLAIN) for number, topic in universe.overlapped(patterns).items())
    wants, brought = matcher(patterns, exact=True), chain(*map(renamings.into, patterns))
    possible = {each for each in brought if not (each.add and each.whole) or wants(each.add)}
    of_kin = lru_cache(maxsize=None)(lambda kin: _PLAIN | (renamings.by_kin.get(kin, _NONE) & possible))
    found: dict[tuple[int, frozenset[Transform]], Topic] = {}
    for name in sorted(possible, key=lambda each: (each != IDENTITY, each.add, each.strip)):
        met = universe.overlapped(patterns, name)
        for number in met if name == IDENTITY else [each.number for each in renamings.of.get(name, ())]:
            topic = met.get(number)
            if topic is not None:
                new = ((each, each(topic)) for each in of_kin(universe.classes[number].alike))
                good = frozenset(each for each, renamed in new if renamed is not None and wants(renamed))
                found.setdefault((number, good), topic)
    return tuple((number, topic, good) for (number, good), topic in found.items())


def _arriving(carried: Carried) -> dict[tuple[str, int, str], frozenset[Transform]]:
    """The renamings with which something arrives, by publishing broker, kin of topics and broker."""
    found: dict[tuple[str, int, str], set[Transform]] = {}
    for (origin, kin), spread in carried.items():
        for arrival in spread.arrivals:
            found.setdefault((origin, kin, arrival.broker), set()).add(arrival.renamed)
    return {key: frozenset(names) for key, names in found.items()}
