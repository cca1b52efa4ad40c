"""Small meshes with chances, and plain Python that says what should come out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

from angarium.mesh.distributions import CONSTANT, EXPONENTIAL, NORMAL, UNIFORM, Part
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.probability.latency import Risk, risks_of

RING = """
mesh: ring
routing: shortest
brokers: {a: {mtbf: 90 h, mttr: 10 h}, b: {}, c: {latency: {uniform: [1 ms, 3 ms]}}}
links:
  - {between: [a, b], latency: {exponential: 4 ms}, mtbf: 80 h, mttr: 20 h}
  - {between: [b, c], latency: {normal: [6 ms, 2 ms]}, mtbf: 90 h, mttr: 10 h}
  - {between: [a, c], cost: 5, latency: {constant: 9 ms, exponential: 3 ms}, mtbf: 95 h, mttr: 5 h}
topics:
  T: {from: a, to: c, within: 15 ms}
  U: {from: b, to: a, within: 6 ms}
"""


def read(text: str) -> Mesh:
    return mesh_of(source_of("mesh.yaml", text))


def ring(change: tuple[str, str] = ("", "")) -> Mesh:
    return read(RING.replace(*change))


def every_set(mesh: Mesh) -> Iterator[tuple[Failures, float]]:
    """Every set of failures with its chance, by the definition."""
    risks = risks_of(mesh)
    for size in range(len(risks) + 1):
        for down in combinations(risks, size):
            yield union(down), chance_of(risks, down)


def union(down: tuple[Risk, ...]) -> Failures:
    brokers = {name for risk in down for name in risk.failures.brokers}
    cables = {name for risk in down for name in risk.failures.cables}
    return Failures(frozenset(brokers), frozenset(cables))


def chance_of(risks: tuple[Risk, ...], down: tuple[Risk, ...]) -> float:
    chance = 1.0
    for risk in risks:
        chance *= risk.down if risk in down else 1 - risk.down
    return chance


def drawn(part: Part, dice: random.Random) -> float:
    """One time, by Python's own random numbers."""
    if part.kind == CONSTANT:
        return part.first
    if part.kind == UNIFORM:
        return dice.uniform(part.first, part.second)
    if part.kind == EXPONENTIAL:
        return dice.expovariate(1 / part.first)
    assert part.kind == NORMAL
    while (time := dice.gauss(part.first, part.second)) < 0:
        pass
    return time
