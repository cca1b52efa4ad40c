"""Automata against the model itself: the same lives as a walk through the interpreter's steps finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.history.automaton.automaton import explored
from angarium.history.automaton.letters import Letter, Word, word
from angarium.history.automaton.projection import Lives, all_lives, lives_of
from angarium.systems.registry import load

LETTERS = {"read": "d", "finish": "a", "requeue": "q", "pub_producer_to_nsqd": "s"}
LENGTH = 5
SMALL = {"consumers": "2", "timeouts": "1", "max_attempts": "1"}


def test_the_automaton_of_nsq_has_just_the_lives_of_its_model() -> None:
    lives = lives_of("nsq")
    system = load("nsq", {**lives.parameters, **SMALL})
    walked = _walked(system)
    automaton = explored(lives, SMALL)
    alphabet = [Letter("s"), *(Letter(kind, c) for kind in "daq" for c in (1, 2))]
    every = (each for length in range(LENGTH + 1) for each in product(alphabet, repeat=length))
    assert {each for each in every if automaton.rejects(each) is None} == walked


def _walked(system: TransitionSystem) -> set[Word]:
    """All words up to a length, by remembering for every word the states that it leads to."""
    reached: dict[Word, set[Cells]] = {(): _closed(system, set(initial_states(system)))}
    for _ in range(LENGTH):
        for before in [each for each in reached if len(each) == max(map(len, reached))]:
            found: dict[Letter, set[Cells]] = {}
            for letter, target in (step for state in reached[before] for step in _steps(system, state)):
                if letter is not None:
                    found.setdefault(letter, set()).add(target)
            reached.update({(*before, letter): _closed(system, states) for letter, states in found.items()})
    return set(reached)


def _closed(system: TransitionSystem, states: set[Cells]) -> set[Cells]:
    left = list(states)
    while left:
        for letter, target in _steps(system, left.pop()):
            if letter is None and target not in states:
                states.add(target)
                left.append(target)
    return states


_KNOWN: dict[Cells, list[tuple[Letter | None, Cells]]] = {}


def _steps(system: TransitionSystem, state: Cells) -> list[tuple[Letter | None, Cells]]:
    if state not in _KNOWN:
        _KNOWN[state] = list(_told(system, state))
    return _KNOWN[state]


def _told(system: TransitionSystem, state: Cells) -> Iterator[tuple[Letter | None, Cells]]:
    for move in expand(system, state).moves:
        kind = LETTERS.get(move.action.name)
        names = [parameter.name for parameter in move.action.parameters]
        consumer = move.arguments[names.index("c")] + 1 if "c" in names else 0
        yield Letter(kind, consumer if kind != "s" else 0) if kind else None, move.target


@pytest.mark.parametrize("lives", all_lives().values(), ids=all_lives())
def test_tables_name_actions_parameters_and_variables_of_their_models(lives: Lives) -> None:
    system = load(lives.system, lives.parameters)
    parameters = {action.name: {each.name for each in action.parameters} for action in system.actions}
    for name, told in lives.letters.items():
        if not name.startswith(("crash_", "producer_refused")):
            assert name in parameters
            assert told.consumer is None or told.consumer in parameters[name]
    assert set(lives.confirmed.values()) <= {variable.name for variable in system.variables}


@pytest.mark.parametrize("lives", all_lives().values(), ids=all_lives())
def test_every_assumption_that_is_dropped_allows_no_less(lives: Lives) -> None:
    simple = tuple(each for each in word("s d1") if each.kind not in lives.ignores)
    for assumption in lives.assumptions:
        assert explored(lives, assumption.drop).rejects(simple) is None
