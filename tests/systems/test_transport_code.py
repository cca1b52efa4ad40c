"""The transport as code: packets, and what a host does with each thing that comes to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.contracts.message import Message
from angarium.contracts.subjects.memory import OrderedMapQueue
from angarium.systems.queue.sans_io import host as host_module
from angarium.systems.queue.sans_io import packet
from angarium.systems.queue.sans_io.host import Delivery, GivenUp, Host, Rules
from angarium.systems.queue.sans_io.packet import (
    LONGEST_PACKET,
    LONGEST_PAYLOAD,
    Kind,
    Packet,
    decode,
    encode,
)
from angarium.systems.queue.transport_kinds import Unsure, WhenFull

A, B = 1, 2

packets = st.builds(
    Packet,
    st.just(Kind.DATA),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.binary(max_size=LONGEST_PAYLOAD),
)

plausible = st.builds(
    Packet,
    st.sampled_from(Kind),
    st.sampled_from([A, B]),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([b"", b"x"]),
)
"""What a host cannot tell from a packet of its peer."""


def host(*, capacity: int = 4, life: int = 0, unsure: Unsure = Unsure.GIVES_UP, name: int = A) -> Host:
    rules = Rules(capacity, period=1.0, unsure=unsure)
    return Host(name, [A + B - name], rules, life=life)


def data(number: int, payload: bytes = b"", *, sender_life: int = 0, receiver_life: int = 0) -> bytes:
    return encode(Packet(Kind.DATA, B, number, sender_life, receiver_life, payload))


def ack(number: int, *, sender_life: int = 0, receiver_life: int = 0) -> bytes:
    return encode(Packet(Kind.ACK, B, number, sender_life, receiver_life))


def notice(life: int) -> bytes:
    return encode(Packet(Kind.NOTICE, B, 0, 0, life))


def transmitted(a: Host) -> list[Packet]:
    found = [decode(datagram) for _, datagram in a.take_outgoing()]
    return [packet for packet in found if packet is not None]


def numbers(a: Host) -> list[int]:
    return [packet.number for packet in transmitted(a)]


# --- packets ------------------------------------------------------------------------------------------


@given(packets)
def test_a_packet_survives_the_wire(packet: Packet) -> None:
    assert decode(encode(packet)) == packet


@given(st.binary(max_size=LONGEST_PACKET + 10))
def test_any_bytes_are_a_packet_or_none(datagram: bytes) -> None:
    packet = decode(datagram)

    assert packet is None or encode(packet) == datagram


@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        data(0)[:-1],
        b"\x00" + data(0)[1:],
        data(0)[:1] + b"\x09" + data(0)[2:],
        ack(0) + b"!",
        data(0, b"x" * LONGEST_PAYLOAD) + b"x",
    ],
    ids=["nothing", "cut", "another mark", "another kind", "an ack that carries something", "too long"],
)
def test_what_is_no_packet_is_dropped_and_counted(datagram: bytes) -> None:
    a = host()

    a.receive(datagram, 0.0)

    assert a.dropped == {"malformed": 1}
    assert (a.take_deliveries(), a.take_outgoing()) == ([], [])


@given(st.lists(st.one_of(st.binary(max_size=40), plausible.map(encode))))
def test_a_host_takes_whatever_a_network_hands_over(datagrams: list[bytes]) -> None:
    a = host(life=3, capacity=2)

    for now, datagram in enumerate(datagrams):
        a.send(B, b"mine", float(now))
        a.receive(datagram, float(now))
        a.tick(float(now))

    assert len(a.receiving) == len(a.sending) == 1
    assert a.unacknowledged(B) <= 2
    assert a.receiving[B].expected <= len(a.take_deliveries()) <= len(datagrams)


def test_who_is_not_a_peer_is_not_listened_to() -> None:
    a = Host(A, [7])

    a.receive(data(0, b"hello"), 0.0)

    assert a.dropped == {"not from a peer": 1}
    assert a.take_deliveries() == []


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: host().send(B, "text", 0.0), "a payload is bytes, not str"),  # type: ignore[arg-type]
        (lambda: host().send(9, b"x", 0.0), "host 9 is no peer; possible: 2"),
        (lambda: Host(A, [A, B]), "host 1 is no peer of its own"),
        (lambda: Host(A, [B], life=1.5), "host 1 in life 1.5: an integer"),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_of_the_caller_is_told_at_once(mistake: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        mistake()


def test_what_cannot_be_sent_leaves_nothing_behind() -> None:
    a = host()

    with pytest.raises(TypeError):
        a.send(B, "text", 0.0)  # type: ignore[arg-type]

    assert (a.unacknowledged(B), a.take_outgoing()) == (0, [])


def test_the_protocol_has_no_socket_no_clock_no_thread_and_no_chance_in_it() -> None:
    source = "".join(Path(str(each.__file__)).read_text(encoding="utf-8") for each in (host_module, packet))
    imported = set(re.findall(r"^(?:import|from) (\w+)", source, re.M))

    assert imported & {"asyncio", "datetime", "random", "selectors", "socket", "threading", "time"} == set()
    assert {"angarium", "struct"} <= imported


@pytest.mark.parametrize(("name", "life"), [(-1, 0), (2**32, 0), (1, -1), (1, 2**64)])
def test_a_host_that_cannot_be_written_into_a_header_is_a_mistake_of_the_caller(name: int, life: int) -> None:
    with pytest.raises(ValueError, match=f"host {name} in life {life}"):
        Host(name, [B], life=life)


@pytest.mark.parametrize(("capacity", "period"), [(0, 1.0), (1, 0.0), (1, -1.0)])
def test_rules_by_which_nothing_would_ever_happen_are_a_mistake_of_the_caller(
    capacity: int, period: float
) -> None:
    with pytest.raises(ValueError, match="a queue needs room for a message, and a timer a time to wait"):
        Rules(capacity, period)


# --- the sender -----------------------------------------------------------------------------------------


def test_messages_are_numbered_and_transmitted_at_once() -> None:
    a = host()

    assert a.send(B, b"x", 0.0) and a.send(B, b"y", 0.0)

    assert [(packet.number, packet.payload) for packet in transmitted(a)] == [(0, b"x"), (1, b"y")]


def test_an_ack_stands_for_everything_up_to_its_number() -> None:
    a = host()
    for payload in (b"x", b"y", b"z"):
        a.send(B, payload, 0.0)

    a.receive(ack(1), 0.0)

    assert [each.payload for each in a.sending[B].queue.messages()] == [b"z"]


def test_the_timer_repeats_only_the_lowest_number() -> None:
    a = host()
    for payload in (b"x", b"y", b"z"):
        a.send(B, payload, 0.0)
    a.receive(ack(0), 0.0)
    a.take_outgoing()

    a.tick(1.0)

    assert numbers(a) == [1]


def test_the_timer_runs_freely_while_anything_is_unacknowledged() -> None:
    a = host()
    before = a.next_timer

    a.send(B, b"x", 2.75)
    first = a.next_timer
    a.tick(3.0)
    second = a.next_timer
    a.tick(7.5)
    late = a.next_timer
    a.receive(ack(0), 7.5)

    assert (before, first, second, late, a.next_timer) == (None, 3.0, 4.0, 8.0, None)


@given(st.floats(0.001, 10.0), st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_the_timer_always_fires_later_than_now(period: float, first: float, second: float) -> None:
    a = Host(A, [B], Rules(period=period))
    a.send(B, b"x", first)

    a.tick(first + second)

    assert a.next_timer is not None
    assert first + second < a.next_timer <= first + second + period * 1.001


def test_a_tick_before_its_time_does_nothing() -> None:
    a = host()
    a.send(B, b"x", 0.0)
    a.take_outgoing()

    a.tick(0.5)

    assert a.take_outgoing() == []


def test_a_full_queue_refuses_and_keeps_the_number() -> None:
    a = host(capacity=1)

    assert (a.send(B, b"x", 0.0), a.send(B, b"y", 0.0)) == (True, False)
    a.receive(ack(0), 0.0)
    a.send(B, b"z", 0.0)

    assert numbers(a) == [0, 1]


def test_as_published_a_refusal_uses_up_the_number_and_the_receiver_waits_for_ever() -> None:
    a = Host(A, [B], Rules(1, period=1.0, when_full=WhenFull.NUMBER_IS_USED_UP))
    b = host(name=B)

    for payload in (b"x", b"y"):
        a.send(B, payload, 0.0)
    a.receive(ack(0), 0.0)
    a.send(B, b"z", 0.0)
    for now in range(1, 100):
        a.tick(float(now))
        for _, datagram in a.take_outgoing():
            b.receive(datagram, float(now))

    assert b.take_deliveries() == [Delivery(A, b"x")]
    assert a.unacknowledged(B) == 1


def test_what_is_too_long_to_be_carried_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="1201 bytes; at most 1200"):
        host().send(B, b"x" * (LONGEST_PAYLOAD + 1), 0.0)


# --- the receiver ---------------------------------------------------------------------------------------


def test_what_is_expected_is_delivered_and_acknowledged() -> None:
    a = host()

    a.receive(data(0, b"x"), 0.0)
    a.receive(data(1, b"y"), 0.0)

    assert a.take_deliveries() == [Delivery(B, b"x"), Delivery(B, b"y")]
    assert [(packet.kind, packet.number) for packet in transmitted(a)] == [(Kind.ACK, 0), (Kind.ACK, 1)]


def test_an_old_duplicate_is_acknowledged_again_and_not_delivered() -> None:
    a = host()
    for number in (0, 1, 0):
        a.receive(data(number, b"x"), 0.0)

    assert len(a.take_deliveries()) == 2
    assert numbers(a) == [0, 1, 0]


def test_what_is_later_than_expected_is_dropped() -> None:
    a = host()

    a.receive(data(1, b"y"), 0.0)

    assert (a.take_deliveries(), a.take_outgoing()) == ([], [])
    assert a.dropped == {"ahead of what is expected": 1}


# --- lives ----------------------------------------------------------------------------------------------


def test_data_that_is_meant_for_another_life_is_answered_with_a_notice() -> None:
    a = host(life=5)

    a.receive(data(0, b"x", receiver_life=4), 0.0)

    (answer,) = transmitted(a)
    assert (answer.kind, answer.receiver_life) == (Kind.NOTICE, 5)
    assert a.take_deliveries() == []


def test_a_sender_in_a_new_life_is_listened_to_from_number_0() -> None:
    a = host(life=5)
    for number in (0, 1):
        a.receive(data(number, b"old", sender_life=1, receiver_life=5), 0.0)

    a.receive(data(0, b"new", sender_life=2, receiver_life=5), 0.0)
    a.receive(data(2, b"late", sender_life=1, receiver_life=5), 0.0)

    assert [each.payload for each in a.take_deliveries()] == [b"old", b"old", b"new"]
    assert a.dropped == {"from an earlier life": 1}


def test_an_ack_counts_only_between_the_two_lives_that_are() -> None:
    a = host(life=5)
    a.send(B, b"x", 0.0)
    a.receive(notice(3), 0.0)

    a.receive(ack(0, sender_life=4, receiver_life=3), 0.0)
    a.receive(ack(0, sender_life=5, receiver_life=2), 0.0)
    left = a.unacknowledged(B)
    a.receive(ack(0, sender_life=5, receiver_life=3), 0.0)

    assert (left, a.unacknowledged(B)) == (1, 0)


def test_the_first_notice_changes_only_for_which_life_data_is_meant() -> None:
    a = host(life=1)
    a.send(B, b"x", 0.0)

    a.receive(notice(3), 0.0)
    a.tick(1.0)

    assert [(each.number, each.receiver_life) for each in transmitted(a)] == [(0, 0), (0, 3)]


def test_when_the_receiver_has_restarted_what_is_unacknowledged_is_given_up() -> None:
    a = host(life=1)
    a.receive(notice(3), 0.0)
    for payload in (b"x", b"y", b"z"):
        a.send(B, payload, 0.0)
    a.receive(ack(0, sender_life=1, receiver_life=3), 0.0)
    a.take_outgoing()

    a.receive(notice(4), 0.0)
    a.send(B, b"new", 0.0)

    assert a.take_given_up() == [GivenUp(B, b"y"), GivenUp(B, b"z")]
    assert [(each.number, each.payload) for each in transmitted(a)] == [(0, b"new")]


def test_when_the_receiver_has_restarted_what_is_unacknowledged_can_be_sent_again() -> None:
    a = host(life=1, unsure=Unsure.SENDS_AGAIN)
    a.receive(notice(3), 0.0)
    for payload in (b"x", b"y", b"z"):
        a.send(B, payload, 0.0)
    a.receive(ack(0, sender_life=1, receiver_life=3), 0.0)

    a.receive(notice(4), 0.0)

    assert a.take_given_up() == []
    assert a.sending[B].queue.messages() == [Message(0, b"y"), Message(1, b"z")]
    assert a.sending[B].next_number == 2


@pytest.mark.parametrize("life", [2, 3])
def test_an_old_notice_says_nothing_new(life: int) -> None:
    a = host(life=1)
    a.receive(notice(3), 0.0)
    a.send(B, b"x", 0.0)

    a.receive(notice(life), 0.0)

    assert (a.unacknowledged(B), a.sending[B].life) == (1, 3)


# --- the queue ------------------------------------------------------------------------------------------


def test_the_queue_gives_the_lowest_number_in_whichever_order_they_came() -> None:
    queue = OrderedMapQueue()
    for number in (5, 2, 9):
        assert queue.enqueue(Message(number))

    assert queue.pick_one() == Message(2)


def test_the_queue_deletes_up_to_and_including_a_number() -> None:
    queue = OrderedMapQueue()
    for number in range(5):
        queue.enqueue(Message(number))

    queue.delete_all(2)

    assert queue.messages() == [Message(3), Message(4)]
    assert not queue.empty()


def test_the_queue_refuses_what_it_has_no_room_for_and_a_number_that_is_taken() -> None:
    queue = OrderedMapQueue(2)

    answers = [queue.enqueue(Message(number, b"x")) for number in (0, 0, 1, 2)]

    assert answers == [True, False, True, False]
    assert len(queue) == 2


def test_nothing_can_be_picked_from_an_empty_queue() -> None:
    with pytest.raises(LookupError, match="the queue is empty"):
        OrderedMapQueue().pick_one()
