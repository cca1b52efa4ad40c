"""What is in quarantine and might have been events: how many rows each run may lack.

A row that names its run counts for that run. Of a line that is damaged, of a file that is cut, and of a row
that names no run, nobody knows it: it may be of any run of which its file has events, and if nothing of the
file could be read, of any run at all. So it counts for each of them. A row may also name a run of which
nothing else was read. Then the run is one that nobody has seen, or its name is damaged: it counts as if it
had none, and may be of any run.

Rows that are there twice are no events that are missing, and are not counted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from angarium.history.schema import BROKER


@dataclass(frozen=True, slots=True)
class Missing:
    """How many rows are missing."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """By the run that they name."""
    strays: Mapping[str, int] = field(default_factory=dict)
    """Rows and files whose run is not known, by each run that they may be of."""
    anywhere: int = 0
    """Rows and files that may be of any run."""

    def __add__(self, other: Missing) -> Missing:
        return Missing(
            dict(Counter(self.rows) + Counter(other.rows)),
            dict(Counter(self.strays) + Counter(other.strays)),
            self.anywhere + other.anywhere,
        )

    def named(self, run_id: str) -> int:
        """Rows that name a run. A broker's history is under the name of its clients' one."""
        return sum(self.rows.get(name, 0) for name in _names(run_id))

    def stray(self, seen: Collection[str]) -> dict[str, int]:
        """Rows and files that may be of each run, if events of these runs were seen."""
        known = {name for each in seen for name in _names(each)}
        unseen = sum(count for run, count in self.rows.items() if run not in known)
        return {
            run: sum(self.strays.get(name, 0) for name in _names(run)) + self.anywhere + unseen
            for run in seen
        }


def _names(run_id: str) -> set[str]:
    return {run_id, run_id.removesuffix(BROKER)}


Refused = tuple[str, str | None, int]
"""Rows in quarantine: their file, the run that they name, and how many they are."""


def missing(refused: Iterable[Refused], runs_of: Mapping[str, Collection[str]]) -> Missing:
    """What is missing, from rows in quarantine and the runs of which each file has events.

    Only the runs of files that have a row without a run are asked for.
    """
    rows, strays, anywhere = Counter[str](), Counter[str](), 0
    for file, run_id, count in refused:
        if run_id is not None:
            rows[run_id] += count
        elif runs := runs_of.get(file):
            strays.update(dict.fromkeys(runs, count))
        else:
            anywhere += count
    return Missing(dict(rows), dict(strays), anywhere)
