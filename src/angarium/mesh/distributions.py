"""How long something takes that does not always take as long, and how often something is down.

A time is a sum of independent parts. Four kinds are enough to say what operators measure, and each can be
summed exactly enough and drawn with whole numbers alone:

    constant       always the same: the speed of light, the work of a broker
    uniform        between two times, all equally likely: waiting for a poll or a batch
    exponential    with a mean: waiting in a queue
    normal         with a mean and a standard deviation, never below 0 (what is below is drawn again):
                   the sum of many small delays

A queue behind a long cable is `{constant: 40 ms, exponential: 3 ms}`.

What fails works for `mtbf` hours on average, then is down for `mttr` hours. In the long run it is down for
the share mttr / (mtbf + mttr) of the time, whatever the distributions are; that is all that is used of
them. Things fail independently, unless the mesh names what they share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import erf, erfc, exp, inf, pi, sqrt

CONSTANT, UNIFORM, EXPONENTIAL, NORMAL = "constant", "uniform", "exponential", "normal"
KINDS = {CONSTANT: 1, UNIFORM: 2, EXPONENTIAL: 1, NORMAL: 2}
"""How many times each kind is given."""
LONGEST = 3_600_000.0
"""Milliseconds that a part may be given: an hour. No bound that anybody asks for is longer."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A time, in milliseconds: always the same, or of one of the distributions."""

    kind: str
    first: float
    """The constant, the least, or the mean."""
    second: float = 0.0
    """The most, or the standard deviation."""

    @property
    def mean(self) -> float:
        if self.kind == UNIFORM:
            return (self.first + self.second) / 2
        if self.kind == NORMAL and self.second:
            start = -self.first / self.second
            return self.first + self.second * _density(start) / _above(start)
        return self.first

    @property
    def least(self) -> float:
        """It never takes less."""
        return 0.0 if self.kind in (EXPONENTIAL, NORMAL) else self.first

    @property
    def most(self) -> float:
        """It never takes more."""
        return {CONSTANT: self.first, UNIFORM: self.second}.get(self.kind, inf)

    def longer(self, time: float) -> float:
        """The chance that it takes longer than a time."""
        if time < self.least:
            return 1.0
        if time >= self.most:
            return 0.0
        if self.kind == UNIFORM:
            return (self.second - time) / (self.second - self.first)
        if self.kind == EXPONENTIAL:
            return exp(-time / self.first)
        return _above((time - self.first) / self.second) / _above(-self.first / self.second)


def _density(x: float) -> float:
    return exp(-x * x / 2) / sqrt(2 * pi)


def _above(x: float) -> float:
    """The chance that a standard normal variate is more."""
    return erfc(x / sqrt(2)) / 2 if x > 0 else (1 + erf(-x / sqrt(2))) / 2


@dataclass(frozen=True, slots=True)
class Varying:
    """A time that is the sum of independent parts."""

    parts: tuple[Part, ...]

    @property
    def mean(self) -> float:
        return sum(part.mean for part in self.parts)


def parts_of(constant: float, varying: Varying | None) -> tuple[Part, ...]:
    """The parts of a time: those that are said, or the constant."""
    return varying.parts if varying else (Part(CONSTANT, constant),)


def settled(parts: Iterable[Part]) -> tuple[float, tuple[Part, ...]]:
    """What of a time is always the same, and the parts that are not, in order."""
    parts = tuple(parts)
    constant = sum(part.first for part in parts if part.most == part.least)
    return constant, tuple(sorted(part for part in parts if part.most > part.least))


@dataclass(frozen=True, slots=True)
class Failing:
    """How often something fails, and for how long, on average; in hours."""

    mtbf: float
    """From when it works again to when it fails again."""
    mttr: float
    """From when it fails to when it works again."""

    @property
    def down(self) -> float:
        """The share of time in which it is down."""
        return self.mttr / (self.mtbf + self.mttr)
