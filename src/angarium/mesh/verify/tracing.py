"""Where one topic goes, and which topics a link carries: the same spreads, looked at one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.delivery.choices import Rival
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Copy, Spread
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh, Pattern, Subscriber
from angarium.mesh.routing.graph import reconfigured
from angarium.mesh.topics.classes import Universe
from angarium.mesh.topics.dialects import legal, matcher, topic_of, written
from angarium.mesh.topics.topic import Topic
from angarium.mesh.verify.carriers import Key
from angarium.mesh.verify.demands import all_scopes
from angarium.mesh.verify.sweep import Sweep, prepared


class Received(NamedTuple):
    """What a subscriber gets."""

    subscriber: Subscriber
    copies: int | None
    """At most; None: without end."""
    rival: Rival | None
    """Who may take it instead, where it is shared out."""


@dataclass(frozen=True, slots=True)
class Traced:
    """What becomes of one topic."""

    topic: str
    spread: Spread
    received: tuple[Received, ...]
    """Of every subscriber that wants what arrives."""
    each: Mapping[tuple[str, str], Sequence[Copy]] = field(default_factory=dict)
    """Copies by broker and name there, the quickest first; not all, if they are many."""
    elsewhere: tuple[str, ...] = ()
    """The scopes of the origin, if nothing there has the scope that was given."""


def trace(mesh: Mesh, origin: str, text: str, scope: str = "", failures: Failures = NOTHING) -> Traced:
    """Follow a topic that is published at a broker."""
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    if origin not in dialects:
        raise MeshError(
            "ANG123",
            f"the mesh {mesh.name} has no broker named {origin!r}",
            possible=did_you_mean(origin, dialects),
            remedy="give one of these",
        )
    legal(Pattern(text, dialects[origin], scope))
    topic = topic_of(text, dialects[origin], scope)
    now = reconfigured(mesh, failures)
    spread, each = _followed(now, origin, topic, failures)
    received, called = _received(now, topic, spread), written(topic, dialects[origin])
    unknown = not (received or spread.crossed)
    return Traced(called, spread, received, each, _elsewhere(mesh, origin, scope) if unknown else ())


def _elsewhere(mesh: Mesh, origin: str, scope: str) -> tuple[str, ...]:
    """Where topics of a broker live, if nothing says that any lives in that scope."""
    found = all_scopes(mesh).get(origin, [])
    return () if scope in found else tuple(found)


def _followed(
    mesh: Mesh, origin: str, topic: Topic, failures: Failures
) -> tuple[Spread, Mapping[tuple[str, str], Sequence[Copy]]]:
    """What becomes of it, and the copies one by one where there can be several."""
    if mesh.routing.kind == FORWARD:
        forwarding = Forwarding(mesh)
        spread = forwarding.spread(origin, topic, failures)
        return spread, forwarding.each_copy(origin, topic, failures)
    return _routed(mesh, origin, topic, failures), {}


def _routed(mesh: Mesh, origin: str, topic: Topic, failures: Failures) -> Spread:
    from angarium.mesh.routing.tables import tables
    from angarium.mesh.routing.walk import spread

    wants = [each.broker for each in mesh.subscribers if matcher(each.topics, exact=True)(topic)]
    everywhere = [broker.name for broker in mesh.brokers]
    return spread(mesh, tables(mesh, failures), origin, topic, wants if mesh.subscribers else everywhere)


def _received(mesh: Mesh, topic: Topic, spread: Spread) -> tuple[Received, ...]:
    found = []
    for subscriber in mesh.subscribers:
        wants = matcher(subscriber.topics, exact=True)
        here = [each.renamed for each in spread.arrivals if each.broker == subscriber.broker]
        names = frozenset(name for name in here if (new := name(topic)) is not None and wants(new))
        if names:
            wish = subscriber.broker, names, (subscriber.broker, subscriber.shares)
            found.append(Received(subscriber, spread.copies_at(*wish), spread.rival(*wish)))
    return tuple(found)


def crossings(mesh: Mesh) -> dict[str, tuple[str, ...]]:
    """For every cable, a topic of each class that crosses it, as it is published."""
    sweep, topics = prepared(mesh)
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    cables = {link.name: link.fails_as for link in mesh.links}
    found: dict[str, dict[str, None]] = {cable: {} for cable in mesh.cables}
    for key, its in _carried_topics(sweep, topics):
        spelled = dict.fromkeys(written(topic, dialects[key[0]]) for topic in its)
        for link in sweep.carrier.spread(key).crossed:
            found.get(cables[link], {}).update(spelled)
    return {cable: tuple(its) for cable, its in found.items()}


def _carried_topics(sweep: Sweep, topics: Universe) -> Iterator[tuple[Key, Iterable[Topic]]]:
    """What links hand on, whoever wants it; and what routers send, to those who do."""
    if sweep.mesh.routing.kind == FORWARD:
        for origin, kin in sorted(sweep.sources):
            alike = (each.topic for each in topics.classes if each.alike == kin)
            yield sweep.carrier.key(origin, kin, ""), alike
    else:
        for need in sweep.needs:
            key = sweep.carrier.key(need.origin, need.kin, need.at)
            yield key, (demand.topic for demand in need.demands)
