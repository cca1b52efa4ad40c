"""Representatives stand for exactly the states that differ only in names."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from angarium.checker.backend.kernel import compile_system
from angarium.checker.ir.transition import TransitionSystem, Variable
from angarium.checker.ir.types import Array, Index, Option
from angarium.core.errors import LimitError
from tests.checker.backend.systems import counters, line, system

Cells = tuple[int, ...]


def representatives(given: TransitionSystem, states: list[Cells]) -> dict[Cells, Cells]:
    kernel = compile_system(given, symmetry=True)
    found = kernel.layout.unpack_all(kernel.canonical(kernel.layout.pack_all(states))).tolist()
    return dict(zip(states, map(tuple, found), strict=True))


def test_indexed_cells_are_sorted_into_one_representative() -> None:
    states = list(product(range(3), repeat=4))
    found = representatives(counters(4, 2, symmetric=True), states)
    assert len(set(found.values())) == len({tuple(sorted(state)) for state in states})
    assert all(sorted(state) == sorted(other) for state, other in found.items())


def test_values_and_keys_are_renamed_together() -> None:
    thing, other = Index("Thing", 3, symmetric=True), Index("Other", 2, symmetric=True)
    friend = Variable("friend", Option(thing), (2, 3), (other, thing), (-1,) * 6)
    given = system(variables=(friend,), state=(("friend", Array(other, Array(thing, friend.type))),))

    def orbit(state: Cells) -> frozenset[Cells]:
        return frozenset(renamed(state, o, t) for o in permutations(range(2)) for t in permutations(range(3)))

    def renamed(state: Cells, o: Cells, t: Cells) -> Cells:
        result = [0] * 6
        for row, column in product(range(2), range(3)):
            value = state[row * 3 + column]
            result[o[row] * 3 + t[column]] = t[value] if value >= 0 else -1
        return tuple(result)

    states = list(product(range(-1, 3), repeat=6))
    found = representatives(given, states)
    assert all(found[state] in orbit(state) for state in states)
    assert len(set(found.values())) == len({orbit(state) for state in states})


def test_unused_places_of_a_sequence_are_not_renamed() -> None:
    """Cells: length, three places, who joined, who was served."""
    states = [(1, 0, 0, 0, 1, 0, 0, -1), (1, 1, 0, 0, 0, 1, 0, -1), (1, 2, 0, 0, 0, 0, 1, -1)]
    found = representatives(line(3), states)
    assert len(set(found.values())) == 1
    assert set(found.values()) <= set(states)


def test_without_symmetric_types_every_state_stands_for_itself() -> None:
    states = list(product(range(3), repeat=2))
    assert representatives(counters(2, 2), states) == {state: state for state in states}


def test_too_many_renamings_are_refused() -> None:
    compile_system(counters(8, 1, symmetric=True), symmetry=True)
    with pytest.raises(LimitError, match="362,880 ways") as error:
        compile_system(counters(9, 1, symmetric=True), symmetry=True)
    assert error.value.code == "ANG051"
