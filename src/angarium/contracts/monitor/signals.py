"""Signals that are heard although something on their way swallows what they raise.

Ctrl-C and the wish to end the program come as exceptions at any point. Hypothesis draws values inside blocks
that may end with an exception of their own, and measures the garbage collector by a callback, in which
exceptions are lost. So the callback is taken away while calls are made, and a signal that was heard is raised
once more at a place where nothing stands in its way: before the next object is made.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

HEEDED = (signal.SIGINT, signal.SIGTERM)

Handler: TypeAlias = Callable[[int, FrameType | None], object]
Heard: TypeAlias = list[tuple[int, Handler]]
"""Signals that came, each with what was to be done about it."""


@contextmanager
def heeding_signals() -> Iterator[Callable[[], None]]:
    """A function to call now and then: it raises again what a signal raised, if that was lost."""
    heard: Heard = []

    def again() -> None:
        _unhook(taken)
        for number, handler in heard:
            handler(number, None)

    taken: list[Any] = []
    with _listening(heard):
        try:
            yield again
        finally:
            gc.callbacks[:0] = taken


def _unhook(taken: list[Any]) -> None:
    """Take Hypothesis's callbacks from the garbage collector: no deadline of ours needs what they measure."""
    for each in [each for each in gc.callbacks if _is_of_hypothesis(each)]:
        gc.callbacks.remove(each)
        taken.append(each)


def _is_of_hypothesis(callback: object) -> bool:
    return str(getattr(callback, "__module__", "")).startswith("hypothesis.")


@contextmanager
def _listening(heard: Heard) -> Iterator[None]:
    """Write down which signals came, and do what was to be done about them before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in HEEDED}
    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, _recording(heard, handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _recording(heard: Heard, handler: Handler) -> Handler:
    def record(number: int, frame: FrameType | None) -> None:
        heard.append((number, handler))
        handler(number, frame)

    return record
