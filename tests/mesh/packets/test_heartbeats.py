"""Heartbeats: against a list of every one of them."""

from __future__ import annotations

from random import Random

import pytest

from angarium.mesh.packets.links import NEVER, Outage, works
from angarium.mesh.packets.routers import Beat, Silence, silences

DEAD = 40
END = 3000


def heard(beat: Beat) -> list[int]:
    """When every heartbeat is heard that gets through, one by one."""
    sent = range(beat.phase - 100 * beat.interval, END, beat.interval)
    return [each + beat.delay for each in sent if works(beat.outages, each, each + beat.delay)]


def by_hand(beat: Beat, comebacks: list[int]) -> list[Silence]:
    """A clock that counts from each heartbeat, and from each time the listener comes back."""
    times = heard(beat)
    found = []
    for last, following in zip(times, [*times[1:], NEVER], strict=True):
        counted = max([last, *(back for back in comebacks if back < following)])
        if following - counted > DEAD and counted + DEAD < END - 200:
            found.append(Silence(counted + DEAD, following))
    return found


def random_beat(choice: Random) -> Beat:
    times = sorted(choice.sample(range(1, 2000), 2 * choice.randint(0, 5)))
    spans: list[Outage] = list(zip(times[::2], times[1::2], strict=True))
    if spans and choice.random() < 0.3:
        spans[-1] = spans[-1][0], NEVER
    return Beat(10, choice.randrange(10), choice.choice((0, 1, 7, 25)), spans)


@pytest.mark.parametrize("seed", range(60))
def test_silences_are_those_of_a_list_of_every_heartbeat(seed: int) -> None:
    choice = Random(seed)
    beat = random_beat(choice)
    comebacks = [until for _, until in beat.outages if until != NEVER and choice.random() < 0.3]

    assert silences(beat, DEAD, comebacks) == by_hand(beat, comebacks)


@pytest.mark.parametrize("seed", range(20))
def test_the_next_heartbeat_that_gets_through_is_found(seed: int) -> None:
    choice = Random(seed)
    beat = random_beat(choice)
    time = choice.randrange(2000)

    later = [each for each in heard(beat) if each - beat.delay >= time]
    assert beat.heard_from(time) == (later[0] if later else NEVER)
