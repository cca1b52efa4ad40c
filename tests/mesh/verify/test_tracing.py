"""One topic, followed: every copy with its path, and the scopes where there are some."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.mesh_trace import render_trace
from angarium.core.records import write
from angarium.mesh.answers import trace_result
from angarium.mesh.delivery.forward import MOST_SHOWN
from angarium.mesh.mesh import NOTHING, Broker, Mesh, Pattern, Rename
from angarium.mesh.verify.tracing import trace
from tests.app.cli.running import run
from tests.mesh.delivery.meshes import complete, link, mesh_of, ring

REGIONS = "examples/meshes/rabbitmq/regions"


def told(mesh: Mesh, origin: str, topic: str = "t") -> str:
    return render_trace(mesh, trace(mesh, origin, topic), NOTHING)


def test_every_copy_has_its_way_the_quickest_first() -> None:
    slow = mesh_of([link("a", "b", latency=2.0), link("b", "d"), link("a", "c", latency=1.0), link("c", "d")])

    each = trace(slow, "a", "t").each["d", "t"]

    assert [(copy.path, copy.latency) for copy in each] == [(("a>c", "c>d"), 1.0), (("a>b", "b>d"), 2.0)]


def test_copies_of_other_names_are_told_apart() -> None:
    renamed = mesh_of([link("a", "b"), replace(link("a", "b", rename=Rename(add="x/")), name="second")])

    assert "b       t    1       0   a > b" in told(renamed, "a")
    assert "b       x/t  1       0   a > b" in told(renamed, "a")


def test_there_are_as_many_ways_as_copies() -> None:
    for mesh in (complete(4), complete(4, limit=2), ring(4, hop_limit=4)):
        traced = trace(mesh, mesh.brokers[0].name, "t")
        counts = {(each.broker, each.topic): each.copies for each in traced.spread.arrivals}

        assert {place: len(copies) for place, copies in traced.each.items()} == counts
        assert all(len({copy.path for copy in its}) == len(its) for its in traced.each.values())


def test_of_many_copies_a_few_are_told_and_the_others_counted() -> None:
    many = complete(6)

    assert len(trace(many, "b1", "t").each["b2", "t"]) == MOST_SHOWN
    assert "and 57 more" in told(many, "b1")


def test_what_goes_round_for_ever_has_one_way_and_its_round() -> None:
    text = told(ring(3), "b1")

    assert text.count("without end") == 3
    assert "goes round: " in text


def test_long_names_are_listed_below_one_another() -> None:
    names = [f"{place}-{'broker' * 8}" for place in "abc"]
    text = told(
        mesh_of([link(names[0], names[1]), link(names[1], names[2])]), names[0], "a/topic/" * 6 + "end"
    )

    assert max(map(len, text.splitlines()[4:])) <= 80
    assert "1 copy" in text


def test_the_record_has_every_copy() -> None:
    triangle = complete(3)
    record = write(trace_result(triangle, trace(triangle, "b1", "t"), NOTHING))

    assert [len(each["each"]) for each in record["arrivals"]] == [1, 2, 2]


def test_without_a_scope_the_scopes_are_listed_with_the_command_to_paste() -> None:
    result = run("mesh", "trace", REGIONS, "--host", "10.0.0.1=eu", "--from", "eu", "--topic", "a.b")

    assert result.exit_code == 2
    assert "possible: fed.orders, fed.prices, incoming" in result.stderr
    paste = f"angarium mesh trace {REGIONS} --host 10.0.0.1=eu --from eu --topic a.b --scope fed.orders"
    assert paste in result.stderr


def test_a_scope_that_nothing_has_is_said() -> None:
    result = run("mesh", "trace", REGIONS, "--from", "eu", "--topic", "a.b", "--scope", "fed.order")

    assert result.exit_code == 0
    assert "Nothing that the files say of eu is in this scope. Its scopes: fed.orders," in result.stdout


@pytest.mark.parametrize("scope", ["", "accounts"])
def test_a_topic_that_somebody_takes_needs_no_other_scope(scope: str) -> None:
    mixed = Mesh(
        "m",
        (Broker("a", "mqtt"), Broker("b", "mqtt")),
        (link("a", "b", accepts=(Pattern("#", "mqtt"), Pattern("#", "mqtt", "accounts"))),),
    )

    assert not trace(mixed, "a", "t", scope).elsewhere
