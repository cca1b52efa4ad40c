"""Meshes for tests, and a plain walk through a table, written apart from everything in the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from angarium.mesh.mesh import NOTHING, TABLES, Broker, Failures, Link, Mesh, Routing

Table = Mapping[str, Mapping[str, str]]
Pair = tuple[str, str]

SIX = ((1, 2), (2, 3), (2, 4), (4, 5), (4, 6))
"""The tree of six brokers of the thesis."""
TOPICS = ((1, 2), (1, 5), (3, 4), (5, 1), (5, 6), (6, 3))
"""Who publishes to whom there, in the order of its topic table."""
NEXT_HOPS = {
    1: {2: 2, 3: 2, 4: 2, 5: 2, 6: 2},
    2: {1: 1, 3: 3, 4: 4, 5: 4, 6: 4},
    3: {1: 2, 2: 2, 4: 2, 5: 2, 6: 2},
    4: {1: 2, 2: 2, 3: 2, 5: 5, 6: 6},
    5: {1: 4, 2: 4, 3: 4, 4: 4, 6: 4},
    6: {1: 4, 2: 4, 3: 4, 4: 4, 5: 4},
}
"""All thirty entries that the thesis prints."""


def named(table: Mapping[int, Mapping[int, int]]) -> dict[str, dict[str, str]]:
    return {f"b{at}": {f"b{to}": f"b{via}" for to, via in row.items()} for at, row in table.items()}


def pairs(numbers: Iterable[tuple[int, int]]) -> list[Pair]:
    return [(f"b{source}", f"b{target}") for source, target in numbers]


def net(count: int, cables: Iterable[tuple[int, int]], routing: Routing | None = None) -> Mesh:
    """Brokers b1, b2 and so on, with links both ways."""
    ends = [(one, other, f"b{one}-b{other}") for one, other in cables]
    links = [
        Link(f"b{a}->b{b}", f"b{a}", f"b{b}", cable=cable, connection=cable)
        for one, other, cable in ends
        for a, b in ((one, other), (other, one))
    ]
    brokers = tuple(Broker(f"b{number}") for number in range(1, count + 1))
    return Mesh("net", brokers, tuple(links), routing=routing or Routing(TABLES))


def random_cables(random: Random, count: int) -> list[tuple[int, int]]:
    every = [(one, other) for one in range(1, count + 1) for other in range(one + 1, count + 1)]
    return [each for each in every if random.random() < 0.6]


def random_table(random: Random, count: int) -> dict[str, dict[str, str]]:
    """Next hops that mean nothing: some missing, some to brokers without a link, some to oneself."""
    numbers = range(1, count + 1)
    return {
        f"b{at}": {f"b{to}": f"b{random.choice(numbers)}" for to in numbers if random.random() < 0.85}
        for at in numbers
    }


def random_failures(random: Random, mesh: Mesh) -> Failures:
    brokers = frozenset(each.name for each in mesh.brokers if random.random() < 0.15)
    return Failures(brokers, frozenset(each for each in mesh.cables if random.random() < 0.15))


def walk(
    mesh: Mesh, table: Table, pair: Pair, failures: Failures = NOTHING, hop_limit: int | None = None
) -> str:
    """`arrives`, `loops`, `drops`; without an entry `unrouted` at its source, `stuck` farther on."""
    at, to = pair
    for hops in range(len(mesh.brokers) + 1):
        if at == to:
            return "arrives"
        via = table.get(at, {}).get(to)
        joined = any(
            (link.source, link.target) == (at, via) and link.fails_as not in failures.cables
            for link in mesh.links
        )
        if hops == hop_limit and via is not None:
            return "drops"
        if via is None:
            return "stuck" if hops else "unrouted"
        if via in failures.brokers or not joined or via == at:
            return "drops"
        at = via
    return "loops"
