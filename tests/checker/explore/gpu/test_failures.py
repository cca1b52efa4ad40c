"""What a card cannot do, or stops doing: an answer that says so, or one line, and never a stack trace."""

from __future__ import annotations

import ctypes

import pytest

from angarium.app.report.text import Background, render
from angarium.checker.explore.gpu import engine as engines
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.graph import Wish
from angarium.checker.logic.check import check
from angarium.core.errors import CardError
from angarium.core.result import Verdict
from angarium.native import card_driver, cuda
from angarium.systems.registry import load
from tests.app.cli.running import SMALL, run
from tests.checker.backend.systems import counters

FULL = "the memory of an emulated grid is full"


class Grid(EmulatedGrid):
    """A grid that has room so often only."""

    rooms = 0

    def allocate(self, size: int) -> int:
        if self.rooms == 0:
            raise MemoryError
        self.rooms -= 1
        return super().allocate(size)


@pytest.mark.parametrize("rooms", range(8))
def test_a_driver_without_memory_gives_what_was_covered(rooms: int) -> None:
    class Card(Grid):
        pass

    Card.rooms = rooms
    found = GpuEngine(Card, _capacity=16).search(counters(6, 9)).coverage
    assert (found.complete, found.cut) == (False, FULL)
    assert found.states < 10**6


def test_without_memory_for_the_graph_the_verdicts_of_states_are_there() -> None:
    class Card(EmulatedGrid):
        def start(self, name: str, count: int, *arguments: int) -> None:
            if name == "count_steps":
                raise MemoryError
            super().start(name, count, *arguments)

    outcome = GpuEngine(Card).search(counters(3, 5), graph=Wish())
    assert (outcome.coverage.complete, outcome.graph, outcome.graph_cut) == (True, None, FULL)


def test_the_answer_is_unknown_and_says_what_to_do() -> None:
    report = check(load("rabbitmq-sac", {"queues": "2"}), engine=GpuEngine(Grid), subject="rabbitmq-sac")
    assert {each.verdict for each in report.verdicts} == {Verdict.UNKNOWN}
    text = " ".join(render(report, Background()).split())
    assert f"cut: {FULL}" in text
    assert "Unknown is not holds" in text


def test_a_card_that_fails_in_the_midst_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Card(EmulatedGrid):
        def is_done(self, seconds: float) -> bool:
            if self._running:
                super().is_done(seconds)
                raise CardError("ANG161", "the graphics card's driver says: an illegal memory access")
            return True

    monkeypatch.setattr(engines, "first_card", Card)
    monkeypatch.setattr(GpuEngine.__init__, "__defaults__", (Card,))
    done = run("check", *SMALL, "--engine", "gpu")
    assert done.exit_code == 2
    assert "illegal memory access" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_driver_the_command_ends_with_2_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(card_driver.WANTED, raising=False)
    monkeypatch.setattr(card_driver, "LIBRARIES", ("libnowhere.so",))
    cuda._driver.cache_clear()
    for verb in ("check", "simulate"):
        done = run(verb, *SMALL, "--engine", "gpu")
        assert done.exit_code == 2
        assert "no driver of a graphics card is installed here" in done.stderr


class Library:
    """A driver's library: each function says what it is told to say."""

    def __init__(self, **says: int) -> None:
        self.says = says

    def __getattr__(self, name: str) -> object:
        return lambda *_: self.says.get(name, 0)


def test_what_a_driver_says_becomes_an_error_of_ours() -> None:
    driver = cuda.Driver(Library(cuMemAlloc_v2=cuda.OUT_OF_MEMORY, cuLaunchKernel=700))
    with pytest.raises(MemoryError):
        driver("cuMemAlloc_v2", ctypes.c_uint64())
    with pytest.raises(CardError, match=r"the graphics card's driver says: error 700 \(cuLaunchKernel\)"):
        driver("cuLaunchKernel")
    assert driver("cuInit") == 0


def test_a_driver_that_finds_no_card_says_so() -> None:
    with pytest.raises(CardError, match="the driver finds no graphics card: error 100"):
        cuda._initialised(cuda.Driver(Library(cuInit=cuda.NO_DEVICE)))
