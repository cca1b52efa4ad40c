"""The figures of some walks, and what they met: plain data that can be sent about and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from angarium.checker.walks.results import Sample


class Hit(NamedTuple):
    """Where a guarantee was hit; the least is the one to tell: fewest steps, then the first walk."""

    steps: int
    walk: int


@dataclass(frozen=True, slots=True)
class Walked:
    """Walks with consecutive numbers."""

    sample: Sample
    hits: Mapping[str, Hit] = field(default_factory=dict)
    """For each guarantee that was hit, the least hit."""
    cut: str | None = None
    """Why there are fewer walks than were asked for, if so. The walks that there are are those with the
    lowest numbers, all of them to their end: who kept whatever was finished would prefer short ones."""

    @property
    def end(self) -> int:
        """The number behind the last walk."""
        return self.sample.first + len(self.sample.ends)


def together(parts: Sequence[Walked]) -> Walked:
    """Parts in any order as one, up to the first walk that is missing."""
    return reduce(_joined, sorted(parts, key=lambda part: part.sample.first))


def _joined(before: Walked, after: Walked) -> Walked:
    hits = _least(before.hits, after.hits)
    if before.cut or after.sample.first != before.end:
        return replace(before, hits=hits, cut=before.cut or after.cut or "some walks are missing")
    return Walked(_appended(before.sample, after.sample), hits, after.cut)


def _least(some: Mapping[str, Hit], others: Mapping[str, Hit]) -> dict[str, Hit]:
    names = dict.fromkeys((*some, *others))
    return {name: min(each[name] for each in (some, others) if name in each) for name in names}


def _appended(before: Sample, after: Sample) -> Sample:
    return Sample(
        first=before.first,
        ends=np.concatenate([before.ends, after.ends]),
        steps=np.concatenate([before.steps, after.steps]),
        columns=before.columns,
        values=np.concatenate([before.values, after.values]),
        known=np.concatenate([before.known, after.known]),
    )
