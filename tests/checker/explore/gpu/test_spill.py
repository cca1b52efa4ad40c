"""Searches whose log is not kept on the card: in memory, on disk, and what is said when that is full."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from angarium.checker.explore.engine import Outcome
from angarium.checker.explore.gpu import memory, search
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.gpu.memory import Spill
from angarium.checker.explore.graph import Wish
from angarium.checker.ir.transition import Guarantee
from angarium.core.control import Limits
from tests.checker.backend.systems import binary, counters, read
from tests.checker.explore.test_native import endless, wide

STATES, STEPS = 8**6, 6 * 7 * 8**5
ROOM = 8 * 2**19 + 500_000
"""Bytes for a table that holds that many states, and a quarter of their log."""
FAR = Guarantee("far", "reaches", binary(binary(read("c", 0), "+", read("c", 5)), "==", 14))


class Narrow(EmulatedGrid):
    """A grid that notes how much of its memory was in use at most."""

    most = 0

    def allocate(self, size: int) -> int:
        place = super().allocate(size)
        Narrow.most = max(Narrow.most, sum(each.nbytes for each in self._memory.values()))
        return place


@pytest.fixture(autouse=True)
def cramped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "WINDOW", 20_000)
    monkeypatch.setattr(memory, "LEAST_WINDOW", 1_000)
    monkeypatch.setattr(search, "WORTH_A_LAUNCH", 1_000)
    monkeypatch.setattr(Narrow, "most", 0)


def searched(room: int = ROOM, symmetry: bool = False) -> Outcome:
    system = counters(6, 7, guarantees=(FAR,), symmetric=symmetry)
    return GpuEngine(Narrow).search(system, limits=Limits(max_bytes=room), symmetry=symmetry)


@pytest.mark.parametrize("part", [1.0, 0.0], ids=["memory", "disk"])
def test_the_search_goes_on_where_the_log_does_not_fit(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SHARE_OF_MEMORY", part)
    found = searched()
    assert (found.coverage.complete, found.coverage.states, found.coverage.transitions) == (
        True,
        STATES,
        STEPS,
    )
    assert found.coverage.depth == 43
    assert Narrow.most < ROOM + 50_000 < 8 * (2**19 + STATES)


def test_runs_are_found_again_in_what_lies_elsewhere() -> None:
    run = searched().runs["far"]
    assert len(run) == 15
    assert all(sum(after) == sum(before) + 1 for before, after in pairwise(run))
    assert run[-1][0] + run[-1][5] == 14


def test_all_visited_states_are_there_afterwards() -> None:
    visited = searched().visited
    assert visited is not None
    assert len(np.unique(visited())) == STATES


def test_memory_then_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Spill(1, room=8 * 1_000)
    whole = np.arange(5_000, dtype=np.uint64).reshape(-1, 1)
    for start in range(0, 5_000, 700):
        part = kept.space(len(whole[start : start + 700]))
        part[:] = whole[start : start + 700]
        kept.append(part)
    assert kept.states == 5_000
    for first, count in ((0, 5_000), (0, 10), (650, 800), (1_390, 30), (4_990, 10)):
        assert np.array_equal(kept.read(first, count), whole[first : first + count])
    kept.close()


def test_a_table_that_is_full_ends_the_search_with_what_it_has() -> None:
    coverage = GpuEngine(Narrow).search(endless(), limits=Limits(max_bytes=ROOM)).coverage
    assert (coverage.complete, coverage.cut) == (False, f"limit of {ROOM:,} bytes")
    assert coverage.states > 0.85 * 2**19
    assert 0 < coverage.frontier < coverage.states


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SHARE_OF_MEMORY", 0.0)
    monkeypatch.setattr(memory, "KEPT_FREE", 1.1)
    found = searched()
    assert found.coverage.cut == "the memory and the disk of this machine are full"
    assert 0 < found.coverage.states < STATES


@pytest.mark.parametrize("wished", [False, True])
def test_where_the_table_refers_to_the_log_it_stays(*, wished: bool) -> None:
    system, graph = (counters(6, 7), Wish()) if wished else (wide(6, 7), None)
    found = GpuEngine(Narrow).search(system, limits=Limits(max_bytes=ROOM), graph=graph)
    assert found.coverage.cut == f"limit of {ROOM:,} bytes"
    assert Narrow.most < ROOM + 50_000
