"""Random graphs are connected, of the size that was asked for, and always the same."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.core.errors import UsageError
from angarium.mesh.routing.tables import outcomes, tables
from angarium.mesh.schemes.graphs import RandomGraph, _numbers, _pair, _rank, _sample, _tree, read_size


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    brokers = draw(st.integers(2, 20))
    return brokers, draw(st.integers(brokers - 1, brokers * (brokers - 1) // 2))


@given(size=sizes(), seed=st.integers(0, 2**70))
def test_they_are_connected_and_have_as_many_links_as_asked_for(size: tuple[int, int], seed: int) -> None:
    mesh = RandomGraph(*size, seed).mesh()

    assert (len(mesh.brokers), len(mesh.cables)) == size
    assert outcomes(tables(mesh)).arrives.all()
    assert len({frozenset((link.source, link.target)) for link in mesh.links}) == size[1]


def test_the_random_numbers_are_those_of_splitmix64() -> None:
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]

    assert list(islice(_numbers(0), 3)) == known


def test_a_seed_makes_the_same_mesh_everywhere() -> None:
    mesh = RandomGraph(6, 8, 1).mesh()

    assert mesh.cables == (*("b1-b2", "b1-b6", "b2-b3", "b2-b4", "b2-b5", "b3-b6", "b4-b6", "b5-b6"),)


def test_every_tree_is_about_equally_likely() -> None:
    often = Counter(frozenset(_tree(4, _numbers(seed))) for seed in range(1600))

    assert len(often) == 16
    assert min(often.values()) > 60


def test_every_set_of_links_is_about_equally_likely() -> None:
    often = Counter(frozenset(_sample(4, 2, _numbers(seed))) for seed in range(600))

    assert len(often) == 6
    assert min(often.values()) > 60


@given(larger=st.integers(1, 3000), share=st.floats(0, 0.999))
def test_pairs_and_their_ranks_are_one_to_one(larger: int, share: float) -> None:
    pair = int(larger * share), larger

    assert _pair(_rank(pair)) == pair


def test_sizes_are_read() -> None:
    assert read_size("32x64") == (32, 64)
    assert read_size("2X1") == (2, 1)


@pytest.mark.parametrize(
    "text", ["32", "x", "32x", "1x0", "4x2", "4x7", "5000x9000", "-4x4", "٤x٤", "9" * 40]
)
def test_sizes_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--random"):
        read_size(text)
