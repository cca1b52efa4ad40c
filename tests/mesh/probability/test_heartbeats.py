"""Simulated heartbeats: the compiled run is the plain one, and the curves say what they should."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from angarium.core.control import Control
from angarium.mesh.probability import queue_core as core
from angarium.mesh.probability.heartbeats import (
    CORE,
    SCHEMES,
    Curves,
    Point,
    Scheme,
    Traffic,
    by_curve,
    heartbeats,
)
from angarium.native.calls import Native
from tests.mesh.probability.heartbeat_reference import Link

SECOND = 10**9


def words_of(*asked: int) -> NDArray[np.uint64]:
    words = np.zeros(core.SIZE, np.uint64)
    words[: len(asked)] = asked
    return words


def compiled(length: int, *asked: int) -> list[int]:
    words = words_of(*asked)
    for end in (length // 3, length):
        CORE.call("run", words, end)
    return [int(word) for word in words]


@pytest.mark.parametrize("burst", [50.0, 0.0])
@pytest.mark.parametrize(("stretch", "fixed"), [(1, 4), (1, 0), (4, 0)])
def test_the_compiled_run_is_the_plain_one(burst: float, stretch: int, fixed: int) -> None:
    base = 10_000_000
    asked = (7, 2, *Traffic(0.7, room=20, burst=burst).words, base, stretch, fixed * base)

    found = compiled(20 * SECOND, *asked)
    plain = Link(*asked)
    plain.run(20 * SECOND)

    assert (found[core.ALARMS], found[core.SENT], found[core.LOST]) == (plain.alarms, plain.sent, plain.lost)
    assert (found[core.AREA], found[core.GAPS]) == (plain.area, plain.gaps)
    assert found[core.GREATEST] == max(plain.dead_intervals)


def test_a_mutant_of_the_rule_is_noticed() -> None:
    base = 10_000_000
    asked = (7, 2, *Traffic(0.7, room=20, burst=50.0).words, base, 1, 0)
    mutant, words = Native(core, ("run",), {"run.hasty": {"SLOWER_BITS": 0}}), words_of(*asked)

    mutant.call("run.hasty", words, 20 * SECOND)
    plain = Link(*asked)
    plain.run(20 * SECOND)

    assert (int(words[core.ALARMS]), int(words[core.AREA])) != (plain.alarms, plain.area)


def test_a_queue_is_as_busy_as_its_load_says() -> None:
    traffic = Traffic(0.6, burst=0)

    found = compiled(600 * SECOND, 1, 0, *traffic.words, SECOND, 1, 4 * SECOND)

    assert found[core.PACKETS] * traffic.nanoseconds(1000) / (600 * SECOND) == pytest.approx(0.6, rel=0.01)
    assert found[core.DROPPED] == 0


def test_bursts_bring_the_same_load_and_drop_some_of_it() -> None:
    traffic = Traffic(0.6, burst=200)

    found = compiled(3600 * SECOND, 1, 0, *traffic.words, SECOND, 1, 4 * SECOND)

    assert found[core.PACKETS] * traffic.nanoseconds(1000) / (3600 * SECOND) == pytest.approx(0.6, rel=0.05)
    assert found[core.DROPPED] > 0


def test_an_idle_link_notices_after_the_dead_interval_less_half_a_gap() -> None:
    base = 100_000_000

    found = compiled(600 * SECOND, 1, 0, *Traffic(0.001, burst=0).words, base, 1, 4 * base)

    gaps = found[core.GAPS] / found[core.HEARD] / 1e6
    assert gaps == pytest.approx(87.5, rel=0.01)  # between 75 and 100 ms
    assert found[core.AREA] / (found[core.GAPS] / 1e6) / 1000 == pytest.approx(400 - gaps / 2, rel=0.01)
    assert found[core.ALARMS] == 0


@lru_cache
def curves() -> Curves:
    return heartbeats([0.1, 0.9], [5.0, 50.0], hours=0.4, seed=3)


def point(scheme: str, interval: float, load: float = 0.9) -> Point:
    return next(
        each
        for each in curves().points
        if (each.scheme, each.interval, each.load) == (scheme, interval, load)
    )


def test_there_is_a_point_for_every_load_scheme_and_interval() -> None:
    assert len(curves().points) == 2 * len(SCHEMES) * 2
    assert len(list(by_curve(curves().points))) == 2 * len(SCHEMES)
    assert curves().cut is None


def test_a_short_dead_interval_raises_false_alarms_under_load_and_the_adaptive_one_few() -> None:
    assert point("fixed x4", 5.0).alarms_per_hour > 1000
    assert point("adaptive", 5.0).alarms_per_hour < 20
    assert point("adaptive", 5.0).detection < point("fixed x4", 50.0).detection
    assert point("adaptive", 5.0).alarms_per_hour < point("fixed x4", 50.0).alarms_per_hour


def test_a_longer_fixed_interval_raises_fewer_alarms_and_notices_later() -> None:
    quick, slow = point("fixed x4", 5.0), point("fixed x4", 50.0)

    assert slow.alarms_per_hour < quick.alarms_per_hour / 4
    assert slow.detection > 5 * quick.detection
    assert quick.low <= quick.alarms_per_hour <= quick.high


def test_on_a_quiet_link_the_adaptive_interval_notices_sooner_than_a_safe_fixed_one() -> None:
    found = heartbeats([0.5], [10.0], traffic=Traffic(0.5, burst=0), hours=0.5)
    by_name = {each.scheme: each for each in found.points}

    assert by_name["adaptive"].detection < by_name["fixed x4"].detection < by_name["fixed x16"].detection
    assert all(each.alarms == 0 for each in found.points)
    assert by_name["adaptive"].high == pytest.approx(3.69 / 0.5, rel=0.01)


def test_a_stretched_interval_sends_less_and_notices_later() -> None:
    assert point("stretched", 5.0).heartbeats_per_second < 0.8 * point("adaptive", 5.0).heartbeats_per_second
    assert point("stretched", 5.0).detection > point("adaptive", 5.0).detection


def test_the_same_seed_gives_the_same_points() -> None:
    one, again, other = (heartbeats([0.6], [20.0], hours=0.1, seed=seed).points for seed in (1, 1, 2))

    assert one == again
    assert one != other


def test_a_time_limit_leaves_what_was_done() -> None:
    found = heartbeats(
        [0.6], [20.0, 50.0], schemes=[Scheme("fixed", 4)] * 4, hours=0.1, control=Control(1e-9)
    )

    assert found.cut == "time limit of 1e-09 s"
    assert len(found.points) < 8


def test_a_time_limit_counts_on_the_fastest_link_too() -> None:
    """An hour of it is more packets than there is time for: looks at the clock go by packets, not by time."""
    link = Traffic(0.9, rate=100_000.0)

    found = heartbeats([0.9], [5.0], traffic=link, hours=1000, control=Control(0.01))

    assert found.cut == "time limit of 0.01 s"
    assert found.points == ()


def test_data_and_heartbeats_are_counted_in_the_time_that_packets_take() -> None:
    link, interval = Traffic(0.9, rate=8.0), 2_000_000

    assert link.nanoseconds(link.packet) == 1_000_000
    assert link.lasting(1400, interval) == pytest.approx(10**9), "900 packets a second, and 500 heartbeats"
