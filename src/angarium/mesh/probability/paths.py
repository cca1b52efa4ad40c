"""What becomes of each thing that is wanted while something is dead, and what its path is made of.

The answers are those of `angarium mesh verify`: routers with the tables that they have under these
failures, new or old, or links that hand on; clients of a dead broker at its substitute. Only what a failure
touches is asked again. Where links hand on several copies, the path is the quickest by mean latencies. The
first copy is there at the latest when that one is, so a chance of being late is then an upper limit.

A failure that touches nothing that a message crosses makes no difference to it: paths only get dearer or die,
so the one that was chosen stays chosen. Nearly all sets of failures come down to one or two of them in this
way, and what those do is asked once. Only where routers find new paths and filters or hop limits stop
messages may one that is lost arrive when more is dead; there all failures are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from angarium.core.errors import MeshError, UsageError, did_you_mean
from angarium.mesh.delivery.legs import refuse_choices
from angarium.mesh.delivery.outcome import Path, Spread
from angarium.mesh.distributions import Part, parts_of, settled
from angarium.mesh.mesh import NOTHING, SHORTEST, Failures, Mesh, StandBy
from angarium.mesh.routing.graph import homes
from angarium.mesh.topics.dialects import written
from angarium.mesh.verify.demands import Demand, Need, is_probed
from angarium.mesh.verify.fates import fate
from angarium.mesh.verify.sweep import Sweep, prepared

MOST_NAMED = 20
"""Topics in a message."""
AWAY, LOST, ARRIVES = "away", "lost", "arrives"
"""An end is dead, and nobody takes its place; no path leads there; it comes over some path."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a message."""

    kind: str
    constant: float = 0.0
    """Milliseconds of its path that are always the same."""
    parts: tuple[Part, ...] = ()
    """What varies."""
    is_limit: bool = False
    """Whether another copy may be there earlier."""


_AWAY, _LOST = Outcome(AWAY), Outcome(LOST)
Known = tuple[Outcome, Failures]
"""What becomes of a need under some failures, and what it depends on: what else would make a difference."""
MOST_KNOWN = 200_000


class Ends(NamedTuple):
    """Who wants what from whom."""

    topic: str
    publisher: str
    subscriber: str


@dataclass(frozen=True, slots=True)
class Question:
    """Something that must arrive within a bound, if there is one."""

    need: Need
    bound: float | None
    """Milliseconds."""
    ends: tuple[Ends, ...]
    """All for whom the answer is the same."""


