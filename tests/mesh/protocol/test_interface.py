"""The states of an interface, and what the clock does to it."""

from __future__ import annotations

import pytest

from angarium.mesh.protocol.interface import TEST_NUMBERS, TRANSITIONS, Event, Interface, State, Timing
from angarium.mesh.protocol.link_state import Stamp, Statement

TIMING = Timing(1.0, missed=4, tries=3, longest_wait=4, tests=3)


def interface(state: State = State.NORMAL) -> Interface:
    found = Interface("2", TIMING, heard_at=0.0, state=state)
    if state is State.FAILURE:
        found.forget()
    return found


def statement(number: int = 1, origin: str = "1") -> Statement:
    return Statement(Stamp(origin, 1, number))


def answered(found: Interface, *numbers: int) -> list[Event | None]:
    return [found.answer(number) for number in numbers]


def test_every_state_can_be_entered_and_left() -> None:
    entered = {step.state for (before, _), step in TRANSITIONS.items() if step.state is not before}
    left = {before for (before, _), step in TRANSITIONS.items() if step.state is not before}

    assert entered == left == set(State)


def test_silence_ends_everything_but_a_failure() -> None:
    ends = {state: TRANSITIONS[state, Event.SILENT].state for state in (State.NORMAL, State.WAITING)}

    assert set(ends.values()) == {State.FAILURE}
    assert interface(State.FAILURE).due(1e9) is None


@pytest.mark.parametrize(("now", "event"), [(3.9, None), (4.0, Event.SILENT)])
def test_four_heartbeats_without_a_sign_of_life_are_silence(now: float, event: Event | None) -> None:
    assert interface().due(now) is event
    assert interface().wakes == 4.0


def test_what_is_owed_is_sent_again_less_and_less_often_and_then_given_up() -> None:
    found, sent, now = interface(State.WAITING), [], 0.0
    found.owe([statement()], now)

    while found.due(now) is not Event.UNANSWERED:
        found.heard_at = now
        if found.resends(now):
            sent.append(now)
            found.sent(now)
        now += 0.5

    assert sent == [1.0, 3.0]
    assert now == 7.0


def test_an_answer_begins_the_count_of_tries_anew() -> None:
    found = interface(State.WAITING)
    found.owe([statement(origin="1"), statement(origin="3")], 0.0)
    found.sent(1.0)
    found.sent(3.0)

    assert found.acknowledge([statement(origin="3").stamp], 5.0) is None
    assert (found.tries, found.resend_at) == (1, 6.0)
    assert found.acknowledge([statement(origin="1").stamp], 5.5) is Event.ACKNOWLEDGED


@pytest.mark.parametrize(("number", "left"), [(1, 1), (2, 0), (3, 0)])
def test_an_acknowledgement_stands_for_what_came_before_and_not_for_what_comes_after(
    number: int, left: int
) -> None:
    found = interface(State.WAITING)
    found.owe([statement(1)], 0.0)
    found.owe([statement(2)], 0.0)

    found.acknowledge([statement(number).stamp], 1.0)

    assert len(found.owed) == left


def test_tests_must_be_answered_in_a_row() -> None:
    found = interface(State.FAILURE)
    for _ in range(8):
        found.next_test()

    assert answered(found, 0, 1, 3, 4) == [None] * 4
    assert found.answer(5) is Event.TESTED


def test_an_answer_counts_once_and_only_if_it_was_asked_for() -> None:
    found = interface(State.FAILURE)
    found.next_test()
    found.next_test()

    assert answered(found, 0, 0, 0, 1, 1, 2, 3, 99) == [None] * 8
    assert found.answered == 2


def test_answers_to_tests_of_an_earlier_failure_do_not_count() -> None:
    found = interface(State.FAILURE)
    for _ in range(3):
        found.next_test()
    found.forget()

    assert answered(found, 0, 1, 2) == [None] * 3
    assert found.answered == 0


def test_the_numbers_of_tests_may_wrap_round() -> None:
    found = interface(State.FAILURE)
    found.test = found.expected = TEST_NUMBERS - 1
    for _ in range(3):
        found.next_test()

    assert answered(found, TEST_NUMBERS - 1, 0, 1)[-1] is Event.TESTED
