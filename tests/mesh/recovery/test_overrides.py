"""Overridden entries are in the tables, nothing else is different, and what cannot be wanted is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError, Place
from angarium.mesh.recovery.overrides import Override, overridden
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.recovery.verified import verified
from tests.effort import examples
from tests.mesh.recovery.made import recoveries, tables_of, triangle


def test_an_override_for_all_colours_leads_into_a_dead_link_in_one() -> None:
    found = overridden(triangle(), [Override("1", "2", "2")])

    checked = verified(found)

    assert [(each.colour, each.first_lost) for each in checked.violations()] == [(2, ("1", "2"))]


def test_an_override_may_lead_in_a_circle() -> None:
    found = overridden(triangle(), [Override("3", "2", "1", colour=2)])

    checked = verified(found)

    assert [(each.colour, each.first_looping) for each in checked.violations()] == [(2, ("1", "2"))]


def test_an_override_that_is_a_detour_is_told_and_breaks_nothing() -> None:
    found = overridden(triangle(), [Override("1", "2", "3", colour=1)])

    checked = verified(found)

    assert checked.holds
    assert [(each.colour, each.longer, each.extra) for each in checked.detours()] == [(1, 1, 1)]


def test_one_for_a_colour_counts_more_than_one_for_all() -> None:
    found = overridden(triangle(), [Override("1", "2", "3", colour=4), Override("1", "2", "2")])

    assert [found.next_broker(colour, "1", "2") for colour in found.colours] == ["2", "2", "2", "3"]


@settings(max_examples=examples(60))
@given(found=recoveries(), data=st.data())
def test_what_is_overridden_is_in_the_tables_and_everything_else_is_as_before(
    found: Recovery, data: st.DataObject
) -> None:
    tables, names, hops = tables_of(found), found.graph.names, found.graph.hops
    overrides: dict[tuple[str, str, int | None], Override] = {}
    for _ in range(data.draw(st.integers(0, 3)) if hops else 0):
        hop = data.draw(st.integers(0, hops - 1))
        at, after = int(found.graph.sources[hop]), int(found.graph.targets[hop])
        to = data.draw(st.sampled_from([other for other in range(len(names)) if other != at]))
        colour = data.draw(st.none() | st.integers(1, len(found.colours)))
        overrides[names[at], names[to], colour] = Override(names[at], names[to], names[after], colour)
    for each in sorted(overrides.values(), key=lambda each: each.colour is not None):
        for table in tables if each.colour is None else [tables[each.colour - 1]]:
            table[found.graph.number(each.broker), found.graph.number(each.destination)] = found.graph.number(
                each.next
            )

    changed = overridden(found, overrides.values())

    assert all(np.array_equal(changed.table(colour), tables[colour - 1]) for colour in changed.colours)
    kept = changed.exceptions
    assert (changed.healthy[kept.brokers, kept.destinations] != kept.next).all()


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        (Override("9", "2", "3"), "no broker is called '9'"),
        (Override("1", "1", "3"), "sends what is for 1 away"),
        (Override("1", "2", "1"), "no link leads there\n  .*possible: 2, 3"),
        (Override("1", "2", "3", colour=7), "no colour 7\n  1 to 4"),
    ],
)
def test_what_cannot_be_wanted_is_refused(wanted: Override, complaint: str) -> None:
    with pytest.raises(MeshError, match=complaint):
        overridden(triangle(), [wanted])


def test_an_entry_that_is_wanted_twice_is_refused_with_its_place() -> None:
    place = Place("overrides.yaml", 3, 5)
    twice = [Override("1", "2", "3", colour=2), Override("1", "2", "2", colour=2, place=place)]

    with pytest.raises(MeshError, match=r"overrides.yaml:3:5: two overrides are for 1 to 2 in colour 2"):
        overridden(triangle(), twice)
