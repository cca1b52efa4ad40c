"""Every probe is counted: come, missing or doubled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.protocol.daemon import MOST_GAPS, MOST_STREAMS, Counted, Stream
from angarium.mesh.protocol.messages import Packet


def packet(number: int, life: int = 1) -> Packet:
    return Packet("1", life, number, "2", 1, 9)


@given(st.lists(st.integers(0, 40), max_size=60))
def test_the_gaps_are_what_has_not_come_below_the_largest_that_has(numbers: list[int]) -> None:
    stream = Stream()

    for number in numbers:
        assert stream.take(number)

    missing = set(range(max(numbers, default=-1))) - set(numbers)
    assert {each for first, last in stream.gaps for each in range(first, last + 1)} == missing
    assert stream.missing == len(missing)
    assert (stream.received, stream.doubled) == (len(set(numbers)), len(numbers) - len(set(numbers)))


def test_a_broker_that_restarts_counts_anew() -> None:
    counted = Counted()
    counted.take(packet(0))
    counted.take(packet(0, life=2))

    assert [stream.doubled for stream in counted.streams.values()] == [0, 0]


def test_there_is_room_for_so_many_streams_and_gaps_and_no_more() -> None:
    counted = Counted()

    for life in range(MOST_STREAMS + 5):
        counted.take(packet(0, life))
    for gap in range(MOST_GAPS + 7):
        counted.take(packet(2 * gap + 2, life=0))

    assert len(counted.streams) == MOST_STREAMS
    assert len(counted.streams["1", 0].gaps) == MOST_GAPS
    assert counted.uncounted == 5 + 7


def test_a_gap_that_falls_to_pieces_takes_no_more_room_than_others() -> None:
    stream = Stream()
    stream.take(1 << 60)

    for piece in range(1, MOST_GAPS):
        assert stream.take(2 * piece)

    assert len(stream.gaps) == MOST_GAPS
    assert not stream.take(1 << 50)
    assert stream.take(0)
    assert len(stream.gaps) == MOST_GAPS
