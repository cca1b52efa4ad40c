"""Which of two statements is the later one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.protocol.link_state import LAST_LIFE, NUMBERS, Database, Stamp, Statement, following, later
from tests.mesh.protocol.meshes import TRIANGLE, colouring

STAMP = st.builds(Stamp, st.just("1"), st.integers(0, LAST_LIFE - 1), st.integers(0, NUMBERS - 1))
STATEMENT = st.builds(Statement, STAMP, st.frozensets(st.sampled_from(["2", "3"])))


def stamp(number: int, life: int = 1) -> Stamp:
    return Stamp("1", life, number)


@given(STAMP, STAMP, STAMP)
def test_of_two_stamps_one_is_later_and_none_goes_round(one: Stamp, two: Stamp, three: Stamp) -> None:
    assert later(one, two) + later(two, one) == (one != two)
    assert later(one, three) or not (later(one, two) and later(two, three))


@given(STAMP)
def test_what_follows_is_later_and_nothing_is_between(one: Stamp) -> None:
    after = following(one)

    assert later(after, one)
    assert (after.life - one.life) * NUMBERS + after.number - one.number == 1


def test_behind_the_last_number_comes_the_first_of_the_next_life() -> None:
    assert following(stamp(NUMBERS - 1)) == stamp(0, life=2)


@given(STATEMENT, STATEMENT)
def test_brokers_that_tell_each_other_what_they_hold_agree(one: Statement, other: Statement) -> None:
    """Also if somebody has forged a statement with the stamp of a true one."""
    chart = colouring(TRIANGLE).chart
    first, second = Database(chart, {"1": one}), Database(chart, {"1": other})
    assert (first.fingerprint == second.fingerprint) == (one == other)

    first.take(other)
    second.take(one)

    assert first.statements == second.statements
    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize(("first", "second", "taken"), [(1, 2, True), (2, 1, False)])
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
