"""What is judged of sends and deliveries by their places: offsets and ownership.

They are given as columns (`offsets.placed`), all of a place together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from angarium.history.intake.batch import NULL
from angarium.history.kernel.facts import Facts
from angarium.history.kernel.finding import Finding
from angarium.history.kernel.groups import Counts, ownership
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.offsets import consistent_offsets, placed, some


@dataclass
class Placed:
    """What was found."""

    findings: list[Finding] = field(default_factory=list)
    judged: Counter[int] = field(default_factory=Counter)
    """By run: how many have an offset."""
    owned: Counts = field(default_factory=dict)

    def add(self, other: Placed) -> None:
        """Take what was found of other places."""
        self.findings += other.findings
        self.judged.update(other.judged)
        for run, (judged, unjudged) in other.owned.items():
            before = self.owned.get(run, (0, 0))
            self.owned[run] = before[0] + judged, before[1] + unjudged


def judged_places(batches: Sequence[Mapping[str, Numbers]], facts: Facts, asked: Collection[str]) -> Placed:
    """Judge all places of some events."""
    events = placed(batches, facts.tables)
    found = Placed()
    if not events:
        return found
    found.judged.update(events["run"][events["offset"] != NULL].tolist())
    if "consistent-offsets" in asked and any(each.placed for each in facts.profiles.values()):
        found.findings += consistent_offsets(events)
    if "ownership" in asked:
        owned = (events["group"] >= 0) & (events["partition"] > 0) & (events["stored"] == 0)
        findings, found.owned = ownership(facts, some(events, owned))
        found.findings += findings
    return found
