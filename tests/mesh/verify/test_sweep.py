"""A sweep asks only what a failure can change: the same answers as asking everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.control import Control
from angarium.mesh.mesh import FORWARD, SHORTEST, TABLES, Broker, Failures, Link, Mesh, Routing
from angarium.mesh.routing.graph import homes
from angarium.mesh.verify.budget import HEALTHY, Size, read_budget
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.fates import fate
from angarium.mesh.verify.sweep import prepared
from tests.effort import examples
from tests.mesh.verify.building import topic

NAMES = "abcd"
BUDGET = read_budget("links=2,brokers=1")


@st.composite
def meshes(draw: st.DrawFn) -> Mesh:
    """Four brokers, links one way or both, every kind of routing, some substitutes."""
    pairs = draw(st.lists(st.sampled_from(list(combinations(NAMES, 2))), min_size=2, max_size=5, unique=True))
    links = []
    for a, b in pairs:
        limit = draw(st.sampled_from([None, 1, 2]))
        there = Link(f"{a}->{b}", a, b, cable=f"{a}-{b}", hop_limit=limit, avoids_visited=True)
        group, rank = draw(st.sampled_from(["", "", "f", "g"])), draw(st.integers(0, 2))
        there = replace(there, failover=group, rank=rank)
        links += [there, replace(there, name=f"{b}->{a}", source=b, target=a)][: draw(st.integers(1, 2))]
    kind = draw(st.sampled_from([FORWARD, SHORTEST, TABLES]))
    names = st.sampled_from(NAMES)
    tables = draw(st.dictionaries(names, st.dictionaries(names, names))) if kind == TABLES else {}
    substitutes = draw(st.dictionaries(names, names, max_size=2))
    brokers = tuple(Broker(name, substitute=substitutes.get(name)) for name in NAMES)
    rerouted = draw(st.booleans())
    routing = Routing(kind, tables, rerouted=rerouted)
    return replace(Mesh("m", brokers, tuple(links), routing=routing), **topic("T", "a", *NAMES))  # type: ignore[arg-type]


def asked_of_everything(mesh: Mesh) -> dict[tuple[str, Need], list[Failures]]:
    """The smallest failures that break each need, by asking for every need under every failure."""
    sweep, _ = prepared(mesh)
    found: dict[tuple[str, Need], list[Failures]] = {}
    everything = [(HEALTHY, Failures()), *BUDGET.failures(mesh)]
    for _, dead in everything:
        at_home = homes(mesh, dead)
        for need in sweep.needs:
            origin, at = at_home[need.origin], at_home[need.at]
            if origin is None or at is None:
                continue
            spread = sweep.carrier.spread(sweep.carrier.key(origin, need.kin, at), dead)
            copies = fate(need, at, spread).copies
            broken = "reachability" if copies == 0 else "no-duplicates" if copies != 1 else ""
            before = found.setdefault((broken, need), [])
            if broken and not any(
                less.brokers <= dead.brokers and less.cables <= dead.cables for less in before
            ):
                before.append(dead)
    return {key: failures for key, failures in found.items() if failures}


@given(meshes())
@settings(max_examples=examples(60))
def test_a_sweep_finds_what_asking_for_everything_finds(mesh: Mesh) -> None:
    sweep, _ = prepared(mesh)

    sweep.healthy()
    sweep.broken(BUDGET, Control())

    found: dict[tuple[str, Need], list[Failures]] = {}
    for violation in sweep.violations:
        if violation.guarantee in ("reachability", "no-duplicates") and violation.need:
            found.setdefault((violation.guarantee, violation.need), []).append(violation.failures)
    assert found == asked_of_everything(mesh)
    assert sweep.tried == {HEALTHY: 1} | {size: size.count(mesh) for size in BUDGET.sizes if size.count(mesh)}


def test_the_sizes_of_a_budget_for_both() -> None:
    assert BUDGET.sizes[-1] == Size(2, 1)
