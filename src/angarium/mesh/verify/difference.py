"""What a change to a mesh changes for its subscribers.

Two meshes are asked about the same topics: one partition into classes that no filter of either distinguishes.
Clients are the same if they have the same name. Everything else may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from angarium.core.control import Control, Stopped, Tell, in_lines
from angarium.mesh.delivery.outcome import Path
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.dialects import written
from angarium.mesh.verify.budget import NONE, Budget
from angarium.mesh.verify.carriers import carried, carrier
from angarium.mesh.verify.demands import Need, is_probed, needs, with_probes, with_sinks
from angarium.mesh.verify.fates import Fate, fate
from angarium.mesh.verify.sweep import Sweep

KINDS = {
    "lost": "arrived before, and does not now",
    "doubled": "arrives more often",
    "slower": "takes longer",
    "exposed": "is lost under a failure that it survived before",
    "gained": "arrives now, and did not before",
    "once": "arrives less often",
    "faster": "arrives sooner",
    "protected": "survives a failure under which it was lost before",
}
"""What can become of a topic of a subscriber, the bad news first."""
WORSE = ("lost", "doubled", "slower", "exposed")

Wanted = tuple[str, str, int]
"""Publisher, subscriber, class of topics."""


@dataclass(frozen=True, slots=True)
class Received:
    """What a subscriber gets of a topic in one of the two meshes."""

    copies: int | None
    latency: float
    path: Path
    topic: str
    deadly: frozenset[Failures] = frozenset()
    """The smallest failures that lose it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A topic of a subscriber that fares differently."""

    kind: str
    publisher: str
    subscriber: str
    old: Received | None
    new: Received | None

    @property
    def topic(self) -> str:
        known = self.new or self.old
        assert known
        return known.topic


def compare(old: Mesh, new: Mesh, budget: Budget = NONE, observe: Tell | None = None) -> list[Difference]:
    """Everything that fares differently, the bad news first."""
    topics = universe(with_sinks(_both(with_probes(old), with_probes(new))))
    before = _received(_named(with_probes(old), "old"), topics, is_probed(old), budget, observe)
    after = _received(_named(with_probes(new), "new"), topics, is_probed(new), budget, observe)
    found = [each for key in sorted({*before, *after}) for each in _differences(key, before, after)]
    return sorted(found, key=lambda each: list(KINDS).index(each.kind))


# --- one partition for both ---------------------------------------------------------------------------


def _both(old: Mesh, new: Mesh) -> Mesh:
    """A mesh with the links and publishers of both, under names that tell them apart."""
    parts = [_named(old, "old"), _named(new, "new")]
    brokers = {broker.name: broker for part in parts for broker in part.brokers}
    links = tuple(
        replace(link, name=f"{label} {link.name}")
        for label, part in zip(("old", "new"), parts, strict=True)
        for link in part.links
    )
    publishers = tuple(each for part in parts for each in part.publishers)
    subscribers = tuple(each for part in parts for each in part.subscribers)
    return replace(
        new, brokers=tuple(brokers.values()), links=links, publishers=publishers, subscribers=subscribers
    )


def _named(mesh: Mesh, label: str) -> Mesh:
    publishers = tuple(replace(each, name=f"{label} {each.name}") for each in mesh.publishers)
    return replace(mesh, publishers=publishers)


# --- what everybody gets --------------------------------------------------------------------------------


def _received(
    mesh: Mesh, topics: Universe, probed: bool, budget: Budget, observe: Tell | None
) -> dict[Wanted, Received]:
    wanted = needs(mesh, topics, carried(mesh, topics), probed)
    sweep = Sweep(mesh, carrier(mesh, topics), wanted)
    sweep.healthy()
    sweep.broken(budget, Control(observe=in_lines(observe)))
    if sweep.cut:
        raise Stopped(sweep.cut)  # what was not looked at would be missing as if it had been mended
    deadly, spread = _deadly(sweep), cache(sweep.carrier.spread)
    found: dict[Wanted, Received] = {}
    for need in wanted:
        met = fate(need, need.at, spread(sweep.carrier.key(need.origin, need.kin, need.at)))
        found.update(_each(mesh, met, deadly.get(need, frozenset())))
    return found


def _deadly(sweep: Sweep) -> dict[Need, frozenset[Failures]]:
    found: dict[Need, set[Failures]] = {}
    for violation in sweep.violations:
        if violation.guarantee == "reachability" and violation.need and violation.failures:
            found.setdefault(violation.need, set()).add(violation.failures)
    return {need: frozenset(failures) for need, failures in found.items()}


def _each(mesh: Mesh, met: Fate, deadly: frozenset[Failures]) -> Iterator[tuple[Wanted, Received]]:
    dialect = next(broker.dialect for broker in mesh.brokers if broker.name == met.need.origin)
    for demand in met.need.demands:
        publisher = demand.publisher.partition(" ")[2]
        received = Received(met.copies, met.latency, met.path, written(demand.topic, dialect), deadly)
        yield (publisher, demand.subscriber, demand.number), received


# --- the difference ---------------------------------------------------------------------------------------


def _differences(
    key: Wanted, before: Mapping[Wanted, Received], after: Mapping[Wanted, Received]
) -> Iterator[Difference]:
    old, new = before.get(key), after.get(key)
    publisher, subscriber, _ = key
    for kind in _kinds(old, new):
        yield Difference(kind, publisher, subscriber, old, new)


def _kinds(old: Received | None, new: Received | None) -> Iterable[str]:
    was, now = _count(old), _count(new)
    if not was or not now:
        return ["gained"] if now > was else ["lost"] if was > now else []
    assert old and new
    found = ["doubled"] if now > was else ["once"] if now < was else []
    pace, former = (new.latency, len(new.path)), (old.latency, len(old.path))
    found += ["slower"] if pace > former else ["faster"] if pace < former else []
    found += ["exposed"] if _worse(old.deadly, new.deadly) else []
    return found + (["protected"] if _worse(new.deadly, old.deadly) else [])


def _worse(before: frozenset[Failures], after: frozenset[Failures]) -> bool:
    """Whether some failure is deadly after that was not before, neither as a whole nor a part of it."""
    return any(not any(less.within(each) for less in before) for each in after)


def _count(received: Received | None) -> float:
    if received is None:
        return 0
    return float("inf") if received.copies is None else received.copies