@dataclass
class Paths:
    """The paths of a mesh, under any failures."""

    mesh: Mesh
    sweep: Sweep
    questions: tuple[Question, ...]
    healthy: list[Outcome] = field(default_factory=list)
    """What becomes of each question when nothing is dead."""
    _places: dict[Need, list[int]] = field(default_factory=dict)
    """Of each need, its questions."""
    _touching: dict[str, set[Need]] = field(default_factory=dict)
    """By what may be dead: the needs that it matters to."""
    _known: dict[tuple[Need, Failures], Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._links = {link.name: link for link in self.mesh.links}
        self._brokers = {broker.name: broker for broker in self.mesh.brokers}
        self._may_find_another = _may_find_another(self.mesh)
        for place, question in enumerate(self.questions):
            self._places.setdefault(question.need, []).append(place)
        met = {need: self._look(need) for need in self._places}
        self.healthy = [met[question.need] for question in self.questions]

    def changed(self, failures: Failures) -> dict[int, Outcome]:
        """What becomes of the questions to which failures make a difference, by their place."""
        found: dict[int, Outcome] = {}
        for need in set().union(*(self._touching.get(each, ()) for each in _named(failures))):
            outcome = self._met(need, failures)
            if outcome != self.healthy[self._places[need][0]]:
                found |= dict.fromkeys(self._places[need], outcome)
        return dict(sorted(found.items()))

    def outcomes(self, failures: Failures = NOTHING) -> list[Outcome]:
        """What becomes of each question while something is dead."""
        changed = self.changed(failures)
        return [changed.get(place, outcome) for place, outcome in enumerate(self.healthy)]

    def _look(self, need: Need) -> Outcome:
        """What becomes of a need when nothing is dead; note what that depends on."""
        outcome, touching = self._under(need, NOTHING)
        everything = Failures(frozenset(self._brokers), frozenset(self.mesh.cables))
        is_open = outcome.kind == LOST and self._may_find_another
        for each in _named(everything if is_open else touching):
            self._touching.setdefault(each, set()).add(need)
        return outcome

    def _met(self, need: Need, failures: Failures) -> Outcome:
        """What becomes of a need; only failures that touch a path that it would take are looked at."""
        part = NOTHING
        while True:
            outcome, touching = self._under(need, part)
            more = Failures(
                part.brokers | failures.brokers & touching.brokers,
                part.cables | failures.cables & touching.cables,
            )
            if more == part:
                is_open = outcome.kind == LOST and self._may_find_another
                return self._under(need, failures)[0] if is_open else outcome
            part = more

    def _under(self, need: Need, failures: Failures) -> Known:
        if (need, failures) not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[need, failures] = self.known(need, failures)
        return self._known[need, failures]

    def known(self, need: Need, failures: Failures) -> Known:
        """What becomes of a need under just these failures, and what else it depends on."""
        at_home = homes(self.mesh, failures)
        origin, at = at_home[need.origin], at_home[need.at]
        if origin is None or at is None:
            return _AWAY, NOTHING
        spread = self.sweep.carrier.spread(self.sweep.carrier.key(origin, need.kin, at), failures)
        met, touching = fate(need, at, spread), self._touched(spread, (origin, at))
        if met.lost:
            return _LOST, touching
        constant, parts = settled(self._parts(origin, met.path))
        return Outcome(ARRIVES, constant, parts, met.copies != 1), touching

    def _touched(self, spread: Spread, ends: tuple[str, str]) -> Failures:
        """What would make a difference if it were dead: what copies cross, and the ends."""
        links = [*(self._links[name] for name in spread.crossed), *self.sweep.awaited(spread)]
        brokers = {end for link in links for end in (link.source, link.target)}
        return Failures(frozenset(brokers.union(ends)), frozenset(link.fails_as for link in links))

    def _parts(self, origin: str, path: Path) -> Iterator[Part]:
        """The times that a path takes: of all its links, and of all brokers that it comes to."""
        begin = self._brokers[origin]
        yield from parts_of(begin.latency, begin.varying)
        for name in path:
            link = self._links[name]
            yield from parts_of(link.latency, link.varying)
            if not link.is_inner:
                broker = self._brokers[link.target]
                yield from parts_of(broker.latency, broker.varying)


def _may_find_another(mesh: Mesh) -> bool:
    """Whether a message that is lost may arrive when more is dead: routers send it round a filter then.

    Where links forward, those that stand by may take over.
    """
    if StandBy(mesh.links).healthy:
        return True
    reroutes = mesh.routing.kind == SHORTEST and mesh.routing.rerouted
    limits = mesh.routing.hop_limit is not None or any(
        link.hop_limit is not None or link.accepts or link.refuses for link in mesh.links
    )
    return reroutes and limits


def _named(failures: Failures) -> Iterator[str]:
    yield from (f"link {name}" for name in failures.cables)
    yield from (f"broker {name}" for name in failures.brokers)


def paths_of(mesh: Mesh, topics: Sequence[str] = ()) -> Paths:
    """The paths of everything that is wanted in a mesh, or only of some topics."""
    if is_probed(mesh):
        raise MeshError(
            "ANG121",
            f"the mesh {mesh.name} does not say who publishes and who subscribes",
            possible="publishers, subscribers or topics, with bounds (within)",
            remedy="say what must arrive where, and within which time",
        )
    refuse_choices(mesh, "who asks for chances")
    sweep, _ = prepared(mesh)
    names = _Names(sweep.mesh)
    _check_topics(topics, {names.topic(each) for need in sweep.needs for each in need.demands})
    return Paths(sweep.mesh, sweep, tuple(_questions(sweep, names, topics)))


def _check_topics(topics: Sequence[str], wanted: set[str]) -> None:
    for topic in topics:
        if topic not in wanted:
            raise UsageError(
                "ANG013",
                f"nobody who publishes {topic!r} has a subscriber for it",
                possible=did_you_mean(topic, sorted(wanted)[:MOST_NAMED], also=wanted),
                remedy="give a topic as its publisher writes it",
            )


def _questions(sweep: Sweep, names: _Names, topics: Sequence[str]) -> Iterator[Question]:
    for need in sweep.needs:
        by_bound: dict[float | None, list[Ends]] = {}
        for demand in need.demands:
            topic = names.topic(demand)
            if not topics or topic in topics:
                wanted = Ends(topic, demand.publisher, demand.subscriber)
                by_bound.setdefault(demand.bound, []).append(wanted)
        for bound, those in by_bound.items():
            yield Question(need, bound, tuple(those))


class _Names:
    """Topics as their publishers write them."""

    def __init__(self, mesh: Mesh) -> None:
        dialects = {broker.name: broker.dialect for broker in mesh.brokers}
        self._dialects = {each.name: dialects[each.broker] for each in mesh.publishers}

    def topic(self, demand: Demand) -> str:
        return written(demand.topic, self._dialects[demand.publisher])
