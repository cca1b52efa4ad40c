"""What a simulation answers: raw figures, statistics of them, and verdicts on what was met on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from angarium.checker.walks.plan import Plan
from angarium.core.control import Cut
from angarium.core.records import FLAT, decimals, figure, key
from angarium.core.result import CheckVerdict, Extent, Parameters, Result, Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FIGURE = figure(6)
"""A figure that may not exist, such as the mean of nothing."""


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
    mean: float = field(metadata=FIGURE)
    sd: float = field(metadata=FIGURE)
    low: float = field(metadata=FIGURE)
    """The mean is between low and high with 95 % confidence; figures of one walk do not count as
    independent."""
    high: float = field(metadata=FIGURE)
    minimum: int | None
    """None if there are no figures; so the greatest."""
    maximum: int | None
    quantiles: Mapping[float, int]
    """5, 25, 50, 75, 95 and 99 %, as fractions."""
    histogram: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one mean is greater than another."""

    observation: str
    mean: float = field(metadata=FIGURE)
    low: float = field(metadata=FIGURE)
    high: float = field(metadata=FIGURE)
    """It is between low and high with 95 % confidence."""
    is_clear: bool = field(init=False, metadata=key("clear"))
    """Whether no difference at all would be a surprise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_clear", self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Ends:
    """How many walks ended why."""

    goal: int = 0
    rest: int = 0
    limit: int = 0

    def of(self, end: End) -> int:
        """How many ended for this reason."""
        return (self.goal, self.rest, self.limit)[end]


@dataclass(frozen=True, kw_only=True)
class Walking(Extent):
    """How many walks were made of those that were asked for."""

    cpu_seconds: float = field(default=0.0, metadata=decimals(3))
    walks: int = 0
    """How many were made; fewer than planned if the simulation was cut."""
    steps: int = 0
    """All steps of all walks."""
    ends: Ends = Ends()


@dataclass(frozen=True, kw_only=True)
class Simulation(Result[CheckVerdict]):
    """Some walks of one scenario, and what they show.

    A verdict is `violated` with a story if a walk met a violation (`holds` for a `reaches` that was met),
    else `unknown`: walks prove nothing.
    """

    kind: str = "simulate"
    extent: Walking = field(default_factory=Walking, metadata=FLAT)
    model_hash: str
    threads: int
    plan: Plan = field(metadata=FLAT)
    goal: str | None
    """What the walks were going to, in words; None if the model has no goal."""
    statistics: Sequence[Statistic]
    unseen: Sequence[str] = ()
    """Observations of which no walk gave a figure."""
    alternatives: Sequence[Alternative] = ()
    """The same with some parameters changed."""

    @property
    def walks(self) -> int:
        """How many walks were made."""
        return self.extent.walks

    @property
    def steps(self) -> int:
        """All steps of all walks."""
        return self.extent.steps

    @property
    def cut(self) -> Cut | None:
        """Why not all walks were made."""
        return self.extent.cut


@dataclass(frozen=True, slots=True)
class Alternative:
    """The same simulation with some parameters changed, and how it differs."""

    changes: Parameters
    simulation: Simulation = field(metadata=FLAT)
    differences: Sequence[Difference] = ()


@dataclass(frozen=True, kw_only=True)
class SweepResult(Result[CheckVerdict]):
    """The simulations of a grid of scenarios; `parameters` are those that all of them share."""

    kind: str = "simulate"
    threads: int
    plan: Plan = field(metadata=FLAT)
    sweep: Mapping[str, Sequence[Setting]]
    """The values of each parameter that is varied."""
    scenarios: Sequence[Simulation]
    """Each with the parameters that are its own."""
