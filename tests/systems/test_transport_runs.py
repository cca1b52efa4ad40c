"""The transport over bad networks, simulated and real: everything arrives, in order, once each."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.walks.datagrams import Impairment, Network
from angarium.systems.queue.sans_io.host import Host, Rules
from angarium.systems.queue.sans_io.packet import Kind, Packet, encode
from angarium.systems.queue.sans_io.stream import Stream
from angarium.systems.queue.sans_io.udp import UdpNetwork
from angarium.systems.queue.transport_kinds import Unsure
from tests.effort import examples

pytestmark = pytest.mark.slow

A, B = 1, 2
MANY = 100_000
BAD = Impairment(loss=0.05, duplication=0.05, reordering=0.05)
BAD_LOOPBACK = Impairment(loss=0.05, duplication=0.05, reordering=0.05, delay=0.0, late=0.001)


def payloads(first: int, end: int) -> list[bytes]:
    return [number.to_bytes(4) for number in range(first, end)]


def delivered(host: Host) -> list[int]:
    return [int.from_bytes(each.payload) for each in host.take_deliveries()]


def stream(messages: Sequence[bytes], *, capacity: int = 4, patient: bool = True, life: int = 1) -> Stream:
    return Stream(Host(A, [B], Rules(capacity), life=life), B, messages, patient=patient)


def begun(network: Network | UdpNetwork, sender: Stream) -> None:
    sender.feed(network.now)
    network.attend(A)


def carried(
    count: int,
    impairment: Impairment,
    *,
    seed: int = 0,
    capacity: int = 4,
    patient: bool = True,
    life: int = 1,
) -> float:
    """How long it takes in the simulated network until everything has arrived, in order and once each."""
    sender = stream(payloads(0, count), capacity=capacity, patient=patient, life=life)
    receiver = Host(B, [A], life=life)
    network = Network({A: sender, B: receiver}, impairment, seed=seed)
    begun(network, sender)

    assert network.run(until=lambda: sender.done, deadline=count * 10.0)
    assert delivered(receiver) == list(range(count))
    return network.now


# --- the simulated network --------------------------------------------------------------------------------


def test_a_hundred_thousand_messages_arrive_in_order_once_each() -> None:
    carried(MANY, BAD, seed=6)


shares = st.floats(0.0, 0.3)


@given(st.integers(0), shares, shares, shares, st.integers(1, 9), st.booleans())
@settings(max_examples=examples(50))
def test_messages_arrive_in_order_once_each_however_bad_the_network_is(
    seed: int, loss: float, duplication: float, reordering: float, capacity: int, patient: bool
) -> None:
    impairment = Impairment(loss, duplication, reordering, late=0.2)

    carried(100, impairment, seed=seed, capacity=capacity, patient=patient)


def test_both_ends_can_send_at_the_same_time() -> None:
    a, b = stream(payloads(0, 500)), Stream(Host(B, [A], life=9), A, payloads(1000, 1500))
    network = Network({A: a, B: b}, BAD, seed=1)
    begun(network, a)
    b.feed(network.now)
    network.attend(B)

    assert network.run(until=lambda: a.done and b.done, deadline=1e4)
    assert (delivered(b.host), delivered(a.host)) == (list(range(500)), list(range(1000, 1500)))


def ticks_for_each(impairment: Impairment, *, patient: bool, capacity: int = 16, life: int = 1) -> float:
    """How many ticks of the timer it takes to carry a message."""
    seconds = carried(2000, impairment, capacity=capacity, patient=patient, life=life)
    return seconds / 2000 / Rules().period


def test_after_its_first_loss_a_sender_that_never_pauses_gets_one_message_a_tick() -> None:
    assert 1.0 < ticks_for_each(BAD, patient=False) < 1.2
    assert 1.0 < ticks_for_each(BAD, patient=False, life=0) < 1.2


def test_a_patient_sender_recovers() -> None:
    assert 0.2 < ticks_for_each(BAD, patient=True, capacity=4) < 0.4


def test_on_an_unimpaired_network_no_message_waits_for_a_tick() -> None:
    assert ticks_for_each(Impairment(), patient=True) < 0.04
    assert ticks_for_each(Impairment(), patient=False, life=0) < 0.04


def test_with_incarnations_a_sender_that_never_pauses_is_slow_from_the_start() -> None:
    assert ticks_for_each(Impairment(), patient=False, life=1) > 0.9


# --- restarts -----------------------------------------------------------------------------------------------


def with_restart(
    *, of: int, life: int, unsure: Unsure = Unsure.GIVES_UP
) -> tuple[list[int], list[int], bool]:
    """Forty messages, and in the middle one side restarts: what is delivered, given up, and if it ends.

    A sender that restarts goes on with message 20. Life 0 stands for hosts without incarnations.
    """
    rules = Rules(4, unsure=unsure)
    senders = [Stream(Host(A, [B], rules, life=life), B, payloads(0, 40))]
    receivers = [Host(B, [A], life=life)]
    network = Network({A: senders[0], B: receivers[0]}, BAD, seed=2)

    def restart_sender() -> None:
        host = Host(A, [B], rules, life=life and life + 1, started=network.now)
        senders.append(Stream(host, B, payloads(20, 40)))
        network.replace(A, senders[-1])
        begun(network, senders[-1])

    def restart_receiver() -> None:
        receivers.append(Host(B, [A], life=life and life + 1, started=network.now))
        network.replace(B, receivers[-1])

    begun(network, senders[0])
    network.at(0.3, restart_sender if of == A else restart_receiver)
    ended = network.run(until=lambda: senders[-1].done and network.now > 0.3, deadline=100.0)
    given_up = [int.from_bytes(each.payload) for each in senders[-1].host.take_given_up()]
    return [number for host in receivers for number in delivered(host)], given_up, ended


def test_what_a_restarted_sender_sends_is_delivered_in_order_once_each() -> None:
    got, _, ended = with_restart(of=A, life=1)

    assert ended
    assert got == sorted(set(got))
    assert set(range(20, 40)) <= set(got) and min(got) == 0


def test_without_incarnations_what_a_restarted_sender_sends_is_acknowledged_and_not_delivered() -> None:
    got, _, ended = with_restart(of=A, life=0)

    assert ended
    assert not set(range(20, 40)) <= set(got)


def test_when_a_receiver_restarts_each_message_is_delivered_once_or_given_up() -> None:
    got, given_up, ended = with_restart(of=B, life=1)

    assert ended and given_up
    assert got == sorted(set(got))
    assert set(got) | set(given_up) == set(range(40))


def test_when_a_receiver_restarts_and_the_sender_sends_again_nothing_is_missing() -> None:
    got, given_up, ended = with_restart(of=B, life=1, unsure=Unsure.SENDS_AGAIN)

    assert ended and not given_up
    assert set(got) == set(range(40))


def test_without_incarnations_nothing_comes_to_a_receiver_that_has_restarted() -> None:
    got, _, ended = with_restart(of=B, life=0)

    assert not ended
    assert got == list(range(len(got))) and len(got) < 40


# --- real UDP ---------------------------------------------------------------------------------------------


def over_udp(count: int, *, capacity: int, period: float, seconds: float) -> UdpNetwork:
    """Messages over loopback with an impairment between; they must arrive in order, once each, in time."""
    rules = Rules(capacity, period)
    sender = Stream(Host(A, [B], rules, life=1, started=monotonic()), B, payloads(0, count))
    receiver = Host(B, [A], rules, life=1)
    with UdpNetwork({A: sender, B: receiver}, BAD_LOOPBACK, seed=4) as network:
        begun(network, sender)
        done = network.run(until=lambda: sender.done, deadline=network.now + seconds)

    got = delivered(receiver)
    assert done, f"{len(got)} of {count} messages after {seconds} s"
    assert got == list(range(count))
    return network


def test_a_few_messages_arrive_over_udp_and_no_socket_stays_open() -> None:
    network = over_udp(1000, capacity=4, period=0.002, seconds=600.0)

    assert min(network.tally.lost, network.tally.duplicated, network.tally.overtaken) > 0
    assert all(each.fileno() == -1 for each in network.sockets.values())


@pytest.mark.thorough
@pytest.mark.slow
def test_a_hundred_thousand_messages_arrive_over_udp_in_order_once_each() -> None:
    tally = over_udp(MANY, capacity=2, period=0.0005, seconds=600.0).tally

    assert 0.04 < tally.lost / tally.sent < 0.06
    assert 0.04 < tally.duplicated / tally.sent < 0.06
    assert tally.overtaken > 0.01 * tally.sent


def test_a_run_over_udp_ends_at_its_deadline() -> None:
    sender = stream(payloads(0, 3))
    with UdpNetwork({A: sender, B: Host(B, [A], life=1)}, Impairment(loss=1.0)) as network:
        begun(network, sender)

        assert not network.run(until=lambda: sender.done, deadline=network.now + 0.2)
        assert network.tally.sent == network.tally.lost > 3


def test_a_host_can_be_restarted_behind_its_socket() -> None:
    sender, again = stream(payloads(0, 20)), Host(B, [A], life=2)
    with UdpNetwork({A: sender, B: Host(B, [A], life=1)}) as network:
        begun(network, sender)
        network.run(until=lambda: sender.done, deadline=network.now + 600.0)
        sender.host.send(B, b"late", network.now)
        network.replace(B, again)
        network.attend(A)
        network.run(until=lambda: sender.done, deadline=network.now + 600.0)

    assert [given.payload for given in sender.host.take_given_up()] == [b"late"]
    assert again.take_deliveries() == []


def test_a_stranger_on_loopback_is_not_listened_to() -> None:
    receiver = Host(B, [A])
    forged = encode(Packet(Kind.DATA, A, 0, 0, 0, b"forged"))
    with (
        UdpNetwork({A: Host(A, [B]), B: receiver}) as network,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
    ):
        stranger.sendto(forged, network.sockets[B].getsockname())
        network.run(until=lambda: False, deadline=network.now + 0.2)

    assert receiver.take_deliveries() == []
    assert network.tally.arrived == 0


def test_what_goes_to_a_peer_without_an_endpoint_is_lost() -> None:
    sender = Host(A, [B])
    with UdpNetwork({A: sender}) as network:
        sender.send(B, b"is anybody there?", network.now)
        network.attend(A)
        network.run(until=lambda: False, deadline=network.now + 0.1)

    assert (network.tally.arrived, network.tally.lost) == (0, network.tally.sent)
