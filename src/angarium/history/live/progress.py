"""How far a followed history has come: all that is carried from batch to batch beside the events.

It is one small JSON file a batch, written last of all that a batch writes. A batch that is repeated after a
crash begins again from the progress of the batch before it, and so ends in the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from angarium.history.missing import Missing
from angarium.history.profile import Profile


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known after a batch."""

    batch: int = -1
    watermark: int = 0
    """Everything before this time has been judged."""
    newest: int = 0
    """The time of the last event so far."""
    accepted: int = 0
    quarantined: Mapping[str, int] = field(default_factory=dict)
    """Rows in quarantine, by reason."""
    missing: Missing = field(default_factory=Missing)
    """What of that may lack in which run."""
    found: tuple[tuple[str, str, str, int], ...] = ()
    """Run, guarantee and kind of violations, and how many there are."""
    profiles: tuple[Profile, ...] = ()
    judged: tuple[tuple[str, str], ...] = ()
    """Run and guarantee: what has been judged at least once."""
    retained: int = 0
    """Events that still matter."""
    open_messages: int = 0
    overdue: int = 0
    """Messages confirmed longer ago than the in-flight tail, and not delivered: lost if they never come."""
    alerts: int = 0
    """How long the file of alerts is, in bytes."""
    position: Mapping[str, int] = field(default_factory=dict)
    """How far the source was read; what that means is the source's affair."""
    snapshot: int = -1
    """The batch after which what is remembered was written down last; -1: it never was."""
    pins: tuple[int, ...] = ()
    """Events that have since then proved something that is told once."""
    seconds: float = 0.0
    """How long the batch took."""
    ended: bool = False

    @property
    def findings(self) -> dict[str, int]:
        """Violations, by guarantee."""
        counts = Counter[str]()
        for _, guarantee, _, count in self.found:
            counts[guarantee] += count
        return dict(sorted(counts.items()))

    @property
    def read(self) -> int:
        """Rows so far: read = accepted + quarantined."""
        return self.accepted + sum(self.quarantined.values())

    @property
    def late(self) -> int:
        """Rows that came after the watermark had passed them."""
        return sum(count for reason, count in self.quarantined.items() if reason.startswith("late"))


def added(before: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Two counts together."""
    return {key: before.get(key, 0) + more.get(key, 0) for key in sorted({*before, *more})}


def to_text(progress: Progress) -> str:
    """The progress as JSON."""
    return json.dumps(asdict(progress))


def from_text(text: str) -> Progress:
    """The progress that `to_text` wrote."""
    facts: dict[str, Any] = json.loads(text)
    facts["profiles"] = tuple(
        Profile(**(each | {"systems": tuple(each["systems"])})) for each in facts["profiles"]
    )
    facts["judged"] = tuple((run, guarantee) for run, guarantee in facts["judged"])
    facts["found"] = tuple((run, name, kind, count) for run, name, kind, count in facts["found"])
    facts["pins"] = tuple(facts["pins"])
    facts["missing"] = Missing(**facts["missing"])
    return Progress(**facts)
