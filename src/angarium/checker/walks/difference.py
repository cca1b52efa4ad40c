"""How two simulations differ: Welch's interval for the difference of two means.

The two samples need neither be equally large nor vary equally. With standard errors s and t of means over m
and n walks the difference has the standard error r = sqrt(s² + t²), and Welch and Satterthwaite's

    r⁴ / (s⁴ / (m - 1) + t⁴ / (n - 1))

degrees of freedom. The standard errors are taken out of the statistics' own intervals, which count what one
walk gives as one figure, so observations with arguments are treated rightly as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from angarium.checker.walks.results import Simulation, Statistic
from angarium.checker.walks.student import student
from angarium.core.result import Parameters, assigned


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one mean is greater than another."""

    observation: str
    mean: float
    low: float
    high: float
    """It is between low and high with 95 % confidence."""

    @property
    def is_clear(self) -> bool:
        """Whether no difference at all would be a surprise."""
        return self.low > 0 or self.high < 0


def differences(before: Simulation, after: Simulation) -> Iterator[Difference]:
    """For each observation that both have, how much greater its mean is in the second."""
    known = {each.observation: each for each in before.statistics}
    for each in after.statistics:
        other = known.get(each.observation)
        if other and other.walks > 1 and each.walks > 1:
            yield _welch(other, each)


def _welch(before: Statistic, after: Statistic) -> Difference:
    first, second = _error(before) ** 2, _error(after) ** 2
    mean, error = after.mean - before.mean, sqrt(first + second)
    reach = student(_freedom(first, before.walks, second, after.walks)) * error if error else 0.0
    return Difference(after.observation, mean, mean - reach, mean + reach)


def _error(statistic: Statistic) -> float:
    return (statistic.high - statistic.low) / 2 / student(statistic.walks - 1)


def _freedom(first: float, walks: int, second: float, others: int) -> float:
    return (first + second) ** 2 / (first**2 / (walks - 1) + second**2 / (others - 1))


@dataclass(frozen=True, slots=True)
class Alternative:
    """The same simulation with some parameters changed, and how it differs."""

    changes: Parameters
    simulation: Simulation
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A simulation, and alternatives to it; without any, it is just a simulation."""

    simulation: Simulation
    alternatives: tuple[Alternative, ...] = ()

    @property
    def all(self) -> tuple[Simulation, ...]:
        return (self.simulation, *(each.simulation for each in self.alternatives))

    @property
    def labels(self) -> tuple[str, ...]:
        """What tells the simulations apart; nothing if there is but one."""
        changed = dict.fromkeys(name for each in self.alternatives for name in each.changes)
        usual = {name: self.simulation.parameters[name] for name in changed}
        return tuple(
            ", ".join(assigned(each)) for each in (usual, *(one.changes for one in self.alternatives))
        )

    @property
    def labelled(self) -> list[tuple[str, Alternative]]:
        """The alternatives, each with what tells it apart."""
        return list(zip(self.labels[1:], self.alternatives, strict=True))
