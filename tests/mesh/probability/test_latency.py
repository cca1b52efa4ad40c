"""The chances of missing a bound: exact limits, brute force and simulation agree."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from angarium.core.control import Control, in_lines
from angarium.mesh.distributions import Part
from angarium.mesh.mesh import Mesh
from angarium.mesh.probability import latency, sampling
from angarium.mesh.probability.latency import Latencies, Missing, exact
from angarium.mesh.probability.limits import Floats, Probability, late
from angarium.mesh.probability.paths import ARRIVES, Outcome, Paths, paths_of
from angarium.mesh.probability.sampling import (
    Drawing,
    allotted,
    different,
    drawing_of,
    late_of,
    simulated,
    units,
)
from tests.mesh.probability.meshes import drawn, every_set, read, ring

KINDS = ("away", "lost", "late", "missed")
RUNS = 40_000


@lru_cache
def answer() -> Latencies:
    return exact(ring())


def chances(row: Missing) -> dict[str, float]:
    return {kind: getattr(row, kind).value for kind in KINDS}


def brute(mesh: Mesh, tries: int) -> list[dict[str, float]]:
    """The same by plain Python: for every set of failures, so many messages over the path that is left."""
    paths, dice = paths_of(mesh), random.Random(11)
    found = [dict.fromkeys(KINDS, 0.0) for _ in paths.questions]
    for failures, chance in every_set(mesh):
        for sums, question, outcome in zip(found, paths.questions, paths.outcomes(failures), strict=True):
            kind, share = outcome.kind, 1.0
            if kind == ARRIVES:
                assert question.bound is not None
                kind, share = "late", _late(outcome, question.bound, tries, dice)
            sums[kind] += chance * share
            sums["missed"] += chance * share
    return found


def _late(outcome: Outcome, bound: float, tries: int, dice: random.Random) -> float:
    times = (sum(drawn(part, dice) for part in outcome.parts) for _ in range(tries))
    return sum(outcome.constant + time > bound for time in times) / tries


def test_the_exact_chances_are_those_of_brute_force() -> None:
    for row, expected in zip(answer().rows, brute(ring(), 4000), strict=True):
        assert chances(row) == pytest.approx(expected, abs=0.01)


def test_the_exact_limits_are_close_and_nothing_is_left_out() -> None:
    found = answer()

    assert (found.sets, found.failures, found.rest) == (16, 4, 0)
    assert all(row.missed.high - row.missed.low < 1e-3 for row in found.rows)
    assert all(
        row.missed.value == pytest.approx(row.away.value + row.lost.value + row.late.value)
        for row in found.rows
    )


def test_what_is_left_out_widens_the_limits_by_its_weight() -> None:
    found, whole = exact(ring(), most_sets=6), answer()

    assert (found.sets, found.failures) == (5, 1)
    for few, all_of in zip(found.rows, whole.rows, strict=True):
        assert few.missed.low <= all_of.missed.low
        assert few.missed.high >= all_of.missed.high
        assert few.missed.high - few.missed.low == pytest.approx(found.rest, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_the_simulation_encloses_the_exact_chances(seed: int) -> None:
    found = simulated(ring(), runs=RUNS, seed=seed, confidence=0.999)

    for row, expected in zip(found.rows, answer().rows, strict=True):
        for kind in KINDS:
            limits = getattr(row, kind)
            assert limits.low <= getattr(expected, kind).value <= limits.high
            assert limits.low <= limits.value <= limits.high


def test_more_runs_bring_narrower_limits() -> None:
    few, many = (simulated(ring(), runs=runs).rows[0].missed for runs in (2000, RUNS))

    assert many.high - many.low < (few.high - few.low) / 2


def test_the_same_seed_gives_the_same_figures_on_any_number_of_threads() -> None:
    one, three = (simulated(ring(), runs=RUNS, seed=4, threads=threads) for threads in (1, 3))
    other = simulated(ring(), runs=RUNS, seed=5)

    assert one.rows == three.rows
    assert one.rows != other.rows


def test_where_nothing_varies_and_nothing_fails_one_look_says_it_all() -> None:
    mesh = read(
        "brokers: [a, b]\nlinks: [{between: [a, b], latency: 5 ms}]\nrouting: shortest\n"
        "topics: {T: {from: a, to: b, within: 5 ms}, U: {from: a, to: b, within: 4.9 ms}}\n"
    )

    in_time, too_late = simulated(mesh, runs=1000).rows

    assert (in_time.missed.low, in_time.missed.high) == (0, 0)
    assert (too_late.missed.low, too_late.missed.high) == (1, 1)
    assert [row.missed for row in exact(mesh).rows] == [in_time.missed, too_late.missed]


def test_a_substitute_for_a_dead_broker_takes_a_chance_away() -> None:
    with_one = exact(ring(("{a: {mtbf", "{a: {substitute: b, mtbf")))

    assert answer().rows[0].away.value == pytest.approx(0.1)
    assert with_one.rows[0].away.value == 0


def test_the_first_of_several_copies_gives_an_upper_limit_alone() -> None:
    mesh = read(
        "brokers: [a, b, c]\nlinks:\n"
        "  - {from: a, to: b, latency: {exponential: 2 ms}}\n"
        "  - {from: b, to: c, latency: {exponential: 2 ms}}\n"
        "  - {from: a, to: c, latency: 6 ms}\n"
        "topics: {T: {from: a, to: c, within: 7 ms}}\n"
    )

    for found in (exact(mesh), simulated(mesh, runs=RUNS)):
        assert found.rows[0].is_limit
        assert found.rows[0].missed.low == 0
        assert found.rows[0].missed.value == found.rows[0].missed.high, "what is told is the limit"
        assert found.rows[0].late.value == pytest.approx(4.5 * math.exp(-3.5), abs=0.01)


def test_a_bound_that_nobody_gave_is_never_missed_by_time() -> None:
    row = exact(ring((", within: 15 ms", ""))).rows[0]

    assert row.late.value == 0
    assert row.missed.value == pytest.approx(row.away.value + row.lost.value)


# --- what is drawn ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        Part("exponential", 3),
        Part("uniform", 2, 8),
        Part("normal", 6, 2),
        Part("normal", 1, 4),
        Part("exponential", 900_000),
    ],
    ids=lambda part: f"{part.kind} {part.first:g} {part.second:g}",
)
def test_times_are_drawn_as_their_distribution_says(part: Part) -> None:
    count = 100_000
    for number, factor in enumerate((0.2, 0.9, 1.3, 2.5)):
        time = factor * part.mean
        expected = part.longer(time)

        found = late_of([part], time, count, 1, number) / count

        assert found == pytest.approx(expected, abs=4.5 * (expected * (1 - expected) / count) ** 0.5 + 1e-9)


def test_sums_are_drawn_as_their_distribution_says() -> None:
    parts = (Part("exponential", 2), Part("normal", 6, 2), Part("uniform", 1, 3))
    low, high = late(0, parts, 15)

    found = late_of(parts, 15, 200_000, 3, 0) / 200_000

    assert low - 0.004 < found < high + 0.004


def test_a_bound_beyond_all_times_is_never_missed() -> None:
    assert late_of([Part("exponential", 3)], 1e300, 1000, 1, 0) == 0


def test_streams_differ_and_can_be_repeated() -> None:
    counts = [late_of([Part("exponential", 1)], 1, 5000, 9, stream) for stream in (1, 2, 1)]

    assert counts[0] == counts[2] != counts[1]


def test_all_runs_are_drawn_and_the_first_units_cover_every_number_of_failures() -> None:
    strata = drawing_of(ring(), (), 0).strata
    allotment = allotted(strata, 300_000)

    asked = list(units(allotment))

    assert [each.failures for each in asked[:5]] == [0, 1, 2, 3, 4]
    assert [each.number for each in asked] == list(range(len(asked)))
    for size, runs in enumerate(allotment):
        assert sum(each.runs for each in asked if each.failures == size) == runs
    assert allotment == sorted(allotment, reverse=True)


def test_a_set_of_many_risks_is_sorted_too() -> None:
    sets = np.array([[1, 5], [0, 2], [1, 5]], np.int64)

    quick, slow = (different(sets, risks) for risks in (6, 2**40))

    for found, counts in (quick, slow):
        assert dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True)) == {(1, 5): 2, (0, 2): 1}


# --- time limits --------------------------------------------------------------------------------


def test_a_cut_simulation_says_so_and_what_it_did_not_draw_is_in_its_limits() -> None:
    found = simulated(ring(), runs=10_000_000, control=Control(1e-6), threads=1)

    assert found.cut == "time limit of 1e-06 s"
    assert found.runs is not None
    assert found.runs < 10_000_000
    for row, expected in zip(found.rows, answer().rows, strict=True):
        assert row.missed.low <= expected.missed.value <= row.missed.high


def test_a_cut_enumeration_still_encloses_the_chances() -> None:
    found = exact(ring(), control=Control(1e-9))

    assert found.cut
    assert found.sets == 1
    assert found.rows[0].missed.low <= answer().rows[0].missed.value <= found.rows[0].missed.high


def test_an_interrupted_enumeration_counts_what_it_has_not_looked_at_as_open() -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    found = exact(ring(), control=Control(observe=in_lines(interrupt)))

    assert found.cut == "interrupted"
    assert (found.rows[0].missed.low, found.rows[0].missed.high) == (0, 1)


# --- mutants: each breaks something that the agreement above must notice ----------------------------


def agrees(found: Latencies) -> bool:
    return all(
        getattr(row, kind).low <= getattr(expected, kind).value <= getattr(row, kind).high
        for row, expected in zip(found.rows, answer().rows, strict=True)
        for kind in KINDS
    )


def test_failures_that_are_drawn_evenly_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = drawing_of

    def even(mesh: Mesh, topics: Sequence[str], seed: int) -> Drawing:
        found = whole(mesh, topics, seed)
        found.strata = replace(found.strata, behind=_even(found.strata.behind))
        return found

    monkeypatch.setattr(sampling, "drawing_of", even)

    assert not agrees(simulated(ring(), runs=RUNS))


def _even(behind: Floats) -> Floats:
    """As if all risks were as likely."""
    even = np.zeros_like(behind)
    even[0] = 1.0
    for place in range(behind.shape[1] - 2, -1, -1):
        even[1:, place] = even[1:, place + 1] + even[:-1, place + 1]
    return even


def test_failures_that_change_nothing_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Paths, "changed", lambda self, failures: {})

    assert not agrees(simulated(ring(), runs=RUNS))


def test_a_sum_that_forgets_a_part_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sampling.late_of
    monkeypatch.setattr(sampling, "late_of", lambda parts, *more: whole(parts[:1], *more))

    assert not agrees(simulated(ring(), runs=RUNS))


def test_limits_that_leave_out_the_rest_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        latency._Limits, "chance", lambda self, rest: Probability(self.low, self.low, self.high)
    )

    assert not agrees(exact(ring(), most_sets=6))
