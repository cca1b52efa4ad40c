"""Repairs: as small as can be, verified, and nothing else broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from angarium.core.control import Control, CutBy, Stopped, TimeIsUp
from angarium.core.result import Verdict
from angarium.mesh.answers import repair_result
from angarium.mesh.change import AddLink, Change, RemoveLink, SetEntry, SetHopLimit
from angarium.mesh.mesh import NOTHING, SHORTEST, TABLES, Link, Mesh, Routing
from angarium.mesh.repair import Outcome, Search
from angarium.mesh.verify.budget import NONE, ONE, Budget, Size
from angarium.mesh.verify.difference import compare
from angarium.mesh.verify.sweep import Sweep
from angarium.mesh.verify.verify import found_under, verify
from tests.mesh.verify.building import cable, mesh, topic

CHAIN = mesh("a b c", cable("a", "b"), cable("b", "c"), kind=SHORTEST, **topic("T", "a", "c"))


def repaired(broken: Mesh, budget: Budget, *only: str) -> Outcome:
    """What the search offers; each offer is verified once more."""
    outcome = Search(broken, budget, only).outcome()
    for repair in outcome.repairs:
        again = verify(repair.mesh, budget)
        assert not any(each.guarantee == repair.guarantee for each in again.violations)
    return outcome


def first(outcome: Outcome) -> tuple[Change, ...]:
    assert outcome.repairs[0].smallest
    return outcome.repairs[0].changes


def test_a_wrong_entry_is_mended_by_one_entry() -> None:
    tables = {"a": {"c": "b"}, "b": {"c": "a"}}

    outcome = repaired(replace(CHAIN, routing=Routing(TABLES, tables)), NONE, "loop-free")

    assert first(outcome) == (SetEntry("b", "c", "c"),)


def test_a_chain_is_made_safe_against_single_failures_by_a_link() -> None:
    outcome = repaired(CHAIN, ONE, "reachability")

    assert first(outcome) == (AddLink("a", "c", like="a-b"),)


def test_a_ring_with_too_few_hops_gets_one_more() -> None:
    links = [
        cable(x, y, hop_limit=1, avoids_visited=True)[:1] for x, y in (("a", "b"), ("b", "c"), ("c", "a"))
    ]

    outcome = repaired(mesh("a b c", *links, **topic("T", "a", "b", "c")), NONE, "hop-limit")

    assert SetHopLimit(None, 2) in {change for repair in outcome.repairs for change in repair.changes}


def test_a_triangle_of_bridges_loses_a_link_since_it_knows_no_limit() -> None:
    bridges = [cable(x, y, connection=f"{x}-{y}") for x, y in (("a", "b"), ("b", "c"), ("c", "a"))]
    looping = mesh("a b c", *bridges, **topic("T", "a", "b", "c"))

    loops = repaired(looping, NONE, "loop-free")
    copies = repaired(looping, NONE, "no-duplicates")

    assert first(loops) == (RemoveLink("a-b"),)
    assert first(copies) == (RemoveLink("a-b"),)


def test_a_repair_that_breaks_something_else_is_none() -> None:
    rules = {"hop_limit": 2, "avoids_visited": True}
    pairs = (("a", "b"), ("b", "c"), ("c", "a"))
    triangle = mesh("a b c", *(cable(x, y, **rules) for x, y in pairs), **topic("T", "a", "b", "c"))

    healthy, failing = repaired(triangle, NONE), repaired(triangle, ONE)

    assert first(healthy) == (SetHopLimit(None, 1),)
    miss = failing.unmended["no-duplicates"]  # one hop only, and a dead link cuts somebody off
    assert miss and miss.changes == (RemoveLink("b-c"),)
    assert miss.breaks == (("reachability", Size(links=1)),)


def test_probes_are_not_silenced_by_taking_their_links_away() -> None:
    twice = mesh("a b", cable("a", "b", connection="1"), (Link("second", "a", "b", connection="2"),))

    outcome = repaired(twice, NONE, "no-duplicates")

    assert all(change == RemoveLink("second") for repair in outcome.repairs for change in repair.changes)
    assert outcome.repairs


def test_two_changes_are_found_where_one_is_not_enough() -> None:
    star = mesh("m a b c", *(cable("m", each) for each in "abc"), kind=SHORTEST, **topic("T", "a", "b", "c"))

    outcome = repaired(star, ONE, "reachability")

    assert len(first(outcome)) == 2


def test_a_mesh_without_faults_needs_nothing() -> None:
    assert repaired(CHAIN, NONE) == Outcome((), {})


# --- ended before their end ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda broken: Search(broken, NONE).outcome(),
        lambda broken: compare(broken, broken),
        lambda broken: found_under(broken, NOTHING),
    ],
    ids=["repair", "diff", "draw"],
)
def test_what_was_not_looked_at_is_not_taken_for_unbroken(
    ask: Callable[[Mesh], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is up while the mesh is looked at."""

    def ring(*_: object) -> None:
        raise TimeIsUp(5)

    monkeypatch.setattr(Sweep, "_judge", ring)
    with pytest.raises(Stopped) as ended:
        ask(replace(CHAIN, routing=Routing(TABLES, {"a": {"c": "b"}, "b": {"c": "a"}})))

    assert ended.value.cut == "time limit of 5 s"


def test_a_search_that_was_ended_tells_what_it_has_and_does_not_say_that_there_is_no_repair() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    broken = replace(CHAIN, routing=Routing(TABLES, {"a": {"c": "b"}, "b": {"c": "a"}}))
    outcome = Search(broken, NONE, control=Control(observe=interrupt)).outcome()
    result = repair_result(broken, "none", outcome)

    assert "loop-free" in outcome.unmended
    assert outcome.cut and outcome.cut.by is CutBy.INTERRUPT
    assert result.extent.cut == outcome.cut
    assert {each.verdict for each in result.verdicts} == {Verdict.UNKNOWN}
