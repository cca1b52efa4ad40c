from __future__ import annotations

from math import hypot

import pytest

from angarium.mesh.draw.geometry import Box, around, arrowhead, box_at, curve


def test_a_line_is_seen_from_the_edge_of_one_box_to_that_of_the_other() -> None:
    first, second = box_at((0, 0), 20, 10), box_at((100, 0), 30, 10)

    seen = curve((0, 0), (100, 0)).between(first, second)

    assert (seen.start, seen.end) == (pytest.approx((10, 0), abs=0.1), pytest.approx((85, 0), abs=0.1))


def test_a_part_of_a_curve_lies_on_the_curve() -> None:
    whole = curve((0, 0), (100, 0), bulge=30)

    part = whole.part(0.25, 0.75)

    assert part.at(0.5) == pytest.approx(whole.at(0.5))
    assert part.start == pytest.approx(whole.at(0.25))


def test_a_bulge_is_how_far_the_middle_lies_to_the_right() -> None:
    assert curve((0, 0), (100, 0), bulge=30).at(0.5) == pytest.approx((50, 30))
    assert curve((0, 0), (100, 0)).straight and not curve((0, 0), (100, 0), bulge=5).straight


def test_who_goes_back_has_the_other_side_on_the_right() -> None:
    there = curve((0, 0), (100, 0))

    assert there.beside(5).at(0.5) == pytest.approx((50, 5))
    assert there.turned().beside(5).at(0.5) == pytest.approx((50, -5))


def test_a_curve_crosses_only_what_it_goes_through() -> None:
    bent = curve((0, 0), (100, 0), bulge=40)

    assert bent.crosses(box_at((50, 40), 10, 10))
    assert not bent.crosses(box_at((50, 0), 10, 10))
    assert not bent.crosses(box_at((500, 0), 10, 10))


def test_an_arrowhead_points_at_the_end_of_its_line() -> None:
    tip, left, right = arrowhead(curve((0, 0), (0, 50)), 10)

    assert tip == (0, 50)
    assert left[1] == right[1] == pytest.approx(40)
    assert hypot(left[0] - right[0], left[1] - right[1]) == pytest.approx(10)


def test_boxes_that_share_an_edge_do_not_touch() -> None:
    assert not Box(0, 0, 10, 10).touches(Box(10, 0, 20, 10))
    assert Box(0, 0, 10, 10).touches(Box(9, 9, 20, 20))
    assert around([Box(0, 0, 1, 1), Box(5, -2, 6, 0)]) == Box(0, -2, 6, 1)
