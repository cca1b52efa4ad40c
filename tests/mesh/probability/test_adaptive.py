"""The rule for heartbeats: what it does on quiet, busy and bursty links."""

from __future__ import annotations

from angarium.mesh.probability.adaptive import CAUTIOUS, LONGEST, PATIENCE, WHOLE, Receiver, Sender

BASE = 1_000_000


def listened(gaps: list[int]) -> Receiver:
    receiver = Receiver(BASE, last=0)
    for gap in gaps:
        receiver.heard(receiver.last + gap)
    return receiver


def test_at_first_the_receiver_is_cautious() -> None:
    assert Receiver(BASE, last=0).dead_after == CAUTIOUS * BASE


def test_on_a_quiet_link_the_dead_interval_shrinks_to_the_least() -> None:
    quiet = listened([BASE] * 20_000)

    assert quiet.dead_after == PATIENCE * BASE
    assert quiet.dead_at == 20_003 * BASE


def test_late_heartbeats_make_it_longer_at_once_and_lulls_shorten_it_slowly() -> None:
    calm, burst = [BASE] * 20_000, [4 * BASE] * 10

    before, after, soon, later = (
        listened(gaps).dead_after
        for gaps in (calm, calm + burst, calm + burst + calm[:200], calm + burst + calm)
    )

    assert after > 2 * before
    assert soon > 0.9 * after
    assert later == before


def test_it_has_a_limit() -> None:
    assert listened([1000 * BASE] * 50).dead_after == LONGEST * BASE


def test_an_early_heartbeat_is_not_late() -> None:
    assert listened([BASE // 2] * 20_000).lateness == 0


def test_a_longer_interval_that_was_announced_is_not_late() -> None:
    receiver = Receiver(BASE, last=0)
    for number in range(1, 20_001):
        receiver.heard(number * 3 * BASE, announced=3 * BASE)

    assert receiver.lateness <= 2 * BASE // 8
    assert receiver.dead_after == PATIENCE * 3 * BASE


def test_a_sender_keeps_its_interval_unless_it_may_stretch_it() -> None:
    steady, stretching = Sender(BASE), Sender(BASE, stretch=4)
    for each in (steady, stretching):
        for _ in range(200):
            each.measured(busy=500, elapsed=1000)

    assert steady.interval == BASE
    assert abs(stretching.interval - 2 * BASE) < BASE // 1000


def test_a_link_that_is_always_busy_stretches_to_the_limit_and_relaxes_again() -> None:
    sender = Sender(BASE, stretch=4)
    for _ in range(200):
        sender.measured(busy=2000, elapsed=1000)
    busy = sender.interval
    for _ in range(200):
        sender.measured(busy=0, elapsed=1000)

    assert busy == 4 * BASE
    assert BASE <= sender.interval <= BASE * WHOLE // (WHOLE - 8)


def test_no_time_has_no_load() -> None:
    sender = Sender(BASE, stretch=4)

    sender.measured(busy=0, elapsed=0)

    assert sender.interval == BASE
