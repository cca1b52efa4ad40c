"""The tables of every colour are those that are calculated from nothing, however they are asked for."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from angarium.core.control import INTERRUPTED, Control, Progress
from angarium.core.errors import MeshError
from angarium.mesh.mesh import FORWARD, TABLES, Broker, Mesh, Routing
from angarium.mesh.recovery import exceptions as module
from angarium.mesh.recovery.exceptions import calculated, from_words
from angarium.mesh.recovery.tables import Recovery, coloured, recovery
from angarium.mesh.routing import tables
from angarium.mesh.routing.tables import shortest
from tests.effort import examples
from tests.mesh.recovery.made import for_links, recovered, recoveries, triangle
from tests.mesh.routing.meshes import TRIANGLE, cut, dead, mesh_of, singles
from tests.mesh.routing.reference import shortest_entries

WHEEL = "1-2 2-3 3-4 4-5 5-1 1-6 2-6:2 3-6:3 4-6 5-6 6-7"


@settings(max_examples=examples(40))
@given(found=recoveries())
def test_every_table_is_the_one_that_is_calculated_from_nothing(found: Recovery) -> None:
    for colour in found.colours:
        assert np.array_equal(found.table(colour), shortest(found.graph, found.colours[colour]))


@settings(max_examples=examples(40))
@given(found=recoveries())
def test_every_table_is_that_of_the_definition(found: Recovery) -> None:
    for colour in found.colours:
        table, names = found.table(colour), found.graph.names
        said = {(names[at], names[to]): names[table[at, to]] for at, to in np.argwhere(table >= 0).tolist()}

        assert said == shortest_entries(found.mesh, found.colours[colour])


@settings(max_examples=examples(40))
@given(found=recoveries())
def test_an_entry_is_the_same_however_it_is_asked_for(found: Recovery) -> None:
    brokers = range(found.graph.brokers)
    for colour in found.colours:
        table = found.table(colour)

        assert [[found.next(colour, at, to) for to in brokers] for at in brokers] == table.tolist()
        assert np.array_equal([part.plain[colour - 1] for part in found], table)


@settings(max_examples=examples(40))
@given(found=recoveries())
def test_nothing_is_kept_that_is_as_in_the_healthy_mesh(found: Recovery) -> None:
    kept = found.exceptions

    assert (found.healthy[kept.brokers, kept.destinations] != kept.next).all()
    assert found.exceptions.of_colour(1) == slice(0, 0)
    assert len(kept) == sum((found.table(colour) != found.healthy).sum() for colour in found.colours)


def test_exceptions_are_sorted_by_colour_destination_and_broker() -> None:
    kept = recovered(mesh_of(WHEEL)).exceptions

    order = np.lexsort((kept.brokers, kept.destinations, kept.colours))

    assert order.tolist() == list(range(len(kept)))


@pytest.mark.parametrize("threads", [1, 3])
def test_neither_threads_nor_room_nor_slices_matter(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    mesh = mesh_of(WHEEL)
    expected = recovered(mesh)
    monkeypatch.setattr(tables, "ENOUGH", 0)
    monkeypatch.setattr(module, "ROOM", 1)
    request = expected.colours.failures[1:]

    parts = [calculated(expected.graph, each, Control(), threads) for each in module.slices(request, 4)]

    found = from_words(parts, [len(each) for each in module.slices(request, 4)])
    for name in ("rows", "brokers", "destinations", "next"):
        assert np.array_equal(getattr(found, name), getattr(expected.exceptions, name)), name


def test_the_cheaper_of_two_links_dies_and_the_next_broker_stays() -> None:
    mesh = mesh_of("1-2 2-3 1-3:5")
    mesh = replace(
        mesh,
        links=(
            *mesh.links,
            *(
                replace(each, name=f"{each.name} too", cable="spare", cost=2)
                for each in mesh.links
                if each.cable == "1-2"
            ),
        ),
    )

    found = recovered(mesh, [cut("1-2"), cut("1-2", "spare")])

    assert found.next_broker(2, "1", "3") == "2"
    assert found.next_broker(3, "1", "3") == "3"


@pytest.mark.parametrize(
    "routing", [Routing(FORWARD), Routing(TABLES, {}), Routing("shortest", rerouted=False)]
)
def test_tables_are_calculated_over_the_links_whatever_the_mesh_does(routing: Routing) -> None:
    found = for_links(mesh_of(TRIANGLE, routing))

    assert np.array_equal(found.table(2), triangle().table(2))


def test_a_way_ends_where_it_arrives_or_where_there_is_none() -> None:
    found = recovered(mesh_of("1-2 2-3"), [cut("2-3")])

    assert [found.path(colour, 0, 2) for colour in found.colours] == [[0, 1, 2], [0]]
    assert found.next_broker(2, "1", "3") is None


def test_a_way_that_goes_round_ends_where_it_has_been() -> None:
    found = recovered(mesh_of("1-2 2-3"), [])
    healthy = found.healthy.copy()
    healthy[1, 2] = 0

    assert replace(found, healthy=healthy).path(1, 0, 2) == [0, 1, 0]


def test_meshes_of_nothing_have_tables() -> None:
    assert len(recovered(Mesh("empty", (), ()), []).exceptions) == 0
    assert recovered(Mesh("one", (Broker("a"),), ()), [dead("a")]).table(2).tolist() == [[-1]]


@pytest.mark.parametrize("colour", [0, 5, -1])
def test_a_colour_without_tables_is_an_error(colour: int) -> None:
    with pytest.raises(MeshError, match=f"no colour {colour}\n  1 to 4"):
        triangle().table(colour)


def test_who_observes_is_told_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 5)
    mesh, told = mesh_of(WHEEL), list[tuple[int, int]]()

    recovery(
        mesh,
        coloured(mesh, singles(mesh)),
        Control(observe=lambda each: told.append((each.done, each.total))),
    )

    assert told == [(5, 18), (10, 18), (15, 18), (18, 18)]


def test_when_the_time_is_up_the_first_colours_have_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 5)
    mesh = mesh_of(WHEEL)
    now, late = time.monotonic, threading.Event()
    monkeypatch.setattr(time, "monotonic", lambda: now() + 1000 * late.is_set())

    found = recovery(mesh, coloured(mesh, singles(mesh)), Control(500.0, lambda _: late.set()))

    assert str(found.cut) == "time limit of 500 s"
    assert found.colours.failures == coloured(mesh, singles(mesh)).failures[:6]
    assert np.array_equal(found.table(6), shortest(found.graph, found.colours[6]))


def test_when_somebody_presses_ctrl_c_the_first_colours_have_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 5)
    mesh = mesh_of(WHEEL)

    class Interrupted(module.ThreadPoolExecutor):
        def submit(self, *_: object) -> None:  # type: ignore[override]
            raise KeyboardInterrupt

    def interrupt(_: Progress) -> None:
        monkeypatch.setattr(module, "ThreadPoolExecutor", Interrupted)

    found = recovery(mesh, coloured(mesh, singles(mesh)), Control(observe=interrupt))

    assert (str(found.cut), len(found.colours)) == (INTERRUPTED, 6)


def test_more_exceptions_than_there_is_room_for_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)

    with pytest.raises(MeshError, match="exceptions after 3 failures"):
        triangle()
