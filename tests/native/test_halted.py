"""Kernels with loops that run for long can be told to end; what was computed then is thrown away."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.core.control import Limits
from angarium.native import jit
from angarium.native.apart import apart
from tests.waiting import PATIENCE

TEXT = '''
from angarium import Model, action, integer, invariant

class Sums(Model):
    """Adds up."""

    n = integer(0, 9)

    @action
    def step(self) -> None:
        self.n = (self.n + sum((i * 7 + self.n) % 5 for i in range({times}))) % 10

    @invariant
    def fine(self) -> bool:
        return self.n <= 9
'''


def sums(times: int) -> TransitionSystem:
    return build(find_model(parse(TEXT.format(times=times))))


def after(kernel: Kernel) -> list[tuple[int, ...]]:
    states = kernel.layout.pack_all(initial_states(kernel.system))
    found = kernel.successors(states).successors
    return [kernel.layout.unpack([int(word) for word in state]) for state in np.atleast_2d(found)]


def test_only_kernels_with_long_loops_look_whether_to_end() -> None:
    assert compile_system(sums(10_000_000)).library.may_be_long
    assert not compile_system(sums(1000)).library.may_be_long


def test_a_search_is_not_disturbed_by_another_that_halts_the_same_kernel() -> None:
    system = sums(3_000_000)
    kernel = compile_system(system)
    alone = NativeEngine().search(system).coverage
    done = threading.Event()

    def disturb() -> None:
        while not done.wait(0.001):
            with kernel.library.halting() as halt:
                halt()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        disturbed = NativeEngine().search(system).coverage
        reached = after(kernel)
    finally:
        done.set()
        disturber.join()

    numbers = sum((i * 7) % 5 for i in range(3_000_000)) % 10
    assert reached == [(numbers,)]
    assert (disturbed.states, disturbed.transitions) == (alone.states, alone.transitions)
    assert disturbed.complete


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_in_a_long_loop_is_cut(threads: int) -> None:
    limits = Limits(timeout=0.2)

    coverage = NativeEngine().search(sums(10**12), limits=limits, threads=threads).coverage

    assert coverage.cut == "time limit of 0.2 s"
    assert (coverage.complete, coverage.states, coverage.frontier) == (False, 1, 1)


# --- a process of its own ---------------------------------------------------------------------------


@pytest.fixture
def long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "LONG_TEXT", 0)
    monkeypatch.setattr(jit.objects, "load", lambda _name: None)
    monkeypatch.setattr(jit.objects, "store", lambda _name, _code: None)


@pytest.mark.usefixtures("long_texts")
def test_a_long_text_is_compiled_by_a_process_of_its_own() -> None:
    system = sums(77)

    assert after(compile_system(system)) == [(sum((i * 7) % 5 for i in range(77)) % 10,)]


def hang(_: bytes) -> bytes:
    """Never answers; run by the other process."""
    threading.Event().wait(PATIENCE)
    return b""


def end(_: bytes) -> bytes:
    """Ends without an answer; run by the other process."""
    raise SystemExit


def test_a_process_that_ends_without_an_answer_had_too_little_memory() -> None:
    with pytest.raises(MemoryError):
        apart(f"{__name__}:end", b"")


def test_a_process_that_hangs_is_ended_with_who_waits_for_it() -> None:
    from angarium.core.control import TimeIsUp, time_limit

    def work() -> None:
        with time_limit(1.0):
            apart(f"{__name__}:hang", b"")

    with pytest.raises(TimeIsUp):
        work()
