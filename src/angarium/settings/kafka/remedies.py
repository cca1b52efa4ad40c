"""The cheapest change: which single settings, or else which two, keep what is violated, and what they cost.

Nothing is known beforehand of what helps. Every sensible change is made and the table filled in again: what
turns from violated to holds is mended, and what turns from holds to violated is the price, also in rows and
columns that nobody asked for, beside what a change costs in general. Pairs are tried only for what no single
change mends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from angarium.core.errors import SettingsError
from angarium.core.result import Verdict
from angarium.settings.kafka.configuration import Configuration
from angarium.settings.kafka.guarantees import Inspector, Table
from angarium.settings.kafka.translate import Change, changes, possible_changes

Key = tuple[str, str]
"""A guarantee and the name of a fault."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes that mend something."""

    changes: tuple[Change, ...]
    mends: tuple[Key, ...]
    """For a pair: what no single change mends."""
    breaks: tuple[Key, ...]
    undecided: tuple[Key, ...] = ()
    """What holds without the changes, and nobody knows with them."""

    @property
    def settings(self) -> dict[str, str]:
        return {each.setting: each.value for each in self.changes}

    def __str__(self) -> str:
        return " and ".join(f"{each.setting}={each.value}" for each in self.changes)


@dataclass(frozen=True, slots=True)
class Remedies:
    """What was found, cheapest first."""

    found: tuple[Remedy, ...]
    complete: bool
    """Whether every single change and every pair was tried that could matter."""

    def of(self, key: Key) -> list[Remedy]:
        return [each for each in self.found if key in each.mends]


def remedies(inspector: Inspector, table: Table) -> Remedies:
    """What would mend the violated cells of a table."""
    red = {cell.key for cell in table.that_are(Verdict.VIOLATED)}
    singles = list(_that_mend(inspector, table, _singles(table.configuration), red)) if red else []
    left = red - {key for each in singles for key in each.mends}
    # Where a single change is not decided, it may be that two are not needed.
    pairs = (
        _that_mend(inspector, table, _pairs(table.configuration), left) if left and not inspector.cut else ()
    )
    found = sorted([*singles, *pairs], key=lambda each: (len(each.changes), len(each.breaks)))
    return Remedies(tuple(found), inspector.cut is None)


def _singles(configuration: Configuration) -> list[tuple[Change, ...]]:
    return [(each,) for each in possible_changes(configuration)]


def _pairs(configuration: Configuration) -> list[tuple[Change, ...]]:
    return [pair for pair in combinations(changes(configuration), 2) if pair[0].setting != pair[1].setting]


def _that_mend(
    inspector: Inspector, table: Table, tried: Sequence[tuple[Change, ...]], red: Collection[Key]
) -> Iterator[Remedy]:
    """The changes after which one of these cells holds."""
    faults = [each for each in table.faults if any(name == each.name for _, name in red)]
    for change in tried:
        changed = _changed(table.configuration, change)
        if changed is None or inspector.stopped:
            continue
        first = inspector.table(changed, faults, table.guarantees, stories=False)
        if any(cell.key in red for cell in first.that_are(Verdict.HOLDS)):
            before = inspector.table(table.configuration, stories=False)
            yield _remedy(change, before, inspector.table(changed, stories=False), red)


def _changed(configuration: Configuration, change: tuple[Change, ...]) -> Configuration | None:
    """The changed configuration; None if Kafka would not start with it."""
    try:
        return configuration.with_changes({each.setting: each.value for each in change})
    except SettingsError:
        return None


def _remedy(change: tuple[Change, ...], before: Table, after: Table, red: Collection[Key]) -> Remedy:
    def turned(old: Verdict, new: Verdict) -> tuple[Key, ...]:
        was = (cell.key for cell in before.that_are(old))
        return tuple(key for key in was if after.cell(*key).verdict is new)

    mends = (key for key in turned(Verdict.VIOLATED, Verdict.HOLDS) if key in red)
    breaks, undecided = (turned(Verdict.HOLDS, new) for new in (Verdict.VIOLATED, Verdict.UNKNOWN))
    return Remedy(change, tuple(mends), breaks, undecided)
