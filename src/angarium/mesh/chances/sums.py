"""The chance that a sum of independent times is longer than a bound, between a lower and an upper limit.

What is always the same is taken off the bound. If one part is left, or none, there is a formula. Else the
time up to the bound is divided into `CELLS` cells, and every part is rounded down to the edge of a cell,
and, in a second calculation, up. Rounded down, the sum is never longer than the real one, so its chance of
being late is a lower limit; rounded up, an upper one. The two meet as cells get smaller.

Times are not negative, so what is beyond the bound in one part is late whatever the others are: only cells
up to the bound are needed. Distributions on cells are added by the product of their Fourier transforms;
what rounding errors of the transforms can do (Higham, Accuracy and Stability of Numerical Algorithms, 24.1:
the error of a transform of n numbers is at most log2 n times 8 half units in the last place, in the
Euclidean norm) is added to the limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import erfc, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.chances.distributions import EXPONENTIAL, UNIFORM, Part

CELLS = (1 << 15) - 1
"""With one edge more than cells, transforms have a power of two of numbers, which is quickest."""
_HALF_UNIT = 2.0**-53
_TRANSFORMS = 3
_DIGITS = 9
"""Of a bound less constants, which are decimal numbers: what differs behind these is rounding."""

Floats = NDArray[np.float64]
Limits = tuple[float, float]


@lru_cache(maxsize=4096)
def late(constant: float, parts: tuple[Part, ...], bound: float | None) -> Limits:
    """Between which limits the chance is that the sum is longer than the bound."""
    always = certainly_late(constant, parts, bound)
    if always is not None or bound is None:
        return float(bool(always)), float(bool(always))
    room = round(bound - constant, _DIGITS)
    if len(parts) == 1:
        chance = parts[0].longer(room)
        return chance, chance
    return _on_cells(parts, room)


def certainly_late(constant: float, parts: Sequence[Part], bound: float | None) -> bool | None:
    """Whether a sum is late always (true) or never (false), if either is so."""
    if bound is None:
        return False
    room = round(bound - constant, _DIGITS)
    least, most = sum(part.least for part in parts), sum(part.most for part in parts)
    if most <= room:
        return False
    return True if room < least or room == 0 else None


def _on_cells(parts: Sequence[Part], room: float) -> Limits:
    edges = np.linspace(0.0, room, CELLS + 1)
    down, up = _Sum(), _Sum()
    for part in parts:
        longer = _longer(part, edges)
        at_once = 1 - longer[0]
        within = longer[:-1] - longer[1:]
        down.add(np.concatenate([[at_once + within[0]], within[1:], [0.0]]))
        up.add(np.concatenate([[at_once], within]))
    # the last cell of `down` is for what is just at the bound, where nothing that varies ever is
    low, high = 1 - down.total - down.error, 1 - up.total + up.error
    return max(0.0, low), min(1.0, high)


def _longer(part: Part, edges: Floats) -> Floats:
    """The chance that a part is longer than each edge; numpy is quicker where it knows the formula."""
    if part.kind == EXPONENTIAL:
        return np.exp(-edges / part.first)
    if part.kind == UNIFORM:
        return np.clip((part.second - edges) / (part.second - part.first), 0.0, 1.0)
    away = (edges - part.first) / (part.second * sqrt(2))
    return np.array(list(map(erfc, away.tolist()))) / erfc(-part.first / (part.second * sqrt(2)))


class _Sum:
    """The distribution of a sum of times on the cells, as far as they are within the bound."""

    def __init__(self) -> None:
        self.cells: Floats | None = None
        self.error = 0.0

    @property
    def total(self) -> float:
        assert self.cells is not None
        return float(self.cells.sum())

    def add(self, cells: Floats) -> None:
        """One more part."""
        if self.cells is None:
            self.cells = cells
            return
        size = 2 * len(cells)
        norms = sqrt(float(np.square(self.cells).sum() * np.square(cells).sum()))
        self.error += _TRANSFORMS * log2(size) * 8 * _HALF_UNIT * sqrt(len(cells)) * norms
        product = np.fft.rfft(self.cells, size) * np.fft.rfft(cells, size)
        self.cells = np.maximum(np.fft.irfft(product, size)[: len(cells)], 0.0)
