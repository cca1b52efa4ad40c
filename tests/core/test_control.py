"""What takes long is ended in time, by Ctrl-C or by SIGTERM, wherever it is."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from angarium.core import control
from angarium.core.control import (
    INTERRUPTED,
    Cut,
    CutBy,
    Terminated,
    TimeIsUp,
    aside,
    cut_by_states,
    cut_of,
    grant,
    interrupt,
    terminate,
    time_limit,
)
from angarium.core.records import read, write
from tests.waiting import PATIENCE

BRIEF = 0.05


def long() -> None:
    threading.Event().wait(PATIENCE)


def test_a_time_limit_ends_what_does_not_look_at_the_clock() -> None:
    def work() -> None:
        with time_limit(BRIEF):
            while True:
                pass

    with pytest.raises(TimeIsUp) as caught:
        work()

    assert cut_of(caught.value) == "time limit of 0.05 s"


def test_a_time_limit_inside_another_does_not_put_it_off() -> None:
    def work() -> None:
        with time_limit(BRIEF), time_limit(PATIENCE):
            long()

    with pytest.raises(TimeIsUp) as caught:
        work()

    assert caught.value.cut == "time limit of 0.05 s"


def test_a_time_limit_around_another_counts_again_behind_it() -> None:
    def work() -> None:
        with time_limit(4 * BRIEF):
            with pytest.raises(TimeIsUp), time_limit(BRIEF):
                long()
            long()

    with pytest.raises(TimeIsUp) as caught:
        work()

    assert caught.value.cut == "time limit of 0.2 s"


def test_behind_a_time_limit_nothing_rings() -> None:
    with time_limit(PATIENCE):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_answer_is_given_time() -> None:
    with time_limit(PATIENCE):
        grant(PATIENCE)

        assert signal.getitimer(signal.ITIMER_REAL)[0] > PATIENCE


def test_who_is_interrupted_by_ctrl_c_says_so() -> None:
    assert cut_of(KeyboardInterrupt()) == INTERRUPTED


# --- aside ------------------------------------------------------------------------------------------


def test_what_is_done_aside_gives_its_result() -> None:
    assert aside(lambda: 7, long) == 7


def test_what_goes_wrong_aside_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0, long)


def test_a_signal_is_heard_while_something_is_done_aside() -> None:
    begun, told = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return told.wait(PATIENCE)

    def interrupt() -> None:
        begun.wait(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        aside(work, told.set)

    assert told.is_set()


def test_who_does_not_hear_it_at_first_is_told_again_to_stop() -> None:
    told = threading.Event()
    times: list[float] = []

    def stop() -> None:
        times.append(time.monotonic())
        if len(times) == 3:
            told.set()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        told.wait(PATIENCE)

    with pytest.raises(KeyboardInterrupt):
        aside(work, stop)

    assert len(times) >= 3


# --- while something is being imported ------------------------------------------------------------

HALVES = """
import os, signal
begun = True
os.kill(os.getpid(), signal.{number})
for _ in range(1000):
    pass
whole = True
"""
ENDLESS = """
import os, signal
os.kill(os.getpid(), signal.SIGINT)
while True:
    pass
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module to be written, and signals as the program hears them."""
    monkeypatch.syspath_prepend(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, terminate)
    yield tmp_path / "imported.py"
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.modules.pop("imported", None)


def import_and_wait() -> None:
    import_module("imported")
    long()


@pytest.mark.parametrize(("number", "problem"), [("SIGINT", KeyboardInterrupt), ("SIGTERM", Terminated)])
def test_no_signal_leaves_half_of_a_module(
    module: Path, number: str, problem: type[KeyboardInterrupt]
) -> None:
    module.write_text(HALVES.format(number=number), encoding="utf-8")

    with pytest.raises(problem):
        import_and_wait()

    assert sys.modules["imported"].__dict__["whole"]


class Interrupted:
    """Ctrl-C comes where C has called Python, and would make something else of what is raised."""

    @classmethod
    def from_param(cls, _: object) -> ctypes.c_int:
        os.kill(os.getpid(), signal.SIGINT)
        return ctypes.c_int(1)

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass


@pytest.mark.usefixtures("module")
def test_ctypes_makes_no_error_of_its_own_of_a_signal() -> None:
    function = ctypes.CDLL(None).abs
    function.argtypes = [Interrupted]

    def call() -> None:
        function(1)
        long()

    with pytest.raises(KeyboardInterrupt):
        call()


@pytest.mark.usefixtures("module")
def test_no_signal_is_lost_with_an_object_that_goes() -> None:
    def let_go() -> None:
        Interrupted()
        long()

    with pytest.raises(KeyboardInterrupt):
        let_go()


@pytest.mark.usefixtures("module")
def test_no_signal_is_lost_in_what_is_done_when_an_object_goes() -> None:
    def let_go() -> None:
        weakref.finalize(set(), os.kill, os.getpid(), signal.SIGINT)
        long()

    with pytest.raises(KeyboardInterrupt):
        let_go()


def test_a_time_limit_waits_for_an_import_and_rings_again(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "_AGAIN", BRIEF)
    module.write_text(f"import time\ntime.sleep({2 * BRIEF})\nwhole = True\n", encoding="utf-8")

    with pytest.raises(TimeIsUp), time_limit(BRIEF):
        import_and_wait()

    assert sys.modules["imported"].__dict__["whole"]


def test_a_module_that_never_ends_is_left(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_LOADING", BRIEF)
    module.write_text(ENDLESS, encoding="utf-8")

    with pytest.raises(KeyboardInterrupt):
        import_module("imported")


def test_a_cut_is_its_words_and_knows_by_what() -> None:
    cut = pickle.loads(pickle.dumps(cut_by_states(1_000)))

    assert (cut, f"{cut}", cut.by) == ("limit of 1,000 states", "limit of 1,000 states", CutBy.STATES)
    assert write(cut) == {"cut_by": "states", "cut": "limit of 1,000 states"}
    assert read(Cut, write(cut)) == cut and read(Cut, write(cut)).by is cut.by
