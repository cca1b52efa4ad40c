"""Any other shape: things stand as far apart as they are in the graph, as nearly as a page allows.

Stress is the sum, over all pairs, of how far the distance on the page is from that in the graph, weighed by
the inverse square of the latter; each step of majorisation lowers it. The first places are those of classical
scaling, which needs no chance: the same mesh always looks the same. At last whatever overlaps is moved apart,
and so is what stands on a line between two others.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from angarium.mesh.draw.apart import moved_apart
from angarium.mesh.draw.geometry import Point
from angarium.mesh.draw.graph import Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_ROUNDS, _EFFORT = 200, 60_000
"""How many steps there are at most, and how many all things together make."""
_STILL = 1e-4
"""How little stress a step takes off when it is the last."""
_DIGITS = 5
"""What processors calculate differently is rounded away, before it decides where something is pushed."""
_WIDEST = 1.6
_SHORTER = 0.8
"""Most lines are longer than one, and lines lie aslant: they have room enough with less."""
_NOISE = 1e-3
"""Makes distances unequal, so that shapes that could be turned freely have one way to stand."""


def by_distance(graph: Graph, gap: float) -> list[Point]:
    """The centre of each thing."""
    distances = _distances(graph)
    flat = _relaxed(_scaled(distances), distances)
    return moved_apart(graph, _enlarged(graph, flat, gap), gap)


def _distances(graph: Graph) -> Numbers:
    """Between all pairs (Floyd and Warshall). A line is longer where its ends have many other neighbours."""
    import numpy as np

    number = len(graph.sizes)
    found = np.full((number, number), np.inf)
    np.fill_diagonal(found, 0.0)
    around = [set(each) for each in graph.neighbours]
    for first, second in graph.edges:
        others = len(around[first] ^ around[second]) - 2
        found[first, second] = found[second, first] = sqrt(1 + 0.25 * others)
    for middle in range(number):
        np.minimum(found, found[:, middle, None] + found[middle], out=found)
    noise = np.random.default_rng(7).random((number, number)) * _NOISE
    return found * (1 + (noise + noise.T) / 2)


def _scaled(distances: Numbers) -> Numbers:
    """Classical scaling: along the two directions in which the distances spread most."""
    import numpy as np

    squares = distances**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means[:, None] - means + squares.mean())
    values, vectors = np.linalg.eigh(inner)
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-6))
    first = np.abs(places).argmax(axis=0)
    return np.asarray(np.round(places * np.sign(places[first, [0, 1]]), _DIGITS))


def _relaxed(places: Numbers, distances: Numbers) -> Numbers:
    """The places after majorisation: each step solves a linear system, always with the same matrix."""
    import numpy as np

    number = len(distances)
    same = np.eye(number)
    wanted = distances + same
    weights = wanted**-2 - same
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.inv(laplacian + 1 / number)
    before = np.inf
    for _ in range(min(_ROUNDS, _EFFORT // number)):
        x, y = places.T
        apart = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2) + same
        stress = float((weights * (apart - wanted) ** 2).sum())
        if stress > before * (1 - _STILL):
            break
        before = stress
        pull = weights * wanted / np.maximum(apart, 1e-9)
        places = inverse @ (pull.sum(axis=1)[:, None] * places - pull @ places)
    return np.round(places, _DIGITS)


def _enlarged(graph: Graph, places: Numbers, gap: float) -> Numbers:
    """From distances to pixels: a line of length one has room for a thing and a gap."""
    import numpy as np

    width, height = _SHORTER * (np.asarray(graph.sizes).mean(axis=0) + gap)
    across = min(width, height * _WIDEST)
    return np.asarray(places * (across, max(height, across / _WIDEST)))
