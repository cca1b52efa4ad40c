"""What has failed is found from what fails, in every reading that fits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.mesh import SHORTEST, Failures, Mesh, Routing
from angarium.mesh.routing import walk as locating
from angarium.mesh.routing.tables import tables
from angarium.mesh.routing.walk import Pair, locate, narrowed, walk
from tests.mesh.routing.meshes import FIFTY, SIX, both_ways, cut, dead, mesh_of, meshes, singles

KEPT = Routing(SHORTEST, rerouted=False)


def works(mesh: Mesh, failures: Failures, pair: Pair) -> bool:
    return walk(tables(mesh, failures), *pair).arrives


def seen(mesh: Mesh, failures: Failures) -> tuple[list[Pair], list[Pair]]:
    """All pairs that fail, and all that work, of those that work in the healthy mesh."""
    names = [broker.name for broker in mesh.brokers]
    pairs = [(a, b) for a in names for b in names if a != b and works(mesh, Failures(), (a, b))]
    good = [pair for pair in pairs if works(mesh, failures, pair)]
    return [pair for pair in pairs if pair not in good], good


def test_the_failed_link_of_the_thesis_is_located_by_tests_of_the_hops() -> None:
    mesh = mesh_of(FIFTY, KEPT)

    found = narrowed(mesh, ("12", "18"), lambda pair: works(mesh, cut("17-13"), pair))

    assert found == [cut("17-13")]


def test_one_failing_way_accuses_everything_on_it() -> None:
    found = locate(mesh_of(FIFTY), [("12", "18")])

    links = [cut("17-13"), cut("17-18"), cut("13-14"), cut("14-12")]
    assert found == links + [dead(name) for name in ("12", "13", "14", "17", "18")]


def test_a_dead_broker_and_all_its_links_cannot_be_told_apart() -> None:
    mesh = mesh_of(FIFTY, KEPT)
    failing, working = [("13", "17"), ("16", "17"), ("18", "17")], [("13", "14"), ("16", "31"), ("18", "2")]

    found = locate(mesh, failing, working)

    assert found == [dead("17"), cut("16-17", "17-13", "17-18")]
    assert not any(works(mesh, each, pair) for each in found for pair in failing)
    assert all(works(mesh, each, pair) for each in found for pair in working)


def test_two_failures_are_located_together() -> None:
    failing, working = seen(mesh_of(SIX, KEPT), cut("1-2", "4-5"))

    found = locate(mesh_of(SIX), failing, working)

    assert cut("1-2", "4-5") in found
    assert {len(each) for each in found} == {2}


def test_parallel_links_are_blamed_together() -> None:
    mesh = replace(
        mesh_of("1-2 2-3"), links=(*mesh_of("1-2 2-3").links, *both_ways("spare", "1", "2", cost=4))
    )

    found = locate(mesh, [("1", "2")], [("2", "3"), ("3", "2")])

    assert found == [dead("1"), cut("1-2", "spare")]


def test_nothing_explains_what_works_and_fails() -> None:
    assert locate(mesh_of(SIX), [("1", "2")], [("1", "5"), ("2", "1")]) == []
    assert locate(mesh_of(SIX), []) == []


def test_a_pair_that_never_arrives_explains_nothing() -> None:
    with pytest.raises(MeshError, match="messages from 1 to 3 do not arrive even if nothing has failed"):
        locate(mesh_of("1-2 3-4"), [("1", "3")])


def test_a_search_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locating, "MOST_SETS", 10)

    with pytest.raises(MeshError, match="more than 10 sets"):
        locate(mesh_of(SIX), [("1", "2"), ("3", "2"), ("4", "5"), ("4", "6")])


@given(data=st.data())
def test_a_single_failure_is_among_the_explanations_and_each_of_them_fits(data: st.DataObject) -> None:
    mesh = data.draw(meshes(kept=True))
    failures = data.draw(st.sampled_from(singles(mesh)))
    failing, working = seen(mesh, failures)
    assume(failing)

    found = locate(mesh, failing, working)

    assert failures in found
    assert all(seen(mesh, each) == (failing, working) for each in found)
