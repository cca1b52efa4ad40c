"""`verify`: every guarantee of a mesh, healthy and under every failure within a budget.

    mesh -> classes of topics -> demands -> needs -> spreads, healthy -> spreads under each failure

Guarantees that the files leave open are not judged: without publishers and subscribers nobody can say who is
missing, and a mesh without bounds has no latency to keep.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.topics.classes import Universe
from angarium.mesh.verify.budget import HEALTHY, ONE, Budget, Size
from angarium.mesh.verify.clients import is_probed, with_probes
from angarium.mesh.verify.configuration import dangling, unserved, unwanted
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.findings import (
    GUARANTEES,
    UNDER_FAILURES,
    Finding,
    Judgement,
    Looked,
    Verification,
)
from angarium.mesh.verify.hop_limits import smallest_limit, too_few_hops
from angarium.mesh.verify.pairs import Pairs, is_about_pairs
from angarium.mesh.verify.sweep import Observer, Sweep, prepared
from angarium.spark.place import Place
from angarium.verdict import Verdict


def verify(
    mesh: Mesh,
    budget: Budget = ONE,
    *,
    only: Collection[str] = (),
    place: Place | None = None,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> Verification:
    """Judge every guarantee of a mesh, or only some; with a place, on Spark there."""
    asked = _Asked(mesh, budget, only, place, observe, time.monotonic(), timeout)
    return asked.about_pairs() if is_about_pairs(mesh) else asked.about_demands()


def found_under(mesh: Mesh, failures: Failures) -> list[Finding]:
    """What goes wrong with messages while something is dead, whatever else goes wrong when nothing is."""
    healthy, _ = prepared(mesh)
    healthy.healthy()
    sweep = Sweep(healthy.mesh, healthy.carrier, healthy.needs, healthy.sources, ways=healthy.ways)
    sweep.all_of(failures)
    return sweep.findings


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, and when it was asked."""

    mesh: Mesh
    budget: Budget
    only: Collection[str]
    place: Place | None
    observe: Observer | None
    begin: float
    timeout: float | None

    @property
    def deadline(self) -> float | None:
        return None if self.timeout is None else self.begin + self.timeout

    def about_pairs(self) -> Verification:
        pairs = Pairs(self.mesh, self.place)
        pairs.healthy()
        pairs.broken(self.budget, self.observe, self.deadline)
        findings = [*pairs.findings, *dangling(self.mesh)]
        looked = Looked(1, pairs.count, pairs.count, pairs.tried, cut=pairs.cut)
        return self._answer(findings, looked)

    def about_demands(self) -> Verification:
        sweep, topics = prepared(self.mesh)
        sweep.healthy()
        self._break(sweep)
        hops = smallest_limit(sweep.mesh, topics, sweep.needs)
        lost = [each for each in sweep.findings if each.guarantee == "reachability"]
        findings = [*sweep.findings, *_of_configuration(self.mesh, sweep.needs)]
        findings += too_few_hops(sweep.mesh, lost, hops)
        return self._answer(findings, _looked(topics, sweep), str(hops or ""), topics.cut)

    def _break(self, sweep: Sweep) -> None:
        if self.place is None:
            sweep.broken(self.budget, self.observe, self.deadline)
            return
        from angarium.mesh.verify import on_spark

        on_spark.broken(self.mesh, sweep, self.budget, self.place, self.timeout, self.observe)

    def _answer(
        self, findings: Sequence[Finding], looked: Looked, hops: str = "", cut: str | None = None
    ) -> Verification:
        guarantees = [name for name in _applicable(self.mesh) if not self.only or name in self.only]
        notes = {"hop-limit": hops}
        judgements = tuple(
            self._judgement(name, [each for each in findings if each.guarantee == name], looked, cut, notes)
            for name in guarantees
        )
        engine = "local" if self.place is None else "spark"
        looked = replace(looked, seconds=time.monotonic() - self.begin, engine=engine)
        asked = with_probes(self.mesh)
        return Verification(self.mesh, asked, is_probed(self.mesh), judgements, looked)

    def _judgement(
        self, name: str, mine: Sequence[Finding], looked: Looked, cut: str | None, notes: Mapping[str, str]
    ) -> Judgement:
        sizes = (HEALTHY, *self.budget.sizes) if name in UNDER_FAILURES else (HEALTHY,)
        verdicts = {size: _verdict(size, mine, looked, self.mesh, cut) for size in sizes}
        return Judgement(name, verdicts, tuple(mine), cut or notes.get(name, ""))


def _of_configuration(mesh: Mesh, wanted: Sequence[Need]) -> Iterator[Finding]:
    yield from dangling(mesh)
    if not is_probed(mesh):
        yield from unwanted(mesh, wanted)
        yield from unserved(mesh, wanted)


def _applicable(mesh: Mesh) -> Iterable[str]:
    """The guarantees about which the files say enough."""
    left_out = set()
    if is_probed(mesh):
        left_out |= {"publishers-have-subscribers", "subscribers-have-publishers"}
    if all(subscriber.latency_bound is None for subscriber in mesh.subscribers):
        left_out.add("latency")
    if mesh.routing.hop_limit is None and all(link.hop_limit is None for link in mesh.links):
        left_out.add("hop-limit")
    return (guarantee for guarantee in GUARANTEES if guarantee not in left_out)


def _verdict(size: Size, findings: Iterable[Finding], looked: Looked, mesh: Mesh, cut: str | None) -> Verdict:
    """Violated by a failure of up to this size; holds only if all of them were looked at."""
    if any(each.size.links <= size.links and each.size.brokers <= size.brokers for each in findings):
        return Verdict.VIOLATED
    complete = looked.failures.get(size, 0) == size.count(mesh)
    return Verdict.HOLDS if complete and cut is None else Verdict.UNKNOWN


def _looked(topics: Universe, sweep: Sweep) -> Looked:
    demands = sum(len(need.demands) for need in sweep.needs)
    return Looked(
        len(topics.classes),
        demands,
        len(sweep.needs),
        sweep.tried,
        sweep.out_of_service,
        sweep.moved,
        cut=sweep.cut,
    )
