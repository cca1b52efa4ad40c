"""Which of two statements is the later one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.protocol.link_state import NUMBERS, WINDOW, Database, Stamp, Statement, following, later
from tests.mesh.protocol.meshes import TRIANGLE, colouring

NUMBER = st.integers(0, NUMBERS - 1)


def stamp(number: int, life: int = 1) -> Stamp:
    return Stamp("1", life, number % NUMBERS)


@given(NUMBER, st.integers(1, WINDOW - 1))
def test_within_the_window_the_one_ahead_is_later_also_behind_the_end(number: int, ahead: int) -> None:
    assert later(stamp(number + ahead), stamp(number))
    assert not later(stamp(number), stamp(number + ahead))


@given(NUMBER)
def test_of_two_at_opposite_places_neither_is_later(number: int) -> None:
    assert not later(stamp(number), stamp(number + WINDOW))
    assert not later(stamp(number + WINDOW), stamp(number))


@given(NUMBER, NUMBER)
def test_a_later_life_beats_any_number(one: int, other: int) -> None:
    assert later(stamp(one, life=2), stamp(other, life=1))
    assert not later(stamp(one, life=1), stamp(other, life=2))


def test_behind_the_last_number_comes_the_first() -> None:
    assert following(stamp(NUMBERS - 1)) == stamp(0)


@pytest.mark.parametrize(("first", "second", "taken"), [(1, 2, True), (2, 2, False), (2, 1, False)])
def test_only_what_is_later_is_taken(first: int, second: int, taken: bool) -> None:
    database = Database(colouring(TRIANGLE).chart)
    database.take(Statement(stamp(first)))

    assert database.take(Statement(stamp(second), frozenset("2"))) is taken
    assert database.dead == (frozenset({("1", "2")}) if taken else frozenset())


def test_one_end_saying_so_is_enough_and_either_can_take_it_back() -> None:
    database = Database(colouring(TRIANGLE).chart)

    database.take(Statement(Stamp("2", 1, 1), frozenset("1")))
    database.take(Statement(Stamp("1", 1, 1)))
    assert database.dead == frozenset({("1", "2")})

    database.take(Statement(Stamp("2", 1, 2)))
    assert database.dead == frozenset()
