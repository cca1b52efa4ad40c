"""The fixpoints on arrays, on a line that needs a round for each of its nodes."""

from __future__ import annotations

import numpy as np

from angarium.checker.logic.spark import here

LINE = here.numbered(np.arange(10, 70, 10), np.arange(20, 80, 10), more=[np.array([5])])
"""10 → 20 → … → 70, and 5 beside it."""


def test_how_far_it_is_to_a_goal() -> None:
    assert LINE.names.tolist() == [5, *range(10, 80, 10)]
    assert here.reach(LINE, np.array([5])).tolist() == [-1, 4, 3, 2, 1, 0, -1, -1]


def test_a_line_comes_to_an_end_and_a_cycle_does_not() -> None:
    cycle = here.numbered(np.array([1, 2, 3, 4]), np.array([2, 3, 2, 5]))

    assert not here.going_on(LINE).any()
    assert here.going_on(cycle).tolist() == [True, True, True, False, False]


def test_what_is_met_ahead_comes_back_along_the_line() -> None:
    own = [np.array([0, 0, 1, 0, 0, 2, 0, 4]), np.array([8, 0, 0, 0, 0, 0, 0, 1])]

    assert [word.tolist() for word in here.met(LINE, own)] == [[0, 7, 7, 6, 6, 6, 4, 4], [8] + [1] * 7]


def test_names_that_are_not_there() -> None:
    assert here.places(np.array([2, 4, 6]), np.array([6, 1, 2, 9])).tolist() == [2, 3, 0, 3]


def test_what_fits() -> None:
    bytes_of_three = 3 * (here.BYTES_OF_STEP + 2 * here.BYTES_OF_WORD)

    assert here.fits(3, 2, bytes_of_three)
    assert not here.fits(3, 2, bytes_of_three - 1)
    assert not here.fits(1, 0, 0)
