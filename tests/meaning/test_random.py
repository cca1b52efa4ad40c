"""Random models mean what Python makes of them, and reach every construct of the language."""

from __future__ import annotations

from random import Random

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.core.errors import ModelError
from tests.effort import is_thorough
from tests.meaning.compare import Comparison, compare, compiled
from tests.meaning.constructs import EVERYTHING, LEFT_OUT, reached
from tests.meaning.generate import model
from tests.meaning.renaming import Groups, groups
from tests.meaning.search import InitialStepError, TooManyStatesError

LARGEST = 250
"""States of a model that is compared; of a larger one, the beginning says nothing about counts."""
BATCH = 25
BATCHES = range(120 if is_thorough() else 1)
START = Random().randrange(1_000_000) if is_thorough() else 0
"""The number of the first model: the thorough run has new ones each time."""


def compared(seed: int) -> Comparison | None:
    """How a random model compares; None if the front end refuses it, or if it is too large."""
    try:
        return compare(model(seed), most=LARGEST)
    except (ModelError, TooManyStatesError):
        return None


def numbers(batch: int) -> range:
    first = START + batch * BATCH
    return range(first, first + BATCH)


@pytest.mark.parametrize("batch", BATCHES)
def test_random_models_mean_what_python_makes_of_them(batch: int) -> None:
    found = {seed: compared(seed) for seed in numbers(batch)}

    assert {seed: each.differences for seed, each in found.items() if each and each.differences} == {}
    assert sum(each is not None for each in found.values()) > BATCH // 2


@pytest.mark.parametrize("batch", range(30 if is_thorough() else 1))
def test_a_search_with_symmetry_finds_one_state_of_each_group(batch: int) -> None:
    found = [grouped(seed) for seed in numbers(batch)[: BATCH if is_thorough() else 10]]
    some = [each for each in found if each is not None]

    assert [each for each in some if each.different or each.states != each.found] == []
    assert some


def grouped(seed: int) -> Groups | None:
    """The groups of a random model with interchangeable values, if it has any and can be compared."""
    try:
        return groups(model(seed), "Twin", most=LARGEST)
    except (ModelError, TooManyStatesError, InitialStepError):
        return None


@pytest.mark.parametrize("seed", range(40 if is_thorough() else 4))
def test_the_native_engine_finds_as_many_states_and_steps(seed: int) -> None:
    found = compared(START + seed)
    if found is None or not found.states:
        return
    system = compiled(model(START + seed))
    outcome = NativeEngine().search(system, threads=1)

    if len(outcome.runs) <= len(system.guarantees):  # else it may end early, with everything hit
        assert (found.states, found.transitions) == (outcome.coverage.states, outcome.coverage.transitions)


def test_random_models_reach_every_construct_of_the_language() -> None:
    found = reached(model(START + seed) for seed in range(1000 if is_thorough() else 150))

    assert (len(EVERYTHING), len(LEFT_OUT)) == (243, 32)
    assert [name for name, number in found.items() if not number] == []
