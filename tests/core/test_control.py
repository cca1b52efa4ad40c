"""What takes long is ended in time, by Ctrl-C or by SIGTERM, wherever it is."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from angarium.core.control import INTERRUPTED, TimeIsUp, aside, grant, reason, time_limit
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

    assert reason(caught.value) == "time limit of 0.05 s"


def test_a_time_limit_inside_another_does_not_put_it_off() -> None:
    def work() -> None:
        with time_limit(BRIEF), time_limit(PATIENCE):
            long()

    with pytest.raises(TimeIsUp) as caught:
        work()

    assert caught.value.why == "time limit of 0.05 s"


def test_a_time_limit_around_another_counts_again_behind_it() -> None:
    def work() -> None:
        with time_limit(4 * BRIEF):
            with pytest.raises(TimeIsUp), time_limit(BRIEF):
                long()
            long()

    with pytest.raises(TimeIsUp) as caught:
        work()

    assert caught.value.why == "time limit of 0.2 s"


def test_behind_a_time_limit_nothing_rings() -> None:
    with time_limit(PATIENCE):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_answer_is_given_time() -> None:
    with time_limit(PATIENCE):
        grant(PATIENCE)

        assert signal.getitimer(signal.ITIMER_REAL)[0] > PATIENCE


def test_who_is_interrupted_by_ctrl_c_says_so() -> None:
    assert reason(KeyboardInterrupt()) == INTERRUPTED


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
