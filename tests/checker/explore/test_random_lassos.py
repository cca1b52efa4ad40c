"""Random runs through random systems: told, addressed, and followed again, with or without an end."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.app.report import story_text
from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.explore.stories import replay, tell_run
from angarium.checker.export import itf, mermaid, pytest_replay
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.errors import AddressError
from tests.checker.explore.random_systems import systems
from tests.effort import examples

MOST_STEPS = 12
Run = tuple[list[Cells], list[int], int | None]


def walk(system: TransitionSystem, draw: st.DataObject) -> Run:
    """A random run until it repeats itself, stands still, or is long enough: states, choices and cycle."""
    states, choices = [draw.draw(st.sampled_from(initial_states(system)))], list[int]()
    while len(choices) < MOST_STEPS:
        expansion = expand(system, states[-1])
        if not expansion.moves:
            return states, choices, len(choices) if expansion.at_rest else None
        choices.append(draw.draw(st.integers(0, len(expansion.moves) - 1)))
        target = expansion.moves[choices[-1]].target
        states.append(target)
        if target in states[:-1]:
            return states, choices, states.index(target)
    return states, choices, None


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_every_run_is_found_again_by_its_address(system: TransitionSystem, draw: st.DataObject) -> None:
    states, choices, cycle = walk(system, draw)
    story = tell_run(system, states[0], choices, cycle, "g", "what it shows", "m")
    address = parse_address(story.address)
    assert (list(address.path[1:]), address.cycle) == (choices, cycle)
    again = replay(system, address.path, address.cycle, subject="m")
    assert (again.steps, again.initial, again.cycle) == (story.steps, story.initial, cycle)
    for render in (story_text.render, mermaid.render, itf.render, pytest_replay.render):
        assert render(story)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_a_run_may_repeat_only_from_a_state_that_it_comes_back_to(
    system: TransitionSystem, draw: st.DataObject
) -> None:
    states, choices, _ = walk(system, draw)
    path = (initial_states(system).index(states[0]), *choices)
    for cycle in range(len(choices)):
        if states[cycle] == states[-1]:
            assert replay(system, path, cycle).cycle == cycle
        else:
            with pytest.raises(AddressError):
                replay(system, path, cycle)
