"""The healthy mesh first, then every set of failures.

What becomes of a message changes only if something dies that a copy of it crosses, or that a link stands by
for where a copy comes. So each failure asks again only for these spreads; everything else is as in the
healthy mesh. What a smaller failure breaks is not reported again for a larger one, and what is broken in the
healthy mesh not for any.

On Spark the failures are divided into slices, each looked at as on one machine. Workers know only their own
slice, so what a smaller failure breaks already is sorted out when the slices are back, in their order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from angarium.core.control import Control, Cut
from angarium.mesh.collecting import without_collecting
from angarium.mesh.delivery.outcome import Path, Spread
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Link, Mesh, StandBy
from angarium.mesh.routing.graph import Neighbours, homes, neighbours, reached
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.verify.budget import HEALTHY, Budget, Size
from angarium.mesh.verify.carriers import Carrier, Key, carried, carrier, published
from angarium.mesh.verify.demands import Need, is_probed, needs, with_probes, with_sinks
from angarium.mesh.verify.fates import Fate, fate, looped, taken_over, violations_of
from angarium.mesh.verify.violations import Violation
from angarium.spark.place import Place

Broken = tuple[str, Need | frozenset[str]]
"""A guarantee and what it is broken for: a need, or the links of a round."""


@dataclass(slots=True)
class Sweep:
    """A mesh under failures: what was found so far."""

    mesh: Mesh
    carrier: Carrier
    needs: tuple[Need, ...]
    sources: tuple[tuple[str, int], ...] = ()
    """What is published, by broker and kin of topics: it may go round although nobody wants it."""
    violations: list[Violation] = field(default_factory=list)
    out_of_service: int = 0
    moved: int = 0
    tried: dict[Size, int] = field(default_factory=dict)
    cut: Cut | None = None
    paths: dict[Need, Path] = field(default_factory=dict)
    """Over which way each need was met when nothing was dead."""
    _needs_of: dict[Key, list[Need]] = field(default_factory=dict)
    _crossing: dict[str, set[Key]] = field(default_factory=dict)
    _links: dict[str, Link] = field(init=False)
    _standby: StandBy = field(init=False)
    _resting: tuple[Link, ...] = field(init=False)
    """The links that stand by while nothing is dead."""
    _fixed: Carrier = field(init=False)
    """Messages as they go if these never take over."""
    _neighbours: Neighbours = field(init=False)
    _behind: dict[str, Container[str]] = field(default_factory=dict)
    _broken: dict[Broken, list[Failures]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._links = {link.name: link for link in self.mesh.links}
        self._standby = StandBy(self.mesh.links)
        self._resting = tuple(self._links[name] for name in sorted(self._standby.healthy))
        self._fixed = self.carrier.without_standby() if self._resting else self.carrier
        self._neighbours = neighbours((link.source, link.target) for link in self.mesh.links)

    def healthy(self, control: Control | None = None) -> None:
        """Look at the mesh as it is, and remember what crosses what, unless there is no more time.

        Without a control, whatever ends it is raised: nobody would ask for the cut.
        """
        for need in self.needs:
            self._needs_of.setdefault(self.carrier.key(need.origin, need.kin, need.at), []).append(need)
        for key in self._unasked({broker.name: broker.name for broker in self.mesh.brokers}):
            self._needs_of.setdefault(key, [])
        with control.stopping() if control else nullcontext():
            for key, served in self._needs_of.items():
                if control and control.is_over():
                    break
                spread = self.carrier.spread(key)
                self._remember(key, spread, served)
                self._judge(spread, ((need, need.at) for need in served), NOTHING, HEALTHY)
            else:
                self.tried[HEALTHY] = 1
        self.cut = control.cut if control else None

    def _leads(self, here: str, there: str) -> bool:
        """Whether some chain of links leads from a broker to another."""
        if here not in self._behind:
            self._behind[here] = reached(self._neighbours, here)
        return there in self._behind[here]

    def _unasked(self, at_home: Mapping[str, str | None]) -> Iterator[Key]:
        """All that is published where links hand it on; routers send nothing to nobody."""
        if self.mesh.routing.kind == FORWARD:
            for origin, kin in self.sources:
                home = at_home[origin]
                if home is not None:
                    yield self.carrier.key(home, kin, "")

    def _remember(self, key: Key, spread: Spread, needs: Iterable[Need]) -> None:
        links = [self._links[name] for name in spread.crossed]
        links += self.awaited(spread)
        touched = {f"link {link.fails_as}" for link in links}
        touched |= {f"broker {end}" for link in links for end in (link.source, link.target)}
        touched |= {f"broker {end}" for need in needs for end in (need.origin, need.at)} | {
            f"broker {key[0]}"
        }
        for part in touched:
            self._crossing.setdefault(part, set()).add(key)

    def awaited(self, spread: Spread) -> Iterator[Link]:
        """What must die before a link takes over that begins where a copy comes; or any, among routers."""
        here = {arrival.broker for arrival in spread.arrivals}
        for link in self._resting:
            if link.source in here or self.mesh.routing.kind != FORWARD:
                yield from self._standby.awaits(link)

    def broken(self, budget: Budget, control: Control) -> None:
        """Look at every set of failures, until there is no more time or somebody wants no more."""
        if self.cut:
            return
        total = budget.count(self.mesh)
        with control.stopping():
            for number, (size, failures) in enumerate(budget.failures(self.mesh)):
                if control.is_over():
                    break
                control.report(f"failures, now {failures}", number, total)
                self.under(failures, size)
        self.cut = control.cut

    def under(self, failures: Failures, size: Size) -> None:
        """Look at one set of failures, when the healthy mesh has been looked at."""
        self.tried[size] = self.tried.get(size, 0) + 1
        parts = [f"link {name}" for name in failures.cables] + [f"broker {name}" for name in failures.brokers]
        keys = set().union(*(self._crossing.get(part, set()) for part in parts))
        at_home = homes(self.mesh, failures)
        moved: dict[Key, list[tuple[Need, str]]] = {}
        for key in sorted(keys):
            home = at_home[key[0]]
            if self.mesh.routing.kind == FORWARD and home is not None:
                moved.setdefault(self.carrier.key(home, key[1], ""), [])
            for need in self._needs_of[key]:
                self._rehome(need, at_home, moved)
        self._judge_all(moved, failures, size)

    def all_of(self, failures: Failures) -> None:
        """Ask what becomes of everything while something is dead."""
        at_home = homes(self.mesh, failures)
        moved: dict[Key, list[tuple[Need, str]]] = {key: [] for key in self._unasked(at_home)}
        for need in self.needs:
            self._rehome(need, at_home, moved)
        self._judge_all(moved, failures, HEALTHY)

    def _judge_all(self, moved: Mapping[Key, list[tuple[Need, str]]], failures: Failures, size: Size) -> None:
        for key, living in moved.items():
            self._judge(self.carrier.spread(key, failures), living, failures, size)

    def _rehome(
        self, need: Need, at_home: Mapping[str, str | None], moved: dict[Key, list[tuple[Need, str]]]
    ) -> None:
        origin, at = at_home[need.origin], at_home[need.at]
        if origin is None or at is None:
            self.out_of_service += len(need.demands)
            return
        self.moved += len(need.demands) * ((origin, at) != (need.origin, need.at))
        moved.setdefault(self.carrier.key(origin, need.kin, at), []).append((need, at))

    def _judge(
        self, spread: Spread, needs: Iterable[tuple[Need, str]], failures: Failures, size: Size
    ) -> None:
        served = list(needs)
        for loop in spread.loops:
            self._add_round(looped(loop, spread.origin, failures, size), served)
        for need, at in served:
            met = fate(need, at, spread, self.paths.get(need) if failures else None, self._leads)
            if not failures and not met.lost:
                self.paths[need] = met.path
            for violation in violations_of(met, failures, size):
                self._add(violation, need)
            if self._is_saved(met, failures):
                violation = taken_over(met, failures, size, self._links, self._standby.healthy)
                self._add(violation, need)

    def _is_saved(self, met: Fate, failures: Failures) -> bool:
        """Whether it arrives only because links that stood by have taken over."""
        if met.lost or met.spread.crossed.isdisjoint(self._standby.healthy):
            return False
        key = self.carrier.key(met.spread.origin, met.need.kin, met.at)
        return fate(met.need, met.at, self._fixed.spread(key, failures)).lost

    def _add_round(self, violation: Violation, served: Sequence[tuple[Need, str]]) -> None:
        """Routers go round for each destination on their own, links for all whose topic it is."""
        if self.mesh.routing.kind == FORWARD:
            self._add(violation, frozenset(violation.round))
        else:
            need, _ = served[0]
            what = f"{need.origin} to {need.at} goes round for ever"
            self._add(replace(violation, need=need, what=what), need)

    def take(
        self, violations: Iterable[Violation], tried: Mapping[Size, int], out_of_service: int, moved: int
    ) -> None:
        """Take over what somebody else found in the same mesh under other failures."""
        for violation in violations:
            self._add(violation, violation.need or frozenset(violation.round))
        for size, count in tried.items():
            self.tried[size] = self.tried.get(size, 0) + count
        self.out_of_service += out_of_service
        self.moved += moved

    def _add(self, violation: Violation, about: Need | frozenset[str]) -> None:
        """Keep a violation, unless a smaller failure does the same."""
        before = self._broken.setdefault((violation.guarantee, about), [])
        dead = violation.failures
        if not any(less.within(dead) for less in before):
            before.append(dead)
            self.violations.append(violation)


def prepared(mesh: Mesh) -> tuple[Sweep, Universe]:
    """A mesh about to be looked at, with probes where it has no clients, and its topics."""
    with without_collecting():
        return _prepared(mesh)


def _prepared(mesh: Mesh) -> tuple[Sweep, Universe]:
    probed = with_probes(mesh)
    told_apart = any(link.rename or link.shares for link in probed.links)
    topics = universe(with_sinks(probed) if told_apart else probed)
    all_carried = carried(probed, topics)
    wanted = needs(probed, topics, all_carried, is_probed(mesh))
    return Sweep(probed, carrier(probed, topics), wanted, tuple(sorted(published(probed, topics)))), topics


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: Sequence[tuple[Size, Failures]]


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What was found in a slice."""

    violations: tuple[Violation, ...]
    out_of_service: int
    moved: int
    tried: dict[Size, int]


