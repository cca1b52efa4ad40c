"""Meshes as models: exploring every state says what plain walks and plain copies do, under every failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.checker.logic.check import check
from angarium.core.errors import MeshError
from angarium.core.result import Report
from angarium.mesh.as_model.parts import Wants
from angarium.mesh.as_model.source import MOST_BROKERS, model_source
from angarium.mesh.mesh import FORWARD, SHORTEST, TABLES, Broker, Failures, Link, Mesh, Routing
from angarium.mesh.verify.demands import Need
from tests.mesh.walks import (
    NEXT_HOPS,
    SIX,
    TOPICS,
    Pair,
    Table,
    named,
    net,
    pairs,
    random_cables,
    walk,
)

TRIANGLE = ((1, 2), (1, 3), (2, 3))


def checked(mesh: Mesh, wanted: Iterable[Pair], **budget: int) -> Report:
    text = model_source(mesh, Wants(tuple(Need(origin, at, 0) for origin, at in wanted)))
    settings = {name: str(value) for name, value in budget.items()}
    return check(build(find_model(parse(text)), settings), engine=NativeEngine(), subject="overlay")


def violated(report: Report) -> set[str]:
    assert report.coverage.complete
    assert {each.verdict.value for each in report.verdicts} <= {"holds", "violated"}
    return {each.guarantee for each in report.verdicts if each.verdict.value == "violated"}


def every_pair(mesh: Mesh) -> list[Pair]:
    return [(one.name, other.name) for one in mesh.brokers for other in mesh.brokers if one != other]


def failures(mesh: Mesh, links: int, brokers: int) -> Iterator[Failures]:
    """Every set of failures within a budget."""
    names = [broker.name for broker in mesh.brokers]
    for few in range(brokers + 1):
        for less in range(links + 1):
            for dead in combinations(names, few):
                yield from (
                    Failures(frozenset(dead), frozenset(cut)) for cut in combinations(mesh.cables, less)
                )


def homes(mesh: Mesh, pair: Pair, dead: Failures) -> Pair | None:
    """Where both ends are, if both are anywhere."""
    substitutes = {broker.name: broker.substitute for broker in mesh.brokers}
    ends = []
    for end in pair:
        at: str | None = end
        for _ in mesh.brokers:
            at = substitutes[at] if at in dead.brokers and at is not None else at
        if at is None or at in dead.brokers:
            return None
        ends.append(at)
    return ends[0], ends[1]


BROKEN_BY = {
    "arrives": set[str](),
    "loops": {"reachability", "loop-free"},
    "drops": {"reachability", "no-black-hole"},
    "stuck": {"reachability", "no-black-hole"},
    "unrouted": {"reachability"},
}


def walked(mesh: Mesh, wanted: Iterable[Pair], links: int, brokers: int) -> set[str]:
    """What plain walks break, under every failure within a budget."""
    broken: set[str] = set()
    for dead in failures(mesh, links, brokers):
        table = tables(mesh, dead)
        for pair in filter(None, (homes(mesh, each, dead) for each in wanted)):
            end = walk(mesh, table, pair, dead, mesh.routing.hop_limit)
            broken |= BROKEN_BY["unrouted" if end == "stuck" and dead else end]
    return broken


def tables(mesh: Mesh, dead: Failures) -> Table:
    """Next hops: the given ones, or those of shortest paths."""
    if mesh.routing.kind == TABLES:
        return mesh.routing.tables
    gone = dead if mesh.routing.rerouted else Failures()
    links = [
        link
        for link in mesh.links
        if link.fails_as not in gone.cables and not {link.source, link.target} & gone.brokers
    ]
    return {broker.name: _row(mesh, links, broker.name) for broker in mesh.brokers}


def _row(mesh: Mesh, links: list[Link], at: str) -> dict[str, str]:
    row = {}
    for to in (broker.name for broker in mesh.brokers if broker.name != at):
        cost = _costs(links, to)
        nexts = {
            link.target
            for link in links
            if link.source == at and link.target in cost and cost[link.target] + link.cost == cost.get(at)
        }
        if nexts:
            row[to] = next(broker.name for broker in mesh.brokers if broker.name in nexts)
    return row


def _costs(links: list[Link], to: str) -> dict[str, int]:
    """What it costs to come to a broker, by relaxing until nothing changes."""
    cost, before = {to: 0}, {}
    while cost != before:
        before = dict(cost)
        for link in links:
            if link.target in cost:
                cost[link.source] = min(cost.get(link.source, 10**6), cost[link.target] + link.cost)
    return cost


# --- the thesis ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("routing", [Routing(SHORTEST), Routing(TABLES, named(NEXT_HOPS))])
def test_every_topic_of_the_six_brokers_arrives(routing: Routing) -> None:
    assert violated(checked(net(6, SIX, routing), pairs(TOPICS))) == set()


def test_the_injected_fault_is_a_loop_between_two_brokers() -> None:
    faulty = Routing(TABLES, named({**NEXT_HOPS, 4: dict.fromkeys(NEXT_HOPS[4], 6)}))

    report = checked(net(6, SIX, faulty), [("b1", "b5")])

    assert violated(report) == {"reachability", "loop-free"}
    (story,) = [each.story for each in report.verdicts if each.guarantee == "loop-free"]
    assert story is not None
    assert [step.action for step in story.steps if step.action.startswith("from_")][-2:] == [
        "from_b4_to_b6",
        "from_b6_to_b4",
    ]


def test_the_triangle_survives_any_one_failure_and_not_two() -> None:
    triangle = net(3, TRIANGLE, Routing(SHORTEST))

    assert violated(checked(triangle, every_pair(triangle), link_failures=1)) == set()
    assert violated(checked(triangle, every_pair(triangle), broker_failures=1)) == set()
    assert violated(checked(triangle, every_pair(triangle), link_failures=2)) == {"reachability"}


def test_a_dead_brokers_clients_are_at_the_first_living_substitute() -> None:
    mesh = net(3, TRIANGLE, Routing(SHORTEST))
    following = {"b1": "b2", "b2": "b3", "b3": "b1"}
    mesh = replace(mesh, brokers=tuple(Broker(name, substitute=after) for name, after in following.items()))

    report = checked(mesh, [("b1", "b2")], broker_failures=2)

    assert violated(report) == set()


# --- any mesh with tables -----------------------------------------------------------------------------


def random_routed(seed: int) -> tuple[Mesh, int, int]:
    """A mesh with tables, and how many links and brokers may fail."""
    random = Random(seed)
    count = random.randint(2, 5)
    kind = random.choice([SHORTEST, TABLES])
    limit = random.choice([None, None, None, random.randint(0, count)])
    mesh = net(count, {*random_cables(random, count), *random_cables(random, count)}, Routing(SHORTEST))
    table = broken(random, mesh)
    routing = Routing(kind, table if kind == TABLES else {}, random.random() < 0.7, limit)
    mesh = replace(mesh, routing=routing)
    links = [replace(link, cost=random.randint(1, 3)) for link in mesh.links if random.random() < 0.97]
    more = [replace(link, name=f"{link.name} too", cable="", cost=random.randint(1, 3)) for link in links[:1]]
    names = [broker.name for broker in mesh.brokers]
    brokers = [Broker(name, substitute=random.choice([None, *names])) for name in names]
    return (
        replace(mesh, brokers=tuple(brokers), links=(*links, *more)),
        random.randint(0, 1),
        random.randint(0, 2),
    )


def broken(random: Random, mesh: Mesh) -> dict[str, dict[str, str]]:
    """Good tables, in which some entries name any neighbour, and some are missing."""
    table = {at: dict(row) for at, row in tables(mesh, Failures()).items()}
    for link in mesh.links:
        for to in table[link.source]:
            if random.random() < 0.4:
                table[link.source][to] = link.target
    return {at: {to: via for to, via in row.items() if random.random() < 0.98} for at, row in table.items()}


def some_pairs(mesh: Mesh, seed: int) -> list[Pair]:
    every = every_pair(mesh)
    return Random(seed).sample(every, min(2, len(every)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_states_of_a_routed_mesh_say_what_walks_do(seed: int) -> None:
    mesh, links, brokers = random_routed(seed)
    budget = {"broker_failures": brokers, **({"link_failures": links} if mesh.cables else {})}

    wanted = some_pairs(mesh, seed)

    report = checked(mesh, wanted, **budget)

    assert violated(report) == walked(mesh, wanted, links, brokers)


# --- meshes that forward ------------------------------------------------------------------------------

Copy = tuple[str, Link | None, int, frozenset[str]]
"""Where a copy is, over which link it came, how many hops it has made, and which brokers it has left."""


def copies(mesh: Mesh, origin: str, dead: Failures) -> tuple[set[str], bool]:
    """Which brokers copies come to, and whether some copy goes on for ever."""
    identity = {broker.name: broker.known_as for broker in mesh.brokers}
    links = [link for link in mesh.links if not stands_by(mesh, link, dead)]
    after: dict[Copy, list[Copy]] = {}
    waiting: list[Copy] = [(origin, None, 0, frozenset())]
    while waiting:
        copy = waiting.pop()
        if copy not in after:
            after[copy] = [
                _behind(copy, link, identity) for link in links if _takes(link, copy, identity, dead)
            ]
            waiting += after[copy]
    return {copy[0] for copy in after}, _has_round(after)


def stands_by(mesh: Mesh, link: Link, dead: Failures) -> bool:
    """Whether some link before it in its failover works."""
    before = [each for each in mesh.links if each.failover == link.failover and each.rank < link.rank]
    cut = {link.name for link in mesh.links if link.source != link.target and link.fails_as in dead.cables}
    living = [
        each for each in before if each.name not in cut and not {each.source, each.target} & dead.brokers
    ]
    return link.failover != "" and bool(living)


def _takes(link: Link, copy: Copy, identity: Mapping[str, str], dead: Failures) -> bool:
    at, came, hops, left = copy
    inside = link.source == link.target
    return (
        link.source == at
        and link.target not in dead.brokers
        and (inside or link.fails_as not in dead.cables)
        and (link.hop_limit is None or hops < link.hop_limit)
        and not (link.avoids_visited and identity[link.target] in left)
        and not (came is not None and came.connection != "" and came.connection == link.connection)
        and not (came is not None and came.kind in link.not_after)
    )


def _behind(copy: Copy, link: Link, identity: Mapping[str, str]) -> Copy:
    """Hops beyond ten are as good as ten: no limit here is larger."""
    _, _, hops, left = copy
    gone = left if link.source == link.target else left | {identity[link.source]}
    return link.target, link, min(hops + link.counts, 10), gone


def _has_round(after: Mapping[Copy, list[Copy]]) -> bool:
    """Whether something is left when everything that comes to an end is taken away, again and again."""
    left = dict(after)
    while ended := [copy for copy, nexts in left.items() if not any(each in left for each in nexts)]:
        for copy in ended:
            del left[copy]
    return bool(left)


def forwarded(mesh: Mesh, wanted: Iterable[Pair], links: int, brokers: int) -> set[str]:
    broken: set[str] = set()
    for dead in failures(mesh, links, brokers):
        for pair in filter(None, (homes(mesh, each, dead) for each in wanted)):
            reached, goes_round = copies(mesh, pair[0], dead)
            broken |= {"reachability"} if pair[1] not in reached else set()
            broken |= {"loop-free"} if goes_round else set()
    return broken


def random_forwarding(seed: int) -> tuple[Mesh, int, int]:
    random = Random(seed)
    names = [f"b{number}" for number in range(1, random.randint(2, 4) + 1)]
    kinds = ["link", "route"]
    limits = [None, None, None, 1, 2, 3]
    links = [
        Link(
            f"l{number}",
            random.choice(names),
            random.choice(names),
            hop_limit=random.choice(limits),
            counts=random.random() < 0.8,
            avoids_visited=random.random() < 0.6,
            connection=random.choice(["", "", "x", "y"]),
            kind=random.choice(kinds),
            not_after=frozenset(each for each in kinds if random.random() < 0.15),
            failover=random.choice(["", "", "f"]),
            rank=random.randint(0, 1),
        )
        for number in range(random.randint(3, 10))
    ]
    brokers = [Broker(name, identity=random.choice(["", "", "one"])) for name in names]
    mesh = Mesh("net", tuple(brokers), tuple(links), routing=Routing(FORWARD))
    return mesh, random.randint(0, 1), random.choice([0, 0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_states_of_a_forwarding_mesh_say_what_copies_do(seed: int) -> None:
    mesh, links, brokers = random_forwarding(seed)
    budget = {"broker_failures": brokers, **({"link_failures": links} if mesh.cables else {})}

    wanted = some_pairs(mesh, seed)[:1]

    report = checked(mesh, wanted, **budget)

    assert violated(report) == forwarded(mesh, wanted, links, brokers)


def test_three_brokers_bridged_both_ways_without_a_limit_go_round() -> None:
    bridges = net(3, TRIANGLE, Routing(FORWARD))

    assert violated(checked(bridges, every_pair(bridges))) == {"loop-free"}


@pytest.mark.parametrize(("limit", "broken"), [(4, {"reachability"}), (5, set())])
def test_a_ring_of_six_needs_five_hops(limit: int, broken: set[str]) -> None:
    ring = [
        Link(f"l{one}", f"b{one}", f"b{one % 6 + 1}", hop_limit=limit, avoids_visited=True)
        for one in range(1, 7)
    ]
    mesh = replace(net(6, (), Routing(FORWARD)), links=tuple(ring))

    assert violated(checked(mesh, every_pair(mesh))) == broken


# --- names and sizes ----------------------------------------------------------------------------------


def test_any_name_can_be_that_of_a_broker() -> None:
    names = ['"""\nimport os', "1", "class", "a-b", "a_b", "self", "", "\u00e9", "mro", "x" * 100]
    brokers = tuple(Broker(name) for name in names)
    links = tuple(Link(f"{one}->{two}", one, two) for one in names for two in names if one != two)
    mesh = Mesh('"""', brokers, links, routing=Routing(SHORTEST))

    report = checked(mesh, [(names[0], names[-1])])

    assert violated(report) == set()


def test_the_same_mesh_gives_the_same_text() -> None:
    mesh, _, _ = random_routed(1)
    wanted = Wants(tuple(Need(one, other, 0) for one, other in every_pair(mesh)))

    assert model_source(mesh, wanted) == model_source(mesh, wanted)


def test_a_mesh_that_is_too_large_is_refused() -> None:
    mesh = net(MOST_BROKERS + 1, (), Routing(SHORTEST))

    with pytest.raises(MeshError, match="129 brokers and 0 links") as caught:
        model_source(mesh, Wants((Need("b1", "b2", 0),)))

    assert caught.value.code == "ANG125"


def test_a_mesh_in_which_nobody_wants_anything_is_refused() -> None:
    with pytest.raises(MeshError, match="nobody in net wants anything") as caught:
        model_source(net(2, ((1, 2),)), Wants(()))

    assert caught.value.code == "ANG121"
