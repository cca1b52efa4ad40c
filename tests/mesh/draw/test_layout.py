from __future__ import annotations

from itertools import combinations
from math import hypot

import pytest

from angarium.mesh.draw.geometry import around, box_at
from angarium.mesh.draw.layout import places

SIZE = (60.0, 24.0)


def test_a_tree_stands_in_layers_with_parents_above_the_middle_of_their_children() -> None:
    points = places([SIZE] * 7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)], 50)

    assert points[1][1] == points[2][1] and len({points[n][1] for n in (3, 4, 5, 6)}) == 1
    assert points[0][0] == pytest.approx((points[1][0] + points[2][0]) / 2)
    assert points[1][0] == pytest.approx((points[3][0] + points[4][0]) / 2)


def test_a_ring_is_a_circle_in_its_own_order_whatever_the_numbers() -> None:
    order = [0, 3, 1, 4, 2, 5]
    edges = list(zip(order, [*order[1:], order[0]], strict=True))

    points = places([(40.0, 40.0)] * 6, edges, 50)

    lengths = [hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]) for a, b in edges]
    assert lengths == pytest.approx([lengths[0]] * 6)


def test_the_hub_of_a_star_is_in_the_middle() -> None:
    points = places([(30.0, 30.0)] * 9, [(4, other) for other in range(9) if other != 4], 40)

    middle = [sum(each) / 8 for each in zip(*(p for n, p in enumerate(points) if n != 4), strict=True)]
    assert points[4] == pytest.approx(middle)


def test_parts_that_do_not_hang_together_do_not_mingle() -> None:
    points = places([SIZE] * 9, [(n, n - n % 3 + (n + 1) % 3) for n in range(9)], 50)

    parts = [around(box_at(point, *SIZE) for point in points[n : n + 3]) for n in (0, 3, 6)]
    assert not any(one.touches(other) for one, other in combinations(parts, 2))


def test_what_is_linked_to_nothing_stands_in_rows() -> None:
    points = places([SIZE] * 12, [], 60)

    assert 1 < len({y for _, y in points}) < 12


def test_what_is_linked_is_nearer_than_what_is_not() -> None:
    side = 5
    grid = [(n, n + 1) for n in range(side * side) if n % side < side - 1]
    grid += [(n, n + side) for n in range(side * (side - 1))]

    points = places([(20.0, 20.0)] * side * side, grid, 40)

    def distance(a: int, b: int) -> float:
        return hypot(points[a][0] - points[b][0], points[a][1] - points[b][1])

    assert max(distance(a, b) for a, b in grid) < distance(0, side * side - 1) / 2


def test_things_at_the_same_place_come_apart() -> None:
    edges = [(0, n) for n in range(1, 40)] + [(n, 40) for n in range(1, 40)]

    points = places([(50.0, 20.0)] * 41, edges, 30)

    assert all(
        abs(a[0] - b[0]) >= 50 or abs(a[1] - b[1]) >= 20 for n, a in enumerate(points) for b in points[:n]
    )


def test_nothing_has_no_places() -> None:
    assert places([], [], 40) == []
