"""Shared risks that a mesh names, as a budget of failures and in verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from angarium.mesh.mesh import Failures, Mesh, Publisher, Routing, SharedRisk, Subscriber
from angarium.mesh.mesh import Pattern as Topic
from angarium.mesh.verify.budget import NONE, ONE, RISK, Budget, Size, read_budget
from angarium.mesh.verify.verify import verify
from tests.mesh.walks import net

SQUARE = net(4, ((1, 2), (2, 3), (3, 4), (1, 4)), Routing("shortest"))
DUCT = SharedRisk("duct", (), ("b1-b2", "b1-b4"))
ROOM = SharedRisk("room", ("b2", "b3"), ())
CLIENTS = {
    "publishers": (Publisher("p", "b1", (Topic("t"),)),),
    "subscribers": (Subscriber("s", "b3", (Topic("t"),)),),
}


def with_risks(*risks: SharedRisk, clients: bool = False) -> Mesh:
    mesh = replace(SQUARE, shared_risks=risks)
    return (
        replace(mesh, publishers=CLIENTS["publishers"], subscribers=CLIENTS["subscribers"])
        if clients
        else mesh
    )


def verdicts(mesh: Mesh, budget: str) -> dict[str, Verdict]:
    (verdicts,) = verify(mesh, read_budget(budget), only=["reachability"]).guarantees
    return {str(size): verdict for size, verdict in verdicts.verdicts.items()}


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("risks", (RISK,)),
        ("one,risks", (*ONE.sizes, RISK)),
        ("none, risks", (*NONE.sizes, RISK)),
        ("links=2,risks", (Size(1), Size(2), RISK)),
        ("links=1,brokers=1,risks", (Size(1), Size(0, 1), Size(1, 1), RISK)),
    ],
)
def test_words_for_them(text: str, sizes: tuple[Size, ...]) -> None:
    assert read_budget(text) == Budget(sizes)


@pytest.mark.parametrize("text", ["risks,one", "risks,risks", "risks=1", ",risks", "links,risks"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not say what may fail"):
        read_budget(text)


def test_each_is_one_failure_and_comes_last() -> None:
    mesh, budget = with_risks(DUCT, ROOM, replace(DUCT, name="again")), read_budget("links=1,risks")

    found = list(budget.failures(mesh))

    assert found[4:] == [(RISK, DUCT.failures), (RISK, Failures(frozenset({"b2", "b3"})))]
    assert budget.count(mesh) == len(found)


def test_a_mesh_that_names_none_cannot_be_asked_for_them() -> None:
    with pytest.raises(UsageError, match="the mesh net names none"):
        verify(SQUARE, read_budget("one,risks"))


@pytest.mark.parametrize("clients", [False, True], ids=["pairs", "demands"])
def test_a_duct_breaks_what_no_single_link_breaks(clients: bool) -> None:
    found = verdicts(with_risks(DUCT, clients=clients), "links=1,risks")

    assert found == {
        "healthy": Verdict.HOLDS,
        "1 link": Verdict.HOLDS,
        "1 shared risk": Verdict.VIOLATED,
    }


def test_a_duct_does_not_make_single_links_or_pairs_guilty() -> None:
    apart = SharedRisk("three", (), ("b1-b2", "b1-b4", "b2-b3"))

    found = verdicts(with_risks(apart, clients=True), "links=1,risks")

    assert (found["1 link"], found["1 shared risk"]) == (Verdict.HOLDS, Verdict.VIOLATED)


def test_what_a_part_of_a_risk_breaks_alone_counts_for_the_risk_too() -> None:
    chain = replace(
        with_risks(SharedRisk("duct", (), ("b1-b2", "b3-b4")), clients=True), links=SQUARE.links[:6]
    )

    found = verdicts(chain, "links=1,risks")

    assert found["1 shared risk"] is Verdict.VIOLATED


def test_a_risk_that_breaks_nothing_holds() -> None:
    across = SharedRisk("across", (), ("b1-b2",))

    assert verdicts(with_risks(across, clients=True), "risks")["1 shared risk"] is Verdict.HOLDS
