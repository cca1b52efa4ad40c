"""`verify`: every guarantee of a mesh, healthy and under every failure within a budget.

    mesh -> classes of topics -> demands -> needs -> spreads, healthy -> spreads under each failure

Some of it can be seen without sending a message: names that lead to nothing, and clients without a
counterpart. Guarantees that the files leave open get no verdict: without publishers and subscribers nobody
can say who is missing, and a mesh without bounds has no latency to keep.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from angarium.core.control import Control, Cut, CutBy, Tell, cut_of, in_lines
from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from angarium.mesh.mesh import Failures, Mesh, Pattern
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.topic import IDENTITY
from angarium.mesh.verify.budget import HEALTHY, ONE, Budget, Size
from angarium.mesh.verify.demands import Need, is_probed, with_probes
from angarium.mesh.verify.doubts import Doubts
from angarium.mesh.verify.hop_limits import smallest_limit, too_few_hops
from angarium.mesh.verify.pairs import Pairs, is_about_pairs
from angarium.mesh.verify.sweep import Sweep, broken_on_spark, prepared
from angarium.mesh.verify.violations import (
    FAILOVER,
    FOLLOWED,
    GUARANTEES,
    UNDER_FAILURES,
    Looked,
    Verdicts,
    Verification,
    Violation,
)
from angarium.spark.place import Place


def dangling(mesh: Mesh) -> Iterator[Violation]:
    """References that lead nowhere, as whoever read the files found them."""
    for remark in mesh.remarks:
        if remark.kind == "dangling":
            where = f"{remark.place}: " if remark.place else ""
            advice = f"; {remark.remedy[0].lower()}{remark.remedy[1:].rstrip('.')}" if remark.remedy else ""
            yield Violation("no-dangling-references", f"{where}{remark.what}{advice}")


def unwanted(mesh: Mesh, needs: Sequence[Need]) -> Iterator[Violation]:
    """Patterns that are published and of which nobody wants anything."""
    served = {demand.publisher for need in needs for demand in need.demands}
    several = [each for each in mesh.publishers if each.name in served and len(each.topics) > 1]
    bad = {
        (each.name, pattern) for each in mesh.publishers if each.name not in served for pattern in each.topics
    }
    bad |= _unwanted_parts(replace(mesh, publishers=tuple(several)), needs) if several else set()
    for publisher in mesh.publishers:
        for pattern in publisher.topics:
            if (publisher.name, pattern) in bad:
                what = f"{publisher.name} publishes {pattern.text} at {publisher.broker}, and nobody wants it"
                yield Violation("publishers-have-subscribers", what)


def _unwanted_parts(mesh: Mesh, needs: Sequence[Need]) -> set[tuple[str, Pattern]]:
    """Of publishers of several patterns, those of which nobody wants anything."""
    split = _by_pattern(mesh)
    topics = universe(split)
    names = {subscriber.broker: {IDENTITY} for subscriber in mesh.subscribers}
    for need in needs:
        names[need.at] |= need.names
    wanted = {
        number
        for subscriber in mesh.subscribers
        for name in names[subscriber.broker]
        for number in topics.overlapped(subscriber.topics, name)
    }
    return {
        (publisher.name.split("\0")[0], publisher.topics[0])
        for publisher in split.publishers
        if wanted.isdisjoint(topics.published(publisher.name))
    }


def _by_pattern(mesh: Mesh) -> Mesh:
    """The mesh with a publisher for each pattern, so that what each publishes can be distinguished."""
    publishers = [
        replace(publisher, name=f"{publisher.name}\0{number}", topics=(pattern,))
        for publisher in mesh.publishers
        for number, pattern in enumerate(publisher.topics)
    ]
    return replace(mesh, publishers=tuple(publishers))


def unserved(mesh: Mesh, topics: Universe, needs: Sequence[Need]) -> Iterator[Violation]:
    """Patterns of subscribers of which nobody publishes anything, under whatever name it would come."""
    served = {demand.subscriber for need in needs for demand in need.demands}
    names = {IDENTITY}.union(*(need.names for need in needs))
    for subscriber in mesh.subscribers:
        for pattern in subscriber.topics:
            alone = subscriber.name in served and len(subscriber.topics) == 1
            if not alone and not any(topics.overlapped((pattern,), name) for name in names):
                wish = f"{subscriber.name} wants {pattern.text} at {subscriber.broker}"
                yield Violation("subscribers-have-publishers", f"{wish}, and nobody publishes that")


def verify(
    mesh: Mesh,
    budget: Budget = ONE,
    *,
    only: Collection[str] = (),
    place: Place | None = None,
    observe: Tell | None = None,
    timeout: float | None = None,
) -> Verification:
    """Judge every guarantee of a mesh, or only some; with a place, on Spark there."""
    sizes = {size: size.count(mesh) for size in (HEALTHY, *budget.sizes)}
    control = Control(timeout, in_lines(observe))
    request = _Request(mesh, budget, only, place, control, Doubts(mesh), sizes)
    try:
        return request.about_pairs() if is_about_pairs(mesh) else request.about_demands()
    except KeyboardInterrupt as problem:  # where nothing is known yet
        return request.cut(cut_of(problem))


def found_under(mesh: Mesh, failures: Failures) -> list[Violation]:
    """What goes wrong with messages while something is dead, whatever else goes wrong when nothing is."""
    healthy, _ = prepared(mesh)
    healthy.healthy()
    sweep = Sweep(healthy.mesh, healthy.carrier, healthy.needs, healthy.sources, paths=healthy.paths)
    sweep.all_of(failures)
    return [each for each in sweep.violations if each.guarantee != FAILOVER]


@dataclass(frozen=True, slots=True)
class _Request:
    """A question, and when it was asked."""

    mesh: Mesh
    budget: Budget
    only: Collection[str]
    place: Place | None
    control: Control
    doubts: Doubts
    sizes: Mapping[Size, int]
    """How many sets of failures have each size."""

    def about_pairs(self) -> Verification:
        pairs = Pairs(self.mesh, self.place)
        pairs.healthy()
        pairs.broken(self.budget, self.control)
        violations = [*pairs.violations, *dangling(self.mesh)]
        looked = Looked(1, pairs.count, pairs.count, pairs.tried, cut=pairs.cut)
        return self._answer(violations, looked)

    def about_demands(self) -> Verification:
        sweep, topics = prepared(self.mesh)
        sweep.healthy(self.control)
        self._break(sweep)
        hops = None if sweep.cut else smallest_limit(sweep.mesh, topics, sweep.needs)
        lost = [each for each in sweep.violations if each.guarantee == "reachability"]
        violations = [*sweep.violations, *_of_configuration(self.mesh, topics, sweep.needs)]
        violations += too_few_hops(sweep.mesh, lost, hops)
        return self._answer(violations, _looked(topics, sweep), str(hops or ""))

    def cut(self, why: Cut) -> Verification:
        """Nothing was judged."""
        nothing = self._answer((), Looked(0, 0, 0, {}, cut=why))
        unknown = (
            replace(each, verdicts=dict.fromkeys(each.verdicts, Verdict.UNKNOWN))
            for each in nothing.guarantees
        )
        return replace(nothing, guarantees=tuple(unknown))

    def _break(self, sweep: Sweep) -> None:
        if self.place is None or sweep.cut:
            sweep.broken(self.budget, self.control)
            return
        broken_on_spark(self.mesh, sweep, self.budget, self.place, self.control)

    def _answer(self, violations: Sequence[Violation], looked: Looked, hops: str = "") -> Verification:
        possible = list(_applicable(self.mesh))
        names = [name for name in possible if not self.only or name in self.only]
        if not names:
            raise _nothing_said(self.mesh, self.only, possible)
        notes = {"hop-limit": hops}
        guarantees = tuple(
            self._verdicts(name, [each for each in violations if each.guarantee == name], looked, notes)
            for name in names
        )
        engine = "local" if self.place is None else "spark"
        looked = replace(looked, seconds=self.control.seconds, engine=engine)
        complete = with_probes(self.mesh)
        failovers = tuple(each for each in violations if each.guarantee == FAILOVER)
        return Verification(self.mesh, complete, is_probed(self.mesh), guarantees, looked, failovers)

    def _verdicts(
        self, name: str, mine: Sequence[Violation], looked: Looked, notes: Mapping[str, str]
    ) -> Verdicts:
        sizes = (HEALTHY, *self.budget.sizes) if name in UNDER_FAILURES else (HEALTHY,)
        sure = [each for each in mine if not self.doubts.undo(each)]
        seeming = {size: self._verdict(name, size, mine, looked) for size in sizes}
        verdicts = {
            size: self._doubted(name, seems, self._verdict(name, size, sure, looked))
            for size, seems in seeming.items()
        }
        because = self._because(name, seeming, verdicts)
        return Verdicts(name, verdicts, tuple(mine), notes.get(name, ""), because)

    def _doubted(self, name: str, seems: Verdict, surely: Verdict) -> Verdict:
        """What is left of a verdict by what the files leave open."""
        if seems is Verdict.VIOLATED:
            return seems if surely is Verdict.VIOLATED else Verdict.UNKNOWN
        return Verdict.UNKNOWN if self.doubts.breaking(name) else seems

    def _because(
        self, name: str, seeming: Mapping[Size, Verdict], verdicts: Mapping[Size, Verdict]
    ) -> tuple[int, ...]:
        """The numbers of the remarks that made verdicts unknown."""
        changed = {seeming[size] for size, verdict in verdicts.items() if verdict is not seeming[size]}
        found = self.doubts.breaking(name) if Verdict.HOLDS in changed else ()
        found += self.doubts.undoing(name) if Verdict.VIOLATED in changed else ()
        return tuple(sorted({number for number, _ in found}))

    def _verdict(self, name: str, size: Size, violations: Iterable[Violation], looked: Looked) -> Verdict:
        """Violated by a failure of up to this size; holds only if all of them were looked at."""
        if any(self._counts(each, size) for each in violations):
            return Verdict.VIOLATED
        complete = looked.failures.get(size, 0) == self.sizes[size] and looked.unfollowed is None
        return Verdict.HOLDS if complete or name not in FOLLOWED else Verdict.UNKNOWN

    def _counts(self, violation: Violation, size: Size) -> bool:
        """Whether what was found is within failures of a size, or within a shared risk."""
        if size.risks:
            return any(violation.failures.within(risk.failures) for risk in self.mesh.shared_risks)
        least = violation.size
        return least.links <= size.links and least.brokers <= size.brokers and not least.risks


def _of_configuration(mesh: Mesh, topics: Universe, wanted: Sequence[Need]) -> Iterator[Violation]:
    yield from dangling(mesh)
    if not is_probed(mesh):
        yield from unwanted(mesh, wanted)
        yield from unserved(mesh, topics, wanted)


def _nothing_said(mesh: Mesh, only: Collection[str], possible: Sequence[str]) -> UsageError:
    return UsageError(
        "ANG012",
        f"the mesh {mesh.name} says nothing about {', '.join(sorted(only))}",
        possible=f"possible: {', '.join(possible)}",
        remedy="give bounds (within), hop limits or clients, or ask for another guarantee",
    )


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


def _looked(topics: Universe, sweep: Sweep) -> Looked:
    demands = sum(len(need.demands) for need in sweep.needs)
    return Looked(
        len(topics.classes),
        demands,
        len(sweep.needs),
        sweep.tried,
        sweep.out_of_service,
        sweep.moved,
        cut=sweep.cut or (Cut(CutBy.MISSING, topics.cut) if topics.cut else None),
        unfollowed=topics.cut,
    )
