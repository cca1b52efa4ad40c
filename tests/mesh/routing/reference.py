"""Tables and walks from their definitions, slow and without any array, to compare the compiled ones with."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.mesh.mesh import NOTHING, SHORTEST, TABLES, Failures, Link, Mesh

Pair = tuple[str, str]
Hops = dict[Pair, Link]


def living_hops(mesh: Mesh, failures: Failures) -> Hops:
    """The cheapest living link from one broker to another, of equally cheap ones the first."""
    found: Hops = {}
    for link in mesh.links:
        ends = (link.source, link.target)
        if fails(link, failures) or ends[0] == ends[1]:
            continue
        before = (each for each in mesh.links if each.failover == link.failover and each.rank < link.rank)
        if link.failover and not all(fails(each, failures) for each in before):
            continue
        if ends not in found or link.cost < found[ends].cost:
            found[ends] = link
    return found


def fails(link: Link, failures: Failures) -> bool:
    return link.fails_as in failures.cables or bool(failures.brokers & {link.source, link.target})


def distances(names: list[str], hops: Hops) -> dict[Pair, float]:
    """Floyd and Warshall."""
    far = {(a, b): 0.0 if a == b else float("inf") for a in names for b in names}
    for ends, link in hops.items():
        far[ends] = min(far[ends], link.cost)
    for middle in names:
        for a in names:
            for b in names:
                far[a, b] = min(far[a, b], far[a, middle] + far[middle, b])
    return far


def shortest_entries(mesh: Mesh, failures: Failures) -> dict[Pair, str]:
    """By broker and destination: the first broker in the file that is on a cheapest path."""
    names = [broker.name for broker in mesh.brokers]
    hops = living_hops(mesh, failures)
    far = distances(names, hops)
    return {
        (at, to): after
        for at in names
        for to in names
        for after in reversed(names)
        if at != to and (at, after) in hops and hops[at, after].cost + far[after, to] == far[at, to] < 1e300
    }


def entries(mesh: Mesh, failures: Failures) -> dict[Pair, str]:
    if mesh.routing.kind == TABLES:
        table = mesh.routing.tables
        return {(at, to): after for at, row in table.items() for to, after in row.items() if at != to}
    assert mesh.routing.kind == SHORTEST
    return shortest_entries(mesh, failures if mesh.routing.rerouted else NOTHING)


def end_of(mesh: Mesh, table: dict[Pair, str], hops: Hops, source: str, destination: str) -> tuple[str, int]:
    """What becomes of a message, and after how many hops."""
    limit = mesh.routing.hop_limit
    at, count, seen = source, 0, {source}
    while at != destination:
        after = table.get((at, destination))
        if after is None or (at, after) not in hops or count == limit:
            return "drops", count
        at, count = after, count + 1
        if at in seen and limit is None:
            return "loops", count
        seen.add(at)
    return "arrives", count


@dataclass(frozen=True)
class Counted:
    """As `sweep.Swept`."""

    lost: int
    looping: int
    first: Pair | None
    longest: int


def counted(mesh: Mesh, failures: Failures) -> Counted:
    """All ordered pairs of living brokers."""
    names = [broker.name for broker in mesh.brokers if broker.name not in failures.brokers]
    table, hops = entries(mesh, failures), living_hops(mesh, failures)
    ends = {(a, b): end_of(mesh, table, hops, a, b) for a in names for b in names if a != b}
    bad = [pair for pair, (end, _) in ends.items() if end != "arrives"]
    looping = sum(end == "loops" for end, _ in ends.values())
    longest = max((count for end, count in ends.values() if end == "arrives"), default=0)
    return Counted(len(bad) - looping, looping, bad[0] if bad else None, longest)
