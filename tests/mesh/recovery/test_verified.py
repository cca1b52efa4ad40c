"""Verification finds what a walk through every table finds, whatever is in the tables."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.control import INTERRUPTED, Control, Progress
from angarium.mesh.recovery import exceptions, verified_core
from angarium.mesh.recovery import verified as module
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.recovery.verified import ColourCheck, verified
from angarium.mesh.routing import tables as native
from tests.effort import examples
from tests.mesh.recovery.made import for_links, recovered, recoveries, tables_of, triangle, with_tables
from tests.mesh.routing.meshes import mesh_of
from tests.mesh.routing.reference import distances, living_hops

Pair = tuple[str, str]


def by_definition(found: Recovery, colour: int) -> ColourCheck:
    """Every message walks, and what its path costs is compared with the distance."""
    failures, table, names = found.colours[colour], found.table(colour), found.graph.names
    hops = living_hops(found.mesh, failures)
    far = distances(list(names), hops)
    ends: dict[str, list[Pair]] = {kind: [] for kind in ("delivered", "cut", "lost", "looping", "longer")}
    extra = 0.0
    living = [number for number, name in enumerate(names) if name not in failures.brokers]
    for pair in ((at, to) for at in living for to in living if at != to):
        named = names[pair[0]], names[pair[1]]
        kind, cost = walked(table.tolist(), {(a, b): each.cost for (a, b), each in hops.items()}, names, pair)
        if kind == "lost" and math.isinf(far[named]):
            kind = "cut"
        ends[kind].append(named)
        if kind == "delivered" and cost > far[named]:
            ends["longer"].append(named)
            extra = max(extra, cost - far[named])
    first = {kind: pairs[0] if pairs else None for kind, pairs in ends.items()}
    counts = {kind: len(pairs) for kind, pairs in ends.items()}
    return ColourCheck(
        *(colour, failures, counts["delivered"], counts["cut"], counts["lost"], counts["looping"]),
        *(counts["longer"], int(extra), first["lost"], first["looping"], first["longer"]),
    )


def walked(
    table: list[list[int]], costs: dict[Pair, int], names: tuple[str, ...], pair: tuple[int, int]
) -> tuple[str, int]:
    at, to = pair
    seen, cost = {at}, 0
    while at != to:
        after = table[at][to]
        if after < 0 or (names[at], names[after]) not in costs:
            return "lost", cost
        cost += costs[names[at], names[after]]
        if after in seen:
            return "looping", cost
        seen.add(after)
        at = after
    return "delivered", cost


@settings(max_examples=examples(40))
@given(found=recoveries())
def test_calculated_tables_hold_and_are_judged_as_by_definition(found: Recovery) -> None:
    checked = verified(found)

    assert checked.holds
    assert checked.longer == 0
    assert list(checked) == [by_definition(found, colour) for colour in found.colours]


@given(found=recoveries(), data=st.data())
def test_every_change_of_an_entry_is_judged_as_by_definition(found: Recovery, data: st.DataObject) -> None:
    tables, brokers = tables_of(found), st.integers(0, found.graph.brokers - 1)
    for _ in range(data.draw(st.integers(1, 3))):
        table = tables[data.draw(st.integers(0, len(tables) - 1))]
        table[data.draw(brokers), data.draw(brokers)] = data.draw(st.integers(-1, found.graph.brokers - 1))
    changed = with_tables(found, tables)

    checked = verified(changed)

    expected = [by_definition(changed, colour) for colour in changed.colours]
    assert list(checked) == expected
    assert checked.holds == all(each.holds for each in expected)


@settings(max_examples=examples(40))
@given(found=recoveries(), seed=st.integers(0, 1000))
def test_any_tables_at_all_are_judged_as_by_definition(found: Recovery, seed: int) -> None:
    choice, brokers = np.random.default_rng(seed), found.graph.brokers
    tables = [choice.integers(-1, brokers, (brokers, brokers), np.int32) for _ in found.colours]
    changed = with_tables(found, tables)

    assert list(verified(changed)) == [by_definition(changed, colour) for colour in changed.colours]


def test_tables_that_leave_out_what_a_failure_touches_are_found() -> None:
    found = triangle()
    without = replace(found, exceptions=exceptions.from_words([np.zeros(0, np.uint64)], [3]))

    checked = verified(without)

    assert not checked.holds
    assert [each.colour for each in checked.violations()] == [2, 3, 4]
    assert checked[2].first == checked[2].first_lost == ("1", "2")
    assert checked.lost == 6


def test_a_circle_is_found_and_told_apart_from_what_is_lost() -> None:
    found = recovered(mesh_of("1-2 2-3"), [])
    healthy = found.healthy.copy()
    healthy[1, 2] = 0

    checked = verified(replace(found, healthy=healthy))

    assert (checked.looping, checked.lost, checked[1].first) == (2, 0, ("1", "3"))


def test_a_detour_breaks_nothing_and_is_told() -> None:
    found = recovered(mesh_of("1-2 2-3:3 1-3"), [])
    healthy = found.healthy.copy()
    healthy[1, 2] = 2

    checked = verified(replace(found, healthy=healthy))

    assert checked.holds
    assert [(each.longer, each.extra, each.first_longer) for each in checked.detours()] == [
        (1, 1, ("2", "3"))
    ]


def test_what_failures_cut_off_is_counted_and_is_no_violation() -> None:
    checked = verified(for_links(mesh_of("1-2 2-3")))

    assert checked.holds
    assert [(each.delivered, each.cut_off) for each in checked] == [(6, 0), (2, 4), (2, 4)]
    assert checked.pairs == checked.delivered + checked.cut_off == 18


def test_it_does_not_matter_how_many_threads_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recovered(mesh_of("1-2 2-3 3-4 4-1:2 1-3:3 4-5 5-2"))
    tables = tables_of(found)
    tables[3][2, 4] = tables[0][1, 3] = 0
    changed = with_tables(found, tables)
    expected = list(verified(changed))
    monkeypatch.setattr(native, "ENOUGH", 0)
    monkeypatch.setattr(native.os, "sched_getaffinity", lambda _: range(3))

    assert list(verified(changed)) == expected


def test_what_is_cut_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now, late = time.monotonic, threading.Event()
    monkeypatch.setattr(time, "monotonic", lambda: now() + 1000 * late.is_set())
    told: list[tuple[int, int | None]] = []

    def observe(progress: Progress) -> None:
        told.append((progress.done, progress.total))
        late.set()

    checked = verified(triangle(), Control(500.0, observe))

    assert (str(checked.cut), checked.holds, checked.lost) == ("time limit of 500 s", False, 0)
    assert told == [(1, 3)]


def test_ctrl_c_ends_it_with_what_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "wait", interrupted)

    checked = verified(triangle())

    assert (str(checked.cut), checked.holds) == (INTERRUPTED, False)


def test_the_core_counts_in_as_many_words_as_it_says() -> None:
    assert verified(triangle()).tallies.shape == (4, verified_core.TALLY)