def looked_at(part: Slice) -> LookedAt:
    """What a worker does with a slice."""
    sweep, _ = prepared(part.mesh)
    sweep.healthy()
    healthy = len(sweep.violations)
    for size, failures in part.failures:
        sweep.under(failures, size)
    sweep.tried.pop(Size())
    return LookedAt(tuple(sweep.violations[healthy:]), sweep.out_of_service, sweep.moved, sweep.tried)


def broken_on_spark(mesh: Mesh, sweep: Sweep, budget: Budget, place: Place, control: Control) -> None:
    """Look at every set of failures on Spark, and put what is found into a sweep of the healthy mesh."""
    from angarium.spark.jobs import Jobs, divided
    from angarium.spark.session import session

    spark = session(place)
    requested = tuple(budget.failures(mesh))
    parts = [Slice(mesh, each) for each in divided(requested, spark.sparkContext.defaultParallelism)]
    done: dict[int, LookedAt] = {}

    def tick() -> None:
        control.report("failures", sum(sum(each.tried.values()) for each in done.values()), len(requested))

    sweep.cut = Jobs(spark, looked_at, done.__setitem__, control, tick).run(parts)
    for number in sorted(done):
        part = done[number]
        sweep.take(part.violations, part.tried, part.out_of_service, part.moved)
