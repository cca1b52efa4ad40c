"""What arrives only because links that stood by take over is told apart from what is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.mesh_text import render
from angarium.core.errors import MeshError
from angarium.core.records import write
from angarium.mesh.mesh import SHORTEST, Link, Mesh
from angarium.mesh.packets.links import network_of
from angarium.mesh.recovery.tables import coloured
from angarium.mesh.results import result_of
from angarium.mesh.verify.budget import read_budget
from angarium.mesh.verify.tracing import trace
from angarium.mesh.verify.verify import verify
from angarium.mesh.verify.violations import Verification
from tests.mesh.verify.building import cable, mesh, topic

HERE = {"failover": "bridge", "buffering": "lost"}
TWO = mesh(
    "edge hub spare office",
    cable("edge", "hub", **HERE),
    cable("edge", "spare", rank=1, takes_over=5000.0, **HERE),
    cable("hub", "office"),
    cable("spare", "office", rank=0),
    **topic("T", "edge", "office"),
)
"""A bridge with two addresses, and an office that hears of both."""


def lost(found: Verification) -> list[str]:
    return [str(each.failures) for each in found.violations if each.guarantee == "reachability"]


def test_a_failure_that_the_second_address_survives_violates_nothing_but_takes_its_time() -> None:
    found = verify(TWO)

    assert lost(found) == ["link hub-office"]
    assert [(str(each.failures), each.takes, each.path) for each in found.failovers] == [
        ("link edge-hub", 5000.0, ("edge->spare", "spare->office")),
        ("broker hub", 5000.0, ("edge->spare", "spare->office")),
    ]


def test_nothing_goes_to_the_second_address_while_the_first_lives() -> None:
    assert {"edge->hub", "hub->office"} <= trace(TWO, "edge", "T").spread.crossed
    assert "edge->spare" not in trace(TWO, "edge", "T").spread.crossed


def test_both_dead_is_lost() -> None:
    found = verify(TWO, read_budget("links=2"))

    assert "link edge-hub and link edge-spare" in lost(found)
    assert all(len(each.failures) == 1 for each in found.failovers)


def test_the_answer_tells_it_apart_from_what_is_lost() -> None:
    text = render(result_of(verify(TWO), "one"))

    assert "Arrives after failover, when links that stood by have taken over:" in text
    assert "  without link edge-hub; what is published until then is lost:" in text
    assert "edge to office arrives after failover, within 5 s" in text


def test_the_record_has_the_time() -> None:
    record = write(result_of(verify(TWO), "one"))

    assert [each["takes_ms"] for each in record["failovers"]] == [5000.0, 5000.0]  # type: ignore[index]


def test_where_brokers_route_pairs_are_counted_that_have_a_way_only_then() -> None:
    routed = replace(TWO, publishers=(), subscribers=(), routing=replace(TWO.routing, kind=SHORTEST))
    alone = replace(
        routed, links=tuple(link for link in routed.links if link.target != "office" != link.source)
    )

    found = verify(alone)

    told = {str(each.failures): each.what for each in found.failovers}
    assert told["link edge-hub"] == "2 of 12 pairs of brokers have a path after failover, within 5 s"


def test_a_copy_that_comes_from_elsewhere_is_found_when_a_link_takes_over_beside_it() -> None:
    """The dead link carries nothing of `spare`, but the one that takes over does."""
    pulled = Mesh(
        "m",
        TWO.brokers,
        (
            Link("in1", "hub", "edge", failover="in"),
            Link("in2", "spare", "edge", failover="in", rank=1),
        ),
        **topic("T", "spare", "edge"),  # type: ignore[arg-type]
    )

    found = verify(pulled, read_budget("links=1"))

    assert [str(each.failures) for each in found.failovers] == ["link in1"]


@pytest.mark.parametrize("ask", [network_of, lambda mesh: coloured(mesh, ())])
def test_who_does_not_know_of_failover_refuses_it(ask: object) -> None:
    with pytest.raises(MeshError, match="edge->spare stands by until others are dead"):
        ask(replace(TWO, routing=replace(TWO.routing, kind=SHORTEST)))  # type: ignore[operator]
