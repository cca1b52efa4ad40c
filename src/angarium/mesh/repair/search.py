"""The smallest change that makes a broken guarantee hold, found by trying, and verified.

A repair is taken only if the whole verification says that the guarantee holds now, and that nothing broke
which held before. All single changes that are worth trying are tried before pairs of them. Where no pair is
enough, changes are added one by one, each time that which leaves the fewest findings: such a repair is
verified as well, but a smaller one may exist, and that is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations

from angarium.core.control import Tell
from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.change import Change, applied
from angarium.mesh.mesh import Mesh
from angarium.mesh.remarks import trusting
from angarium.mesh.repair.candidates import candidates
from angarium.mesh.verify.budget import Budget, Size
from angarium.mesh.verify.compare import Difference, compare
from angarium.mesh.verify.doubts import Doubts
from angarium.mesh.verify.findings import Finding, Verification
from angarium.mesh.verify.verify import verify

MOST_ALTERNATIVES = 3
"""Repairs of equal size that are offered."""
MOST_WEIGHED = 8
"""Changes that nearly mend it, of which that is told which loses least."""
MOST_PAIRS = 2_000
MOST_STEPS = 12
"""How many changes one after the other are worth offering."""

Broken = frozenset[tuple[str, Size]]


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which a guarantee holds."""

    guarantee: str
    changes: tuple[Change, ...]
    mesh: Mesh
    smallest: bool
    """Whether nothing smaller was overlooked among the changes worth trying."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Changes that mend a guarantee and break something else."""

    changes: tuple[Change, ...]
    breaks: tuple[tuple[str, Size], ...]
    lost: tuple[Difference, ...] = ()
    """What arrives now, and does not after it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What can be mended, and what cannot."""

    repairs: tuple[Repair, ...]
    unmended: Mapping[str, Miss | None]
    """Broken guarantees for which no repair was found, with what comes nearest."""
    unsure: frozenset[str] = frozenset()
    """Guarantees that may not be broken at all, because of what the files leave open."""


