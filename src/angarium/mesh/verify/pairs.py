"""Routers without clients: does every broker reach every other, under every failure?

Where tables are calculated anew after each failure and nothing limits hops, nothing is asked but which pairs
of brokers messages pass between, so that compiled code can answer for all pairs of a failure at once. What is
told are counts, and the first pair that is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from angarium.core.control import Control, Cut
from angarium.mesh.mesh import SHORTEST, Failures, Mesh, StandBy, takes, without_standby
from angarium.mesh.verify.budget import HEALTHY, Budget, Size
from angarium.mesh.verify.fates import within
from angarium.mesh.verify.violations import FAILOVER, Violation

if TYPE_CHECKING:
    from angarium.mesh.routing.sweep import Swept
    from angarium.spark.place import Place

STEPS_AT_ONCE = 300_000_000
"""Steps of compiled code between two looks at the clock: about a second."""


def is_about_pairs(mesh: Mesh) -> bool:
    """Whether all that can be asked of a mesh is which brokers reach which."""
    filtered = any(link.accepts or link.refuses or link.hop_limit is not None for link in mesh.links)
    rerouted = mesh.routing.kind == SHORTEST and mesh.routing.rerouted and mesh.routing.hop_limit is None
    return rerouted and not (mesh.publishers or mesh.subscribers or filtered)


@dataclass(slots=True)
class Pairs:
    """What was found so far."""

    mesh: Mesh
    place: Place | None = None
    """Where Spark is, if it shall do the work."""
    violations: list[Violation] = field(default_factory=list)
    tried: dict[Size, int] = field(default_factory=dict)
    cut: Cut | None = None
    _standby: StandBy = field(init=False)
    _waking: list[tuple[Size, Swept]] = field(default_factory=list)
    """What was found under failures that make links take over."""

    def __post_init__(self) -> None:
        self._standby = StandBy(self.mesh.links)

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return len(self.mesh.brokers) * (len(self.mesh.brokers) - 1)

    def healthy(self) -> None:
        """Look at the mesh as it is."""
        from angarium.mesh.routing.sweep import sweep

        self._take(sweep(self.mesh, ()).healthy, HEALTHY)

    def broken(self, budget: Budget, control: Control) -> None:
        """Look at every set of failures, until there is no more time or somebody wants no more."""
        if self.place is not None:
            self._on_spark(budget, control)
        else:
            self._one_by_one(budget, control)
        self.cut = control.cut
        if self._waking:
            self._note_failovers()

    def _one_by_one(self, budget: Budget, control: Control) -> None:
        total, waiting = budget.count(self.mesh), budget.failures(self.mesh)
        with control.stopping():
            while some := list(islice(waiting, self._at_once())):
                if control.is_over():
                    return
                self._here(some)
                control.report("failures", sum(self.tried.values()) - 1, total)

    def _at_once(self) -> int:
        brokers = len(self.mesh.brokers)
        return max(1, STEPS_AT_ONCE // max(1, brokers * (brokers + len(self.mesh.links))))

    def _here(self, some: list[tuple[Size, Failures]]) -> None:
        from angarium.mesh.routing.sweep import sweep

        swept = sweep(self.mesh, [failures for _, failures in some])
        for (size, _), each in zip(some, swept, strict=True):
            self._take(each, size)

    def _on_spark(self, budget: Budget, control: Control) -> None:
        from angarium.mesh.routing.sweep import sweep_on_spark

        assert self.place is not None
        sizes: dict[Failures, list[Size]] = {}
        for size, failures in budget.failures(self.mesh):
            sizes.setdefault(failures, []).append(size)
        for each in sweep_on_spark(self.mesh, sizes, self.place, control):
            for size in sizes[each.failures]:
                self._take(each, size)

    def _take(self, swept: Swept, size: Size) -> None:
        self.tried[size] = self.tried.get(size, 0) + 1
        if swept.lost + swept.looping > (swept.before if swept.failures else 0):
            self.violations += self._violations(swept, size)

        if self._standby.resting(swept.failures) != self._standby.healthy:
            self._waking.append((size, swept))

    def _note_failovers(self) -> None:
        """Compare with the same mesh in which nothing takes over."""
        from angarium.mesh.routing.sweep import sweep

        fixed = without_standby(self.mesh)
        cables = frozenset(fixed.cables)
        dead = [Failures(each.failures.brokers, each.failures.cables & cables) for _, each in self._waking]
        for (size, swept), before in zip(self._waking, sweep(fixed, dead), strict=True):
            saved = swept.arriving - before.arriving
            if saved > 0:
                woken = self._standby.healthy - self._standby.resting(swept.failures)
                time = takes(link for link in self.mesh.links if link.name in woken)
                what = (
                    f"{saved:,} of {swept.pairs:,} pairs of brokers have a path after failover{within(time)}"
                )
                self.violations.append(
                    Violation(FAILOVER, what, swept.failures, size, pairs=saved, takes=time)
                )

    def _violations(self, swept: Swept, size: Size) -> Iterator[Violation]:
        first = f"the first {swept.first[0]} to {swept.first[1]}" if swept.first else ""
        bad, of = swept.lost + swept.looping, f"of {swept.pairs:,} pairs of brokers"
        sentences = {
            "reachability": (bad, f"{bad:,} {of} are cut off, {first}"),
            "loop-free": (swept.looping, f"between {swept.looping:,} {of} messages go round, {first}"),
        }
        for guarantee, (count, what) in sentences.items():
            if count:
                yield Violation(guarantee, what, swept.failures, size, copies=0, pairs=count)
