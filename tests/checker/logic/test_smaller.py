"""Which smaller scenarios are searched for an estimate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from angarium.checker.explore.estimate import Place, carried_states
from angarium.checker.logic.estimation import MOST_AXES, Climb, axes, lowered
from angarium.systems.registry import find


@dataclass
class Family:
    """Scenarios whose states multiply with every step, but for some parameters that change nothing."""

    idle: tuple[int, ...] = ()
    largest: int = 10**6
    asked: list[Place] = field(default_factory=list)

    def levels_at(self, place: Place, seconds: float) -> Sequence[int] | None:
        self.asked.append(place)
        steps = sum(down for axis, down in enumerate(place) if axis not in self.idle)
        states = 10 ** max(8 - steps, 1)
        return [1, states // 3, states - states // 3 - 1] if states <= self.largest else None


def climb(family: Family, *rooms: int) -> Climb:
    return Climb(rooms, family.levels_at, time.monotonic() + 60, speed=1e5)


def test_from_what_is_small_enough_up_to_what_is_too_large() -> None:
    family = Family()
    found = climb(family, 4, 4).all()
    assert family.asked[:2] == [(1, 0), (1, 1)]
    assert {each.place for each in found} >= {(1, 1), (2, 0), (0, 2), (2, 1), (1, 2)}
    said = carried_states(found)
    assert said is not None
    assert 10**7 < said < 10**9


def test_what_changes_nothing_is_left_as_it_is() -> None:
    family = Family(idle=(1,), largest=10**7)
    found = climb(family, 3, 3).all()
    assert {each.place for each in found} == {(1, 0), (2, 0), (3, 0)}
    assert family.asked == [(1, 0), (1, 1), (2, 0), (3, 0)]


def test_nothing_larger_than_what_was_too_large_is_tried() -> None:
    family = Family(largest=10**5)
    climb(family, 3, 3).all()
    refused = [place for place in family.asked if sum(place) < 3]
    for number, place in enumerate(refused):
        for other in refused[:number]:
            assert not all(a <= b for a, b in zip(place, other, strict=True))


def test_without_time_nothing_is_searched() -> None:
    family = Family()
    assert Climb([3], family.levels_at, time.monotonic() - 1, 1e5).all() == []
    assert family.asked == []


def test_without_numbers_there_is_nothing_to_lower() -> None:
    assert climb(Family()).all() == []


def test_parameters_that_were_set_are_lowered_first() -> None:
    decl = find("nsq")
    found = axes(decl, {"timeouts": "2", "messages": "4"})
    assert [axis.name for axis in found][:2] == ["messages", "timeouts"]
    assert len(found) == MOST_AXES
    assert all(axis.room > 0 for axis in found)


def test_settings_of_a_smaller_scenario() -> None:
    settings = {"queues": "4", "mode": "random"}
    place = (2, *[0] * (len(axes(find("rabbitmq-sac"), settings)) - 1))
    assert lowered(find("rabbitmq-sac"), settings, place) == {"queues": 2, "mode": "random"}
