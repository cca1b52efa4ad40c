"""Cards by their driver: what is said where there is none, and what PTX is written for which card."""

from __future__ import annotations

import pytest

from angarium.checker.explore.gpu import engine
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.program import compile_program
from angarium.core.errors import CardError
from angarium.native import card_driver, cuda, ptx
from tests.checker.backend.systems import counters
from tests.checker.explore.test_native import wide


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_driver, "LIBRARIES", ("libnowhere.so",))
    cuda._driver.cache_clear()


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_one_line_says_what_to_do() -> None:
    with pytest.raises(CardError, match=r"^no driver .* is installed here .*; install NVIDIA's driver, or"):
        engine.first_card()


def test_cards_that_are_too_old_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    old = cuda.Found(0, "Tesla P100", (6, 0), 16 << 30, 56 * 2048)
    monkeypatch.setattr(cuda, "found", lambda: [old])
    with pytest.raises(
        CardError, match=r"no graphics card here is new enough; there is Tesla P100 \(6\.0\);"
    ):
        engine.first_card()


def test_who_asks_for_a_card_that_is_not_there_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(card_driver.WANTED, "emulated")
    card = engine.first_card()
    assert isinstance(card, EmulatedGrid)
    card.close()


@pytest.mark.parametrize(
    ("capability", "processor"),
    [((7, 0), "sm_70"), ((7, 5), "sm_70"), ((8, 6), "sm_80"), ((9, 0), "sm_90"), ((12, 0), "sm_90")],
)
def test_a_card_gets_the_newest_that_it_understands(capability: tuple[int, int], processor: str) -> None:
    assert ptx.generation(capability)[1] == processor


@pytest.mark.parametrize("make", [counters, wide])
@pytest.mark.parametrize("capability", [each[0] for each in ptx.GENERATIONS])
def test_each_function_that_a_launch_starts_is_an_entry(make: object, capability: tuple[int, int]) -> None:
    program = compile_program(make(2, 3))  # type: ignore[operator]
    code = program.ptx(capability).decode()
    assert f".target {ptx.generation(capability)[1]}" in code
    for name in ("expand_states", "enter_states", "find_parent"):
        assert f".entry start_{name}(" in code


def test_atomics_are_seen_by_the_whole_card_and_no_load_waits_for_an_order() -> None:
    code = compile_program(counters(2, 3)).ptx((9, 0)).decode()
    assert "ld.relaxed.gpu" in code
    assert ".sys" not in code
    assert "fence" not in code


def test_what_was_found_in_this_level_is_read_behind_a_fence_where_states_are_wide() -> None:
    code = compile_program(wide(2, 3)).ptx((9, 0)).decode()
    assert "fence.acq_rel.gpu" in code
    assert "st.release.gpu" in code
