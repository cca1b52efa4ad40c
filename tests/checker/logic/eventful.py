"""Small processes, by hand and at random: their steps are visible events, a letter each, or internal, `-`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.transition import Action, Lifeline, TransitionSystem
from angarium.checker.logic.decision import Run
from angarium.checker.logic.events import Alphabet
from tests.effort import examples
from tests.zoo import system

LETTERS = "abc"
INTERNAL = "-"
SYSTEM: TransitionSystem = system(
    "letters", [], [*(Action(letter, (), ()) for letter in LETTERS), Action("-", (), (), Lifeline("inside"))]
)
NUMBERS = {Alphabet(SYSTEM).name(number): number for number in range(1, len(LETTERS) + 1)} | {INTERNAL: 0}

Steps = Sequence[tuple[str, int]]
"""The steps of a state: an event and where it leads."""


def process(states: Sequence[Steps], *, initial: int = 1) -> Graph:
    """A graph with these steps; a state without any stands still."""
    rows = np.cumsum([0, *(max(1, len(steps)) for steps in states)])
    stutter = len(SYSTEM.actions)
    labels = {letter: label for label, letter in enumerate(LETTERS + INTERNAL)}
    flat = [
        row
        for state, steps in enumerate(states)
        for row in [(labels[event], NUMBERS[event], target) for event, target in steps]
        or [(stutter, 0, state)]
    ]
    numbers, events, targets = zip(*flat, strict=True)
    return Graph(
        SYSTEM,
        rows.astype(np.uint64),
        np.array(targets, np.uint32),
        np.array(numbers, np.uint32),
        np.zeros(len(states), np.uint64),
        initial,
        lambda numbers: [() for _ in numbers],
        np.array(events, np.uint64),
    )


def any_steps(random: Random, states: int = 4, letters: str = "ab-") -> list[Steps]:
    """The steps of a process of at most so many states, all of which can be reached."""
    count = random.randint(1, states)
    possible = [(letter, target) for letter in letters for target in range(count)]
    most = min(4, len(possible))
    return reachable([random.sample(possible, random.randint(0, most)) for _ in range(count)])


SEEDS = st.integers(0, 2**32 - 1).map(Random)
"""Hypothesis likes small things best, and small processes are all alike."""
THOROUGHLY = settings(max_examples=examples(400))


def reachable(states: Sequence[Steps]) -> list[Steps]:
    """Only the states that can be reached from the first, in the order in which they are."""
    found = [0]
    for state in found:
        found += [target for target in dict.fromkeys(t for _, t in states[state]) if target not in found]
    return [[(event, found.index(target)) for event, target in states[state]] for state in found]


# --- the obvious meaning ------------------------------------------------------------------------------


def closure(states: Sequence[Steps], members: frozenset[int]) -> frozenset[int]:
    """All that internal steps lead to."""
    found, ahead = set(members), list(members)
    while ahead:
        for event, target in states[ahead.pop()]:
            if event == INTERNAL and target not in found:
                found.add(target)
                ahead.append(target)
    return frozenset(found)


def after(states: Sequence[Steps], initial: int, trace: str) -> frozenset[int]:
    """The states that a process can be in after some visible events."""
    members = closure(states, frozenset(range(initial)))
    for letter in trace:
        members = move(states, members, letter)
    return members


def move(states: Sequence[Steps], members: frozenset[int], letter: str) -> frozenset[int]:
    """The states behind one more event."""
    return closure(states, frozenset(t for state in members for event, t in states[state] if event == letter))


def traces(states: Sequence[Steps], initial: int, most: int) -> Iterator[str]:
    """All sequences of visible events up to a length."""
    level = [""]
    for _ in range(most + 1):
        yield from level
        level = [
            trace + letter for trace in level for letter in LETTERS if after(states, initial, trace + letter)
        ]


def offered(states: Sequence[Steps], state: int) -> frozenset[str] | None:
    """The events of a stable state; None if it is not stable."""
    events = frozenset(event for event, _ in states[state])
    return None if INTERNAL in events else events


def offers_after(states: Sequence[Steps], initial: int, trace: str) -> set[frozenset[str]]:
    """What the stable states after a trace offer."""
    found = (offered(states, state) for state in after(states, initial, trace))
    return {each for each in found if each is not None}


def follow(states: Sequence[Steps], run: Run) -> tuple[str, int]:
    """The visible events of a run, and the state that it ends in."""
    state, trace = run.start, ""
    for choice in run.choices:
        event, state = states[state][choice]
        trace += event.replace(INTERNAL, "")
    return trace, state