@dataclass(frozen=True, slots=True)
class Search:
    """Looks for repairs of one mesh, as the files tell it: nothing mends what they leave open."""

    mesh: Mesh
    budget: Budget
    only: tuple[str, ...] = ()
    """The guarantees to mend; all if there is none."""
    observe: Tell | None = None
    deadline: float | None = None
    tried: dict[tuple[Change, ...], Verification] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        """The smallest repairs of each broken guarantee."""
        now, doubts = self._verified(()), Doubts(self.mesh)
        broken = [each for each in now.judgements if each.findings and self._is_wanted(each.guarantee)]
        found = {each.guarantee: self._of(each.guarantee, each.findings, _broken(now)) for each in broken}
        missed = {name: self._nearest(name, _broken(now)) for name, several in found.items() if not several}
        for name, miss in missed.items():
            found[name] = self._tried_for_another(name, miss)
        repairs = tuple(repair for several in found.values() for repair in several)
        unmended = {name: miss for name, miss in missed.items() if not found[name]}
        unsure = (each.guarantee for each in broken if all(map(doubts.undo, each.findings)))
        return Outcome(repairs, unmended, frozenset(unsure))

    def _nearest(self, guarantee: str, broken: Broken) -> Miss | None:
        """Of all that was tried, the changes that mend it and break least."""
        after = {changes: _broken(verification) for changes, verification in self.tried.items()}
        misses = [
            Miss(changes, tuple(sorted(now - broken, key=str)))
            for changes, now in after.items()
            if changes and all(name != guarantee for name, _ in now)
        ]
        near = sorted(misses, key=lambda miss: (len(miss.breaks), len(miss.changes)))[:MOST_WEIGHED]
        weighed = [replace(miss, lost=self._losses(miss.changes)) for miss in near]
        return min(weighed, key=lambda miss: (len(miss.breaks), len(miss.lost)), default=None)

    def _tried_for_another(self, guarantee: str, miss: Miss | None) -> list[Repair]:
        """What was tried to mend another guarantee, and mends this one without breaking anything."""
        if miss is None or miss.breaks or miss.lost:
            return []
        return [Repair(guarantee, miss.changes, self._changed(miss.changes), len(miss.changes) == 1)]

    def _is_wanted(self, guarantee: str) -> bool:
        return not self.only or guarantee in self.only

    def _of(self, guarantee: str, findings: Sequence[Finding], broken: Broken) -> list[Repair]:
        worth = candidates(self.mesh, findings)
        found = list(self._mending(guarantee, [(change,) for change in worth], broken))
        if found:
            return found
        few = len(worth) * (len(worth) - 1) // 2 <= MOST_PAIRS
        pairs = [pair for pair in combinations(worth, 2) if self._fits(pair)] if few else []
        found = list(self._mending(guarantee, pairs, broken))
        return found or self._step_by_step(guarantee, findings, broken, 3 if few else 2)

    def _fits(self, changes: tuple[Change, ...]) -> bool:
        """Whether changes can be made together: a link that is gone has no hop limit."""
        try:
            self._changed(changes)
        except MeshError:
            return False
        return True

    def _mending(
        self, guarantee: str, proposals: Sequence[tuple[Change, ...]], broken: Broken
    ) -> Iterator[Repair]:
        count = 0
        for number, changes in enumerate(proposals):
            if self._late() or count == MOST_ALTERNATIVES:
                return
            if self.observe:
                self.observe(f"{guarantee}: trying {number:,} of {len(proposals):,} changes")
            if self._mends(guarantee, changes, broken):
                count += 1
                yield Repair(guarantee, changes, self._changed(changes), True)

    def _mends(self, guarantee: str, changes: tuple[Change, ...], broken: Broken) -> bool:
        after = _broken(self._verified(changes))
        mended = not any(name == guarantee for name, _ in after) and after <= broken
        return mended and self._loses_nothing(changes)

    def _loses_nothing(self, changes: tuple[Change, ...]) -> bool:
        """Whether all that arrived still does: probes expect only what the links that are left bring."""
        return not self._losses(changes)

    def _losses(self, changes: tuple[Change, ...]) -> tuple[Difference, ...]:
        found = compare(self.mesh, self._changed(changes))
        return tuple(each for each in found if each.kind == "lost")

    def _step_by_step(
        self, guarantee: str, findings: Sequence[Finding], broken: Broken, least: int
    ) -> list[Repair]:
        """Change after change; not fewer than `least` are enough."""
        changes: tuple[Change, ...] = ()
        while findings and len(changes) < MOST_STEPS and not self._late():
            proposals = candidates(self._changed(changes), findings)[:MOST_STEPS]
            if not proposals:
                return []
            longer = [(*changes, change) for change in proposals]
            changes = min(filter(self._fits, longer), key=lambda each: self._left(guarantee, each, broken))
            findings = self._findings(guarantee, changes)
        mended = bool(changes) and self._mends(guarantee, changes, broken)
        return [Repair(guarantee, changes, self._changed(changes), len(changes) <= least)] if mended else []

    def _left(self, guarantee: str, changes: tuple[Change, ...], broken: Broken) -> tuple[int, int]:
        """What broke that held before, and what is left to mend."""
        worse = _broken(self._verified(changes)) - broken
        return len(worse), len(self._findings(guarantee, changes))

    def _findings(self, guarantee: str, changes: tuple[Change, ...]) -> list[Finding]:
        return [each for each in self._verified(changes).findings if each.guarantee == guarantee]

    def _verified(self, changes: tuple[Change, ...]) -> Verification:
        if changes not in self.tried:
            self.tried[changes] = verify(self._changed(changes), self.budget)
        return self.tried[changes]

    def _changed(self, changes: tuple[Change, ...]) -> Mesh:
        return reduce(applied, changes, trusting(self.mesh))

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline


def _broken(verification: Verification) -> Broken:
    """Every guarantee that does not hold, with the size of failures."""
    return frozenset(
        (judgement.guarantee, size)
        for judgement in verification.judgements
        for size, verdict in judgement.verdicts.items()
        if verdict is not Verdict.HOLDS
    )
