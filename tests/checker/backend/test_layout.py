"""States as words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.checker.backend.layout import Layout
from angarium.checker.ir.transition import Variable
from angarium.checker.ir.types import Int
from angarium.core.errors import LimitError


def variable(name: str, low: int, high: int, cells: int) -> Variable:
    return Variable(name, Int(low, high), (cells,), (None,), (low,) * cells)


@st.composite
def states(draw: st.DrawFn) -> tuple[list[Variable], list[int]]:
    shapes = st.tuples(st.integers(-9, 9), st.integers(0, 2000), st.integers(1, 70))
    drawn = draw(st.lists(shapes, max_size=4))
    variables = [variable(f"v{n}", low, low + size, c) for n, (low, size, c) in enumerate(drawn)]
    cells = [draw(st.integers(v.low, v.high)) for v in variables for _ in range(v.cells)]
    return variables, cells


@given(states())
def test_packing_keeps_every_cell(given_state: tuple[list[Variable], list[int]]) -> None:
    variables, cells = given_state
    layout = Layout(variables)
    words = layout.pack(cells)
    assert layout.unpack(words) == tuple(cells)
    packed = layout.pack_all([cells])
    assert tuple(int(word) for word in packed[0]) == words
    assert layout.unpack_all(packed).tolist() == [cells]


@given(states())
def test_no_cell_straddles_a_word_and_none_overlap(
    given_state: tuple[list[Variable], list[int]],
) -> None:
    layout = Layout(given_state[0])
    used = [0] * layout.words
    for word, shift, mask, _ in layout.places:
        if mask:
            assert shift + mask.bit_length() <= 64
            assert not used[word] & mask << shift
            used[word] |= mask << shift
    assert layout.words > 1 or used[0] < 2**63


@pytest.mark.parametrize(("bits", "words"), [([1] * 63, 1), ([1] * 64, 2), ([40, 40, 20, 20], 2), ([], 1)])
def test_states_take_few_words(bits: list[int], words: int) -> None:
    variables = [variable(f"v{n}", 0, 2**width - 1, 1) for n, width in enumerate(bits)]
    assert Layout(variables).words == words


@given(states())
def test_what_is_kept_apart_has_words_of_its_own_behind_the_state(
    given_state: tuple[list[Variable], list[int]],
) -> None:
    variables, cells = given_state
    alone = Layout(variables)
    both = Layout(variables, apart=[variable("small", 0, 0, 1), variable("large", 0, 2**63 - 1, 1)])
    assert both.words == alone.words + 2
    assert both.pack([*cells, 0, 5]) == (*alone.pack(cells), 0, 5)


def test_a_constant_takes_no_room() -> None:
    layout = Layout([variable("c", 7, 7, 1000)])
    assert (layout.bits, layout.words) == (0, 1)
    assert layout.unpack(np.zeros(1, np.uint64)) == (7,) * 1000


def test_too_large_a_state_is_refused() -> None:
    with pytest.raises(LimitError, match="65 words") as error:
        Layout([variable("huge", 0, 1, 64 * 64 + 1)])
    assert error.value.code == "ANG050"
