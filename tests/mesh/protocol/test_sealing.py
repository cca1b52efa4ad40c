"""A seal lets each letter through once, from whom it is, and nothing else; whoever restarts when."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.protocol.daemon import DOUBLED, FORGED, OVERHEAD, STALE, UNSIGNED, WINDOW, Arrivals, Seal
from angarium.mesh.protocol.messages import LONGEST_DATAGRAM, LONGEST_LETTER, Refusal
from tests.effort import examples

KEY, NEW = bytes(32), bytes(range(32))


def pair(one: tuple[bytes, ...] = (KEY,), other: tuple[bytes, ...] = (KEY,)) -> tuple[Seal, Seal]:
    """Two brokers that have met."""
    a, b = Seal(one, "a", "b"), Seal(other, "b", "a")
    meet(a, b)
    return a, b


def meet(a: Seal, b: Seal) -> None:
    """A datagram each way until both listen to each other: so many heartbeats does it take."""
    for _ in range(2):
        b.opened(a.closed(b"hello"))
        a.opened(b.closed(b"hello"))
    assert b.opened(a.closed(b"x")) == b"x" and a.opened(b.closed(b"y")) == b"y"


def test_a_letter_is_let_through_once() -> None:
    a, b = pair()
    datagram = a.closed(b"news")

    assert b.opened(datagram) == b"news"
    assert b.opened(datagram) is DOUBLED


def test_datagrams_may_overtake_each_other() -> None:
    a, b = pair()
    sent = [a.closed(bytes([number])) for number in range(50)]

    assert [b.opened(each) for each in reversed(sent)] == [bytes([number]) for number in reversed(range(50))]
    assert {b.opened(each) for each in sent} == {DOUBLED}


def test_what_comes_much_too_late_is_refused() -> None:
    a, b = pair()
    early = a.closed(b"early")
    for _ in range(WINDOW):
        b.opened(a.closed(b""))

    assert b.opened(early) is DOUBLED


@given(st.lists(st.integers(0, 3 * WINDOW), max_size=60), st.integers(0, 50))
def test_each_count_is_taken_once_and_none_from_before_the_session(counts: list[int], first: int) -> None:
    arrivals, taken, latest = Arrivals(first - 1), set[int](), first - 1

    for count in counts:
        expected = count >= first and count not in taken and count > latest - WINDOW
        assert arrivals.take(count) is expected
        taken.add(count)
        latest = max(latest, count)


def test_whoever_restarts_is_heard_again_and_nothing_of_before_is() -> None:
    a, b = pair()
    kept = [a.closed(b"a") for _ in range(20)]
    b_kept = [b.closed(b"b") for _ in range(20)]
    for datagram in kept[:10]:
        b.opened(datagram)

    a = Seal((KEY,), "a", "b")
    meet(a, b)
    assert {b.opened(each) for each in kept} == {STALE}
    assert {a.opened(each) for each in b_kept} == {DOUBLED}

    b = Seal((KEY,), "b", "a")
    meet(a, b)
    assert {b.opened(each) for each in kept} | {a.opened(each) for each in b_kept} == {STALE}
    meet(a, b)


def test_who_has_just_started_believes_no_record_of_a_neighbour_that_is_dead() -> None:
    """A whole conversation is played again, in order, to a broker that has restarted."""
    a, b = pair()
    record = [a.closed(b"I live") for _ in range(100)]
    for each in record:
        b.opened(each)
    b = Seal((KEY,), "b", "a")

    for each in record:
        assert b.opened(each) is STALE
        b.closed(b"do you hear me?")


def test_a_datagram_is_for_one_receiver_and_of_one_sender() -> None:
    a, b = pair()
    other = Seal((KEY,), "c", "a")

    assert other.opened(a.closed(b"for b")) is FORGED
    assert a.opened(a.closed(b"for b")) is FORGED
    assert b.opened(b"AR" + bytes(60)) is UNSIGNED


def test_names_that_run_together_differ() -> None:
    assert Seal((KEY,), "c", "ab").opened(Seal((KEY,), "a", "bc").closed(b"")) is FORGED
    assert Seal((KEY,), "bc", "a").opened(Seal((KEY,), "ab", "c").closed(b"")) is FORGED


@settings(max_examples=examples(300))
@given(st.binary(max_size=40), st.integers(0, 2000), st.integers(1, 255))
def test_no_byte_may_be_changed(letter: bytes, place: int, change: int) -> None:
    a, b = pair()
    datagram = bytearray(a.closed(letter))
    datagram[place % len(datagram)] ^= change

    assert isinstance(b.opened(bytes(datagram)), Refusal)
    assert b.opened(a.closed(b"next")) == b"next"


@settings(max_examples=examples(300))
@given(st.binary(max_size=100))
def test_bytes_of_no_sense_are_refused_and_do_no_harm(data: bytes) -> None:
    a, b = pair()

    assert isinstance(b.opened(data), Refusal)
    assert isinstance(b.opened(b"AS" + data), Refusal)
    assert b.opened(a.closed(b"next")) == b"next"


def test_another_key_is_refused_and_a_key_can_be_changed_one_broker_at_a_time() -> None:
    stranger, b = Seal((NEW,), "a", "b"), Seal((KEY,), "b", "a")
    assert b.opened(stranger.closed(b"")) is FORGED

    for one, other in [((KEY, NEW), (KEY,)), ((KEY, NEW), (KEY, NEW)), ((NEW, KEY), (KEY, NEW))]:
        pair(one, other)
    pair((NEW, KEY), (NEW, KEY))
    pair((NEW,), (NEW, KEY))


def test_a_sealed_letter_fits_into_a_datagram() -> None:
    a, _ = pair()

    assert len(a.closed(bytes(LONGEST_LETTER))) == LONGEST_LETTER + OVERHEAD <= LONGEST_DATAGRAM


def test_chance_is_not_the_same_twice() -> None:
    assert len({Seal((KEY,), "a", "b").closed(b"") for _ in range(10)}) == 10


@pytest.mark.parametrize("lost", range(6))
def test_whatever_gets_lost_at_the_start_they_meet(lost: int) -> None:
    a, b = Seal((KEY,), "a", "b"), Seal((KEY,), "b", "a")

    for turn in range(6):
        there, back = a.closed(b""), b.closed(b"")
        if turn != lost:
            b.opened(there)
        if turn != lost - 1:
            a.opened(back)

    assert b.opened(a.closed(b"x")) == b"x" and a.opened(b.closed(b"y")) == b"y"
