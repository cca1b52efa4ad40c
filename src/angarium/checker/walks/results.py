"""What a simulation answers: raw figures, statistics of them, and verdicts on what was met on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from angarium.checker.walks.plan import Plan
from angarium.core.control import Cut
from angarium.core.result import CheckVerdict, Displayed, Parameters, Verdict, worst

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class End(IntEnum):
    """Why a walk ended."""

    GOAL = 0
    """It came to the goal."""
    REST = 1
    """Nothing more could happen."""
    LIMIT = 2
    """It had taken as many steps as it may."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of some walks, one row a walk, in the order of their numbers."""

    first: int
    """The number of the first walk."""
    ends: NDArray[np.uint8]
    steps: NDArray[np.int64]
    columns: tuple[tuple[str, str], ...]
    """Of each column, the observation and its arguments (empty if it has none)."""
    values: NDArray[np.int64]
    known: NDArray[np.bool_]
    """Where there is a value: none if what it waits for did not happen, or if it cannot be evaluated."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Figures from low up to and including high, and how many there are."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Statistic:
    """One observation over all walks that came to the goal (or ended at rest, if the model has no goal)."""

    observation: str
    description: str
    walks: int
    """How many walks gave figures."""
    count: int
    """How many figures there are: an observation with arguments gives several a walk."""
    mean: float
    sd: float
    low: float
    """The mean is between low and high with 95 % confidence; figures of one walk do not count as
    independent."""
    high: float
    minimum: int
    maximum: int
    quantiles: Mapping[float, int]
    """5, 25, 50, 75, 95 and 99 %, as fractions."""
    histogram: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Simulation(Displayed):
    """Some walks of one scenario, and what they show."""

    subject: str
    parameters: Parameters
    model_hash: str
    engine: str
    threads: int
    plan: Plan
    goal: str
    """What the walks were going to, in words; empty if the model has no goal."""
    walks: int
    """How many were made; fewer than planned if the simulation was cut."""
    ends: Mapping[End, int]
    steps: int
    """All steps of all walks."""
    seconds: float
    cpu_seconds: float
    statistics: Sequence[Statistic]
    verdicts: Sequence[CheckVerdict]
    """`violated` with a story if a walk met a violation (`holds` for a `reaches` that was met), else
    `unknown`: walks prove nothing."""
    cut: Cut | None = None
    unseen: Sequence[str] = ()
    """Observations of which no walk gave a figure."""

    @property
    def worst(self) -> Verdict:
        return worst(each.verdict for each in self.verdicts)
