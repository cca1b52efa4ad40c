"""Copies counted over states are copies moved one by one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from angarium.mesh.delivery import copy_states
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Rename
from tests.effort import examples
from tests.mesh.delivery.peer import Told, TooManyError, told

ANYTHING, SAME, BELOW_A = Pattern("#", "mqtt"), Pattern("t", "mqtt"), Pattern("a/#", "mqtt")
BOUNDED = (Rename(whole="u"), Rename(strip="a/"), Rename(strip="a/", add="b/"), Rename("t", "a/t"))
GROWING = (Rename(add="a/"), Rename(add="b/"), Rename(strip="a/"), Rename(add="a/b/"))
RULES: dict[str, tuple[object, ...]] = {
    "accepts": ((), (), (ANYTHING,), (SAME,), (BELOW_A,), (SAME, BELOW_A)),
    "refuses": ((), (), (BELOW_A,)),
    "rename": (None, *BOUNDED),
    "hop_limit": (None, 1, 2, 3, 4),
    "avoids_visited": (False, True),
    "counts": (True, True, False),
    "connection": ("", "c", "d"),
    "kind": ("link", "route"),
    "not_after": (frozenset(), frozenset({"route"}), frozenset({"link"})),
}
"""What a link may have; a mesh uses some of these rules, so that the others do not stop every copy."""


@st.composite
def meshes(
    draw: st.DrawFn, /, inner: bool = False, rules: dict[str, tuple[object, ...]] = RULES, **fixed: object
) -> Mesh:
    names = "ABCDE"[: draw(st.integers(3, 5))]
    same = draw(st.sampled_from(["", "", "same"]))
    brokers = [Broker(name, "mqtt", float(name in "AC"), same if name in "BD" else "") for name in names]
    used = draw(st.sets(st.sampled_from(sorted(rules.keys() - fixed.keys())), max_size=3))
    links = []
    for number in range(draw(st.integers(3, 11))):
        source, target = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        values = {rule: draw(st.sampled_from(rules[rule])) for rule in used} | fixed
        if source != target:
            links.append(_link(f"l{number}", source, target, float(draw(st.integers(0, 3))), values))
        elif inner:
            rename = draw(st.sampled_from(BOUNDED))
            links.append(
                _link(f"l{number}", source, target, 0.0, values | {"rename": rename, "counts": False})
            )
    return Mesh("m", tuple(brokers), tuple(links))


def _link(name: str, source: str, target: str, latency: float, values: dict[str, object]) -> Link:
    return Link(name, source, target, latency=latency, **values)  # type: ignore[arg-type]


STANDBY: dict[str, tuple[object, ...]] = {
    "failover": ("f", "g", ""),
    "rank": (0, 1, 2),
    "accepts": ((), (SAME,)),
    "hop_limit": (None, 2),
    "rename": (None, Rename(whole="u")),
}
FEDERATIONS = meshes(avoids_visited=True, counts=True, rename=None)
GROWTH = meshes(rules=RULES | {"rename": (None, *GROWING)})


def both(mesh: Mesh, dead: Failures = Failures()) -> tuple[Spread, Told]:  # noqa: B008 - frozen
    try:
        expected = told(mesh, "A", "t", dead)
    except TooManyError:
        assume(False)
    return Forwarding(mesh).spread("A", ("", "t"), dead), expected


def totals(spread: Spread) -> dict[tuple[str, str], int | None]:
    """Copies by broker and name, however they came by it."""
    found: dict[tuple[str, str], int | None] = {}
    for each in spread.arrivals:
        before = found.get((each.broker, each.topic), 0)
        found[each.broker, each.topic] = (
            None if before is None or each.copies is None else before + each.copies
        )
    return found


def expected_totals(expected: Told) -> dict[tuple[str, str], int | None]:
    return {place: None if place in expected.endless else count for place, count in expected.counts.items()}


@settings(max_examples=examples(300))
@given(meshes())
def test_copies_are_as_many_as_when_each_is_moved(mesh: Mesh) -> None:
    spread, expected = both(mesh)

    assert totals(spread) == expected_totals(expected)
    assert bool(spread.loops) == expected.loops


@settings(max_examples=examples(200))
@given(FEDERATIONS)
def test_federations_that_remember_whom_a_copy_has_left_never_loop(mesh: Mesh) -> None:
    spread, expected = both(mesh)

    assert totals(spread) == expected_totals(expected)
    assert not spread.loops


@settings(max_examples=examples(200))
@given(FEDERATIONS)
def test_forgetting_what_is_behind_a_wall_changes_nothing(mesh: Mesh) -> None:
    patient, copy_states.FEW = copy_states.FEW, -1
    try:
        spread, expected = both(mesh)
    finally:
        copy_states.FEW = patient

    assert totals(spread) == expected_totals(expected)


@settings(max_examples=examples(100))
@given(meshes())
def test_large_limits_need_no_layers(mesh: Mesh) -> None:
    layers, copy_states.LAYERS = copy_states.LAYERS, 0
    try:
        spread, expected = both(mesh)
    finally:
        copy_states.LAYERS = layers

    assert totals(spread) == expected_totals(expected)


@settings(max_examples=examples(200))
@given(meshes(inner=True))
def test_a_broker_gives_a_copy_to_each_of_its_parts_once(mesh: Mesh) -> None:
    spread, expected = both(mesh)

    assert totals(spread) == expected_totals(expected)


@settings(max_examples=examples(200))
@given(meshes(inner=True))
def test_the_first_way_is_the_quickest(mesh: Mesh) -> None:
    spread, expected = both(mesh)

    links = {link.name: link for link in mesh.links}
    quickest: dict[tuple[str, str], tuple[float, int]] = {}
    for each in spread.arrivals:
        hops = sum(links[name].counts for name in each.path)
        found = each.latency, hops
        quickest[each.broker, each.topic] = min(found, quickest.get((each.broker, each.topic), found))
    assert quickest == expected.quickest


@settings(max_examples=examples(200))
@given(
    meshes(inner=True),
    st.sets(st.sampled_from("ABC")),
    st.sets(st.sampled_from("012")),
)
def test_what_is_dead_carries_nothing(mesh: Mesh, brokers: set[str], cables: set[str]) -> None:
    dead = Failures(frozenset(brokers), frozenset(f"l{number}" for number in cables))

    spread, expected = both(mesh, dead)

    assert totals(spread) == expected_totals(expected)


@settings(max_examples=examples(400))
@given(
    meshes(inner=True, rules=STANDBY),
    st.sets(st.sampled_from("BCD")),
    st.sets(st.sampled_from("0123456")),
)
def test_what_stands_by_carries_when_all_before_it_is_dead(
    mesh: Mesh, brokers: set[str], cables: set[str]
) -> None:
    dead = Failures(frozenset(brokers), frozenset(f"l{number}" for number in cables))

    spread, expected = both(mesh, dead)

    assert totals(spread) == expected_totals(expected)


@settings(max_examples=examples(200))
@given(GROWTH)
def test_names_that_grow_are_loops(mesh: Mesh) -> None:
    spread, expected = both(mesh)

    assert bool(spread.loops) == expected.loops
    certain = {place: count for place, count in expected_totals(expected).items() if count is not None}
    ours = {place: count for place, count in totals(spread).items() if count is not None}
    assert ours.items() <= certain.items()


@settings(max_examples=examples(200))
@given(meshes(inner=True), st.integers(0, 8))
def test_a_failure_of_what_was_not_crossed_changes_nothing(mesh: Mesh, number: int) -> None:
    forwarding = Forwarding(mesh)
    whole = forwarding.spread("A", ("", "t"))
    assume(f"l{number}" not in whole.crossed)

    without = forwarding.spread("A", ("", "t"), Failures(cables=frozenset({f"l{number}"})))

    assert without.arrivals == whole.arrivals
    assert without.loops == whole.loops


@settings(max_examples=examples(100))
@given(meshes(inner=True))
def test_loops_are_ways_that_lead_back_to_where_they_begin(mesh: Mesh) -> None:
    links = {link.name: link for link in mesh.links}

    spread = Forwarding(mesh).spread("A", ("", "t"))

    for loop in spread.loops:
        path = [links[name] for name in (*loop.before, *loop.round, loop.round[0])]
        assert path[0].source == "A"
        assert all(one.target == two.source for one, two in pairwise(path))


@st.composite
def federations_both_ways(draw: st.DrawFn) -> Mesh:
    pairs = list(combinations("ABCDEFG", 2))
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=4, max_size=11, unique=True))
    limit = draw(st.sampled_from([None, None, 2, 3, 4, 5]))
    links = [
        Link(f"{one}>{two}", one, two, hop_limit=limit, avoids_visited=True)
        for pair in chosen
        for one, two in (pair, pair[::-1])
    ]
    return Mesh("m", tuple(Broker(name, "mqtt") for name in "ABCDEFG"), tuple(links))


def ways_without_repetition(mesh: Mesh, path: str = "A") -> Counter[str]:
    found = Counter({path[-1]: 1})
    for link in mesh.links:
        allowed = link.hop_limit is None or len(path) <= link.hop_limit
        if link.source == path[-1] and link.target not in path and allowed:
            found += ways_without_repetition(mesh, path + link.target)
    return found


@settings(max_examples=examples(200))
@given(federations_both_ways(), st.sampled_from([-1, 5_000]))
def test_a_federation_brings_a_copy_for_every_way_without_repetition(mesh: Mesh, few: int) -> None:
    patient, copy_states.FEW = copy_states.FEW, few
    try:
        spread = Forwarding(mesh).spread("A", ("", "t"))
    finally:
        copy_states.FEW = patient

    assert {each.broker: each.copies for each in spread.arrivals} == dict(ways_without_repetition(mesh))
